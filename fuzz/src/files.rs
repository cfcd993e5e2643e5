//! Bytes from files and from shared memory that other processes write to.

use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ludovec::engine::{BatchConfig, Interrupt, VectorEnv};
use ludovec::games::GAMES;
use ludovec::network::Network;
use ludovec::shm;
use xxhash_rust::xxh3::xxh3_64;

use super::bytes::{Bytes, Kept, Which, made};
use super::play::play_on;

/// Bytes of a snapshot before its first game.
pub const SNAPSHOT_HEADER: usize = 40;
/// Bytes of its checksum, the last.
pub const CHECKSUM: usize = 8;

/// Three bytes for the game and its options, then the part of a snapshot for one game. Header and checksum are
/// added, because no fuzzer finds a checksum; the bytes are also read as a whole snapshot.
pub fn snapshot(data: &[u8]) -> bool {
    thread_local! {
        /// Batches without any restored state.
        static FRESH: Kept<Which, Box<dyn VectorEnv>> = Kept::default();
    }
    let mut bytes = Bytes::new(data);
    let which = bytes.which();
    let body = bytes.rest();
    let config = || BatchConfig { num_envs: 1, threads: Some(1), ..BatchConfig::default() };
    let fresh = || made(which).vector(config()).expect("the configuration is fine");
    let mut env = FRESH.with(|kept| kept.take(which)).unwrap_or_else(fresh);
    let mut sealed = env.save(&[0]).expect("the game exists");
    let end = sealed.len() - CHECKSUM;
    let length = body.len().min(end - SNAPSHOT_HEADER);
    sealed.truncate(end);
    sealed[SNAPSHOT_HEADER..][..length].copy_from_slice(&body[..length]);
    sealed.extend(xxh3_64(&sealed).to_le_bytes());
    let mut accepted = false;
    for snapshot in [body, &sealed] {
        if env.restore(&[0], snapshot).is_err() {
            continue;
        }
        accepted = true;
        let again = env.save(&[0]).expect("the game exists");
        assert_eq!(again, snapshot, "a snapshot changes on its way through a batch");
        play_on(env.single(0).expect("the game exists"), data);
        for _ in 0..20 {
            env.step_sampled().expect("games restart");
        }
    }
    if !accepted {
        FRESH.with(|kept| kept.put(which, env));
    }
    accepted
}

/// A network file; an accepted network evaluates the start positions of its games.
pub fn network(data: &[u8]) -> bool {
    let Ok(network) = Network::read("fuzzed", data) else { return false };
    let network = Arc::new(network);
    let Some(entry) = GAMES.iter().find(|entry| entry.id == network.card().env) else { return false };
    let Ok(game) = entry.make(network.card().first_options()) else { return false };
    let Ok(fitted) = network.fit(game.spec()) else { return false };
    let rows = game.clone().single(1).observation(0).expect("seat 0 exists");
    let Ok(answers) = fitted.answer(&rows, None, Some(1), &Interrupt::default()) else { return false };
    assert_eq!(answers.values.len(), game.spec().players);
    assert_eq!(answers.logits.len(), game.spec().num_actions as usize);
    true
}

/// The bytes of a fleet's segment, extended to the length it declares; this process claims to serve it. If
/// attaching succeeds, one request is made and stays without an answer.
pub fn segment(data: &[u8]) -> bool {
    const LARGEST: u64 = 4 << 20;
    let name = format!("fuzz-{}", std::process::id());
    let path = Path::new("/dev/shm").join(format!("ludovec.{name}"));
    let mut bytes = data.to_vec();
    if let Some(pid) = bytes.get_mut(PID) {
        pid.copy_from_slice(&std::process::id().to_le_bytes());
    }
    let total = bytes.get(TOTAL).map_or(0, |total| u64::from_le_bytes(total.try_into().expect("8 bytes")));
    let mut file = File::create_new(&path).expect("this name is unused");
    file.write_all(&bytes).expect("there is room");
    if (data.len() as u64..=LARGEST).contains(&total) {
        file.set_len(total).expect("there is room");
    }
    lock_first_byte(&file);
    let attached = shm::attach(&name, None);
    std::fs::remove_file(&path).expect("it is there");
    let Ok(mut env) = attached else { return false };
    env.set_time_limit(Some(Duration::ZERO));
    assert!(env.step_sampled().is_err(), "a fleet without a server has stepped");
    true
}

/// The place of the server's process id and the length in a segment.
const PID: Range<usize> = 12..16;
const TOTAL: Range<usize> = 16..24;

/// Takes the lock that a fleet holds while it serves.
fn lock_first_byte(file: &File) {
    let mut lock = libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 1,
        l_pid: 0,
    };
    // Safety: the file is open, and the operation reads and writes one `flock`.
    let taken = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw mut lock) };
    assert_eq!(taken, 0, "the lock is free");
}
