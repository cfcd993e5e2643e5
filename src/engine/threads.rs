//! The threads that step a batch or search its trees.

use std::hint;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::contract::rules::Rules;
use crate::contract::support::error::{Error, Result};

/// Spinning: how long threads poll for the next call before they sleep. A caller that steps in a loop with some
/// Python code in between calls again sooner than this, and waking a sleeping thread takes as long as stepping a few
/// hundred games.
const AWAKE: Duration = Duration::from_micros(200);

/// Indices searched by one task of [`Threads::find_first`].
const SEARCHED: usize = 1024;

/// Helper threads: a call runs on the calling thread and on these. Pinned threads do all of the work of
/// `Threads::run_on_each` themselves.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use ludovec_engine::Threads;
/// let sum = AtomicUsize::new(0);
/// let add = |task| {
///     sum.fetch_add(task, Ordering::Relaxed);
/// };
/// if let Some(threads) = Threads::start(Some(2), false)? {
///     threads.run(10, &add);
///     assert_eq!(sum.into_inner(), 45);
/// }
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
#[derive(Debug)]
pub struct Threads {
    /// Dropped in the process that started the threads only; see [`Threads::is_here`].
    pool: ManuallyDrop<ThreadPool>,
    /// The process that started them.
    process: u32,
    /// Number of calls begun or ended; spinning threads watch it for changes.
    calls: Arc<AtomicUsize>,
    /// Spinning time after a call.
    awake: Duration,
    /// Whether every thread is pinned to its own core.
    pub(crate) pinned: bool,
}

/// The part of `items` for thread `thread` when they are divided evenly over `threads`: the same in every call.
pub(crate) fn share(items: usize, threads: usize, thread: usize) -> Range<usize> {
    items * thread / threads..items * (thread + 1) / threads
}

impl Threads {
    /// Starts `threads` threads including the caller's, by default one per core and at most
    /// [`Threads::most`]. Returns `None` if the caller's thread is enough. With `pinned`, threads are pinned to cores.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for 0 threads, or more than can be started; when pinned, also for more threads than
    /// cores, and if the operating system does not support pinning.
    pub fn start(threads: Option<usize>, pinned: bool) -> Result<Option<Self>> {
        let cores = if pinned { affinity::cores()? } else { Vec::new() };
        match threads {
            Some(0) => Err(Error::config("num_threads=0: at least 1 is needed, or none for all cores")),
            Some(1) => Ok(None),
            Some(threads) if pinned && threads > cores.len() => Err(Error::config(format!(
                "num_threads={threads}: this process may use {} cores to pin threads to",
                cores.len()
            ))),
            threads => {
                let usual = || if pinned { cores.len() } else { available_cores() };
                let threads = threads.unwrap_or_else(usual).min(Self::most());
                if threads == 1 {
                    return Ok(None);
                }
                let mut builder = ThreadPoolBuilder::new();
                builder = if pinned {
                    let pin = move |thread| affinity::pin_to(cores[thread]);
                    builder.num_threads(threads).start_handler(pin)
                } else {
                    builder.num_threads(threads - 1)
                };
                let pool = builder.build().map_err(|e| Error::config(format!("num_threads: {e}")))?;
                Ok(Some(Self {
                    pool: ManuallyDrop::new(pool),
                    process: process::id(),
                    calls: Arc::default(),
                    awake: AWAKE,
                    pinned,
                }))
            }
        }
    }

    /// Maximum number of threads: 8 per core. More threads than cores bring no speed; 8 per core allow tests with many
    /// threads on a single core.
    #[must_use]
    pub fn most() -> usize {
        8 * available_cores()
    }

    /// [`Threads::start`] for calls of these rules: rules that exclude one another get no helpers.
    ///
    /// # Errors
    /// As for [`Threads::start`].
    pub(crate) fn for_rules<G: Rules>(
        game: &G,
        threads: Option<usize>,
        pinned: bool,
    ) -> Result<Option<Self>> {
        match game.is_serial() {
            true => Self::start(Some(threads.map_or(1, |threads| threads.min(1))), false),
            false => Self::start(threads, pinned),
        }
    }

    /// Whether this process started the threads. A forked child inherits the object but no threads: a call would block
    /// forever.
    #[must_use]
    pub fn is_here(&self) -> bool {
        self.process == process::id()
    }

    /// Runs `task` once for each of `0..tasks`, on the caller's thread and on these.
    ///
    /// Work stealing with affinity: each thread first takes the tasks of its own share, so the games of a call are in
    /// the caches of the core that stepped them in the previous call. Then it takes the remaining tasks of other
    /// shares. Tasks are trait objects, so the threading code is compiled once, not once per game.
    pub fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        if tasks <= 1 {
            return (0..tasks).for_each(task);
        }
        let helpers = self.count();
        let threads = helpers + 1;
        let shares: Vec<_> = (0..threads)
            .map(|thread| {
                let Range { start, end } = share(tasks, threads, thread);
                (AtomicUsize::new(start), end)
            })
            .collect();
        let work = |thread: usize| {
            for (next, end) in shares[thread..].iter().chain(&shares[..thread]) {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= *end {
                        break;
                    }
                    task(number);
                }
            }
        };
        let finished = AtomicUsize::new(0);
        self.pool.in_place_scope(|scope| {
            for helper in 1..threads {
                let (work, finished) = (&work, &finished);
                scope.spawn(move |_| {
                    work(helper);
                    finished.fetch_add(1, Ordering::Release);
                });
            }
            self.end_spinning();
            work(0);
            // The other threads are finishing their last tasks: sleeping until then would take longer than most tasks
            // do.
            let is_finished = || finished.load(Ordering::Acquire) == helpers;
            spin_until(&is_finished, AWAKE);
            // Spin briefly so that the scope sees the last task finish and does not go to sleep.
            (0..32).for_each(|_| hint::spin_loop());
        });
        self.stay_awake();
    }

    /// [`Self::run`] for each of `parts`; each task consumes one.
    pub(crate) fn run_each<P: Send>(&self, parts: impl IntoIterator<Item = P>, task: &(dyn Fn(P) + Sync)) {
        let parts: Vec<_> = parts.into_iter().map(|part| Mutex::new(Some(part))).collect();
        self.run(parts.len(), &|number| {
            let part = parts[number].lock().unwrap_or_else(PoisonError::into_inner).take();
            part.into_iter().for_each(task);
        });
    }

    /// Runs `call` on every pinned thread with the thread's index.
    pub(crate) fn run_on_each(&self, call: &(dyn Fn(usize) + Sync)) {
        self.end_spinning();
        self.pool.broadcast(|thread| call(thread.index()));
        self.stay_awake();
    }

    /// Number of threads beside the caller's, which works too unless they are pinned.
    pub(crate) fn count(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Wakes spinning threads for a call.
    fn end_spinning(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    /// Makes the threads spin for a while before they sleep.
    fn stay_awake(&self) {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let (calls, awake) = (self.calls.clone(), self.awake);
        self.pool.spawn_broadcast(move |_| spin_until(&|| calls.load(Ordering::Relaxed) != number, awake));
    }

    /// The smallest index in `0..n` for which `find` succeeds; each call of `find` searches one range.
    pub(crate) fn find_first(
        &self,
        n: usize,
        find: &(dyn Fn(Range<usize>) -> Option<usize> + Sync),
    ) -> Option<usize> {
        let first = AtomicUsize::new(usize::MAX);
        self.run(n.div_ceil(SEARCHED), &|number| {
            let range = number * SEARCHED..n.min((number + 1) * SEARCHED);
            if range.start < first.load(Ordering::Relaxed)
                && let Some(found) = find(range)
            {
                first.fetch_min(found, Ordering::Relaxed);
            }
        });
        Some(first.into_inner()).filter(|&first| first < n)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if self.is_here() {
            // Safety: the pool is neither used nor dropped again.
            unsafe { ManuallyDrop::drop(&mut self.pool) };
        }
        // In a forked child the pool is leaked: its locks may be held by threads that the child does not have.
    }
}

/// Spins until `is_over`, or for `longest`.
fn spin_until(is_over: &dyn Fn() -> bool, longest: Duration) {
    let start = Instant::now();
    while !is_over() && start.elapsed() < longest {
        // Another thread or process may need this core.
        thread::yield_now();
        (0..32).for_each(|_| hint::spin_loop());
    }
}

/// Thread placement on cores.
#[cfg(target_os = "linux")]
mod affinity {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    use crate::contract::support::error::{Error, Result};

    /// The cores that this process may use.
    pub(super) fn cores() -> Result<Vec<usize>> {
        let allowed = sched_getaffinity(None).map_err(|e| Error::config(format!("pinned threads: {e}")))?;
        Ok((0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).collect())
    }

    /// Pins the calling thread to a core.
    pub(super) fn pin_to(core: usize) {
        let mut only = CpuSet::new();
        only.set(core);
        // Pinning fails if the process has lost the core meanwhile; the thread then runs on any core.
        let _ = sched_setaffinity(None, &only);
    }
}

#[cfg(not(target_os = "linux"))]
mod affinity {
    use crate::contract::support::error::{Error, Result};

    pub(super) fn cores() -> Result<Vec<usize>> {
        Err(Error::config("pinned threads: only Linux has them"))
    }

    pub(super) fn pin_to(_: usize) {}
}

/// Number of cores available to the process.
fn available_cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_run_once_by_any_number_of_threads() {
        for threads in 2..=5 {
            let threads = Threads::start(Some(threads), false).unwrap().expect("several threads are a pool");
            for tasks in [0, 1, 2, 3, 7, 64, 1000] {
                let runs: Vec<_> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
                threads.run(tasks, &|number| _ = runs[number].fetch_add(1, Ordering::Relaxed));
                assert!(runs.iter().all(|runs| runs.load(Ordering::Relaxed) == 1));
            }
            let n = 10 * SEARCHED;
            for wanted in [vec![], vec![0], vec![n - 1], vec![SEARCHED, 3 * SEARCHED + 5], vec![17, n - 3]] {
                let find = |mut range: Range<usize>| range.find(|k| wanted.contains(k));
                assert_eq!(threads.find_first(n, &find), wanted.first().copied());
            }
        }
    }

    #[test]
    fn no_more_than_eight_threads_per_core_are_started() {
        let threads = Threads::start(Some(Threads::most() + 100), false).unwrap();
        let helpers = threads.expect("several threads are a pool").pool.current_num_threads();
        assert_eq!(helpers + 1, Threads::most());
    }

    #[test]
    fn a_panic_in_a_task_reaches_the_caller_and_leaves_the_threads_usable() {
        let threads = Threads::start(Some(2), false).unwrap().expect("two threads are a pool");
        for bad in [0, 99] {
            let call = || threads.run(100, &|number| assert_ne!(number, bad));
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err());
        }
        threads.run(100, &|_| ());
    }

    #[test]
    fn a_call_does_not_wait_until_threads_have_spun() {
        let threads = Threads::start(Some(2), false).unwrap().expect("two threads are a pool");
        let mut threads = threads;
        threads.awake = Duration::from_secs(60);
        let start = Instant::now();
        for _ in 0..3 {
            threads.run(100, &|_| ());
            threads.run_on_each(&|_| ());
            assert_eq!(threads.find_first(5000, &|mut range| range.find(|&k| k == 4000)), Some(4000));
        }
        threads.end_spinning();
        assert!(start.elapsed() < Duration::from_secs(50), "a call waited for threads that spin");
    }
}
