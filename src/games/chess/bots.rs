//! Players that ship with the game.

use crate::engine::chance::Chance;
use crate::engine::{Bot, mask};

use super::board::bitboard::Bitboard;
use super::board::position::{MoveRules, Position};
use super::rules::{Chess, Shows};
use super::state::{State, outcome};
use super::tables::Tables;
use super::variant::schema::{Path, Role};

/// What a kind is worth: roughly how many squares it sees from the middle of an empty board.
fn value<B: Bitboard>(tables: &Tables<B>, kind: usize) -> i32 {
    let piece = &tables.variant.pieces[kind];
    match piece.role {
        Role::Neutral => 0,
        Role::Royal => 1000,
        Role::Pawn => 2,
        Role::Ordinary => {
            let reach = |path: Path| if matches!(path, Path::Ride { .. }) { 5 } else { 3 };
            piece.moves.iter().map(|p| reach(p.path)).sum::<i32>() / 4
        }
    }
}

/// What the pieces of `side` are worth, those in its pocket included.
pub(super) fn material_of<R: MoveRules>(
    tables: &Tables<R::Bits>,
    position: &Position<R>,
    side: usize,
) -> i32 {
    let of = |k: usize| {
        let on_board = (position.kinds.as_ref()[k] & position.colours[side]).count() as i32;
        on_board + i32::from(position.pockets[side][k])
    };
    (0..tables.variant.pieces.len()).map(|k| value(tables, k) * of(k)).sum()
}

/// The material balance as `side` sees it.
fn balance<R: MoveRules>(tables: &Tables<R::Bits>, position: &Position<R>, side: usize) -> i32 {
    material_of(tables, position, side) - material_of(tables, position, 1 - side)
}

/// What `side` has after `state`, winning above all.
fn worth<R: MoveRules, H: Shows<R>>(tables: &Tables<R::Bits>, state: &State<R, H>, side: usize) -> i32 {
    match state.outcome {
        outcome::RUNNING => balance(tables, &state.position, side),
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

/// Of several equally good actions one is drawn, each as likely.
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

/// Takes what it can take; with `ANSWERED` it counts the opponent's best answer.
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
            next.position.each_move(&game.tables, |mv| {
                let mut after = next;
                game.advance(&mut after, mv);
                worst = worst.min(worth(&game.tables, &after, side));
            });
        }
        worst
    })
}

pub(super) fn list<R: MoveRules, H: Shows<R>>() -> &'static [Bot<Chess<R, H>>] {
    const {
        &[
            Bot {
                name: "material",
                help: "plays the move with the most material afterwards, mates when it can",
                act: take::<false, R, H>,
            },
            Bot {
                name: "cautious",
                help: "plays the move with the most material after the opponent's best answer",
                act: take::<true, R, H>,
            },
        ]
    }
}
