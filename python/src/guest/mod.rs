//! Games of users: classes of Python as environments.
//!
//! | file | holds |
//! |---|---|
//! | `maker` | the registration of a class, and its options |
//! | `description` | what a class says about its game: the spec and the methods |
//! | `rules` | the methods as rules of the engine |
//! | `running` | rules that run in threads, and how they are stopped |
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
pub(crate) mod running;
mod scratch;

use std::path::PathBuf;

use pyo3::prelude::*;

pub(crate) use self::maker::{Languages, languages};
use crate::ctrl_c::run;
use crate::errors::CallError;

/// Adds classes and functions, and lets the engine search for unknown environments.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<chance::ChanceSource>()?;
    module.add_function(wrap_pyfunction!(maker::register_game, module)?)?;
    module.add_function(wrap_pyfunction!(maker::forget_game, module)?)?;
    module.add_function(wrap_pyfunction!(chance::chance_functions, module)?)?;
    module.add_function(wrap_pyfunction!(running::stop_rules, module)?)?;
    module.add_function(wrap_pyfunction!(check::check_game, module)?)?;
    module.add_function(wrap_pyfunction!(load_library, module)?)?;
    ludovec::games::search_by(maker::search);
    Ok(())
}

/// Runs `work` in a thread that Python has not started: with one thread state for all of its calls into the
/// interpreter, instead of one for each.
pub(crate) fn with_thread_state<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let _active = running::Active::begin();
    let mut work = Some(work);
    let mut run = || work.take().expect("it runs once")();
    match Python::try_attach(|py| py.detach(&mut run)) {
        Some(result) => result,
        // The interpreter no longer exists while the process exits.
        None => run(),
    }
}

/// Loads a compiled library of games and returns their ids.
#[pyfunction]
fn load_library(py: Python<'_>, path: PathBuf) -> PyResult<Vec<&'static str>> {
    // Safety: the caller of Python trusts the library, as with any module that is imported.
    run(py, true, move || unsafe { ludovec::games::library::load(&path) }.map_err(CallError::Engine))
}
