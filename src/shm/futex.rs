//! Waiting for a word of shared memory to change.
//!
//! These futexes are shared, not private: the waiters of a word are in different processes.

use std::num::NonZero;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::thread::futex::{self, Flags, Timespec};

/// Minimum spinning time before a waiter sleeps. A step of a small block is over by then, and sleeping and waking
/// costs about as much.
pub(super) const SPIN: Duration = Duration::from_micros(50);

/// Waits up to this long are spent spinning, if there is a core for every spinning thread: waking takes up to 100
/// microseconds.
const SOON: Duration = Duration::from_millis(5);

/// Adaptive spinning: the next spinning time after a wait of `waited`, with `awake` spinning threads in total.
pub(super) fn next_spin(waited: Duration, awake: usize) -> Duration {
    if waited < SOON && awake <= cores() { SOON } else { SPIN }
}

/// Number of cores available to this process.
fn cores() -> usize {
    static CORES: LazyLock<usize> = LazyLock::new(|| thread::available_parallelism().map_or(1, NonZero::get));
    *CORES
}

/// Waits until `word` differs from `value`, at most for `limit`, spinning for the first `spin`. Returns false if the
/// word still has the value.
pub(super) fn wait_while(word: &AtomicU32, value: u32, limit: Duration, spin: Duration) -> bool {
    let changed = || word.load(Ordering::Acquire) != value;
    let start = Instant::now();
    // On a single core no other process can change the word while this one spins.
    while cores() > 1 && start.elapsed() < spin {
        for _ in 0..32 {
            if changed() {
                return true;
            }
            std::hint::spin_loop();
        }
        // The process that will change the word may need this core.
        thread::yield_now();
    }
    loop {
        if changed() {
            return true;
        }
        let left = limit.saturating_sub(start.elapsed());
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        match futex::wait(word, Flags::empty(), value, Some(&timeout)) {
            Ok(()) | Err(Errno::AGAIN | Errno::INTR) => {}
            // The time limit has passed, or the word's page is gone; the caller's checks will detect the latter.
            Err(_) => return changed(),
        }
    }
}

/// Wakes up to `waiters` threads that sleep on `word`.
pub(super) fn wake(word: &AtomicU32, waiters: usize) {
    // Fails only if the memory is gone.
    let _ = futex::wake(word, Flags::empty(), waiters.min(i32::MAX as usize) as u32);
}
