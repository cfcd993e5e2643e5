//! Moves in the spelling of another chess library's recorded games (`conform.rs`): `e2e4`, `e7e8=Q`, and a tag
//! after the squares of any other special move.

use super::square_names::square_name;
use crate::rules::board::moves::{Move, MoveKind};
use crate::rules::board::position::{MoveRules, Position};
use crate::rules::tables::Tables;

/// Spells a legal move of `position`.
pub(crate) fn spell<R: MoveRules>(tables: &Tables<R::Bits>, position: &Position<R>, mv: Move) -> String {
    let variant = &tables.variant;
    let pair = |to| square_name(variant, mv.from) + &square_name(variant, to);
    match mv.what {
        MoveKind::Castle => {
            let king = position.castle_squares(tables, mv).map_or(mv.to, |squares| squares.0);
            pair(king) + ":castle"
        }
        MoveKind::EnPassant => pair(mv.to) + ":ep",
        MoveKind::Merge => pair(mv.to) + ":knook",
        MoveKind::Swipe => pair(mv.to) + ":swipe",
        // Either bishop may be named first: the smaller spelling represents both.
        MoveKind::Swap => {
            let back = square_name(variant, mv.to) + &square_name(variant, mv.from);
            pair(mv.to).min(back) + ":vaticano"
        }
        MoveKind::Split(_) => {
            let end = position.split_squares(tables, mv).last().copied().unwrap_or(mv.to);
            pair(end) + ":decay"
        }
        MoveKind::Promote(kind) => format!("{}={}", pair(mv.to), variant.pieces[usize::from(kind)].letter),
        MoveKind::Summon => format!("summon@{}", square_name(variant, mv.to)),
        MoveKind::Place | MoveKind::Drop(_) => square_name(variant, mv.to),
        MoveKind::Plain | MoveKind::DoubleStep => {
            let mut next = *position;
            next.make_move(tables, mv);
            // No move leaves an enemy piece on its origin square, unless that piece was spawned there.
            let spawned = next.colour_at(mv.from) == Some(1 - position.turn());
            pair(mv.to) + if spawned { ":bastarda" } else { "" }
        }
        MoveKind::Pass => "pass".into(),
    }
}
