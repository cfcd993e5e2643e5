//! Callback queue: bots written in Python are called by the engine's threads but run in the thread that called the
//! engine.
//!
//! The calling thread hands the work to a helper thread and serves the queue meanwhile. It runs the requested
//! functions, so thread-local settings of the program (disabled gradients, for instance) apply to them, and checks
//! for signals.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use ludovec::engine::{Error, Interrupt};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::ctrl_c::{TICK, reads_until};
use crate::errors::{CallError, catch};
use crate::guest;

/// A message in the callback queue.
pub(crate) enum Message {
    /// A function to call, its arguments, and the sender for the answer.
    Call(Py<PyAny>, Py<PyTuple>, Sender<Py<PyAny>>),
    /// The work is done.
    Done,
}

/// The callback queue.
pub(crate) struct CallbackQueue {
    sender: Sender<Message>,
    receiver: Mutex<Receiver<Message>>,
    /// Held by the serving thread.
    serving: Mutex<()>,
}

impl Default for CallbackQueue {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver: Mutex::new(receiver), serving: Mutex::new(()) }
    }
}

impl CallbackQueue {
    /// The sending end of the queue.
    pub(crate) fn sender(&self) -> Sender<Message> {
        self.sender.clone()
    }

    /// Runs `work` in a helper thread and serves the queue until it is done. A signal or a failing function raises
    /// `interrupt`, which `work` must check. Returns the result of `work` and the exception, if any.
    pub(crate) fn serve<T: Send>(
        &self,
        py: Python<'_>,
        interrupt: &Interrupt,
        work: impl FnOnce() -> Result<T, CallError> + Send,
    ) -> (Option<PyErr>, Result<T, CallError>) {
        let Ok(_serving) = self.serving.try_lock() else {
            return (
                None,
                Err(CallError::Misuse("another thread is using these players: one call at a time")),
            );
        };
        let receive = || self.receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK);
        let mut failed = None;
        let result = thread::scope(|scope| {
            let done = self.sender.clone();
            let work = move || {
                reads_until(interrupt);
                let result = catch(work);
                // The queue outlives the scope.
                let _ = done.send(Message::Done);
                result
            };
            let spawned = thread::Builder::new().name("ludovec play".into()).spawn_scoped(scope, work);
            let worker = spawned
                .map_err(|e| CallError::Engine(Error::config(format!("no thread could be started: {e}"))))?;
            loop {
                let outcome = match py.detach(receive) {
                    Ok(Message::Done) => break,
                    Ok(Message::Call(function, arguments, answer)) if failed.is_none() => {
                        // Sending fails if the answer comes too late.
                        function.call1(py, arguments).map(|reply| drop(answer.send(reply)))
                    }
                    // Dropping the sender tells the asking thread that there is no answer.
                    Ok(Message::Call(..)) => continue,
                    // Rules written in Python do not see `interrupt`.
                    Err(RecvTimeoutError::Timeout) if failed.is_some() => {
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
            py.detach(|| worker.join()).unwrap_or_else(|panic| Err(CallError::from_panic(&*panic)))
        });
        (failed, result)
    }
}
