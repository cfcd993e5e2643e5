//! The native part of the Python package `ludovec`: batches and single games behind two classes.
//!
//! | file | holds |
//! |---|---|
//! | `arrays` | columns as NumPy arrays, NumPy arrays as columns |
//! | `batch` | many games: `_core.Batch` |
//! | `single`, `drawing_options` | one game: `_core.SingleGame`; how it is drawn |
//! | `games/` | APIs of single games: chess as objects, the originals' terms |
//! | `search` | one search tree per game of a batch: `_core.TreeSearch` |
//! | `network` | networks read from files: `_core.Network` |
//! | `workers` | threads that step a batch while Python continues |
//! | `fleet` | games in shared memory: `_core.Fleet`, `_core.attach` |
//! | `ctrl_c` | Ctrl-C during calls, flags that end calls of other threads: `_core.Stop` |
//! | `bots` | actions of bots: the engine's, and programs behind addresses |
//! | `language_model` | players that are language models |
//! | `players`, `callback_queue` | players that are texts or written in Python; the callback queue of the latter |
//! | `positions` | positions as arguments: JSON or snapshots |
//! | `tournament` | tournaments between them |
//! | `trust` | the texts of clients that become players and options: `_core.Trust` |
//! | `config` | keyword arguments as options and configurations |
//! | `guest/` | games of users: classes of Python, compiled libraries |
//! | `errors` | the exceptions, and the boundary that catches panics |
//! | `memory_reserve` | a reserve of memory for allocations that are not checked |
//! | `jax_ffi` | resets, steps and searches as custom calls of XLA |
//! | `program` | the program `ludovec`, for `python -m ludovec` |
//!
//! Infos, spaces and adapters are written in Python, in `python/ludovec`.

mod arrays;
mod batch;
mod bots;
mod callback_queue;
mod config;
mod ctrl_c;
mod drawing_options;
mod errors;
#[cfg(target_os = "linux")]
mod fleet;
mod forks;
mod games;
mod guest;
mod jax_ffi;
mod language_model;
mod memory_reserve;
mod network;
mod players;
mod positions;
mod program;
mod search;
mod single;
mod tournament;
mod trust;
mod workers;

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::Text;
use crate::ctrl_c::run;
use crate::drawing_options::DrawingOptions;
use crate::errors::guard;
use crate::single::SingleGame;

/// Native part of ludovec; use the package `ludovec`.
///
/// The module is a function rather than declarative: a declarative module would create the classes first, and their
/// code must not run on a processor that this build does not support.
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

/// Adds classes and functions. A separate function, so that the processor check runs first.
#[inline(never)]
fn add_everything(module: &Bound<'_, PyModule>) -> PyResult<()> {
    if let Err(error) = ludovec::engine::CpuLevel::limit() {
        return Err(PyImportError::new_err(error.to_string()));
    }
    ludovec::play::language_model::make_by(language_model::make);
    ludovec::engine::file::watch_by(ctrl_c::ends_reading);
    // The NumPy crate panics where NumPy is missing; an import raises.
    module.py().import("numpy")?;
    // The NumPy crate loads its borrow table at first use, which fails during interpreter shutdown, so load it now.
    PyArray1::<u8>::zeros(module.py(), 0, false).try_readonly()?;
    forks::watch();
    errors::register(module)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<games::chess::ChessBoard>()?;
    module.add_class::<games::empires::EmpiresReferee>()?;
    module.add_class::<games::tilewe::TileweBoard>()?;
    module.add_class::<network::Network>()?;
    module.add_class::<network::SparseInputs>()?;
    module.add_class::<players::Players>()?;
    module.add_class::<search::TreeSearch>()?;
    module.add_class::<ctrl_c::Stop>()?;
    module.add_class::<SingleGame>()?;
    module.add_class::<trust::Trust>()?;
    module.add_class::<workers::Workers>()?;
    #[cfg(target_os = "linux")]
    {
        module.add_class::<fleet::Fleet>()?;
        module.add_function(wrap_pyfunction!(fleet::attach, module)?)?;
    }
    guest::register(module)?;
    for function in [
        wrap_pyfunction!(arrays::show_rows, module)?,
        wrap_pyfunction!(bots::check_player, module)?,
        wrap_pyfunction!(players::network_parts, module)?,
        wrap_pyfunction!(games::chess::chess_variant, module)?,
        wrap_pyfunction!(games::chess::chess_variants, module)?,
        wrap_pyfunction!(games::empires::empires_costs, module)?,
        wrap_pyfunction!(games::smallworld::smallworld_answers, module)?,
        wrap_pyfunction!(games::smallworld::smallworld_constants, module)?,
        wrap_pyfunction!(games::starwars_risk::starwars_risk_board, module)?,
        wrap_pyfunction!(games::tilewe::tilewe_action, module)?,
        wrap_pyfunction!(games::tilewe::tilewe_move, module)?,
        wrap_pyfunction!(games::tilewe::tilewe_shapes, module)?,
        wrap_pyfunction!(tournament::openings, module)?,
        wrap_pyfunction!(tournament::ratings, module)?,
        wrap_pyfunction!(tournament::ratings_of_counts, module)?,
        wrap_pyfunction!(tournament::nash_average, module)?,
        wrap_pyfunction!(tournament::alpha_rank, module)?,
        wrap_pyfunction!(tournament::tournament, module)?,
        wrap_pyfunction!(tournament::tournament_part, module)?,
        wrap_pyfunction!(tournament::tournament_slots, module)?,
        wrap_pyfunction!(tournament::tournament_table, module)?,
        wrap_pyfunction!(grid, module)?,
        wrap_pyfunction!(png, module)?,
        wrap_pyfunction!(program::program, module)?,
        wrap_pyfunction!(most_threads, module)?,
        wrap_pyfunction!(similar, module)?,
        wrap_pyfunction!(list_envs, module)?,
        wrap_pyfunction!(forget_for_xla, module)?,
        wrap_pyfunction!(xla_target, module)?,
        wrap_pyfunction!(words, module)?,
        wrap_pyfunction!(spec_json, module)?,
        wrap_pyfunction!(symmetries, module)?,
    ] {
        module.add_function(function)?;
    }
    Ok(())
}

/// Numbers of boards in a drawing, and of bytes in one drawing, from which a call counts as long.
const MANY_BOARDS: usize = 256;
const LONG_DRAWING: usize = 1 << 20;

/// The boards of several games side by side as one SVG document, each labelled with its number.
#[pyfunction]
fn grid(
    py: Python<'_>,
    games: Vec<(usize, PyRef<'_, SingleGame>)>,
    columns: usize,
    look: DrawingOptions,
) -> PyResult<Text> {
    let games: Vec<_> = games.iter().map(|(number, game)| (*number, game.engine_game())).collect();
    let long = games.len() > MANY_BOARDS;
    run(py, long, move || Ok(ludovec::replay::grid(&games, columns, look.view()?)?)).map(Text)
}

/// Renders an SVG document as a PNG file.
#[pyfunction]
fn png(py: Python<'_>, svg: String) -> PyResult<Bound<'_, PyBytes>> {
    let long = svg.len() > LONG_DRAWING;
    arrays::bytes(py, &run(py, long, move || Ok(ludovec::raster::draw(&svg)?.png()?))?)
}

/// Id, name and summary of every environment.
#[pyfunction]
fn list_envs() -> Vec<(&'static str, &'static str, &'static str)> {
    ludovec::games::all().into_iter().map(|e| (e.id, e.name, e.summary)).collect()
}

/// Forgets a batch or a search that was made known to compiled programs of JAX.
#[pyfunction]
fn forget_for_xla(number: i64) {
    jax_ffi::forget(number);
}

/// The address of the function that compiled programs of JAX call.
#[pyfunction]
fn xla_target() -> usize {
    jax_ffi::address()
}

/// The accepted words of each argument of a batch and of a tournament.
#[pyfunction]
fn words() -> Vec<(&'static str, Vec<&'static str>)> {
    config::words()
}

/// The most similar of the `known` words, if one is similar enough to be meant.
#[pyfunction]
fn similar(word: &str, known: Vec<String>) -> Option<String> {
    ludovec::engine::similar::similar(word, known)
}

/// Maximum number of threads of a call: 8 per core.
#[pyfunction]
fn most_threads() -> usize {
    ludovec::engine::Threads::most()
}

/// The spec of an environment under some options, as JSON.
#[pyfunction]
fn spec_json(id: &str, options: &Bound<'_, PyDict>) -> PyResult<Text> {
    let options = config::options(options)?;
    guard(|| config::spec_json(&*config::rules(id, options)?)).map(Text)
}

type NamedPermutations<'py> = (String, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>);

/// Name, observation permutation and action permutation of every symmetry.
#[pyfunction]
fn symmetries<'py>(
    py: Python<'py>,
    id: &str,
    options: &Bound<'py, PyDict>,
) -> PyResult<Vec<NamedPermutations<'py>>> {
    let options = config::options(options)?;
    let symmetries = py.detach(|| guard(|| Ok(config::rules(id, options)?.symmetries())))?;
    let array = |permutation| PyArray1::from_vec(py, permutation);
    Ok(symmetries.into_iter().map(|s| (s.name, array(s.observation), array(s.action))).collect())
}
