//! Bots and estimates of a game.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::checks::conformance::{Verdict, ensure};
use crate::contract::Game;
use crate::contract::chance::{Chance, SeededChance};
use crate::contract::mask;
use crate::contract::rules::Status;
use crate::contract::support::error::Error;

/// Number of determinizations in which a bot must answer the same.
const TWINS: usize = 3;

/// Estimates are numbers, and bots answer legal actions that do not depend on hidden information.
pub(super) fn guide<G: Game>(game: &G, state: &G::State, mask: &[u64], chance: &mut SeededChance) -> Verdict {
    let players = game.spec().players;
    for (what, estimate) in
        [("estimate", G::estimate as fn(&G, &G::State, &mut [f32])), ("outlook", G::outlook)]
    {
        let mut out = vec![f32::NAN; players];
        estimate(game, state, &mut out);
        ensure!(
            out.iter().all(|value| value.is_finite()),
            "the {what} {out:?} holds a value that is not a number"
        );
    }
    if game.status(state) != Status::Running {
        return Ok(());
    }
    if let Some(pass) = game.pass(state) {
        ensure!(pass < game.spec().num_actions, "pass is action {pass}, which does not exist");
    }
    let mover = game.current_player(state);
    let twins: Vec<G::State> =
        (0..TWINS).map(|_| game.determinize(state, mover, chance as &mut dyn Chance)).collect();
    for (bot, (name, _)) in game.bot_names().into_iter().enumerate() {
        let seed = u64::from(chance.uniform(u32::MAX));
        let answer = |state: &G::State| {
            let asked = || {
                let fresh = || SeededChance::from_seed(seed);
                let tried = game.bot_attempt(bot, state, &mut fresh() as &mut dyn Chance);
                (game.bot_action(bot, state, mask, &mut fresh() as &mut dyn Chance), tried)
            };
            catch_unwind(AssertUnwindSafe(asked)).map_err(|payload| {
                // A rule that fails has an error of its own.
                if payload.is::<Error>() { resume_unwind(payload) } else { format!("bot {name} panics") }
            })
        };
        let (action, tried) = answer(state)?;
        ensure!(action < game.spec().num_actions, "bot {name} answers action {action}, which does not exist");
        ensure!(mask::contains(mask, action), "bot {name} answers action {action}, which is illegal");
        if let Some(tried) = tried {
            ensure!(tried < game.spec().num_actions, "bot {name} tries action {tried}, which does not exist");
        }
        for twin in twins.iter().filter(|twin| *twin != state) {
            let other = answer(twin)?;
            ensure!(
                other == (action, tried),
                "bot {name} looks at information hidden from player {mover}: it answers {action}, and {} in a \
                 position that the player cannot tell apart",
                other.0
            );
        }
    }
    Ok(())
}
