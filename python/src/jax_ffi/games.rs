//! Resets and steps of a batch.

use ludovec::engine::{ActionId, Error, VectorEnv};
use std::ptr;

use super::call_frame::{Buffer, Call};
use super::said;
use crate::batch::{BatchGames, Effect};

/// The attribute `call` of a step and of a reset.
const STEP: i64 = 0;
const RESET: i64 = 1;

/// A reset with the seed in the second argument, or a step with its actions. The first argument is the order of the
/// state, the results are its order and the columns.
pub(super) fn answer(games: &BatchGames, columns: &[String], call: &Call<'_>) -> Result<(), String> {
    let (order, given) = (call.argument(0)?.integers()?, call.argument(1)?.integers()?);
    let played = games.call(Effect::Moves, |env| match call.number("call") {
        Some(RESET) => {
            let seed = given.first().copied().and_then(|seed| u64::try_from(seed).ok());
            let seed = seed.ok_or_else(|| Error::config("seed: an integer of at least 0 is needed"))?;
            env.reset(Some(seed))
        }
        Some(STEP) => {
            if !is_newest(games, &order) {
                return Err(Error::config(
                    "step: the games have moved on since this state: pass the newest one",
                ));
            }
            let actions: Vec<ActionId> =
                given.iter().map(|&action| i32::try_from(action).unwrap_or(-1) as ActionId).collect();
            env.step(&actions)
        }
        _ => Err(Error::config("unknown call of a batch")),
    });
    played.map_err(said)?;
    let copied =
        games.call(Effect::Reads, |env| Ok(write(env, columns, &call.results, games.changes() as u32)));
    copied.map_err(said)?
}

/// Whether a state with this order is the newest one.
pub(super) fn is_newest(games: &BatchGames, order: &[i64]) -> bool {
    order.first().is_some_and(|&order| order as u32 == games.changes() as u32)
}

/// Writes the order and the columns into the results.
fn write(env: &dyn VectorEnv, names: &[String], results: &[&Buffer], order: u32) -> Result<(), String> {
    let columns = env.columns();
    let listed = columns.list();
    let [first, rest @ ..] = results else { return Err("results are needed".into()) };
    if rest.len() != names.len() {
        return Err(format!("{} results are needed", names.len() + 1));
    }
    first.write("order", &[order])?;
    for (name, result) in names.iter().zip(rest) {
        let info = listed.iter().find(|info| info.name == name);
        let info = info.ok_or_else(|| format!("{name}: this batch writes no such column"))?;
        let bytes = columns.num_envs() * info.width * info.dtype.size();
        let place = result.place(name, bytes)?;
        // Safety: the column and the result have this many bytes, and do not overlap: the result is XLA's.
        unsafe { ptr::copy_nonoverlapping(info.address, place, bytes) };
    }
    Ok(())
}
