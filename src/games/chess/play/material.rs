//! Material: the piece values of the built-in bots. No rule depends on them.

use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::position::{MoveRules, Position};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::{Path, Role};

/// The value of a kind: roughly the number of squares it attacks from the middle of an empty board.
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

/// The value of the pieces of `side`, including its pocket.
pub(crate) fn of_side<R: MoveRules>(tables: &Tables<R::Bits>, position: &Position<R>, side: usize) -> i32 {
    let of = |k: usize| {
        let on_board = (position.kinds.as_ref()[k] & position.colours[side]).count() as i32;
        on_board + i32::from(position.pockets[side][k])
    };
    (0..tables.variant.pieces.len()).map(|k| value(tables, k) * of(k)).sum()
}

/// The material balance from the point of view of `side`.
pub(crate) fn balance<R: MoveRules>(tables: &Tables<R::Bits>, position: &Position<R>, side: usize) -> i32 {
    of_side(tables, position, side) - of_side(tables, position, 1 - side)
}
