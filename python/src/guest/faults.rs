//! Exceptions raised in the methods of a game: they travel through the engine as an error and arrive as themselves.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ludovec::engine::Error;
use pyo3::prelude::*;

/// Exceptions on their way, with the messages of their errors.
static RAISED: Mutex<Vec<(String, PyErr)>> = Mutex::new(Vec::new());
/// Most exceptions that are kept: an error that never arrives, such as that of an abandoned call, leaves one behind.
const MOST: usize = 16;

fn raised() -> MutexGuard<'static, Vec<(String, PyErr)>> {
    RAISED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The error of a method of game `env` that has raised.
pub(super) fn error(py: Python<'_>, env: &str, method: &str, exception: PyErr) -> Error {
    let text = exception.value(py).str().map(|text| text.to_string()).unwrap_or_default();
    let class = exception.get_type(py).name().map(|name| name.to_string()).unwrap_or_default();
    let error = Error::rules(format!("{env}.{method} raised {class}: {text}"));
    let note = format!("raised by {method}() of the game {env}");
    // Notes exist since Python 3.11; before, the traceback names the method.
    let _ = exception.value(py).call_method1("add_note", (note,));
    let mut raised = raised();
    if raised.len() == MOST {
        raised.remove(0);
    }
    raised.push((error.to_string(), exception));
    error
}

/// The exception behind an error of the rules.
pub(crate) fn take(message: &str) -> Option<PyErr> {
    let mut raised = raised();
    let at = raised.iter().rposition(|(of, _)| of == message)?;
    Some(raised.remove(at).1)
}
