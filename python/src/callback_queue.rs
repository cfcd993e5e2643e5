//! Callback queue: bots written in Python are called by the engine's threads but run in the thread that called the
//! engine.
//!
//! The calling thread hands the work to a helper thread and serves the queue meanwhile. It runs the requested
//! functions, so thread-local settings of the program (disabled gradients, for instance) apply to them, and checks
//! for signals.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ludovec::engine::Interrupt;
use ludovec::engine::interruptible::PendingCall;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::ctrl_c::{Calls, TICK, reads_until};
use crate::errors::{CallError, catch};
use crate::guest;

/// A message in the callback queue.
pub(crate) enum Message {
    /// A function to call, its arguments, and the sender for the answer.
    Call(Py<PyAny>, Py<PyTuple>, Sender<Py<PyAny>>),
    /// The work of the call with this number is done.
    Done(usize),
}

/// The callback queue.
pub(crate) struct CallbackQueue {
    sender: Sender<Message>,
    receiver: Mutex<Receiver<Message>>,
    /// Held by the serving thread.
    serving: Mutex<()>,
    /// Number of calls so far.
    served: AtomicUsize,
}

/// How long interrupted work may take to end by itself.
const PATIENCE: Duration = Duration::from_millis(250);

impl Default for CallbackQueue {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver: Mutex::new(receiver), serving: Mutex::new(()), served: AtomicUsize::new(0) }
    }
}

impl CallbackQueue {
    /// The sending end of the queue.
    pub(crate) fn sender(&self) -> Sender<Message> {
        self.sender.clone()
    }

    /// Runs `work` in a helper thread and serves the queue until it is done. A signal or a failing function raises
    /// `interrupt`, which `work` must check. Returns the result of `work` and the exception, if any.
    ///
    /// A function of C that never returns does not check it. So interrupted work on rules of C is abandoned after
    /// [`PATIENCE`], and the next call of `calls` waits for it.
    pub(crate) fn serve<T: Send + 'static>(
        &self,
        py: Python<'_>,
        calls: &Calls,
        interrupt: &Interrupt,
        work: impl FnOnce() -> Result<T, CallError> + Send + 'static,
    ) -> (Option<PyErr>, Result<T, CallError>) {
        let Ok(_serving) = self.serving.try_lock() else {
            return (
                None,
                Err(CallError::Misuse("another thread is using these players: one call at a time")),
            );
        };
        let receive = || self.receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK);
        let number = self.served.fetch_add(1, Ordering::Relaxed);
        let (done, interrupting) = (self.sender.clone(), interrupt.clone());
        let spawned = PendingCall::spawn("ludovec play", move || {
            reads_until(&interrupting);
            let result = catch(work);
            // Sending fails if the queue no longer exists.
            let _ = done.send(Message::Done(number));
            result
        });
        let mut call = match spawned {
            Ok(call) => call,
            Err(error) => return (None, Err(error.into())),
        };
        let (mut failed, mut left) = (None, PATIENCE);
        loop {
            let outcome = match py.detach(receive) {
                Ok(Message::Done(of)) if of == number => break,
                // An abandoned call has ended.
                Ok(Message::Done(_)) => continue,
                Ok(Message::Call(function, arguments, answer)) if failed.is_none() => {
                    // Sending fails if the answer comes too late.
                    function.call1(py, arguments).map(|reply| drop(answer.send(reply)))
                }
                // Dropping the sender tells the asking thread that there is no answer.
                Ok(Message::Call(..)) => continue,
                Err(RecvTimeoutError::Timeout) if failed.is_some() && calls.runs_c() && left.is_zero() => {
                    calls.abandon(call);
                    return (failed, Err(CallError::Misuse("interrupted")));
                }
                // Rules written in Python do not see `interrupt`.
                Err(RecvTimeoutError::Timeout) if failed.is_some() => {
                    left = left.saturating_sub(TICK);
                    guest::running::interrupt(py);
                    Ok(())
                }
                Err(RecvTimeoutError::Timeout) => py.check_signals(),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Err(error) = outcome {
                interrupt.raise();
                failed.get_or_insert(error);
            }
        }
        let result = py.detach(|| call.wait(|| false));
        (failed, result.expect("the wait is not given up"))
    }
}
