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

/// How long threads spin after a call before they sleep. A caller that steps again and again, with some Python in
/// between, calls again sooner than this, and waking a sleeping thread takes as long as stepping a few hundred games.
const AWAKE: Duration = Duration::from_micros(200);

/// Numbers that one task of [`Threads::find_first`] looks through.
const SEARCHED: usize = 1024;

/// Threads that wait for calls, awake at first.
pub(crate) struct Threads {
    pool: ThreadPool,
    /// How many calls there were.
    calls: Arc<AtomicUsize>,
}

impl Threads {
    /// Some threads, or one a core; nothing when the caller's own is enough.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for none at all, more than 8 a core, or more than can be started.
    pub(crate) fn start(threads: Option<usize>) -> Result<Option<Self>> {
        match threads {
            Some(0) => Err(Error::config("num_threads=0: at least 1 is needed, or none for all cores")),
            Some(1) => Ok(None),
            Some(threads) if threads > most_threads() => Err(Error::config(format!(
                "num_threads={threads}: at most {}, 8 a core, are allowed",
                most_threads()
            ))),
            threads => {
                let builder = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0));
                let pool = builder.build().map_err(|e| Error::config(format!("num_threads: {e}")))?;
                Ok((pool.current_num_threads() > 1).then(|| Self { pool, calls: Arc::default() }))
            }
        }
    }

    /// Runs `call` where [`join`] uses these threads.
    ///
    /// Calls are trait objects so that the machinery of threads is compiled once, not once for every game.
    pub(crate) fn run(&self, call: &mut (dyn FnMut() + Send)) {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        self.pool.install(call);
        let calls = self.calls.clone();
        self.pool.spawn_broadcast(move |_| {
            let start = Instant::now();
            while calls.load(Ordering::Relaxed) == number && start.elapsed() < AWAKE {
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

/// The most threads that can be asked for. More threads than cores bring no speed; 8 a core are enough for tests with
/// many threads on a single core.
fn most_threads() -> usize {
    8 * thread::available_parallelism().map_or(1, usize::from)
}

/// Runs both calls, side by side where one of the threads of [`Threads::run`] is free.
pub(crate) fn join(left: &mut (dyn FnMut() + Send), right: &mut (dyn FnMut() + Send)) {
    rayon::join(left, right);
}
