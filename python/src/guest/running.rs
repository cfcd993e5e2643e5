//! The rules that run in threads: Ctrl-C and the end of the process stop them.
//!
//! Signals reach Python code in the main thread only. Rules in other threads get an exception instead; one that has run
//! for a short time starts again and completes (see `rules`).

use std::ffi::{c_long, c_ulong};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyKeyboardInterrupt, PySystemExit};
use pyo3::prelude::*;
use pyo3::types::PyType;

unsafe extern "C" {
    // Parts of the stable interface of Python.
    fn PyThread_get_thread_ident() -> c_ulong;
    fn PyThreadState_SetAsyncExc(thread: c_ulong, exception: *mut pyo3::ffi::PyObject) -> c_long;
}

/// Whether the process ends: no more rules run.
static ENDS: AtomicBool = AtomicBool::new(false);
/// Number of calls that may use the interpreter.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);
/// The threads that have run rules, by Python's number.
static THREADS: Mutex<Vec<c_ulong>> = Mutex::new(Vec::new());

/// How long the end of the process waits for rules that run.
const PATIENCE: Duration = Duration::from_secs(2);

fn threads() -> MutexGuard<'static, Vec<c_ulong>> {
    THREADS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread in the list, until it ends.
struct Listed(c_ulong);

impl Listed {
    fn new() -> Self {
        // Safety: the function has no preconditions.
        let thread = unsafe { PyThread_get_thread_ident() };
        threads().push(thread);
        Self(thread)
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut threads = threads();
        if let Some(at) = threads.iter().position(|&thread| thread == self.0) {
            threads.swap_remove(at);
        }
    }
}

thread_local! {
    static LISTED: Listed = Listed::new();
}

/// A call that may use the interpreter.
pub(super) struct Active;

impl Active {
    /// Begins a call, unless the process ends.
    pub(super) fn begin() -> Option<Self> {
        LISTED.with(|_| ());
        ACTIVE.fetch_add(1, Ordering::SeqCst);
        let active = Self;
        (!ENDS.load(Ordering::SeqCst)).then_some(active)
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        ACTIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Raises an exception in the rules that run in other threads.
fn raise(exception: &Bound<'_, PyType>) {
    // Safety: as above.
    let own = unsafe { PyThread_get_thread_ident() };
    for &thread in threads().iter().filter(|&&thread| thread != own) {
        // Safety: the interpreter's lock is held. A thread that is not inside the interpreter is not found.
        unsafe { PyThreadState_SetAsyncExc(thread, exception.as_ptr()) };
    }
}

/// Interrupts the rules that run in other threads.
pub(crate) fn interrupt(py: Python<'_>) {
    if ACTIVE.load(Ordering::SeqCst) > 0 {
        raise(&py.get_type::<PyKeyboardInterrupt>());
    }
}

/// Ends the rules that run: the interpreter ends.
#[pyfunction]
pub(super) fn stop_rules(py: Python<'_>) {
    ENDS.store(true, Ordering::SeqCst);
    let started = Instant::now();
    while ACTIVE.load(Ordering::SeqCst) > 0 && started.elapsed() < PATIENCE {
        raise(&py.get_type::<PySystemExit>());
        py.detach(|| std::thread::sleep(Duration::from_millis(5)));
    }
}
