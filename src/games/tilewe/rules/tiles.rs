//! The tiles of the board, 400 on the largest, and sets of them.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};
use std::str::FromStr;

use bytemuck::{Pod, Zeroable};

use ludovec_engine::{Error, Result};

/// Rows and columns of the largest board, and of the original's.
pub const SIZE: usize = 20;
/// Rows and columns of the smallest board.
pub const MIN_SIZE: usize = 8;
/// Tiles of the largest board.
pub const TILES: usize = SIZE * SIZE;
/// The bits of a row that are on the largest board.
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
    #[must_use]
    pub const fn new(row: usize, column: usize) -> Option<Self> {
        if row < SIZE && column < SIZE { Some(Self { row: row as u8, column: column as u8 }) } else { None }
    }
    /// The tile with this index, `20 * row + column`; below [`TILES`].
    #[inline]
    pub(crate) const fn from_index(index: usize) -> Self {
        Self { row: (index / SIZE) as u8, column: (index % SIZE) as u8 }
    }
    /// `20 * row + column`.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.row as usize * SIZE + self.column as usize
    }
    /// The row, from 0 at the bottom to 19.
    #[inline]
    #[must_use]
    pub const fn row(self) -> usize {
        self.row as usize
    }
    /// The column, from 0 at the left to 19.
    #[inline]
    #[must_use]
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

    /// Reads `d4`, and also the original's constant names: `D04`.
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

/// A set of tiles of the first `N` rows, one word per row: bit `c` of word `r` is the tile in row `r`, column `c`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct TileSet<const N: usize = SIZE>([u32; N]);

// Safety: the set has the layout of its array of numbers, for which all zero bytes are valid. (The derives do not
// support const generics.)
unsafe impl<const N: usize> Zeroable for TileSet<N> {}
// Safety: as above; an array of numbers is Pod.
unsafe impl<const N: usize> Pod for TileSet<N> {}

impl<const N: usize> TileSet<N> {
    /// The empty set.
    pub const EMPTY: Self = Self([0; N]);

    /// All tiles of a board with this many rows and columns.
    pub(crate) fn board(side: usize) -> Self {
        Self(std::array::from_fn(|row| if row < side { (1 << side) - 1 } else { 0 }))
    }
    /// The same tiles in another number of rows; tiles of missing rows are left out.
    #[inline(always)]
    pub(crate) fn resized<const M: usize>(&self) -> TileSet<M> {
        TileSet(std::array::from_fn(|row| self.0.get(row).copied().unwrap_or(0)))
    }
    /// The rows, bottom first.
    #[inline]
    #[must_use]
    pub fn rows(&self) -> &[u32; N] {
        &self.0
    }
    /// The rows, bottom first; no bit outside the board may be set.
    #[inline]
    pub(crate) fn rows_mut(&mut self) -> &mut [u32; N] {
        &mut self.0
    }
    /// The tiles that are not in `other`.
    #[inline(always)]
    pub(crate) fn without(self, other: Self) -> Self {
        Self(std::array::from_fn(|r| self.0[r] & !other.0[r]))
    }
    /// Whether `tile` is in the set.
    #[inline]
    #[must_use]
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
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |any, row| any | row) == 0
    }
    /// The number of tiles in the set.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|row| row.count_ones() as usize).sum()
    }
    /// The tiles in their order.
    #[inline]
    #[must_use]
    pub fn iter(self) -> Tiles<N> {
        let filled = self.0.iter().enumerate().fold(0, |filled, (r, &row)| filled | u32::from(row != 0) << r);
        Tiles { rows: self.0, filled }
    }
    /// The tiles that share a side with a tile of the set; may include tiles of the set.
    #[inline]
    #[must_use]
    pub fn beside(&self) -> Self {
        Self(self.around().0.0.map(|row| row & ROW))
    }
    /// The tiles that share a corner point, and perhaps a side, with a tile of the set; may include tiles of the
    /// set.
    #[inline]
    #[must_use]
    pub fn diagonal(&self) -> Self {
        Self(self.around().1.0.map(|row| row & ROW))
    }
    /// [`Self::beside`] and [`Self::diagonal`], which here may include tiles right of the board.
    #[inline(always)]
    pub(crate) fn around(&self) -> (Self, Self) {
        let vertical = self.above_or_below();
        let row = self.0;
        let beside = std::array::from_fn(|r| vertical[r] | row[r] << 1 | row[r] >> 1);
        let diagonal = std::array::from_fn(|r| vertical[r] << 1 | vertical[r] >> 1);
        (Self(beside), Self(diagonal))
    }

    /// For each row the union of the rows below and above it.
    ///
    /// The rows are loaded from the set itself at shifted addresses. Loads from a shifted copy would come right
    /// after its stores and overlap several of them, which store-to-load forwarding cannot serve: the wait would
    /// cost more than the rest of the function.
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    #[inline]
    fn above_or_below(&self) -> [u32; N] {
        use core::arch::x86_64::*;
        if N != SIZE {
            return self.above_or_below_portable();
        }
        let rows = self.0.as_ptr();
        let mut vertical = [0u32; N];
        let out = vertical.as_mut_ptr();
        // Safety: the build enables avx2; every read and write is within the 20 rows.
        unsafe {
            let first = _mm256_loadu_si256(rows.cast());
            let turned = _mm256_permutevar8x32_epi32(first, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6));
            let below = _mm256_blend_epi32::<1>(turned, _mm256_setzero_si256());
            let above = _mm256_loadu_si256(rows.add(1).cast());
            _mm256_storeu_si256(out.cast(), _mm256_or_si256(below, above));
            let below = _mm256_loadu_si256(rows.add(7).cast());
            let above = _mm256_loadu_si256(rows.add(9).cast());
            _mm256_storeu_si256(out.add(8).cast(), _mm256_or_si256(below, above));
            let below = _mm_loadu_si128(rows.add(15).cast());
            let above = _mm_bsrli_si128::<4>(_mm_loadu_si128(rows.add(16).cast()));
            _mm_storeu_si128(out.add(16).cast(), _mm_or_si128(below, above));
        }
        vertical
    }

    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    #[inline]
    fn above_or_below(&self) -> [u32; N] {
        self.above_or_below_portable()
    }

    /// [`Self::above_or_below`] row by row, for other sizes and for processors without AVX2.
    #[inline]
    fn above_or_below_portable(&self) -> [u32; N] {
        let row = |r: Option<usize>| r.and_then(|r| self.0.get(r)).copied().unwrap_or(0);
        std::array::from_fn(|r| row(r.checked_sub(1)) | row(Some(r + 1)))
    }
}

/// The tiles of a set in their order; see [`TileSet::iter`].
#[derive(Debug, Clone, Copy)]
pub struct Tiles<const N: usize = SIZE> {
    rows: [u32; N],
    /// The rows that are not empty.
    filled: u32,
}

impl<const N: usize> Tiles<N> {
    /// Skips the tiles before `first`.
    #[inline]
    pub(crate) fn skip_to(&mut self, first: Tile) {
        let row = first.row();
        self.rows[row] &= ROW << first.column;
        self.filled &= ROW << row;
        self.filled &= !(u32::from(self.rows[row] == 0) << row);
    }
}

impl<const N: usize> Iterator for Tiles<N> {
    type Item = Tile;

    #[inline]
    fn next(&mut self) -> Option<Tile> {
        (self.filled != 0).then(|| {
            let row = self.filled.trailing_zeros() as usize;
            let bits = self.rows[row];
            let rest = bits & (bits - 1);
            self.rows[row] = rest;
            self.filled ^= u32::from(rest == 0) << row;
            Tile { row: row as u8, column: bits.trailing_zeros() as u8 }
        })
    }
}

impl<const N: usize> BitOr for TileSet<N> {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|r| self.0[r] | other.0[r]))
    }
}

impl<const N: usize> BitOrAssign for TileSet<N> {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl<const N: usize> BitAnd for TileSet<N> {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|r| self.0[r] & other.0[r]))
    }
}

impl<const N: usize> Not for TileSet<N> {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(std::array::from_fn(|r| !self.0[r] & ROW))
    }
}

impl<const N: usize> FromIterator<Tile> for TileSet<N> {
    fn from_iter<I: IntoIterator<Item = Tile>>(tiles: I) -> Self {
        let mut set = Self::EMPTY;
        tiles.into_iter().for_each(|tile| set.insert(tile));
        set
    }
}

impl<const N: usize> fmt::Debug for TileSet<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|tile| tile.to_string())).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_the_same_on_every_processor() {
        for seed in 0..200u32 {
            let row = |r: usize| (seed * 20 + r as u32 + 1).wrapping_mul(0x9e37_79b9) >> 7 & ROW;
            let set: TileSet = TileSet(std::array::from_fn(row));
            assert_eq!(set.above_or_below(), set.above_or_below_portable());
        }
    }
}
