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

use pyo3::prelude::*;

/// Native part of ludovec; use the package `ludovec`.
#[pymodule]
mod _core {
    use pyo3::prelude::*;
    use pyo3::types::{PyBytes, PyDict};

    use crate::config;
    use crate::errors::{self, guard};
    use crate::look::Look;

    #[pymodule_export]
    use crate::arrays::show_rows;
    #[pymodule_export]
    use crate::batch::Batch;
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use crate::fleet::{Fleet, attach};
    #[pymodule_export]
    use crate::games::chess::ChessBoard;
    #[pymodule_export]
    use crate::games::empires::EmpiresReferee;
    #[pymodule_export]
    use crate::games::starwars_risk::starwars_risk_board;
    #[pymodule_export]
    use crate::games::tilewe::{TileweBoard, tilewe_action, tilewe_move, tilewe_shapes};
    #[pymodule_export]
    use crate::network::Network;
    #[pymodule_export]
    use crate::players::Players;
    #[pymodule_export]
    use crate::search::TreeSearch;
    #[pymodule_export]
    use crate::single::SingleGame;
    #[pymodule_export]
    use crate::tournament::{ratings, tournament, tournament_part, tournament_slots, tournament_table};
    #[pymodule_export]
    use crate::workers::Workers;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        #[cfg(target_arch = "x86_64")]
        if ludovec::engine::missing_feature().is_some() {
            return Err(pyo3::exceptions::PyImportError::new_err(
                "ludovec was built for processors with AVX2, which this one lacks: install it from the source with \
                 RUSTFLAGS=\"\" in the environment",
            ));
        }
        if let Err(error) = ludovec::engine::CpuLevel::limit() {
            return Err(pyo3::exceptions::PyImportError::new_err(error.to_string()));
        }
        errors::register(module)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
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
}
