//! The program `ludovec` inside Python: `python -m ludovec`.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::errors::{CallError, catch, words};

/// Runs the program with `arguments`, the first of which is its name; returns the exit code.
///
/// The program sets signal handlers of its own, so that the call is for a process that does nothing else.
#[pyfunction]
pub(crate) fn program(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    ludovec_cli::serve_mcp_by(serve_mcp);
    Ok(py.detach(|| catch(|| Ok::<_, CallError>(ludovec_cli::run(arguments))))?)
}

/// The command `mcp`.
fn serve_mcp() -> Result<(), String> {
    Python::attach(|py| {
        let served = py.import("ludovec.text.mcp").and_then(|module| module.call_method0("serve"));
        served.map(drop).map_err(|error| words(py, &error))
    })
}
