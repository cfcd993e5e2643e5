//! Tournaments, also between bots written in Python.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use ludovec::engine::{Error, Interrupt, SingleGame as EngineGame};
use ludovec::play::outside_bot::OutsideBot;
use ludovec::play::player::Player;
use ludovec::play::tournament::{Pairings, TournamentConfig, play};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::config::{self, choose, to_json};
use crate::errors::{CallError, catch};
use crate::signals::{Signals, TICK};
use crate::single::SingleGame;

/// A Python callable that takes a list of games and returns, for each, an action or the reason why there is none.
struct PythonBot(Py<PyAny>);

/// What it returns for a game.
#[derive(FromPyObject)]
enum Answer {
    Action(u32),
    Reason(String),
}

impl OutsideBot for PythonBot {
    fn choose(&mut self, games: &[&dyn EngineGame], _: &Interrupt) -> Vec<Result<u32, String>> {
        Python::attach(|py| {
            let shown: Vec<SingleGame> = games.iter().map(|game| SingleGame::new(game.clone_box())).collect();
            match self.0.call1(py, (shown,)).and_then(|answers| answers.extract::<Vec<Answer>>(py)) {
                Ok(answers) => answers
                    .into_iter()
                    .map(|answer| match answer {
                        Answer::Action(action) => Ok(action),
                        Answer::Reason(reason) => Err(reason),
                    })
                    .collect(),
                Err(error) => vec![Err(error.to_string()); games.len()],
            }
        })
    }
}

/// Plays a tournament of named players, each a text or a callable as [`PythonBot`] takes it; the table as JSON.
///
/// It is played in a thread of its own, so that this one can look for signals whatever the bots are doing.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of one Python function")]
pub(crate) fn tournament(
    py: Python<'_>,
    id: &str,
    options: &Bound<'_, PyDict>,
    players: Vec<(String, Bound<'_, PyAny>)>,
    games: u64,
    pairings: &str,
    seed: u64,
    num_threads: Option<usize>,
    time_limit: f64,
) -> PyResult<String> {
    let options = config::options(options)?;
    let rules = config::rules(id, options).map_err(CallError::from)?;
    let pairings = choose::<Pairings>("pairings", pairings).map_err(CallError::from)?;
    let limit = Duration::try_from_secs_f64(time_limit).map_err(|_| {
        CallError::from(Error::config(format!("time_limit={time_limit}: seconds are needed")))
    })?;
    let mut seated = Vec::new();
    for (name, bot) in players {
        let player = match bot.extract::<String>() {
            Ok(text) => Player::parse(&*rules, &text, limit).map_err(CallError::from)?,
            Err(_) => Player::outside("", PythonBot(bot.unbind())),
        };
        seated.push(player.named(name));
    }
    let config = TournamentConfig { pairings, games, seed, threads: num_threads };
    let signals = Signals::default();
    let table = py.detach(|| {
        let interrupt = Interrupt::default();
        let (done, table) = channel();
        let ended = interrupt.clone();
        let work = move || {
            let table = catch(|| Ok(play(&rules, &seated, config, &ended, |_, _| ())?));
            // Nobody receives after a signal.
            let _ = done.send(table);
        };
        let spawned = thread::Builder::new().name("ludovec tournament".into()).spawn(work);
        spawned.map_err(|e| CallError::Engine(Error::config(format!("no thread could be started: {e}"))))?;
        loop {
            match table.recv_timeout(TICK) {
                Ok(table) => return table,
                Err(RecvTimeoutError::Timeout) if signals.came() => {
                    interrupt.raise();
                    return Err(CallError::Misuse("interrupted"));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(CallError::Misuse("the tournament broke off"));
                }
            }
        }
    });
    signals.raise()?;
    Ok(to_json(&table?))
}
