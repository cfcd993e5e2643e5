//! Positions on the board, and move options of pieces.

use std::collections::BTreeMap;

use crate::rules::variant::schema::{Square as SquareIndex, Variant};

/// A place on the board: `(0, 0)` is the top left corner from white's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Files from the left edge.
    pub x: i16,
    /// Ranks from the top edge.
    pub y: i16,
}

impl Position {
    /// The position at these coordinates.
    #[must_use]
    pub const fn new(x: i16, y: i16) -> Self {
        Self { x, y }
    }
    /// The position at this distance from it, on the board or not.
    #[must_use]
    pub const fn offset(self, dx: i16, dy: i16) -> Self {
        Self { x: self.x.saturating_add(dx), y: self.y.saturating_add(dy) }
    }
    pub(super) fn of(variant: &Variant, index: SquareIndex) -> Self {
        let rank = variant.height - 1 - index / variant.width;
        Self { x: i16::from(index % variant.width), y: i16::from(rank) }
    }
    /// The square at this position, if it is within the board; it may be a hole.
    pub(super) fn index(self, variant: &Variant) -> Option<SquareIndex> {
        let x = u8::try_from(self.x).ok().filter(|&x| x < variant.width)?;
        let y = u8::try_from(self.y).ok().filter(|&y| y < variant.height)?;
        Some((variant.height - 1 - y) * variant.width + x)
    }
}

/// A simple value with further information about a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extra {
    /// Yes or no.
    Flag(bool),
    /// A number.
    Number(i64),
    /// A word, such as the name of a piece.
    Text(String),
    /// A place.
    Position(Position),
}

/// A move that a piece can make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveOption {
    /// The destination of the piece.
    pub position: Position,
    /// The squares of the captured pieces.
    pub captures: Vec<Position>,
    /// Further information. The rules of the variants use these keys: `promotion` and `drop` (a piece's name),
    /// `castling` and `swap` (the square of the other piece), `merge` (the merged piece), `en_passant`,
    /// `double_step`, `swipe`, `split`, `summon`, `pass` (flags).
    pub extra: BTreeMap<String, Extra>,
}

impl MoveOption {
    /// A move to `position` without capture.
    #[must_use]
    pub fn to(position: Position) -> Self {
        Self { position, captures: Vec::new(), extra: BTreeMap::new() }
    }
    /// A move to `position` that captures the piece there.
    #[must_use]
    pub fn capture(position: Position) -> Self {
        Self { captures: vec![position], ..Self::to(position) }
    }
}
