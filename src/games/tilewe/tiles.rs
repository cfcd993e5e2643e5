//! The 400 tiles of the board and sets of them.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};
use std::str::FromStr;

use bytemuck::{Pod, Zeroable};

use crate::engine::{Error, Result};

/// Rows and columns of the board.
pub const SIZE: usize = 20;
/// Tiles of the board.
pub const TILES: usize = SIZE * SIZE;
/// The bits of a row that are on the board.
const ROW: u32 = (1 << SIZE) - 1;

/// A tile by its coordinates: `a1` is row 0, column 0, at the bottom left; `t20` is row 19, column 19.
///
/// Contacts use the same coordinates, counted from the lower left of a piece's bounding box. Tiles are
/// ordered by row, then by column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tile {
    row: u8,
    column: u8,
}

impl Tile {
    /// The tile in `row` and `column`, both from 0 to 19; `None` outside the board.
    pub const fn new(row: usize, column: usize) -> Option<Self> {
        if row < SIZE && column < SIZE { Some(Self { row: row as u8, column: column as u8 }) } else { None }
    }
    /// The tile with this index, `20 * row + column`; below [`TILES`].
    #[inline]
    pub(super) const fn from_index(index: usize) -> Self {
        Self { row: (index / SIZE) as u8, column: (index % SIZE) as u8 }
    }
    /// `20 * row + column`.
    #[inline]
    pub const fn index(self) -> usize {
        self.row as usize * SIZE + self.column as usize
    }
    /// The row, from 0 at the bottom to 19.
    #[inline]
    pub const fn row(self) -> usize {
        self.row as usize
    }
    /// The column, from 0 at the left to 19.
    #[inline]
    pub const fn column(self) -> usize {
        self.column as usize
    }
    /// All tiles in their order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..TILES).map(Self::from_index)
    }
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column), self.row + 1)
    }
}

impl FromStr for Tile {
    type Err = Error;

    /// Reads `d4`, and the original's constant names too: `D04`.
    fn from_str(text: &str) -> Result<Self> {
        let mut chars = text.chars();
        let column = chars.next().map(|c| c.to_ascii_lowercase()).filter(|c| ('a'..='t').contains(c));
        let digits = chars.as_str();
        let row: Option<usize> =
            digits.parse().ok().filter(|_| digits.len() <= 2 && digits.bytes().all(|b| b.is_ascii_digit()));
        match (column, row) {
            (Some(column), Some(row @ 1..=SIZE)) => {
                Ok(Self { row: row as u8 - 1, column: column as u8 - b'a' })
            }
            _ => Err(Error::illegal(format!("{text:?} is no tile: tiles are a1 to t20"))),
        }
    }
}

/// A set of tiles, one word a row: bit `c` of word `r` is the tile in row `r`, column `c`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct TileSet([u32; SIZE]);

impl TileSet {
    /// No tile.
    pub const EMPTY: Self = Self([0; SIZE]);
    /// The board's four corners a1, t1, a20, t20.
    pub const BOARD_CORNERS: Self = {
        let mut rows = [0; SIZE];
        rows[0] = 1 | 1 << (SIZE - 1);
        rows[SIZE - 1] = rows[0];
        Self(rows)
    };

    /// The rows, bottom first.
    #[inline]
    pub fn rows(&self) -> &[u32; SIZE] {
        &self.0
    }
    /// The set with these rows.
    #[inline]
    pub(super) fn from_rows(rows: [u32; SIZE]) -> Self {
        Self(rows)
    }
    /// Whether no bit lies outside the board.
    pub(super) fn is_on_board(&self) -> bool {
        self.0.iter().all(|&row| row <= ROW)
    }
    /// Whether `tile` is in the set.
    #[inline]
    pub fn contains(&self, tile: Tile) -> bool {
        self.0[tile.row()] >> tile.column & 1 == 1
    }
    /// Adds `tile`.
    #[inline]
    pub fn insert(&mut self, tile: Tile) {
        self.0[tile.row()] |= 1 << tile.column;
    }
    /// Whether the set has no tile.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |any, row| any | row) == 0
    }
    /// How many tiles are in the set.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.iter().map(|row| row.count_ones() as usize).sum()
    }
    /// The tiles in their order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Tile> {
        let mut rows = self.0;
        let mut filled = (0..SIZE).fold(0u32, |filled, r| filled | u32::from(rows[r] != 0) << r);
        std::iter::from_fn(move || {
            (filled != 0).then(|| {
                let row = filled.trailing_zeros() as usize;
                let bits = rows[row];
                let rest = bits & (bits - 1);
                rows[row] = rest;
                filled ^= u32::from(rest == 0) << row;
                Tile { row: row as u8, column: bits.trailing_zeros() as u8 }
            })
        })
    }
    /// The tiles that share a side with one of the set; some may be in the set themselves.
    #[inline]
    pub fn beside(&self) -> Self {
        self.around().0
    }
    /// The tiles that share a corner point, and perhaps a side, with one of the set; some may be in it.
    #[inline]
    pub fn diagonal(&self) -> Self {
        self.around().1
    }
    /// [`Self::beside`] and [`Self::diagonal`].
    #[inline]
    pub(super) fn around(&self) -> (Self, Self) {
        let mut padded = [0; SIZE + 2];
        padded[1..=SIZE].copy_from_slice(&self.0);
        let (mut beside, mut diagonal) = (Self::EMPTY, Self::EMPTY);
        for r in 0..SIZE {
            let row = padded[r + 1];
            let vertical = padded[r] | padded[r + 2];
            beside.0[r] = (vertical | row << 1 | row >> 1) & ROW;
            diagonal.0[r] = (vertical << 1 | vertical >> 1) & ROW;
        }
        (beside, diagonal)
    }
}

impl BitOr for TileSet {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|r| self.0[r] | other.0[r]))
    }
}

impl BitOrAssign for TileSet {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl BitAnd for TileSet {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|r| self.0[r] & other.0[r]))
    }
}

impl Not for TileSet {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(std::array::from_fn(|r| !self.0[r] & ROW))
    }
}

impl FromIterator<Tile> for TileSet {
    fn from_iter<I: IntoIterator<Item = Tile>>(tiles: I) -> Self {
        let mut set = Self::EMPTY;
        tiles.into_iter().for_each(|tile| set.insert(tile));
        set
    }
}

impl fmt::Debug for TileSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|tile| tile.to_string())).finish()
    }
}
