//! The exceptions, and the boundary that catches panics.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ludovec::engine::{Error, Refusal, RefusalKind};
use pyo3::PyTypeInfo;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

use crate::ctrl_c::raised_while_reading;
use crate::guest::faults;
use crate::memory_reserve;

create_exception!(ludovec, LudovecError, PyException, "Base of all exceptions of ludovec.");
create_exception!(ludovec, IllegalAction, LudovecError, "The action is not legal in this position.");
create_exception!(
    ludovec,
    InvalidPhase,
    IllegalAction,
    "The action exists, but its kind does not belong to the current phase."
);
create_exception!(ludovec, GameOver, LudovecError, "The game is finished and takes no more actions.");
create_exception!(
    ludovec,
    InvalidState,
    LudovecError,
    "A snapshot, a JSON position or a recorded game does not describe a reachable state."
);
create_exception!(
    ludovec,
    RulesError,
    LudovecError,
    "The rules of a game are wrong: a method returns nonsense, or describes its game wrongly."
);
create_exception!(
    ludovec,
    FleetError,
    LudovecError,
    "A fleet cannot be started or attached to, or it is gone."
);

/// An exception with a second base, so that handlers of either catch it.
struct TwoBases {
    name: &'static str,
    doc: &'static str,
    made: PyOnceLock<Py<PyType>>,
}

impl TwoBases {
    const fn new(name: &'static str, doc: &'static str) -> Self {
        Self { name, doc, made: PyOnceLock::new() }
    }

    /// The class, made at the first call, with the second base `S`.
    fn class<'py, S: PyTypeInfo>(&'py self, py: Python<'py>) -> PyResult<&'py Bound<'py, PyType>> {
        let make = || {
            let attributes = PyDict::new(py);
            attributes.set_item("__module__", "ludovec")?;
            attributes.set_item("__doc__", self.doc)?;
            let bases = (py.get_type::<LudovecError>(), py.get_type::<S>());
            let made = py.get_type::<PyType>().call1((self.name, bases, attributes))?;
            Ok(made.cast_into::<PyType>()?.unbind())
        };
        self.made.get_or_try_init(py, make).map(|made| made.bind(py))
    }

    /// An exception of this class.
    fn error<S: PyTypeInfo>(&'static self, message: String) -> PyErr {
        Python::attach(|py| match self.class::<S>(py) {
            Ok(class) => PyErr::from_type(class.clone(), message),
            Err(error) => error,
        })
    }
}

static OUT_OF_MEMORY: TwoBases =
    TwoBases::new("OutOfMemory", "Not enough memory for the call; also a `MemoryError`.");
static INVALID_CONFIG: TwoBases = TwoBases::new(
    "InvalidConfig",
    "An option, a configuration, a name or an argument is not acceptable; also a `ValueError`.",
);

/// Attributes of refusals, in addition to their text.
const REFUSAL_ATTRIBUTES: [&str; 4] = ["game", "player", "action", "reason"];

/// Adds the exceptions to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    for exception in [py.get_type::<IllegalAction>(), py.get_type::<GameOver>()] {
        for name in REFUSAL_ATTRIBUTES {
            exception.setattr(name, py.None())?;
        }
    }
    module.add("LudovecError", py.get_type::<LudovecError>())?;
    module.add("IllegalAction", py.get_type::<IllegalAction>())?;
    module.add("InvalidPhase", py.get_type::<InvalidPhase>())?;
    module.add("GameOver", py.get_type::<GameOver>())?;
    module.add("InvalidConfig", INVALID_CONFIG.class::<PyValueError>(py)?)?;
    module.add("InvalidState", py.get_type::<InvalidState>())?;
    module.add("OutOfMemory", OUT_OF_MEMORY.class::<PyMemoryError>(py)?)?;
    module.add("RulesError", py.get_type::<RulesError>())?;
    module.add("FleetError", py.get_type::<FleetError>())
}

/// Why a call failed. Holds no Python object, so it can be created without the GIL.
#[derive(Debug)]
pub(crate) enum CallError {
    /// The engine returned an error.
    Engine(Error),
    /// A call at the wrong time, explained in one sentence.
    Misuse(&'static str),
    /// A bug: the message of a panic.
    Panic(String),
}

impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl CallError {
    /// The message of a caught panic.
    pub(crate) fn from_panic(payload: &(dyn Any + Send)) -> Self {
        // The engine panics with an error where it has no other way to return one.
        if let Some(error) = payload.downcast_ref::<Error>() {
            return Self::Engine(error.clone());
        }
        let text = payload.downcast_ref::<&str>().map(|s| (*s).to_string());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Self::Panic(text.unwrap_or_else(|| "no message".into()))
    }
}

impl From<CallError> for PyErr {
    fn from(failure: CallError) -> Self {
        if let Some(raised) = raised_while_reading() {
            return raised;
        }
        match failure {
            CallError::Engine(error) => {
                let message = error.to_string();
                match error {
                    Error::Refused(refusal) => refused(&refusal, message),
                    Error::InvalidConfig(_) => INVALID_CONFIG.error::<PyValueError>(message),
                    Error::InvalidState(_) => InvalidState::new_err(message),
                    Error::Unavailable { .. } => FleetError::new_err(message),
                    Error::Rules(_) => faults::take(&message).unwrap_or_else(|| RulesError::new_err(message)),
                    Error::OutOfMemory(_) => OUT_OF_MEMORY.error::<PyMemoryError>(message),
                    _ => LudovecError::new_err(message),
                }
            }
            CallError::Misuse(what) => LudovecError::new_err(what),
            CallError::Panic(what) => {
                LudovecError::new_err(format!("internal error, please report it: {what}"))
            }
        }
    }
}

/// The exception for a refusal, with its data as attributes.
fn refused(refusal: &Refusal, message: String) -> PyErr {
    let error = match refusal.kind {
        RefusalKind::IllegalAction => IllegalAction::new_err(message),
        RefusalKind::InvalidPhase => InvalidPhase::new_err(message),
        RefusalKind::GameOver => GameOver::new_err(message),
    };
    let Refusal { game, player, action, reason, .. } = refusal;
    Python::attach(|py| {
        let value = error.value(py);
        let set = || -> PyResult<()> {
            value.setattr("game", game)?;
            value.setattr("player", player)?;
            value.setattr("action", action)?;
            value.setattr("reason", reason)
        };
        set().map_or_else(|failed| failed, |()| error.clone_ref(py))
    })
}

/// The message of an exception in one line; of other exceptions than the package's own with its type.
pub(crate) fn words(py: Python<'_>, error: &PyErr) -> String {
    let text = error.value(py).to_string();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if error.is_instance_of::<LudovecError>(py) {
        return text.strip_prefix("invalid configuration: ").unwrap_or(&text).to_string();
    }
    let kind = error.get_type(py).name().map_or_else(|_| "error".into(), |name| name.to_string());
    if text.is_empty() { kind } else { format!("{kind}: {text}") }
}

/// Runs `call` unless small allocations have used up the reserve; a panic becomes a [`CallError`].
pub(crate) fn catch<T>(call: impl FnOnce() -> Result<T, CallError>) -> Result<T, CallError> {
    memory_reserve::take()?;
    catch_panic(call)
}

/// Runs `call` even without a reserve of memory; a panic becomes a [`CallError`].
pub(crate) fn catch_panic<T>(call: impl FnOnce() -> Result<T, CallError>) -> Result<T, CallError> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| Err(CallError::from_panic(&*payload)))
}

/// Runs `call`; errors of the engine and panics become exceptions.
pub(crate) fn guard<T>(call: impl FnOnce() -> Result<T, Error>) -> PyResult<T> {
    Ok(catch(|| Ok(call()?))?)
}
