//! Faults of processes that share memory.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ludovec::engine::{AutoReset, BatchConfig, Error, MaskFormat, OptionValue, VectorEnv};
use ludovec::shm::{AttachedEnv, attach};

use super::processes::{Outsider, Server, failure, ludovec, mailbox, path};
use super::{effort, fleet, fresh_name, light, scrambled};

const NO_OPTIONS: [(&str, OptionValue); 0] = [];

/// Steps until the fleet is gone; returns the error.
fn step_until_gone(client: &mut AttachedEnv) -> Error {
    let since = Instant::now();
    loop {
        if let Err(error) = client.step_sampled() {
            return error;
        }
        assert!(since.elapsed() < Duration::from_secs(20), "the fleet serves on");
    }
}

#[test]
fn clients_killed_in_the_middle_of_a_step_do_no_harm() {
    let server =
        Server::start(&fresh_name(), light(), &["--num-envs", "4096", "--blocks", "2", "--threads", "2"]);
    let outsider = Outsider::open(&server.name);
    let mut survivor = attach(&server.name, Some(1)).unwrap();
    let config =
        BatchConfig { num_envs: 2048, threads: Some(1), mask: MaskFormat::Bytes, ..BatchConfig::default() };
    let mut reference =
        ludovec::games::find(light()).unwrap().make(NO_OPTIONS).unwrap().vector(config).unwrap();
    for round in 0..effort(200, 1000) {
        // It claims the other block and steps as fast as it can.
        let mut victim = ludovec(&["bench", "--attach", &server.name, "--seconds", "60"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let before = outsider.word(mailbox(1));
        let start = Instant::now();
        while outsider.word(mailbox(1)).wrapping_sub(before) < 4 {
            assert!(start.elapsed() < Duration::from_secs(20), "round {round}: the client does not step");
            survivor.step_sampled().unwrap();
            reference.step_sampled().unwrap();
        }
        std::thread::sleep(Duration::from_micros(scrambled(round as u64) % 1500));
        victim.kill().unwrap();
        survivor.step_sampled().unwrap();
        reference.step_sampled().unwrap();
        victim.wait().unwrap();
        let mut heir = attach(&server.name, Some(1)).unwrap_or_else(|e| panic!("round {round}: {e}"));
        assert_eq!(heir.config().first_game, 2048);
        heir.step_sampled().unwrap();
    }
    super::assert_same(&survivor, &*reference, "beside clients that were killed");
}

#[test]
fn a_killed_fleet_is_noticed_and_can_start_again() {
    let name = fresh_name();
    let mut server = Server::start(&name, light(), &["--num-envs", "2048", "--threads", "2"]);
    let mut first = attach(&name, Some(1)).unwrap();
    let mut idle = attach(&name, Some(1)).unwrap();
    for _ in 0..20 {
        first.step_sampled().unwrap();
    }
    let (stepping, dead) = (AtomicBool::new(false), std::sync::Mutex::new(None));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            stepping.store(true, Ordering::Release);
            *dead.lock().unwrap() = Some(step_until_gone(&mut first));
        });
        while !stepping.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        std::thread::sleep(Duration::from_millis(50));
        server.kill();
        let error = step_until_gone(&mut idle);
        assert!(error.to_string().contains("died"), "{error}");
    });
    let error = dead.into_inner().unwrap().unwrap();
    assert!(error.to_string().contains("died"), "{error}");
    let killed_segment = attach(&name, None).map(drop).unwrap_err().to_string();
    assert!(killed_segment.contains("died"), "{killed_segment}");

    let _server = Server::start(&name, light(), &["--num-envs", "8"]);
    let mut again = attach(&name, None).unwrap();
    again.step_sampled().unwrap();
    assert!(first.step_sampled().is_err(), "the old games are gone for good");
}

#[test]
fn a_truncated_segment_is_an_error_on_both_sides() {
    for keep in [0, 4096, 5000, u64::MAX] {
        let mut server = Server::start(&fresh_name(), light(), &["--num-envs", "2048", "--blocks", "2"]);
        let mut client = attach(&server.name, Some(1)).unwrap();
        client.step_sampled().unwrap();
        let outsider = Outsider::open(&server.name);
        let len = outsider.len();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(30));
                outsider.0.set_len(if keep == u64::MAX { len / 2 } else { keep }).unwrap();
                done.store(true, Ordering::Release);
            });
            let error = step_until_gone(&mut client);
            assert!(matches!(error, Error::Unavailable { .. }), "{error}");
        });
        // Arrays over missing parts are read as zeros; the process survives.
        let sum: u64 = client.columns().final_returns.iter().map(|f| u64::from(f.to_bits())).sum();
        assert!(done.load(Ordering::Acquire) && (keep != 0 || sum == 0));
        assert!(client.step_sampled().is_err());
        let (code, said) = server.end();
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("truncated") && said.trim_end().lines().count() == 1, "{said}");
        assert!(!std::path::Path::new(&path(&server.name)).exists());
    }
}

#[test]
fn an_overwritten_segment_is_an_error_on_both_sides() {
    for byte in [0x00, 0xff, 0x5a] {
        let mut server = Server::start(&fresh_name(), light(), &["--num-envs", "512", "--blocks", "2"]);
        let mut client = attach(&server.name, Some(1)).unwrap();
        client.step_sampled().unwrap();
        let outsider = Outsider::open(&server.name);
        outsider.write(0, &vec![byte; outsider.len() as usize]);
        let error = step_until_gone(&mut client);
        assert!(matches!(error, Error::Unavailable { .. }), "{error}");
        let (code, said) = server.end();
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("overwritten"), "{said}");
    }
}

#[test]
fn hostile_requests_are_refused_and_others_are_served() {
    let (_fleet, name) = fleet(light(), 96, 2, AutoReset::SameStep);
    let outsider = Outsider::open(&name);
    let mut neighbour = attach(&name, Some(1)).unwrap();
    let mut reference = super::local(light(), 48, AutoReset::SameStep);
    let (columns, transfer) = {
        let client = attach(&name, Some(1)).unwrap();
        drop(client);
        let mut bytes = [0; 80];
        std::os::unix::fs::FileExt::read_exact_at(&outsider.0, &mut bytes, 0).unwrap();
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        (number(40), number(64) + number(72))
    };
    for round in 0..effort(400, 10_000) as u64 {
        let random = |k: u64| scrambled(round * 16 + k);
        let pick = |k: u64, wild: &[u64]| {
            if random(k).is_multiple_of(2) {
                random(k + 8) % 60
            } else {
                wild[random(k + 8) as usize % wild.len()]
            }
        };
        let wild = [u64::MAX, u64::from(u32::MAX), 1 << 31, 48, 49, 1 << 40];
        let mut request = Vec::new();
        request.extend_from_slice(&((random(0) % 11) as u32).to_le_bytes());
        request.extend_from_slice(&(pick(1, &wild) as u32).to_le_bytes());
        request.extend_from_slice(&(pick(2, &wild) as u32).to_le_bytes());
        request.extend_from_slice(&random(3).to_le_bytes()[..4]);
        request.extend_from_slice(&random(4).to_le_bytes());
        request.extend_from_slice(&pick(5, &wild).to_le_bytes());
        outsider.write(mailbox(1) + 4, &request[..20]);
        outsider.write(mailbox(1) + 24, &request[request.len() - 8..]);
        let noise: Vec<u8> = (0..256).flat_map(|k| scrambled(round << 8 | k).to_le_bytes()).collect();
        // Actions, ids and the transfer area of block 1.
        let mut offset = [0; 8];
        for column in 0..2 {
            std::os::unix::fs::FileExt::read_exact_at(&outsider.0, &mut offset, columns + 128 * column + 48)
                .unwrap();
            outsider.write(u64::from_le_bytes(offset) + 4 * 48, &noise[..4 * 48]);
        }
        outsider.write(transfer, &noise);
        let number = outsider.word(mailbox(1)).wrapping_add(1);
        outsider.write(mailbox(1), &number.to_le_bytes());
        // The neighbour's request rings the doorbell, so that the workers check both.
        neighbour.step_sampled().unwrap();
        reference.step_sampled().unwrap();
    }
    super::assert_same(&neighbour, &*reference, "beside a hostile client");
    let mut heir = attach(&name, Some(1)).unwrap();
    heir.reset(Some(1)).unwrap();
    heir.step_sampled().unwrap();
}

#[test]
fn signals_stop_a_fleet_in_order() {
    for signal in ["-INT", "-TERM"] {
        let mut server = Server::start(&fresh_name(), light(), &["--num-envs", "64"]);
        let mut client = attach(&server.name, None).unwrap();
        client.step_sampled().unwrap();
        server.signal(signal);
        let error = step_until_gone(&mut client);
        assert!(error.to_string().contains("stopped"), "{error}");
        let (code, said) = server.end();
        assert_eq!((code, said.as_str()), (Some(0), ""));
        assert!(!std::path::Path::new(&path(&server.name)).exists());
    }
}

#[test]
fn other_versions_are_told_apart() {
    let (_fleet, name) = fleet(light(), 4, 1, AutoReset::SameStep);
    let outsider = Outsider::open(&name);
    // Restored immediately: the fleet checks its header ten times a second.
    let with = |offset: u64, bytes: &[u8]| {
        let mut before = vec![0; bytes.len()];
        std::os::unix::fs::FileExt::read_exact_at(&outsider.0, &mut before, offset).unwrap();
        outsider.write(offset, bytes);
        let said = attach(&name, None).map(drop).unwrap_err().to_string();
        outsider.write(offset, &before);
        said
    };
    let layout = with(8, &2_u32.to_le_bytes());
    assert!(layout.contains("version 2") && layout.contains("version 1"), "{layout}");
    let magic = with(0, b"nonsense");
    assert!(magic.contains("not a segment of ludovec"), "{magic}");
    let size = with(16, &u64::MAX.to_le_bytes());
    assert!(size.contains("contradicts itself"), "{size}");

    let all = std::fs::read(path(&name)).unwrap();
    let find = |text: &str| {
        let at = all.windows(text.len()).position(|w| w == text.as_bytes());
        at.unwrap_or_else(|| panic!("{text} is not in the document")) as u64
    };
    let key = "\"version\":";
    let rules = with(find(key) + key.len() as u64, b"9");
    assert!(rules.contains("its version of") && rules.contains("is 9"), "{rules}");
    let program = with(find("\"max_steps\":7"), b"\"max_stepz\":7");
    assert!(program.contains("max_stepz"), "{program}");
    let broken = with(find("\"max_steps\":7"), b"}{");
    assert!(broken.contains("document is damaged"), "{broken}");
}

#[test]
fn other_users_are_refused_unless_the_mode_permits_them() {
    let server = Server::start(&fresh_name(), light(), &["--num-envs", "4"]);
    let metadata = std::fs::metadata(path(&server.name)).unwrap();
    assert_eq!(metadata.mode() & 0o7777, 0o600);
    let mut client = ludovec(&["bench", "--attach", &server.name, "--steps", "1"]);
    // Root may open every file, so a client of another user is started. An owner other than root removes its own
    // permission instead.
    let root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    if root {
        client.uid(65534);
        if client.output().is_err() {
            // The program is in a place where other users may not execute it.
            return;
        }
    } else {
        std::fs::set_permissions(path(&server.name), PermissionsExt::from_mode(0o0)).unwrap();
    }
    let (code, said) = failure(&mut client);
    assert_eq!(code, 1);
    assert!(said.contains("permission denied") && said.contains("--mode"), "{said}");

    if root {
        let open = Server::start(&fresh_name(), light(), &["--num-envs", "4", "--mode", "0666"]);
        let output = ludovec(&["bench", "--attach", &open.name, "--steps", "1"]).uid(65534).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn wrong_calls_are_one_line() {
    let name = fresh_name();
    let (code, said) = failure(&mut ludovec(&["bench", "--attach", &name]));
    assert!(code == 1 && said.contains("no fleet is called"), "{code} {said}");
    for (arguments, word) in [
        (&["serve"][..], "--name"),
        (&["serve", "--name", "a b"], "letters"),
        (&["serve", "--name", &name, "--mode", "0777"], "0600, 0660 and 0666"),
        (&["serve", "--name", &name, "--blocks", "0"], "blocks=0"),
        (&["serve", "--name", &name, "--num-envs", "0"], "num_envs=0"),
        (&["serve", "nogame", "--name", &name], "nogame"),
    ] {
        let (code, said) = failure(&mut ludovec(arguments));
        assert!(code == 2 && said.contains(word), "{arguments:?}: {code} {said}");
    }
    let server = Server::start(&name, light(), &["--num-envs", "4"]);
    let (code, said) = failure(&mut ludovec(&["serve", light(), "--name", &server.name]));
    assert!(code == 1 && said.contains("is running"), "{code} {said}");
}
