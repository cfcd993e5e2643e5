//! Positions as arguments: the engine's JSON or bytes of a snapshot.

use ludovec::engine::{Error, Position};
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
    pub(crate) fn read(&self) -> Result<ReadPosition<'_>, Error> {
        Ok(match self {
            Self::Json(json) => ReadPosition::Json(config::from_json(json)?),
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
