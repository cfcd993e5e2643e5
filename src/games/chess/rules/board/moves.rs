//! A move in any variant.

use crate::rules::variant::schema::{PieceKind, Square};

/// A move: origin, destination and kind.
///
/// `from == to` for moves that happen on one square (drop, place, summon).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// The square of the moving piece.
    pub from: Square,
    /// Its destination; in castling the rook's square.
    pub to: Square,
    /// The kind of move.
    pub what: MoveKind,
}

/// The kind of a [`Move`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MoveKind {
    /// An ordinary move or capture.
    Plain,
    /// A pawn's double step.
    DoubleStep,
    /// A capture en passant.
    EnPassant,
    /// Castling; [`Move::to`] is the rook's square.
    Castle,
    /// A pawn's move or capture that turns it into this kind.
    Promote(PieceKind),
    /// Two own pieces merge into one (a Knook).
    Merge,
    /// A capture over blockers (Siberian swipe).
    Swipe,
    /// Two own pieces swap and capture the pieces between them (Il Vaticano).
    Swap,
    /// A piece disappears and others appear in direction 0 to 3: east, north, west, south (beta decay).
    Split(u8),
    /// A piece is dropped from the hand.
    Drop(PieceKind),
    /// The neutral piece is placed.
    Place,
    /// A pawn replaces an enemy piece.
    Summon,
    /// A pass: no piece moves.
    Pass,
}
