//! Positions as arguments: the JSON of a position, the document of a game, or bytes of a snapshot.

use ludovec::engine::{Error, Position, Spec};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use serde_json::Value;

use crate::config;

/// A position as it comes from Python.
#[derive(FromPyObject)]
pub(crate) enum GivenPosition {
    Json(String),
    Snapshot(PyBackedBytes),
}

/// A position as the engine reads it.
pub(crate) enum ReadPosition<'a> {
    Json(Value),
    Snapshot(&'a [u8]),
}

impl GivenPosition {
    /// Reads a position of an environment with this `spec`.
    ///
    /// # Errors
    /// [`Error::InvalidState`] if the text is no JSON, or the document of a game of another environment.
    pub(crate) fn read(&self, spec: &Spec) -> Result<ReadPosition<'_>, Error> {
        Ok(match self {
            Self::Json(json) => ReadPosition::Json(position_of(config::from_json(json)?, spec)?),
            Self::Snapshot(bytes) => ReadPosition::Snapshot(bytes),
        })
    }
}

impl ReadPosition<'_> {
    pub(crate) fn borrowed(&self) -> Position<'_> {
        match self {
            Self::Json(json) => Position::Json(json),
            Self::Snapshot(bytes) => Position::Snapshot(bytes),
        }
    }
}

/// The position in the document of a game, which has the keys `env` and `position`; else the value itself.
fn position_of(mut value: Value, spec: &Spec) -> Result<Value, Error> {
    let (Some(env), Some(_)) = (value.get("env"), value.get("position")) else { return Ok(value) };
    if env.as_str() != Some(spec.env) {
        return Err(Error::InvalidState(format!("a game of {env}: a position of {} is needed", spec.env)));
    }
    Ok(value["position"].take())
}
