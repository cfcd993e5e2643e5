//! Tournaments, also between bots written in Python.

use ludovec::engine::Interrupt;
use ludovec::play::tournament::{self as tournaments, Pairings, TournamentConfig, gauntlet, play};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::config::{self, choose, to_json};
use crate::desk::Desk;
use crate::errors::CallError;
use crate::players::{player, seconds};

/// Plays a tournament of named players, or with `tables` the first one against those; the table as JSON.
///
/// An exception (a signal's, a bot's) comes beside what was played until then, or alone.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of one Python function")]
pub(crate) fn tournament(
    py: Python<'_>,
    id: &str,
    options: &Bound<'_, PyDict>,
    players: Vec<(String, Bound<'_, PyAny>)>,
    games: u64,
    pairings: &str,
    tables: Option<Vec<Vec<usize>>>,
    seed: u64,
    num_threads: Option<usize>,
    time_limit: f64,
) -> PyResult<(Option<PyErr>, Option<String>)> {
    let options = config::options(options)?;
    let rules = py.detach(|| config::rules(id, options)).map_err(CallError::from)?;
    let pairings = choose::<Pairings>("pairings", pairings).map_err(CallError::from)?;
    let limit = seconds(time_limit).map_err(CallError::from)?;
    let desk = Desk::default();
    let seated = players.into_iter().map(|(name, bot)| player(&*rules, name, bot, limit, &desk));
    let seated = seated.collect::<PyResult<Vec<_>>>()?;
    let config = TournamentConfig { games, seed, threads: num_threads };
    let interrupt = Interrupt::default();
    let (failed, table) = desk.serve(py, &interrupt, || {
        let report = |_, _| ();
        Ok(match &tables {
            Some(tables) => gauntlet(&rules, &seated, tables, config, &interrupt, report)?,
            None => play(&rules, &seated, pairings, config, &interrupt, report)?,
        })
    });
    match (failed, table) {
        (None, table) => Ok((None, Some(to_json(&table?)))),
        (failed, table) => Ok((failed, table.ok().map(|table| to_json(&table)))),
    }
}

/// Elo and margin of every player by games that were played elsewhere: seats and results of each.
#[pyfunction]
pub(crate) fn ratings(players: usize, games: Vec<(Vec<usize>, Vec<f32>)>) -> PyResult<Vec<(f64, f64)>> {
    crate::errors::guard(|| tournaments::ratings(players, &games))
}
