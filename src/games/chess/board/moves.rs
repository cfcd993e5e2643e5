//! A move, whatever the variant.

use crate::variant::schema::{PieceKind, Square};

/// A move: where from, where to, and what it is.
///
/// `from == to` for moves that happen on one square (drop, place, summon).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// Where the moving piece stands.
    pub from: Square,
    /// Where it goes; in castling the rook's square.
    pub to: Square,
    /// What it is.
    pub what: MoveKind,
}

/// What a [`Move`] is.
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
    /// Two own pieces become one (a Knook).
    Merge,
    /// A capture over blockers (Siberian swipe).
    Swipe,
    /// Two own pieces swap and take what is between (Il Vaticano).
    Swap,
    /// A piece goes and others appear in direction 0 to 3: east, north, west, south (beta decay).
    Split(u8),
    /// A piece from the hand.
    Drop(PieceKind),
    /// The neutral piece is put down.
    Place,
    /// A pawn replaces an enemy piece.
    Summon,
    /// Nothing moves.
    Pass,
}
