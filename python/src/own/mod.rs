//! Games of the user: classes of Python as environments.
//!
//! | file | holds |
//! |---|---|
//! | `maker` | the registration of a class, and its options |
//! | `description` | what a class says about its game: the spec and the methods |
//! | `rules` | the methods as rules of the engine |
//! | `scratch` | the state that a method gets, as a NumPy record |
//! | `chance` | the object `chance` |
//! | `answers` | the values that methods return |
//! | `check` | a check of the rules of any game, for authors |
//! | `faults` | exceptions raised in methods |

mod answers;
mod chance;
mod check;
mod description;
pub(crate) mod faults;
mod maker;
mod rules;
mod scratch;

use std::path::PathBuf;

use pyo3::prelude::*;

pub(crate) use self::maker::runs_python;
use crate::errors::guard;

/// Adds classes and functions, and lets the engine search for unknown environments.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<chance::ChanceSource>()?;
    module.add_function(wrap_pyfunction!(maker::register_game, module)?)?;
    module.add_function(wrap_pyfunction!(chance::chance_functions, module)?)?;
    module.add_function(wrap_pyfunction!(check::check_game, module)?)?;
    module.add_function(wrap_pyfunction!(load_library, module)?)?;
    ludovec::games::search_by(maker::search);
    Ok(())
}

/// Loads a compiled library of games and returns their ids.
#[pyfunction]
fn load_library(path: PathBuf) -> PyResult<Vec<&'static str>> {
    // Safety: the caller of Python trusts the library, as with any module that is imported.
    guard(|| unsafe { ludovec::games::library::load(&path) })
}
