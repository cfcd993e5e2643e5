//! Consistency checks of single positions: the rows of a batch against the game itself, and the methods of the game
//! against one another.
//!
//! Fuzzing and long random play call these checks on the positions that they reach. All calls go through the dynamic
//! traits, so the code is compiled once, not once per game.

use crate::bots::named_bot::playout_count;
use crate::contract::mask;
use crate::contract::options::{CommonOptions, OnIllegal};
use crate::contract::rules::Status;
use crate::contract::show::view::View;
use crate::contract::support::error::Error;
use crate::dynamic::config::{AutoReset, ObservationFormat};
use crate::dynamic::vector::VectorEnv;
use crate::single::game::SingleGame;

macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if $condition {
        } else {
            return Err(format!($($message)+));
        }
    };
}

/// Compares the rows of game `id` with a single game in the same position, slowly; returns that game.
///
/// # Errors
/// A sentence that names the game and the difference.
pub fn inspect_row(env: &dyn VectorEnv, id: u32) -> Result<SingleGame, String> {
    let at = |what: &str| format!("game {id}: {what}");
    let play = env.single(id).map_err(|error| at(&error.to_string()))?;
    let (columns, widths, spec) = (env.columns(), env.columns().widths(), play.game().spec().clone());
    let row = id as usize;
    let legal = play.legal_actions();
    let bits = &columns.mask_bits[row * widths.mask_bits..][..widths.mask_bits];
    // Under `on_illegal=lose` an illegal action ends the episode and leaves the position unchanged.
    let may_be_lost = CommonOptions::read(&spec.options).on_illegal == OnIllegal::Lose
        && env.config().autoreset != AutoReset::SameStep;
    if may_be_lost && play.status() == Status::Running && mask::count(bits) == 0 {
        return Ok(play);
    }
    ensure!(
        mask::iter(bits).eq(legal.iter().copied()),
        "game {id}: the actions in the mask are not the legal actions"
    );
    let bytes = &columns.mask_bytes[row * widths.mask_bytes..][..widths.mask_bytes];
    let set = bytes.iter().zip(0..).filter(|&(&byte, _)| byte != 0).map(|(_, action)| action);
    ensure!(bytes.is_empty() || set.eq(legal), "game {id}: the mask's bytes are not its bits");
    if play.status() != Status::Running {
        return Ok(play);
    }
    let seat = play.current_player();
    ensure!(columns.current_player[row] as usize == seat, "game {id}: the current player is seat {seat}");
    let seen = play.observation(seat).map_err(|error| at(&error.to_string()))?;
    let shown = &columns.observations[row * widths.observations..][..widths.observations];
    match env.config().observation {
        ObservationFormat::None => {}
        ObservationFormat::Packed => {
            let mut unpacked = vec![0xaa; seen.len()];
            spec.packed().unpack(shown, &mut unpacked);
            ensure!(unpacked == seen, "game {id}: the packed observation of seat {seat} differs");
        }
        ObservationFormat::U8 | ObservationFormat::F32 => {
            ensure!(shown == seen, "game {id}: the observation of seat {seat} differs");
        }
    }
    let floats = &columns.observations_f32[row * widths.observations_f32..][..widths.observations_f32];
    if !floats.is_empty() {
        for field in &spec.observation {
            let wrong = field.indices().find(|&i| floats[i] != f32::from(seen[i]) * field.scale);
            ensure!(
                wrong.is_none(),
                "game {id}: element {wrong:?} of {} is not byte times scale",
                field.name
            );
        }
    }
    Ok(play)
}

/// Reads a position back from its own JSON and compares the two. This checks everything that steps update
/// incrementally, hashes included, against values computed from scratch.
///
/// # Errors
/// A sentence that names the difference.
pub fn inspect_recomputed(play: &SingleGame) -> Result<(), String> {
    let json = play.position();
    let again =
        play.game().single_from_position(&json, 0).map_err(|error| format!("{json} is refused: {error}"))?;
    ensure!(again.position() == json, "a position changes on its way through JSON: {json}");
    ensure!(
        again.position_bytes() == play.position_bytes(),
        "the incrementally updated position differs from the one recomputed from {json}"
    );
    Ok(())
}

/// Calls every method on a position and compares the results with one another.
///
/// # Errors
/// A sentence that names the contradiction.
pub fn inspect_position(play: &SingleGame) -> Result<(), String> {
    let said = |error: Error| error.to_string();
    let (game, position) = (play.game(), play.position_bytes());
    let spec = game.spec();
    inspect_recomputed(play)?;
    for seat in 0..spec.players {
        let seen = play.observation(seat).map_err(said)?;
        ensure!(seen.len() == spec.observation_len(), "an observation has {} elements", seen.len());
        play.observation_to_json(seat).map_err(said)?;
        play.information_state(seat).map_err(said)?;
        let other = play.determinize(seat, 1).map_err(said)?;
        ensure!(other.observation(seat).map_err(said)? == seen, "the observation of seat {seat} is redrawn");
        play.to_text(View { seat: Some(seat), ..View::default() }).map_err(said)?;
    }
    ensure!(play.scores().len() == spec.players, "the number of scores is not the number of seats");
    let finite = play.returns().iter().chain(&play.estimates()).all(|value| value.is_finite());
    ensure!(finite, "an outcome or estimate is not a finite number");
    play.to_svg(View::default()).map_err(said)?;
    let _ = (play.title(), play.standing(), play.narrate(0, None), play.turn(), play.log());
    let legal = play.legal_actions();
    for &action in legal.iter().take(8).chain(legal.last()) {
        let text = play.action_to_string(action).map_err(said)?;
        let found = play.string_to_action(&text);
        ensure!(found == Ok(action), "action {action} is written {text:?}, which is read as {found:?}");
        let object = play.action_to_json(action).map_err(said)?;
        let found = play.action_from_json(&object);
        ensure!(found == Ok(action), "action {action} is written {object}, which is read as {found:?}");
        play.action_in_words(action).map_err(said)?;
    }
    if play.status() == Status::Running {
        let request = play.bot_request();
        let asked = game.clone().single_from_bot_request(&request, 0);
        asked.map_err(|error| format!("{request} is refused: {error}"))?;
        for (bot, _) in game.bots() {
            // Bots that search by playouts are skipped: they are slow, and playouts call only the rules.
            if playout_count(bot) == Ok(0) {
                let action = play.bot_action(bot).map_err(said)?;
                ensure!(legal.contains(&action), "{bot} plays {action}, which is illegal");
            }
        }
    }
    ensure!(play.position_bytes() == position, "read-only methods changed the position");
    Ok(())
}
