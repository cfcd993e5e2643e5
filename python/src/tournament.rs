//! Tournaments, including bots written in Python.

use std::path::PathBuf;
use std::sync::Arc;

use ludovec::engine::{AnyGame, Error, Interrupt};
use ludovec::play::player::Player;
use ludovec::play::tournament::{
    self as tournaments, EloModel, Meetings, OpeningNodes, Openings, OpeningsOfGames, PairCounts, Pairings,
    Played, Sprt, StateFile, TournamentConfig, gauntlet, num_slots, play, play_from, play_slots, sum_up,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::Text;
use crate::callback_queue::CallbackQueue;
use crate::config::{self, choose, to_json};
use crate::ctrl_c::{Calls, Signals};
use crate::errors::CallError;
use crate::guest;
use crate::players::{NamedPlayers, player, seconds};

/// Tournament settings: all players against each other, or with `tables`, the first player against the tables.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct How {
    games: u64,
    pairings: String,
    tables: Option<Vec<Vec<usize>>>,
    seed: u64,
    num_threads: Option<usize>,
    time_limit: Option<f64>,
    /// A number of random plies as text, or a file; and the selection of positions of its games.
    openings: Option<(String, Option<usize>, String)>,
    /// Openings as JSON, instead.
    positions: Option<Vec<String>>,
    /// `elo0`, `elo1`, `alpha`, `beta`, `model`.
    sprt: Option<(f64, f64, f64, f64, String)>,
    /// The state file, and the fingerprints of players written in Python, by player.
    state: Option<(PathBuf, Vec<Option<String>>)>,
}

/// A validated tournament.
struct Ready {
    rules: Arc<dyn AnyGame>,
    players: Vec<Player>,
    pairings: Pairings,
    config: TournamentConfig,
}

impl How {
    fn ready(
        &self,
        py: Python<'_>,
        id: &str,
        options: &Bound<'_, PyDict>,
        players: NamedPlayers<'_>,
        queue: &CallbackQueue,
    ) -> PyResult<Ready> {
        let options = config::options(options)?;
        let rules = py.detach(|| config::rules(id, options)).map_err(CallError::from)?;
        let pairings = choose::<Pairings>("pairings", &self.pairings).map_err(CallError::from)?;
        let limit = seconds(self.time_limit).map_err(CallError::from)?;
        let seated = players.into_iter().map(|(name, bot)| player(&*rules, name, bot, limit, false, queue));
        let mut players = seated.collect::<PyResult<Vec<_>>>()?;
        for (player, identity) in players.iter_mut().zip(self.state.iter().flat_map(|(_, known)| known)) {
            if let Some(identity) = identity {
                *player = player.clone().identified(identity);
            }
        }
        let openings = py.detach(|| self.openings(&rules)).map_err(CallError::from)?;
        let sprt = self.sprt.as_ref().map(|(elo0, elo1, alpha, beta, model)| {
            let model = choose::<EloModel>("sprt: model", model)?;
            Ok::<_, Error>(Sprt { elo0: *elo0, elo1: *elo1, alpha: *alpha, beta: *beta, model })
        });
        let sprt = sprt.transpose().map_err(CallError::from)?;
        let config = TournamentConfig {
            games: self.games,
            seed: self.seed,
            threads: self.num_threads,
            openings: openings.unwrap_or_default(),
            sprt,
            games_as: None,
        };
        Ok(Ready { rules, players, pairings, config })
    }

    fn openings(&self, rules: &Arc<dyn AnyGame>) -> Result<Option<Openings>, Error> {
        if let Some(positions) = &self.positions {
            let parse = |(i, text): (usize, &String)| {
                serde_json::from_str(text)
                    .map_err(|error| Error::config(format!("openings[{i}]: JSON is needed: {error}")))
            };
            let parsed = positions.iter().enumerate().map(parse).collect::<Result<Vec<_>, _>>()?;
            return Openings::of_positions(rules, parsed).map(Some);
        }
        let Some((text, plies, nodes)) = &self.openings else { return Ok(None) };
        Openings::parse(rules, text, of_games(*plies, nodes)?).map(Some)
    }

    fn meetings(&self, pairings: Pairings) -> Meetings<'_> {
        self.tables.as_deref().map_or(Meetings::Pairings(pairings), Meetings::Tables)
    }
}

/// The selection of positions of games.
fn of_games(plies: Option<usize>, nodes: &str) -> Result<OpeningsOfGames, Error> {
    Ok(OpeningsOfGames { plies, nodes: choose::<OpeningNodes>("opening_nodes", nodes)? })
}

/// The openings of a file as JSON, with the number of lines that have each of them.
#[pyfunction]
pub(crate) fn openings(
    py: Python<'_>,
    id: &str,
    options: &Bound<'_, PyDict>,
    file: PathBuf,
    plies: Option<usize>,
    nodes: &str,
) -> PyResult<Vec<(String, u64)>> {
    let options = config::options(options)?;
    let read = || {
        let rules = config::rules(id, options)?;
        let found = Openings::weighted(&rules, &file, of_games(plies, nodes)?)?;
        Ok::<_, Error>(found.into_iter().map(|(position, count)| (position.to_string(), count)).collect())
    };
    Ok(py.detach(read).map_err(CallError::from)?)
}

/// Plays a tournament; returns the table as JSON.
///
/// An exception (of a signal or a bot) is returned with the results up to then, or alone.
#[pyfunction]
pub(crate) fn tournament(
    py: Python<'_>,
    id: &str,
    options: &Bound<'_, PyDict>,
    players: NamedPlayers<'_>,
    how: How,
) -> PyResult<(Option<PyErr>, Option<String>)> {
    let queue = CallbackQueue::default();
    let Ready { rules, players, pairings, config } = how.ready(py, id, options, players, &queue)?;
    let interrupt = Interrupt::default();
    let signals = Signals::default();
    let signalled = signals.interrupt();
    let open = |path| {
        let meetings = how.meetings(pairings);
        py.detach(|| StateFile::open(path, &rules, &players, meetings, &config, &signalled))
    };
    let file = how.state.as_ref().map(|(path, _)| open(path)).transpose();
    signals.raise()?;
    let mut file = file.map_err(CallError::from)?;
    let (calls, watched) = (Calls::new("", guest::languages(id)), interrupt.clone());
    let (failed, table) = queue.serve(py, &calls, &interrupt, move || {
        let report = |_, _| ();
        if let Some(file) = &mut file {
            let meetings = how.meetings(pairings);
            return Ok(play_from(&rules, &players, meetings, &config, file, &watched, |_| Ok(()))?);
        }
        Ok(match &how.tables {
            Some(tables) => gauntlet(&rules, &players, tables, &config, &watched, report)?,
            None => play(&rules, &players, pairings, &config, &watched, report)?,
        })
    });
    match (failed, table) {
        (None, table) => Ok((None, Some(to_json(&table?)))),
        (failed, table) => Ok((failed, table.ok().map(|table| to_json(&table)))),
    }
}

/// Elo and margin of every player from the seats and results of games played elsewhere.
#[pyfunction]
pub(crate) fn ratings(players: usize, games: Vec<(Vec<usize>, Vec<f32>)>) -> PyResult<Vec<(f64, f64)>> {
    crate::errors::guard(|| tournaments::ratings(players, &games))
}

/// Elo and margin of every player from wins, draws and losses of pairs: `(a, b, wins, draws, losses)`. Known ratings, one
/// entry per player, are fixed.
#[pyfunction]
pub(crate) fn ratings_of_counts(
    pairs: Vec<(usize, usize, f64, f64, f64)>,
    known: Vec<Option<f64>>,
) -> PyResult<Vec<(f64, f64)>> {
    let pairs: Vec<PairCounts> = pairs
        .into_iter()
        .map(|(a, b, wins, draws, losses)| PairCounts { players: [a, b], counts: [wins, draws, losses] })
        .collect();
    crate::errors::guard(|| tournaments::ratings_of_counts(&pairs, &known))
}

/// Number of slots of a tournament; slots are independent of each other.
#[pyfunction]
pub(crate) fn tournament_slots(
    py: Python<'_>,
    id: &str,
    options: &Bound<'_, PyDict>,
    players: NamedPlayers<'_>,
    how: How,
) -> PyResult<usize> {
    let Ready { rules, players, pairings, config } =
        how.ready(py, id, options, players, &CallbackQueue::default())?;
    Ok(num_slots(&rules, &players, how.meetings(pairings), &config).map_err(CallError::from)?)
}

/// Plays the games of slots `slots[0]..slots[1]` of `width`; returns the results as JSON, or the exception that ended
/// the run.
#[pyfunction]
pub(crate) fn tournament_part(
    py: Python<'_>,
    id: &str,
    options: &Bound<'_, PyDict>,
    players: NamedPlayers<'_>,
    how: How,
    width: usize,
    slots: (usize, usize),
) -> PyResult<Text> {
    let queue = CallbackQueue::default();
    let Ready { rules, players, pairings, config } = how.ready(py, id, options, players, &queue)?;
    let interrupt = Interrupt::default();
    let (calls, watched) = (Calls::new("", guest::languages(id)), interrupt.clone());
    let (failed, played) = queue.serve(py, &calls, &interrupt, move || {
        let slots = (width, slots.0..slots.1);
        Ok(play_slots(&rules, &players, how.meetings(pairings), &config, slots, &watched)?)
    });
    failed.map_or_else(|| Ok(Text(to_json(&played?))), Err)
}

/// The table of the combined parts, as JSON.
#[pyfunction]
pub(crate) fn tournament_table(
    py: Python<'_>,
    id: &str,
    options: &Bound<'_, PyDict>,
    players: NamedPlayers<'_>,
    how: How,
    parts: Vec<String>,
    partial: bool,
) -> PyResult<Text> {
    let Ready { rules, players, pairings, config } =
        how.ready(py, id, options, players, &CallbackQueue::default())?;
    let mut all = Played::default();
    for part in parts {
        let played: Played = serde_json::from_str(&part)
            .map_err(|error| CallError::from(Error::state(format!("a part of a tournament: {error}"))))?;
        if !played.fits(rules.spec(), players.len()) {
            let what = "a part of a tournament: its games have other seats or players";
            return Err(CallError::from(Error::state(what)).into());
        }
        all.add(played);
    }
    let names: Vec<&str> = players.iter().map(Player::name).collect();
    Ok(Text(to_json(&sum_up(rules.spec(), how.meetings(pairings), &config, &names, all, partial))))
}

/// Weights and ratings of Nash averaging over a payoff matrix.
#[pyfunction]
pub(crate) fn nash_average(payoffs: Vec<Vec<f64>>) -> PyResult<(Vec<f64>, Vec<f64>)> {
    let found = tournaments::nash_average(&payoffs).map_err(CallError::from)?;
    Ok((found.weights, found.ratings))
}

/// The stationary distribution of alpha-rank over a payoff matrix.
#[pyfunction]
pub(crate) fn alpha_rank(payoffs: Vec<Vec<f64>>, alpha: f64, population: u32) -> PyResult<Vec<f64>> {
    Ok(tournaments::alpha_rank(&payoffs, alpha, population).map_err(CallError::from)?)
}
