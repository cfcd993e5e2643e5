//! Built-in bots.

use ludovec_engine::chance::Chance;
use ludovec_engine::{Bot, mask};

use super::material;
use crate::rules::board::position::MoveRules;
use crate::rules::state::{State, outcome};
use crate::rules::tables::Tables;
use crate::rules::{Chess, Shows};

/// The material balance of `side` in `state`. The result of a finished game outweighs any material.
fn worth<R: MoveRules, H: Shows<R>>(tables: &Tables<R::Bits>, state: &State<R, H>, side: usize) -> i32 {
    match state.outcome {
        outcome::RUNNING => material::balance(tables, &state.position, side),
        outcome::WHITE | outcome::BLACK => {
            if usize::from(state.outcome - outcome::WHITE) == side {
                100_000
            } else {
                -100_000
            }
        }
        _ => 0,
    }
}

/// Picks one of several equally good actions, uniformly at random.
fn best(mask: &[u64], chance: &mut dyn Chance, mut rate: impl FnMut(u32) -> i32) -> u32 {
    let (mut chosen, mut most, mut ties) = (0, i32::MIN, 0);
    for action in mask::iter(mask) {
        let worth = rate(action);
        if worth > most {
            (chosen, most, ties) = (action, worth, 1);
        } else if worth == most {
            ties += 1;
            if chance.uniform(ties) == 0 {
                chosen = action;
            }
        }
    }
    chosen
}

/// Greedy: plays the move with the best material balance for its side; with `ANSWERED`, the balance after the
/// opponent's best answer.
fn take<const ANSWERED: bool, R: MoveRules, H: Shows<R>>(
    game: &Chess<R, H>,
    state: &State<R, H>,
    mask: &[u64],
    chance: &mut dyn Chance,
) -> u32 {
    let side = state.position.turn();
    best(mask, chance, |action| {
        let mut next = *state;
        if let Some(mv) = game.decode(state, action) {
            game.advance(&mut next, mv);
        }
        let mut worst = worth(&game.tables, &next, side);
        if ANSWERED && next.outcome == outcome::RUNNING && next.position.turn() != side {
            next.position.visit_moves(&game.tables, &mut |mv| {
                let mut after = next;
                game.advance(&mut after, mv);
                worst = worst.min(worth(&game.tables, &after, side));
            });
        }
        worst
    })
}

pub(crate) fn list<R: MoveRules, H: Shows<R>>() -> &'static [Bot<Chess<R, H>>] {
    const {
        &[
            Bot {
                name: "material",
                help: "plays the move with the most material afterwards, mates when it can",
                act: take::<false, R, H>,
                tries: None,
            },
            Bot {
                name: "cautious",
                help: "plays the move with the most material after the opponent's best answer",
                act: take::<true, R, H>,
                tries: None,
            },
        ]
    }
}
