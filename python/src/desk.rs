//! Bots written in Python, asked by the engine's threads: their functions run in the thread that called the engine.
//!
//! That thread gives its work to another one, and meanwhile serves at the desk: it runs the functions that are asked for
//! (so that what a program has set for its thread, gradients off for one, holds in them) and looks for signals.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use ludovec::engine::{Error, Interrupt};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors::{CallError, catch};
use crate::signals::TICK;

/// What comes to the desk.
pub(crate) enum Message {
    /// A function to call, with its arguments and where the answer goes.
    Call(Py<PyAny>, Py<PyTuple>, Sender<Py<PyAny>>),
    /// The work is done.
    Done,
}

/// Where functions are asked for, and where they are run.
pub(crate) struct Desk {
    sender: Sender<Message>,
    receiver: Mutex<Receiver<Message>>,
    /// Held by the thread that serves.
    serving: Mutex<()>,
}

impl Default for Desk {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver: Mutex::new(receiver), serving: Mutex::new(()) }
    }
}

impl Desk {
    /// Where functions are asked for.
    pub(crate) fn sender(&self) -> Sender<Message> {
        self.sender.clone()
    }

    /// Runs `work` in a thread of its own and serves until it is done. A signal, or a function that fails, raises
    /// `interrupt`, which `work` must heed; the exception comes beside what the work returns.
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
                let result = catch(work);
                // The desk outlives the scope.
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
                        // Nobody hears an answer that comes too late.
                        function.call1(py, arguments).map(|reply| drop(answer.send(reply)))
                    }
                    // The thread that asks hears that there is no answer.
                    Ok(Message::Call(..)) => continue,
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
