//! Moves as the recorded games of the original's library spell them: `e2e4`, `e7e8=Q`, and a tag behind what is
//! out of the ordinary.

use super::cell_name;
use crate::games::chess::board::moves::{Move, MoveKind};
use crate::games::chess::board::position::{Position, Rules};
use crate::games::chess::tables::Tables;

/// Spells a legal move of `position`.
pub(in crate::games::chess) fn spell<R: Rules>(
    tables: &Tables<R::Bits>,
    position: &Position<R>,
    mv: Move,
) -> String {
    let variant = &tables.variant;
    let pair = |to| cell_name(variant, mv.from) + &cell_name(variant, to);
    match mv.what {
        MoveKind::Castle => {
            let king = position.castle_cells(tables, mv).map_or(mv.to, |cells| cells.0);
            pair(king) + ":castle"
        }
        MoveKind::EnPassant => pair(mv.to) + ":ep",
        MoveKind::Merge => pair(mv.to) + ":knook",
        MoveKind::Swipe => pair(mv.to) + ":swipe",
        // Either bishop may be named first: the smaller spelling stands for both.
        MoveKind::Swap => {
            let back = cell_name(variant, mv.to) + &cell_name(variant, mv.from);
            pair(mv.to).min(back) + ":vaticano"
        }
        MoveKind::Split(_) => {
            let end = position.split_cells(tables, mv).last().copied().unwrap_or(mv.to);
            pair(end) + ":decay"
        }
        MoveKind::Promote(kind) => format!("{}={}", pair(mv.to), variant.pieces[usize::from(kind)].letter),
        MoveKind::Summon => format!("summon@{}", cell_name(variant, mv.to)),
        MoveKind::Place | MoveKind::Drop(_) => cell_name(variant, mv.to),
        MoveKind::Plain | MoveKind::DoubleStep => {
            let mut next = *position;
            next.play(tables, mv);
            // An enemy where the mover left can only have appeared there.
            let spawned = next.colour_at(mv.from) == Some(1 - position.turn());
            pair(mv.to) + if spawned { ":bastarda" } else { "" }
        }
        MoveKind::Pass => "pass".into(),
    }
}
