//! Bots written in Python, and tournaments.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use ludovec::engine::{Error, Interrupt, SingleGame as EngineGame, VectorEnv};
use ludovec::play::address::is_address;
use ludovec::play::outside_bot::OutsideBot;
use ludovec::play::player::{DEFAULT_TIME_LIMIT, Fault, Player, choose_actions, seat_players};
use ludovec::play::tournament::{Pairings, TournamentConfig, play};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::config::{self, choose, to_json};
use crate::errors::{Failure, catch};
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

/// What one of the engine's bots, or a program behind an address, plays in a game.
pub(crate) fn bot_action(game: &dyn EngineGame, bot: &str) -> Result<u32, Error> {
    let (action, fault) = Player::parse(&*game.game(), bot, DEFAULT_TIME_LIMIT)?.act(game)?;
    log(fault.as_slice());
    Ok(action)
}

/// The same in every game of a batch, or in the games `ids`, by the bot of the seat to move.
pub(crate) fn bot_actions(
    env: &mut dyn VectorEnv,
    ids: Option<&[u32]>,
    seats: &[String],
    actions: &mut [i32],
) -> Result<(), Error> {
    if !seats.iter().any(|bot| is_address(bot)) {
        return env.bot_actions(ids, seats, actions);
    }
    let game = env.game();
    let seated = seat_players(&*game, seats, DEFAULT_TIME_LIMIT)?;
    let mut faults = Vec::new();
    let mut all = vec![0; env.config().num_envs];
    let is_asked = |game: usize| ids.is_none_or(|ids| ids.binary_search(&(game as u32)).is_ok());
    choose_actions(&seated, |game, seat| is_asked(game).then_some(seat), env, &mut all, &mut faults)?;
    log(&faults);
    match ids {
        None => actions.copy_from_slice(&all),
        Some(ids) => actions.iter_mut().zip(ids).for_each(|(action, &id)| *action = all[id as usize]),
    }
    Ok(())
}

/// Names lost moves in Python's log.
fn log(faults: &[Fault]) {
    if faults.is_empty() {
        return;
    }
    Python::attach(|py| {
        let warn = || -> PyResult<()> {
            let logger = py.import("logging")?.call_method1("getLogger", ("ludovec",))?;
            for fault in faults {
                logger.call_method1("warning", (fault.to_string(),))?;
            }
            Ok(())
        };
        // A log that cannot be written stops no game.
        let _ = warn();
    });
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
    let rules = config::rules(id, options).map_err(Failure::from)?;
    let pairings = choose::<Pairings>("pairings", pairings).map_err(Failure::from)?;
    let limit = Duration::try_from_secs_f64(time_limit)
        .map_err(|_| Failure::from(Error::config(format!("time_limit={time_limit}: seconds are needed"))))?;
    let mut seated = Vec::new();
    for (name, bot) in players {
        let player = match bot.extract::<String>() {
            Ok(text) => Player::parse(&*rules, &text, limit).map_err(Failure::from)?,
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
        spawned.map_err(|e| Failure::Engine(Error::config(format!("no thread could be started: {e}"))))?;
        loop {
            match table.recv_timeout(TICK) {
                Ok(table) => return table,
                Err(RecvTimeoutError::Timeout) if signals.came() => {
                    interrupt.raise();
                    return Err(Failure::Misuse("interrupted"));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::Misuse("the tournament broke off"));
                }
            }
        }
    });
    signals.raise()?;
    Ok(to_json(&table?))
}
