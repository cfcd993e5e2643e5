//! The threads that step a batch or search its trees.

use std::hint;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::engine::contract::error::{Error, Result};

/// Spinning: how long threads look for the next call before they sleep. A caller that steps in a loop, with some Python
/// in between, calls again sooner than this, and waking a sleeping thread takes as long as stepping a few hundred
/// games.
const AWAKE: Duration = Duration::from_micros(200);

/// Numbers that one task of [`Threads::find_first`] looks through.
const SEARCHED: usize = 1024;

/// Threads that wait for calls, awake at first.
pub(crate) struct Threads {
    pool: ThreadPool,
    /// How many calls were begun or ended: threads that spin look for a change.
    calls: Arc<AtomicUsize>,
    /// How long threads spin after a call.
    awake: Duration,
    /// Every thread stays on a core of its own.
    pub(crate) pinned: bool,
}

impl Threads {
    /// Some threads, or one a core; nothing when the caller's own is enough. They are `pinned` to cores where asked.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for none at all, more than 8 a core, or more than can be started; for more than cores
    /// where they are pinned, and where the operating system pins none.
    pub(crate) fn start(threads: Option<usize>, pinned: bool) -> Result<Option<Self>> {
        let cores = if pinned { affinity::cores()? } else { Vec::new() };
        match threads {
            Some(0) => Err(Error::config("num_threads=0: at least 1 is needed, or none for all cores")),
            Some(1) => Ok(None),
            Some(threads) if threads > most_threads() => Err(Error::config(format!(
                "num_threads={threads}: at most {}, 8 a core, are allowed",
                most_threads()
            ))),
            Some(threads) if pinned && threads > cores.len() => Err(Error::config(format!(
                "num_threads={threads}: this process may use {} cores to pin threads to",
                cores.len()
            ))),
            threads => {
                let threads = threads.unwrap_or(cores.len());
                let mut builder = ThreadPoolBuilder::new().num_threads(threads);
                if pinned {
                    builder = builder.start_handler(move |thread| affinity::pin_to(cores[thread]));
                }
                let pool = builder.build().map_err(|e| Error::config(format!("num_threads: {e}")))?;
                Ok((pool.current_num_threads() > 1).then(|| Self { pool, calls: Arc::default(), awake: AWAKE, pinned }))
            }
        }
    }

    /// Runs `call` where [`join`] uses these threads.
    ///
    /// Calls are trait objects so that the machinery of threads is compiled once, not once for every game.
    pub(crate) fn run(&self, call: &mut (dyn FnMut() + Send)) {
        self.end_spinning();
        self.pool.install(call);
        self.stay_awake();
    }

    /// Runs `call` on every thread, which is told its number.
    pub(crate) fn run_on_each(&self, call: &(dyn Fn(usize) + Sync)) {
        self.end_spinning();
        self.pool.broadcast(|thread| call(thread.index()));
        self.stay_awake();
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Tells threads that spin to take up a call.
    fn end_spinning(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    /// Lets the threads spin for a while before they sleep.
    fn stay_awake(&self) {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let (calls, awake) = (self.calls.clone(), self.awake);
        self.pool.spawn_broadcast(move |_| {
            let start = Instant::now();
            while calls.load(Ordering::Relaxed) == number && start.elapsed() < awake {
                (0..32).for_each(|_| hint::spin_loop());
                // Another thread or process may need this core.
                thread::yield_now();
            }
        });
    }

    /// The first of `0..n` for which `find`, which looks through a range, finds something.
    pub(crate) fn find_first(
        &self,
        n: usize,
        find: &(dyn Fn(Range<usize>) -> Option<usize> + Sync),
    ) -> Option<usize> {
        let mut first = None;
        let ranges = n.div_ceil(SEARCHED);
        self.run(&mut || {
            first = (0..ranges)
                .into_par_iter()
                .find_map_first(|range| find(range * SEARCHED..n.min((range + 1) * SEARCHED)));
        });
        first
    }
}

/// Which cores threads run on.
#[cfg(target_os = "linux")]
mod affinity {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    use crate::engine::contract::error::{Error, Result};

    /// The cores that this process may use.
    pub(super) fn cores() -> Result<Vec<usize>> {
        let allowed = sched_getaffinity(None).map_err(|e| Error::config(format!("pinned threads: {e}")))?;
        Ok((0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).collect())
    }

    /// Keeps the calling thread on a core.
    pub(super) fn pin_to(core: usize) {
        let mut only = CpuSet::new();
        only.set(core);
        // Pinning fails if the core was taken away from the process meanwhile: then the thread runs on any core.
        let _ = sched_setaffinity(None, &only);
    }
}

/// Which cores threads run on: elsewhere the operating system decides.
#[cfg(not(target_os = "linux"))]
mod affinity {
    use crate::engine::contract::error::{Error, Result};

    pub(super) fn cores() -> Result<Vec<usize>> {
        Err(Error::config("pinned threads: only Linux has them"))
    }

    pub(super) fn pin_to(_: usize) {}
}

/// The most threads that can be asked for. More threads than cores bring no speed; 8 a core are enough for tests with
/// many threads on a single core.
fn most_threads() -> usize {
    8 * thread::available_parallelism().map_or(1, usize::from)
}

/// Runs both calls, side by side where one of the threads of [`Threads::run`] is free.
pub(crate) fn join(left: &mut (dyn FnMut() + Send), right: &mut (dyn FnMut() + Send)) {
    rayon::join(left, right);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_does_not_wait_until_threads_have_spun() {
        let threads = Threads::start(Some(2), false).unwrap().expect("two threads are a pool");
        let threads = Threads { awake: Duration::from_secs(60), ..threads };
        let start = Instant::now();
        for _ in 0..3 {
            threads.run(&mut || join(&mut || (), &mut || ()));
            threads.run_on_each(&|_| ());
            assert_eq!(threads.find_first(5000, &|mut range| range.find(|&k| k == 4000)), Some(4000));
        }
        threads.end_spinning();
        assert!(start.elapsed() < Duration::from_secs(50), "a call waited for threads that spin");
    }
}
