//! Games that hide something, although their spec says that nothing is hidden.

use std::collections::HashMap;

use crate::checks::twins::{legal, observation};
use crate::contract::Game;
use crate::contract::chance::{Chance, SeededChance};
use crate::contract::mask;
use crate::contract::rules::Status;

/// Positions for each game of the effort, and their limit.
const POSITIONS: (u64, u64) = (40, 240);
/// Most decisions before a position.
const DEPTH: u32 = 6;

/// A warning if the current player observes the same in two positions in which another player observes different things.
pub(super) fn unsaid<G: Game>(game: &G, games: u64) -> Option<String> {
    let spec = game.spec();
    if spec.hidden_information {
        return None;
    }
    let mut known = HashMap::new();
    for seed in 0..(games * POSITIONS.0).min(POSITIONS.1) {
        let Some(state) = running(game, seed) else { continue };
        let viewer = game.current_player(&state);
        let seen: Vec<Vec<u8>> = (0..spec.players).map(|seat| observation(game, &state, seat)).collect();
        let Some(before) = known.insert((viewer, seen[viewer].clone()), seen.clone()) else { continue };
        if let Some(other) = (0..spec.players).find(|&seat| before[seat] != seen[seat]) {
            return Some(format!(
                "player {viewer} observes the same in two positions of its own, and player {other} does not: if \
                 something is hidden from player {viewer}, hidden_information is true and determinize redraws it"
            ));
        }
    }
    None
}

/// A position after some random decisions, unless the game is over by then.
fn running<G: Game>(game: &G, seed: u64) -> Option<G::State> {
    let mut chance = SeededChance::from_seed(seed);
    let depth = chance.uniform(DEPTH);
    let mut state = game.init(&mut chance as &mut dyn Chance);
    for _ in 0..depth {
        if game.status(&state) != Status::Running {
            return None;
        }
        let action = mask::at_random(&legal(game, &state), &mut chance);
        game.step(&mut state, action, &mut chance as &mut dyn Chance);
    }
    (game.status(&state) == Status::Running).then_some(state)
}
