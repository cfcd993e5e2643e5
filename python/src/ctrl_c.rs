//! Ctrl-C during calls that run or wait without the interpreter's lock.

use std::cell::RefCell;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use ludovec::engine::interruptible::PendingCall;
pub(crate) use ludovec::engine::interruptible::TICK;
use ludovec::engine::{Error, Interrupt};
use pyo3::prelude::*;

use crate::errors::{CallError, catch, guard};
use crate::forks;
use crate::guest::{self, Languages};

/// The exception raised by a signal handler while the engine read a file. It replaces the error of the interrupted
/// call.
static RAISED: Mutex<Option<PyErr>> = Mutex::new(None);

thread_local! {
    /// The interrupt of the work of a helper thread, which does not run signal handlers itself.
    static HELPING: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
}

/// Lets `interrupt` end the waits for files in the current thread.
pub(crate) fn reads_until(interrupt: &Interrupt) {
    HELPING.set(Some(interrupt.clone()));
}

/// Runs the handlers of pending signals while the engine waits for a file; returns whether one of them raised, or the
/// interrupt of this thread is raised.
pub(crate) fn ends_reading() -> bool {
    if HELPING.with_borrow(|interrupt| interrupt.as_ref().is_some_and(Interrupt::is_raised)) {
        return true;
    }
    let raised = Python::try_attach(|py| py.check_signals()).and_then(Result::err);
    let came = raised.is_some();
    if came {
        *RAISED.lock().unwrap_or_else(PoisonError::into_inner) = raised;
    }
    came
}

/// Takes the exception stored by [`ends_reading`].
pub(crate) fn raised_while_reading() -> Option<PyErr> {
    RAISED.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// A flag that ends calls of other threads.
#[pyclass(module = "ludovec._core", frozen)]
#[derive(Default)]
pub(crate) struct Stop(pub(crate) Interrupt);

#[pymethods]
impl Stop {
    /// A flag that is not set.
    #[new]
    fn new() -> Self {
        Self::default()
    }
    /// Ends the calls that were given this flag, and all later ones.
    fn set(&self) {
        self.0.raise();
    }
    /// Whether it is set.
    fn is_set(&self) -> bool {
        self.0.is_raised()
    }
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

    /// The same for calls that poll often: takes the interpreter's lock at most once per [`TICK`].
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

/// Runs `work` without the interpreter's lock; errors and panics become exceptions. Ctrl-C ends `interruptible` work as
/// it ends that of [`Calls::run`].
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    interruptible: bool,
    work: impl FnOnce() -> Result<T, CallError> + Send + 'static,
) -> PyResult<T> {
    Calls::new("", Languages::default()).run(py, interruptible, move || catch(work))
}

/// Runs `work` on rules in these languages; errors and panics become exceptions. Ctrl-C ends functions of C.
pub(crate) fn run_rules<T: Send + 'static>(
    languages: Languages,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    if !languages.c {
        return guard(work);
    }
    Python::attach(|py| Calls::new("", languages).run(py, false, move || catch(|| Ok(work()?))))
}

type Job = Box<dyn FnOnce() + Send>;

/// A thread that runs calls one after the other, until the sender is dropped.
struct Worker {
    jobs: Sender<Job>,
    /// Number of forks before the thread was made.
    forks: u32,
}

impl Worker {
    /// The idle threads: a new one would cost more than a step of a few games.
    fn idle() -> MutexGuard<'static, Vec<Self>> {
        static IDLE: Mutex<Vec<Worker>> = Mutex::new(Vec::new());
        IDLE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `job` in an idle thread or a new one.
    fn run(job: Job) -> Result<Self, CallError> {
        let mut idle = Self::idle();
        idle.retain(|worker| worker.forks == forks::count());
        let found = idle.pop();
        drop(idle);
        let worker = match found {
            Some(worker) => worker,
            None => {
                let (jobs, queue) = channel::<Job>();
                let spawned = thread::Builder::new()
                    .name("ludovec rules".into())
                    .spawn(move || queue.iter().for_each(|job| job()));
                spawned.map_err(|error| Error::config(format!("no thread could be started: {error}")))?;
                Self { jobs, forks: forks::count() }
            }
        };
        worker.jobs.send(job).expect("the thread ends with its sender");
        Ok(worker)
    }
}

/// Waits for an abandoned call, or until the given function returns true; returns whether the call has ended.
type AbandonedCall = Box<dyn FnMut(&mut dyn FnMut() -> bool) -> bool + Send>;

/// Serializes the calls of one object. If Ctrl-C ends the wait for a call, its work continues to its end, and the next
/// call waits for it. So every call has its full effect or, if it is refused, none.
pub(crate) struct Calls {
    left: Mutex<Option<AbandonedCall>>,
    gate: Arc<Gate>,
    /// The exception of a signal handler that ran within a call.
    pub(crate) signals: Signals,
    /// The error in another process than that of the object.
    elsewhere: &'static str,
    /// The languages of the rules that the work runs.
    languages: Languages,
    /// Number of forks before the object was made, because its threads do not survive one.
    forks: u32,
}

impl Calls {
    pub(crate) fn new(elsewhere: &'static str, languages: Languages) -> Self {
        Self {
            left: Mutex::default(),
            gate: Arc::default(),
            signals: Signals::default(),
            elsewhere,
            languages,
            forks: forks::count(),
        }
    }

    fn left(&self) -> MutexGuard<'_, Option<AbandonedCall>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for an abandoned call, then runs `work` without the interpreter's lock; errors become exceptions. `work`
    /// catches its panics.
    ///
    /// `interruptible` work, and rules with functions of C, run in another thread: Ctrl-C then raises within a [`TICK`],
    /// and the work continues to its end in the background.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        interruptible: bool,
        work: impl FnOnce() -> Result<T, CallError> + Send + 'static,
    ) -> PyResult<T> {
        self.settle(py)?;
        if interruptible || self.languages.c || self.are_held() {
            return self.run_apart(py, interruptible, work);
        }
        let result = py.detach(work);
        self.signals.raise()?;
        Ok(result?)
    }

    /// Runs `work` in another thread, until Ctrl-C: in a new one, or, for a call that is not `long`, an idle one.
    fn run_apart<T: Send + 'static>(
        &self,
        py: Python<'_>,
        long: bool,
        work: impl FnOnce() -> Result<T, CallError> + Send + 'static,
    ) -> PyResult<T> {
        let (gate, python) = (self.gate.clone(), self.languages.python);
        let work = move || {
            gate.pass();
            if python { guest::with_thread_state(work) } else { work() }
        };
        let (mut call, worker) = if long || self.are_held() {
            (PendingCall::spawn("ludovec call", work).map_err(CallError::from)?, None)
        } else {
            let (job, call) = PendingCall::new(work);
            (call, Some(Worker::run(Box::new(job))?))
        };
        let signals = Signals::default();
        if let Some(result) = py.detach(|| call.wait(|| signals.came())) {
            Worker::idle().extend(worker);
            self.signals.raise()?;
            return Ok(result?);
        }
        guest::running::interrupt(py);
        self.abandon(call);
        signals.raise()?;
        Err(CallError::Misuse("interrupted").into())
    }

    /// Lets the next call wait for this one.
    pub(crate) fn abandon<T: Send + 'static>(&self, mut call: PendingCall<T>) {
        *self.left() = Some(Box::new(move |gives_up| call.wait(gives_up).is_some()));
    }

    /// Whether the rules have functions of C, which do not check for interrupts.
    pub(crate) fn runs_c(&self) -> bool {
        self.languages.c
    }

    /// Whether a call on rules with functions of C was abandoned, and nothing has waited for it since.
    pub(crate) fn may_never_end(&self) -> bool {
        self.runs_c() && self.left().is_some()
    }

    /// Rejects an object of another process, and waits for an abandoned call.
    pub(crate) fn settle(&self, py: Python<'_>) -> PyResult<()> {
        if self.forks != forks::count() {
            return Err(CallError::Misuse(self.elsewhere).into());
        }
        let Some(mut left) = self.left().take() else { return Ok(()) };
        let signals = Signals::default();
        if !py.detach(|| left(&mut || signals.came())) {
            *self.left() = Some(left);
        }
        signals.raise()
    }

    /// Whether the work of calls is paused.
    pub(crate) fn are_held(&self) -> bool {
        self.gate.is_closed()
    }

    /// Pauses the work of all later calls, which are then interruptible, or resumes it.
    pub(crate) fn hold(&self, held: bool) {
        self.gate.close(held);
    }
}

/// A gate at which tests of Ctrl-C pause calls.
#[derive(Default)]
struct Gate {
    closed: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn closed(&self) -> MutexGuard<'_, bool> {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn is_closed(&self) -> bool {
        *self.closed()
    }
    fn close(&self, closed: bool) {
        *self.closed() = closed;
        self.opened.notify_all();
    }
    /// Waits until the gate is open.
    fn pass(&self) {
        drop(self.opened.wait_while(self.closed(), |closed| *closed));
    }
}
