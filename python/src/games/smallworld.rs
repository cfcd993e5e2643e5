//! Small World in the original's terms: its tables, and answers about positions, the base of `ludovec.smallworld`.

use ludovec::engine::Options;
use ludovec::games::smallworld::{ENTRY, SmallWorld, queries};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::config::{self, from_json, to_json};
use crate::errors::guard;

/// The races, the powers, the faces of the die and the turns of each number of players, as JSON.
#[pyfunction]
pub(crate) fn smallworld_constants() -> String {
    to_json(&queries::constants())
}

/// Answers about a position under some options, as JSON.
#[pyfunction]
pub(crate) fn smallworld_answers(options: &Bound<'_, PyDict>, position: &str) -> PyResult<String> {
    let options = config::options(options)?;
    guard(|| {
        let game = SmallWorld::new(&Options::parse(&ENTRY.options(), options)?)?;
        Ok(to_json(&queries::answers(&game, &from_json(position)?)?))
    })
}
