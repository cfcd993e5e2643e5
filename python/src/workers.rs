//! Threads that step a batch while Python continues.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use pyo3::prelude::*;

use ludovec::engine::Error;

use crate::errors::{CallError, catch_panic};

pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// A few threads that run jobs in the order of submission.
///
/// The threads end after the last reference is dropped and all jobs are done.
#[pyclass(frozen, module = "ludovec._core")]
pub(crate) struct Workers {
    jobs: Mutex<Sender<Job>>,
}

#[pymethods]
impl Workers {
    /// Starts `threads` threads.
    #[new]
    fn new(threads: usize) -> PyResult<Self> {
        let (jobs, queue) = channel::<Job>();
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..threads {
            let queue = queue.clone();
            let work = move || {
                loop {
                    // The lock is released before running the job.
                    let job = queue.lock().expect("no job runs under the lock").recv();
                    match job {
                        // A job reports its own panics; the worker survives them.
                        Ok(job) => drop(catch_panic(|| {
                            job();
                            Ok(())
                        })),
                        Err(_) => return,
                    }
                }
            };
            let spawned = thread::Builder::new().name("ludovec worker".into()).spawn(work);
            spawned
                .map_err(|e| CallError::Engine(Error::config(format!("no thread could be started: {e}"))))?;
        }
        Ok(Self { jobs: Mutex::new(jobs) })
    }
}

impl Workers {
    /// Queues a job.
    pub(crate) fn give(&self, job: Job) -> Result<(), CallError> {
        let jobs = self.jobs.lock().expect("nothing panics under the lock");
        jobs.send(job).map_err(|_| CallError::Misuse("there are no worker threads"))
    }
}
