//! Moves in UCI: `e2e4`, `e7e8q`, `e1g1`, `N@f3`.
//!
//! Castling is the king's move to its destination, or onto its rook: in Chess960, and if the king would go fewer
//! than two squares.

use super::square_names::square_name;
use crate::rules::board::moves::{Move, MoveKind};
use crate::rules::board::position::{MoveRules, Position};
use crate::rules::movegen::generate::legal_moves;
use crate::rules::tables::Tables;
use crate::rules::variant::schema::PieceKind;
use ludovec_engine::{Error, Result};

/// Writes a legal move of `position`. No other legal move has the same text.
pub(crate) fn write<R: MoveRules>(tables: &Tables<R::Bits>, position: &Position<R>, mv: Move) -> String {
    let variant = &tables.variant;
    let square = |square| square_name(variant, square);
    let letter = |kind: PieceKind| variant.pieces[usize::from(kind)].letter;
    let pair = |to| square(mv.from) + &square(to);
    match mv.what {
        MoveKind::Plain
        | MoveKind::DoubleStep
        | MoveKind::EnPassant
        | MoveKind::Merge
        | MoveKind::Swipe
        | MoveKind::Swap => pair(mv.to),
        MoveKind::Castle => match position.castle_squares(tables, mv) {
            Some((king, _)) if !variant.chess960 && far(variant.width, mv.from, king) => pair(king),
            _ => pair(mv.to),
        },
        MoveKind::Promote(kind) => pair(mv.to) + &letter(kind).to_ascii_lowercase().to_string(),
        MoveKind::Split(_) => {
            let end = position.split_squares(tables, mv).last().copied().unwrap_or(mv.to);
            pair(end) + ":split"
        }
        MoveKind::Drop(kind) => format!("{}@{}", letter(kind), square(mv.to)),
        MoveKind::Place => format!("{}@{}", variant.turn.place.map_or('?', letter), square(mv.to)),
        MoveKind::Summon => {
            format!("{}@{}", variant.generators.summon.map_or('?', |s| letter(s.kind)), square(mv.to))
        }
        MoveKind::Pass => "0000".into(),
    }
}

/// Whether a castling king goes farther than it could step.
fn far(width: u8, from: u8, to: u8) -> bool {
    (from % width).abs_diff(to % width).max((from / width).abs_diff(to / width)) >= 2
}

/// The legal move of `position` with this notation; both notations of castling are accepted.
///
/// # Errors
/// [`Error::Refused`] if no legal move has this notation.
pub(crate) fn parse<R: MoveRules>(
    tables: &Tables<R::Bits>,
    position: &Position<R>,
    text: &str,
) -> Result<Move> {
    let text = text.trim();
    let moves = legal_moves(tables, position);
    let by_rook = |mv: &Move| square_name(&tables.variant, mv.from) + &square_name(&tables.variant, mv.to);
    let found = moves.iter().find(|&&mv| write(tables, position, mv) == text);
    let found = found.or_else(|| moves.iter().find(|mv| mv.what == MoveKind::Castle && by_rook(mv) == text));
    found
        .copied()
        .ok_or_else(|| Error::illegal(format!("{:?} is no legal move here", super::shortened(text))))
}
