//! Fleets with slow bots, and clients that do not wait.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ludovec::engine::{Error, Interrupt, VectorEnv};
use ludovec::shm::{AttachedEnv, attach};

use super::processes::{Outsider, Server, mailbox};
use super::{fresh_name, light};

/// Longer than any test, shorter than bots that think for hours.
const LIMIT: Duration = Duration::from_secs(60);

/// Bots that think for minutes in a block of two games.
const SLOW: &str = "search:5000000";

/// One thread, two blocks of two games.
fn server() -> Server {
    Server::start(&fresh_name(), light(), &["--num-envs", "4", "--blocks", "2", "--threads", "1"])
}

fn client(server: &Server) -> AttachedEnv {
    let mut client = attach(&server.name, Some(1)).unwrap();
    client.set_time_limit(Some(LIMIT));
    client
}

fn ask(client: &mut AttachedEnv, bot: &str) -> Result<Vec<u32>, Error> {
    let mut actions = vec![0; client.config().num_envs];
    let seats = vec![bot.to_string(); client.columns().widths().rewards];
    client.bot_actions(None, &seats, &mut actions).map(|()| actions)
}

#[test]
fn thinking_bots_block_no_other_client_and_end_with_the_fleet() {
    for signal in ["-TERM", "-INT"] {
        let mut server = server();
        let (mut thinker, mut other) = (client(&server), client(&server));
        let asked = AtomicBool::new(false);
        thread::scope(|scope| {
            let thinking = scope.spawn(|| {
                asked.store(true, Ordering::Release);
                ask(&mut thinker, SLOW)
            });
            while !asked.load(Ordering::Acquire) {
                thread::yield_now();
            }
            for _ in 0..200 {
                other.step_sampled().unwrap();
            }
            ask(&mut other, "greedy").unwrap();
            assert!(!thinking.is_finished(), "these bots do not think for long");
            server.signal(signal);
            let signalled = Instant::now();
            let (code, said) = server.end();
            assert_eq!((code, said.as_str()), (Some(0), ""));
            assert!(signalled.elapsed() < Duration::from_secs(10), "{:?}", signalled.elapsed());
            let error = thinking.join().unwrap().unwrap_err();
            assert!(matches!(error, Error::Unavailable { .. }), "{error}");
        });
    }
}

#[test]
fn a_request_has_a_limit_of_playouts() {
    let server = server();
    let mut client = client(&server);
    for bot in ["search:5000001", "flat:100000000"] {
        let refused = ask(&mut client, bot).unwrap_err();
        assert!(matches!(&refused, Error::InvalidConfig(what) if what.contains("10000000")), "{refused}");
    }
    assert!(matches!(ask(&mut client, "search:x"), Err(Error::InvalidConfig(_))));
    ask(&mut client, "search:10").unwrap();
}

#[test]
fn a_client_gives_up_after_a_timeout_and_can_continue() {
    let server = server();
    let mut client = client(&server);
    client.set_time_limit(Some(Duration::from_millis(200)));
    let late = ask(&mut client, SLOW).unwrap_err();
    assert!(
        matches!(&late, Error::Unavailable { reason, .. } if reason.contains("no answer within 200ms")),
        "{late}"
    );
    // The bots end; no state has changed.
    client.set_time_limit(Some(LIMIT));
    client.step_sampled().unwrap();

    let interrupt = Interrupt::default();
    client.interrupt_by(interrupt.clone());
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            interrupt.raise();
        });
        let ended = ask(&mut client, SLOW).unwrap_err();
        assert!(matches!(ended, Error::Interrupted(_)), "{ended}");
    });
    client.interrupt_by(Interrupt::default());
    client.step_sampled().unwrap();
}

#[test]
fn bots_of_a_client_that_is_gone_do_not_keep_its_block() {
    let server = server();
    let outsider = Outsider::open(&server.name);
    let transfer = {
        let mut bytes = [0; 80];
        std::os::unix::fs::FileExt::read_exact_at(&outsider.0, &mut bytes, 0).unwrap();
        u64::from_le_bytes(bytes[64..72].try_into().unwrap())
    };
    let seats = client(&server).columns().widths().rewards;
    let payload = serde_json::to_vec(&vec![SLOW; seats]).unwrap();
    // A request of a process without a lock, like one that has died.
    let request = [9_u32, 0, 0, 0, 0, payload.len() as u32, 0].map(u32::to_le_bytes).concat();
    outsider.write(transfer, &payload);
    outsider.write(mailbox(0) + 4, &request);
    outsider.write(mailbox(0), &outsider.word(mailbox(0)).wrapping_add(1).to_le_bytes());
    let mut heir = client(&server);
    assert_eq!(heir.config().first_game, 0);
    heir.step_sampled().unwrap();
}

#[test]
fn a_client_of_a_stopped_fleet_can_leave_and_continue_later() {
    let server = server();
    let mut client = client(&server);
    client.step_sampled().unwrap();
    server.stop();
    client.set_time_limit(Some(Duration::from_millis(150)));
    for _ in 0..2 {
        let late = client.step_sampled().unwrap_err().to_string();
        assert!(late.contains(&server.name) && late.contains("no answer within 150ms"), "{late}");
    }
    client.set_time_limit(None);
    let interrupt = Interrupt::default();
    client.interrupt_by(interrupt.clone());
    interrupt.raise();
    let left = client.reset(None).unwrap_err();
    assert!(matches!(left, Error::Interrupted(_)), "{left}");
    server.signal("-CONT");
    client.set_time_limit(Some(LIMIT));
    client.interrupt_by(Interrupt::default());
    client.reset(Some(3)).unwrap();
    client.step_sampled().unwrap();
}
