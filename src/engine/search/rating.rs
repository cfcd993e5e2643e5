//! Ratings of actions: the lead at the end of the turn.

use crate::contract::chance::SeededChance;
use crate::contract::mask;
use crate::contract::reward::outcome_of;
use crate::contract::rules::{Rules, Status};
use crate::contract::spec::MAX_PLAYERS;

/// Number of random completions of an unfinished turn to rate an action.
const FINISHES: u32 = 4;
/// Maximum number of decisions of a completion; the position is then rated although the turn is not over.
const LONGEST_FINISH: u32 = 50;

/// Bonus of a win to the lead, larger than any estimate.
pub(crate) const DECIDED: f32 = 1e6;

/// Every action in `mask` with the resulting lead of the current player at the end of the turn.
///
/// Not inlined, because every copy contains the game's rules.
#[inline(never)]
pub(crate) fn rate_actions<G: Rules>(
    game: &G,
    state: &G::State,
    mask: &[u64],
    worth: Worth<G>,
    chance: &mut SeededChance,
) -> Vec<(u32, f32)> {
    let seat = game.current_player(state);
    // Determinization: rating the real state would reveal hidden cards to the bot.
    let state = game.determinize(state, seat, chance);
    let mut row = vec![0; mask.len()];
    let mut rate = |action| {
        let mut next = state;
        game.step(&mut next, action, chance);
        if !is_to_move(game, &next, seat) {
            return lead(game, &next, seat, worth);
        }
        let mut sum = 0.0;
        for _ in 0..FINISHES {
            let mut end = next;
            let mut decisions = 0;
            while is_to_move(game, &end, seat) && decisions < LONGEST_FINISH {
                game.legal(&end, &mut row);
                game.step(&mut end, mask::at_random(&row, chance), chance);
                decisions += 1;
            }
            sum += lead(game, &end, seat, worth);
        }
        sum / FINISHES as f32
    };
    mask::iter(mask).map(|action| (action, rate(action))).collect()
}

/// Whether `seat` is the current player of a running game.
pub(crate) fn is_to_move<G: Rules>(game: &G, state: &G::State, seat: usize) -> bool {
    game.status(state) == Status::Running && game.current_player(state) == seat
}

/// An evaluation of a position for every player: [`Guide::estimate`](crate::Guide::estimate) or
/// [`Guide::outlook`](crate::Guide::outlook).
pub(crate) type Worth<G> = fn(&G, &<G as Rules>::State, &mut [f32]);

/// The difference between the value of `seat` and the mean of the others; in a finished game, larger than any
/// estimate.
pub(crate) fn lead<G: Rules>(game: &G, state: &G::State, seat: usize, worth: Worth<G>) -> f32 {
    let players = game.spec().players;
    let mut values = [0.0; MAX_PLAYERS];
    let values = &mut values[..players];
    if !game.spec().payoff.is_ranks() {
        // Others have nothing to lose.
        let is_over = game.status(state) != Status::Running;
        if is_over {
            game.scores(state, values)
        } else {
            worth(game, state, values)
        }
        return values[seat];
    }
    worth(game, state, values);
    let others = values.iter().sum::<f32>() - values[seat];
    let lead = values[seat] - others / (players - 1).max(1) as f32;
    if players == 1 || game.status(state) != Status::Terminated {
        return lead;
    }
    outcome_of(game, state, values);
    lead + DECIDED * values[seat]
}
