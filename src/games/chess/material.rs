//! Material: what pieces are worth to the players that ship with the game. No rule depends on it.

use super::board::bitboard::Bitboard;
use super::board::position::{MoveRules, Position};
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
pub(super) fn of_side<R: MoveRules>(tables: &Tables<R::Bits>, position: &Position<R>, side: usize) -> i32 {
    let of = |k: usize| {
        let on_board = (position.kinds.as_ref()[k] & position.colours[side]).count() as i32;
        on_board + i32::from(position.pockets[side][k])
    };
    (0..tables.variant.pieces.len()).map(|k| value(tables, k) * of(k)).sum()
}

/// The material balance as `side` sees it.
pub(super) fn balance<R: MoveRules>(tables: &Tables<R::Bits>, position: &Position<R>, side: usize) -> i32 {
    of_side(tables, position, side) - of_side(tables, position, 1 - side)
}
