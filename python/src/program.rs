//! The program `ludovec` inside Python: `python -m ludovec`.

use std::ffi::OsString;

use ludovec::play::trust;
use ludovec_cli::NotWritten;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use serde_json::Value;

use crate::config::to_json;
use crate::errors::{CallError, catch, words};
use crate::trust::Trust;

/// A function that takes an order as JSON and returns a report as JSON.
type Writer = Py<PyAny>;

/// Runs the program with `arguments`, the first of which is its name; returns the exit code. `writer` plays games and
/// writes data: it takes an order as JSON and returns a report, or an error message and nothing.
///
/// The program sets signal handlers of its own, so that the call is for a process that does nothing else.
#[pyfunction]
pub(crate) fn program(py: Python<'_>, arguments: Vec<OsString>, writer: Writer) -> PyResult<u8> {
    ludovec_cli::serve_mcp_by(serve_mcp);
    let write = |order: &Value| Python::attach(|py| written(&writer.bind(py).call1((to_json(order),)), py));
    Ok(py.detach(|| catch(|| Ok::<_, CallError>(ludovec_cli::run(arguments, Some(&write)))))?)
}

/// The report of the writer, or its error.
fn written(reply: &PyResult<Bound<'_, PyAny>>, py: Python<'_>) -> Result<Value, NotWritten> {
    let failed = |error: &PyErr| match error.is_instance_of::<PyKeyboardInterrupt>(py) {
        true => NotWritten::Interrupted,
        false => NotWritten::Failed(error.value(py).to_string()),
    };
    let text: String = reply.as_ref().map_err(failed)?.extract().map_err(|error| failed(&error))?;
    serde_json::from_str(&text).map_err(|error| NotWritten::Failed(error.to_string()))
}

/// The command `mcp`.
fn serve_mcp(texts: &trust::Trust) -> Result<(), String> {
    let allowed = Trust { texts: texts.clone() };
    Python::attach(|py| {
        let served =
            py.import("ludovec.text.mcp").and_then(|module| module.call_method1("serve", (allowed,)));
        served.map(drop).map_err(|error| words(py, &error))
    })
}
