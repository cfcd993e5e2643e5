//! Actions of bots: the engine's bots, networks, and programs behind addresses. Lost moves are logged to Python's
//! `logging`.

use std::sync::mpsc::Sender;

use ludovec::engine::{ActionId, Analysis, Error, Interrupt, SingleGame, VectorEnv};
use ludovec::play::player::{ADVISERS, Fault, Player, can_analyse, choose_actions, is_outside, seat_players};
use ludovec::play::review::GameReview;
use ludovec::replay::{Frames, page};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::callback_queue::Message;
use crate::config::{self, to_json};
use crate::errors::guard;
use crate::players::Adviser;

/// The action of one of the engine's bots, a network, or a program behind an address.
pub(crate) fn bot_action(game: &SingleGame, bot: &str, interrupt: &Interrupt) -> Result<u32, Error> {
    let decision = Player::parse(&*game.game(), bot, None)?.act(game, interrupt)?;
    log(decision.fault.as_slice());
    Ok(decision.action)
}

/// The analysis of a game by a player.
pub(crate) fn analyse(
    game: &SingleGame,
    adviser: Adviser,
    queue: &Sender<Message>,
    interrupt: &Interrupt,
) -> Result<Analysis, Error> {
    adviser.player(game, queue)?.analyse(game, interrupt)
}

/// The review of a game so far by a player: as JSON, and as a page.
pub(crate) fn review(
    game: &SingleGame,
    adviser: Adviser,
    queue: &Sender<Message>,
    interrupt: &Interrupt,
) -> Result<(String, String), Error> {
    let reviewer = adviser.player(game, queue)?;
    if let Adviser::Text(player) = &adviser
        && !can_analyse(player)
    {
        return Err(Error::config(format!("player={player:?}: {ADVISERS} value positions")));
    }
    let record = game.record();
    let mut frames = Frames::new(None);
    let review = GameReview::of_record(&record, &reviewer, interrupt, |game, _| frames.push(game))?;
    let page = page(&record, &frames, Some(&review));
    Ok((to_json(&review), page))
}

/// The actions of bots in every game of a batch, or in the games `ids`, chosen by the bot of the current player.
pub(crate) fn bot_actions(
    env: &mut dyn VectorEnv,
    ids: Option<&[u32]>,
    seats: &[String],
    actions: &mut [ActionId],
) -> Result<(), Error> {
    if !seats.iter().any(|bot| is_outside(bot)) {
        return env.bot_actions(ids, seats, actions);
    }
    let game = env.game();
    let seated = seat_players(&*game, seats, None)?;
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

/// Logs lost moves to Python's `logging`.
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
        // A failing logger does not stop the game.
        let _ = warn();
    });
}

/// Refuses a text that names no player of an environment under some options.
#[pyfunction]
pub(crate) fn check_player(id: &str, options: &Bound<'_, PyDict>, text: &str) -> PyResult<()> {
    let options = config::options(options)?;
    guard(|| Player::parse(&*config::rules(id, options)?, text, None).map(drop))
}
