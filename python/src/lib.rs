//! The native part of the Python package `ludovec`: batches and single games behind two classes.
//!
//! | file | holds |
//! |---|---|
//! | `arrays` | columns as NumPy arrays, NumPy arrays as columns |
//! | `batch` | many games: `_core.Batch` |
//! | `single`, `look` | one game: `_core.SingleGame`; how it is drawn |
//! | `games/` | what single games have of their own: chess as objects, the originals' terms |
//! | `search` | a tree a game of a batch: `_core.TreeSearch` |
//! | `network` | networks read from files: `_core.Network` |
//! | `workers` | threads that step a batch while Python goes on |
//! | `fleet` | games in shared memory: `_core.Fleet`, `_core.attach` |
//! | `signals` | Ctrl-C while a call waits |
//! | `bots` | what bots play in games: the engine's, and programs behind addresses |
//! | `players`, `desk` | players that are texts or written in Python; where those are run |
//! | `tournament` | tournaments between them |
//! | `config` | keyword arguments as options and configurations |
//! | `errors` | the exceptions, and the wall that no panic crosses |
//!
//! Everything that is a matter of taste (infos, spaces, adapters) is Python, in `python/ludovec`.

mod arrays;
mod batch;
mod bots;
mod config;
mod desk;
mod errors;
#[cfg(target_os = "linux")]
mod fleet;
mod games;
mod look;
mod network;
mod players;
mod search;
mod signals;
mod single;
mod tournament;
mod workers;

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::guard;
use crate::look::Look;
use crate::single::SingleGame;

/// Native part of ludovec; use the package `ludovec`.
///
/// A function instead of a declarative module, which would make the classes first: their code must not run on a processor
/// that this build is not for.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    #[cfg(target_arch = "x86_64")]
    if ludovec::engine::missing_feature().is_some() {
        return Err(PyImportError::new_err(
            "ludovec was built for processors with AVX2, which this one lacks: install it from the source with \
             RUSTFLAGS=\"\" in the environment",
        ));
    }
    add_everything(module)
}

/// Adds classes and functions; kept out of the function that asks for the processor, so that the question comes first.
#[inline(never)]
fn add_everything(module: &Bound<'_, PyModule>) -> PyResult<()> {
    if let Err(error) = ludovec::engine::CpuLevel::limit() {
        return Err(PyImportError::new_err(error.to_string()));
    }
    errors::register(module)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<games::chess::ChessBoard>()?;
    module.add_class::<games::empires::EmpiresReferee>()?;
    module.add_class::<games::tilewe::TileweBoard>()?;
    module.add_class::<network::Network>()?;
    module.add_class::<players::Players>()?;
    module.add_class::<search::TreeSearch>()?;
    module.add_class::<SingleGame>()?;
    module.add_class::<workers::Workers>()?;
    #[cfg(target_os = "linux")]
    {
        module.add_class::<fleet::Fleet>()?;
        module.add_function(wrap_pyfunction!(fleet::attach, module)?)?;
    }
    for function in [
        wrap_pyfunction!(arrays::show_rows, module)?,
        wrap_pyfunction!(games::empires::empires_costs, module)?,
        wrap_pyfunction!(games::starwars_risk::starwars_risk_board, module)?,
        wrap_pyfunction!(games::tilewe::tilewe_action, module)?,
        wrap_pyfunction!(games::tilewe::tilewe_move, module)?,
        wrap_pyfunction!(games::tilewe::tilewe_shapes, module)?,
        wrap_pyfunction!(tournament::ratings, module)?,
        wrap_pyfunction!(tournament::tournament, module)?,
        wrap_pyfunction!(tournament::tournament_part, module)?,
        wrap_pyfunction!(tournament::tournament_slots, module)?,
        wrap_pyfunction!(tournament::tournament_table, module)?,
        wrap_pyfunction!(grid, module)?,
        wrap_pyfunction!(png, module)?,
        wrap_pyfunction!(list_envs, module)?,
        wrap_pyfunction!(words, module)?,
        wrap_pyfunction!(spec_json, module)?,
        wrap_pyfunction!(symmetries, module)?,
    ] {
        module.add_function(function)?;
    }
    Ok(())
}

/// Boards of games side by side as one SVG document, each below its number.
#[pyfunction]
fn grid(games: Vec<(usize, PyRef<'_, SingleGame>)>, columns: usize, look: Look) -> PyResult<String> {
    let games: Vec<_> = games.iter().map(|(number, game)| (*number, game.engine_game())).collect();
    guard(|| ludovec::replay::grid(&games, columns, look.view()?))
}

/// An SVG document as a PNG file.
#[pyfunction]
fn png<'py>(py: Python<'py>, svg: &str) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(py, &guard(|| Ok(ludovec::raster::draw(svg)?.png()))?))
}

/// Id, name and summary of every environment.
#[pyfunction]
fn list_envs() -> Vec<(&'static str, &'static str, &'static str)> {
    ludovec::games::all().into_iter().map(|e| (e.id, e.name, e.summary)).collect()
}

/// The words that arguments of a batch and of a tournament take, by argument.
#[pyfunction]
fn words() -> Vec<(&'static str, Vec<&'static str>)> {
    config::words()
}

/// The spec of an environment under some options, as JSON.
#[pyfunction]
fn spec_json(id: &str, options: &Bound<'_, PyDict>) -> PyResult<String> {
    let options = config::options(options)?;
    guard(|| config::spec_json(&*config::rules(id, options)?))
}

type NamedPermutations<'py> = (String, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Name, observation permutation and action permutation of every symmetry.
#[pyfunction]
fn symmetries<'py>(
    py: Python<'py>,
    id: &str,
    options: &Bound<'py, PyDict>,
) -> PyResult<Vec<NamedPermutations<'py>>> {
    let options = config::options(options)?;
    let symmetries = guard(|| Ok(config::rules(id, options)?.symmetries()))?;
    let array = |permutation| numpy::PyArray1::<u32>::from_vec(py, permutation).into_any();
    Ok(symmetries.into_iter().map(|s| (s.name, array(s.observation), array(s.action))).collect())
}
