//! Where things are, and what a piece may do.

use std::collections::BTreeMap;

use crate::variant::schema::{Square as SquareIndex, Variant};

/// A place on the board: `(0, 0)` is at the top left, as white sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Files from the left edge.
    pub x: i16,
    /// Ranks from the top edge.
    pub y: i16,
}

impl Position {
    /// The position at these coordinates.
    pub const fn new(x: i16, y: i16) -> Self {
        Self { x, y }
    }
    /// The position so far from this one, on the board or not.
    pub const fn offset(self, dx: i16, dy: i16) -> Self {
        Self { x: self.x.saturating_add(dx), y: self.y.saturating_add(dy) }
    }
    pub(super) fn of(variant: &Variant, index: SquareIndex) -> Self {
        let rank = variant.height - 1 - index / variant.width;
        Self { x: i16::from(index % variant.width), y: i16::from(rank) }
    }
    /// The square here, if the board reaches so far; it may be a hole.
    pub(super) fn index(self, variant: &Variant) -> Option<SquareIndex> {
        let x = u8::try_from(self.x).ok().filter(|&x| x < variant.width)?;
        let y = u8::try_from(self.y).ok().filter(|&y| y < variant.height)?;
        Some((variant.height - 1 - y) * variant.width + x)
    }
}

/// A simple value that says more about a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extra {
    /// Yes or no.
    Flag(bool),
    /// A number.
    Number(i64),
    /// A word, as the name of a piece.
    Text(String),
    /// A place.
    Position(Position),
}

/// A move that a piece can make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveOption {
    /// Where the piece goes.
    pub position: Position,
    /// Where pieces are taken.
    pub captures: Vec<Position>,
    /// What else is to be known. The rules of the variants use these keys: `promotion` and `drop` (a piece's
    /// name), `castling` and `swap` (where the other piece stands), `merge` (what the two become),
    /// `en_passant`, `double_step`, `swipe`, `split`, `summon`, `pass` (flags).
    pub extra: BTreeMap<String, Extra>,
}

impl MoveOption {
    /// A move to `position` that takes nothing.
    pub fn to(position: Position) -> Self {
        Self { position, captures: Vec::new(), extra: BTreeMap::new() }
    }
    /// A move to `position` that takes what is there.
    pub fn capture(position: Position) -> Self {
        Self { captures: vec![position], ..Self::to(position) }
    }
}
