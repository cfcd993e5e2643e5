//! The description of a game by its Python class.

use std::collections::HashMap;

use ludovec_guest::Function;
use pyo3::prelude::*;

/// The game under some options, as the Python package describes it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct Description {
    pub(super) summary: String,
    /// The spec as JSON.
    pub(super) spec: String,
    /// Makes an array of one state.
    pub(super) make_state: Py<PyAny>,
    /// Converts observations to bytes.
    pub(super) as_bytes: Py<PyAny>,
    /// The rules by name.
    pub(super) methods: HashMap<String, Method>,
    /// The function of each bot.
    pub(super) bots: Vec<Py<PyAny>>,
}

/// A rule: a function of Python, or the address of a C function.
pub(super) enum Method {
    Python(Py<PyAny>),
    C(Function),
}

impl<'py> FromPyObject<'_, 'py> for Method {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<usize>().ok().and_then(Function::at) {
            Some(function) => Ok(Self::C(function)),
            None => Ok(Self::Python(object.to_owned().unbind())),
        }
    }
}
