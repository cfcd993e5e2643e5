//! Interruptible calls: a worker thread runs the call, and the caller polls and may abandon it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::contract::support::error::{Error, Result};
use crate::dynamic::interrupt::Interrupt;

/// Polling interval of a waiting thread.
pub const TICK: Duration = Duration::from_millis(50);

/// A call that runs in another thread.
///
/// ```
/// use ludovec_engine::interruptible::PendingCall;
/// let mut call = PendingCall::spawn("sum", || (1..=100).sum::<i32>())?;
/// assert_eq!(call.wait(|| false), Some(5050));
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
#[derive(Debug)]
pub struct PendingCall<T> {
    result: Receiver<thread::Result<T>>,
}

impl<T: Send> PendingCall<T> {
    /// Splits `work` into a job that any thread can run and the call that waits for its result.
    pub fn new<'a>(work: impl FnOnce() -> T + Send + 'a) -> (impl FnOnce() + Send + 'a, Self)
    where
        T: 'a,
    {
        let (sender, result) = channel();
        let job = move || {
            let done = catch_unwind(AssertUnwindSafe(work));
            // Sending fails if the caller has dropped the call.
            let _ = sender.send(done);
        };
        (job, Self { result })
    }

    /// Runs `work` in a new thread called `name`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the thread cannot be started.
    pub fn spawn(name: &str, work: impl FnOnce() -> T + Send + 'static) -> Result<Self>
    where
        T: 'static,
    {
        let (job, call) = Self::new(work);
        let spawned = thread::Builder::new().name(name.into()).spawn(job);
        spawned.map_err(|error| Error::config(format!("no thread could be started: {error}")))?;
        Ok(call)
    }

    /// Waits for the result, or until `gives_up`, polled every [`TICK`], returns true. The work then continues to its
    /// end in the background, and the call can be waited for again.
    ///
    /// # Panics
    /// If the work panicked, or the job was dropped without being run.
    pub fn wait(&mut self, mut gives_up: impl FnMut() -> bool) -> Option<T> {
        loop {
            match self.result.recv_timeout(TICK) {
                Ok(Ok(result)) => return Some(result),
                Ok(Err(panic)) => resume_unwind(panic),
                Err(RecvTimeoutError::Timeout) if gives_up() => return None,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => panic!("a job was dropped and not run"),
            }
        }
    }
}

/// Runs `work` in a new thread called `name` and returns its result, or an error as soon as `interrupt` is raised. An
/// interrupted `work` continues to its end in the background, so it must not have effects that matter.
///
/// # Errors
/// [`Error::Interrupted`], or [`Error::InvalidConfig`] if the thread cannot be started.
///
/// # Panics
/// If the work panics.
///
/// ```
/// use ludovec_engine::{Interrupt, interruptible::interruptible};
/// assert_eq!(interruptible("sum", &Interrupt::default(), || 1 + 1)?, 2);
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
pub fn interruptible<T: Send + 'static>(
    name: &str,
    interrupt: &Interrupt,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let mut call = PendingCall::spawn(name, work)?;
    call.wait(|| interrupt.is_raised()).ok_or_else(|| Error::interrupted(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abandoned_call_continues_and_can_be_waited_for() {
        let (sender, receiver) = channel();
        let mut call = PendingCall::spawn("test", move || receiver.recv().unwrap() + 1).unwrap();
        let mut asked = 0;
        let gives_up = || {
            asked += 1;
            asked == 2
        };
        assert_eq!(call.wait(gives_up), None);
        assert_eq!(asked, 2);
        sender.send(2).unwrap();
        assert_eq!(call.wait(|| false), Some(3));
    }

    #[test]
    fn an_interrupt_ends_the_wait_and_not_the_work() {
        let interrupt = Interrupt::default();
        interrupt.raise();
        let ((go, going), (done, ended)) = (channel::<()>(), channel());
        let work = move || {
            going.recv().unwrap();
            done.send(7).unwrap();
        };
        assert!(matches!(interruptible("test", &interrupt, work), Err(Error::Interrupted(_))));
        go.send(()).unwrap();
        assert_eq!(ended.recv(), Ok(7));
        assert_eq!(interruptible("test", &Interrupt::default(), || 3), Ok(3));
    }

    #[test]
    #[should_panic(expected = "of the work")]
    fn a_panic_of_the_work_reaches_the_caller() {
        let _ = interruptible("test", &Interrupt::default(), || panic!("of the work"));
    }
}
