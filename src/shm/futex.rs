//! Waiting for a word of shared memory to change.
//!
//! Futexes here are shared, not private: the waiters of a word sit in different processes.

use std::num::NonZero;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::thread::futex::{self, Flags, Timespec};

/// How long a waiter looks at least before it sleeps. A step of a small block is over by then, and going to
/// sleep and being woken costs about as much.
pub(super) const SPIN: Duration = Duration::from_micros(50);

/// Waits that are over so soon are spent awake, if there is a core for everybody who is: to be woken takes up to
/// 100 microseconds.
const SOON: Duration = Duration::from_millis(5);

/// Adaptive spinning: how long to wait awake the next time, after a wait of `waited`, where `awake` threads are about in all.
pub(super) fn next_spin(waited: Duration, awake: usize) -> Duration {
    if waited < SOON && awake <= cores() { SOON } else { SPIN }
}

/// Cores that this process may use.
fn cores() -> usize {
    static CORES: LazyLock<usize> = LazyLock::new(|| thread::available_parallelism().map_or(1, NonZero::get));
    *CORES
}

/// Waits until `word` is no longer `value`, for `limit` at most, `spin` of it awake; false when it still is.
pub(super) fn wait_while(word: &AtomicU32, value: u32, limit: Duration, spin: Duration) -> bool {
    let changed = || word.load(Ordering::Acquire) != value;
    let start = Instant::now();
    // With a single core nothing can change while we look.
    while cores() > 1 && start.elapsed() < spin {
        for _ in 0..32 {
            if changed() {
                return true;
            }
            std::hint::spin_loop();
        }
        // Whoever we wait for may need this core.
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
            // The time is over; or the word's page is gone, which the caller finds out.
            Err(_) => return changed(),
        }
    }
}

/// Wakes up to `waiters` that sleep on `word`.
pub(super) fn wake(word: &AtomicU32, waiters: usize) {
    // It fails only for memory that is gone.
    let _ = futex::wake(word, Flags::empty(), waiters.min(i32::MAX as usize) as u32);
}
