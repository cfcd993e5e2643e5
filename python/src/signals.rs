//! Ctrl-C during calls that wait without the GIL.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ludovec::engine::Interrupt;
use pyo3::prelude::*;

/// Interval at which a waiting thread checks for Ctrl-C.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// What a signal's handler raised while the engine read a file: the error that the call then ends with becomes this.
static RAISED: Mutex<Option<PyErr>> = Mutex::new(None);

/// Whether a signal's handler raises while the engine waits for a file.
pub(crate) fn ends_reading() -> bool {
    let raised = Python::try_attach(|py| py.check_signals()).and_then(Result::err);
    let came = raised.is_some();
    if came {
        *RAISED.lock().unwrap_or_else(PoisonError::into_inner) = raised;
    }
    came
}

/// What [`ends_reading`] found, once.
pub(crate) fn raised_while_reading() -> Option<PyErr> {
    RAISED.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// The exception raised by a signal handler during a call. Handlers run in Python's main thread only.
#[derive(Clone, Default)]
pub(crate) struct Signals(Arc<Mutex<Option<PyErr>>>);

impl Signals {
    fn raised(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the handlers of pending signals; returns whether one of them raised.
    pub(crate) fn came(&self) -> bool {
        // The interpreter no longer exists while the process exits.
        let raised = Python::try_attach(|py| py.check_signals()).and_then(Result::err);
        let came = raised.is_some();
        if came {
            *self.raised() = raised;
        }
        came
    }

    /// Interrupts the calls of a batch when a signal arrives.
    pub(crate) fn interrupt(&self) -> Interrupt {
        let signals = self.clone();
        Interrupt::watching(move || signals.came())
    }

    /// The same for calls that ask often: only every now and then it takes the interpreter's lock.
    pub(crate) fn patient_interrupt(&self) -> Interrupt {
        let signals = self.clone();
        let looked = Mutex::new(Instant::now());
        Interrupt::watching(move || {
            let Ok(mut looked) = looked.try_lock() else { return false };
            if looked.elapsed() < TICK {
                return false;
            }
            *looked = Instant::now();
            signals.came()
        })
    }

    /// Raises the exception of a handler.
    pub(crate) fn raise(&self) -> PyResult<()> {
        self.raised().take().map_or(Ok(()), Err)
    }
}
