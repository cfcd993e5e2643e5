//! The map's geometry, and sets of cells as bit rows.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Minimum side of a map.
pub(crate) const MIN_SIDE: usize = 4;
/// Maximum side of a map.
pub(crate) const MAX_SIDE: usize = 64;
/// Words for the cells of the largest map.
pub(crate) const MAX_WORDS: usize = MAX_SIDE * MAX_SIDE / 64;
/// A bit row of the largest map with a guard word on either side.
pub(crate) const MAX_FRAMED: usize = MAX_WORDS + 2;

/// A cell of some map: `y * width + x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(pub u16);

impl Cell {
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A cell's coordinates in text: `x` to the right, `y` down, both from 0.
///
/// In JSON an array of two numbers; 3.0 is accepted as 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "(Value, Value)")]
pub struct Coordinates(pub i64, pub i64);

impl TryFrom<(Value, Value)> for Coordinates {
    type Error = &'static str;

    fn try_from((x, y): (Value, Value)) -> Result<Self, Self::Error> {
        let whole = |number: Value| {
            let integral = |float: &f64| float.fract() == 0.0 && float.abs() < 2f64.powi(53);
            number.as_i64().or_else(|| number.as_f64().filter(integral).map(|float| float as i64))
        };
        Ok(Self(whole(x).ok_or("x is no integer")?, whole(y).ok_or("y is no integer")?))
    }
}

/// Size of a map and values derived from it.
///
/// A set of cells is a *plane*: one bit per cell, row by row without gaps, so that a step north or south is a shift
/// by the width. In memory a zero guard word precedes and follows each plane (two neighbours share one). Whole-map
/// operations can then read the words around each word without special cases:
///
/// ```text
/// 0 | plane 0: words | 0 | plane 1: words | 0 | ... | plane n-1: words | 0
///   `--- stride ---------'
/// ```
#[derive(Debug, Clone)]
pub(crate) struct Map {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Words of a plane without guards.
    pub(crate) words: usize,
    /// Cells that are not in the westernmost column.
    not_west: Vec<u64>,
    /// Cells that are not in the easternmost column.
    not_east: Vec<u64>,
    /// Mask of the existing cells in the last word.
    pub(crate) last_word: u64,
}

impl Map {
    pub(crate) fn new(width: usize, height: usize) -> Self {
        let cells = width * height;
        let words = cells.div_ceil(64);
        let column = |x: usize| {
            let mut others = vec![!0; words];
            for y in 0..height {
                let cell = y * width + x;
                others[cell / 64] &= !(1 << (cell % 64));
            }
            others
        };
        let (not_west, not_east) = (column(0), column(width - 1));
        Self { width, height, words, not_west, not_east, last_word: !0 >> (words * 64 - cells) }
    }

    pub(crate) fn cells(&self) -> usize {
        self.width * self.height
    }

    /// Words from the start of one plane to the next.
    pub(crate) fn stride(&self) -> usize {
        self.words + 1
    }

    /// The range of plane `index`, including its two guard words.
    pub(crate) fn framed(&self, index: usize) -> Range<usize> {
        let start = index * self.stride();
        start..start + self.words + 2
    }

    /// Words of `planes` planes with all guards.
    pub(crate) fn words_of(&self, planes: usize) -> usize {
        planes * self.stride() + 1
    }

    /// The cell at `at`, if the map has one.
    pub(crate) fn cell(&self, at: Coordinates) -> Option<Cell> {
        let x = usize::try_from(at.0).ok().filter(|&x| x < self.width)?;
        let y = usize::try_from(at.1).ok().filter(|&y| y < self.height)?;
        Some(Cell((y * self.width + x) as u16))
    }

    pub(crate) fn coordinates(&self, cell: Cell) -> Coordinates {
        Coordinates((cell.index() % self.width) as i64, (cell.index() / self.width) as i64)
    }

    /// The cells that share a side with `cell`.
    pub(crate) fn beside(&self, cell: Cell) -> impl Iterator<Item = Cell> {
        let Coordinates(x, y) = self.coordinates(cell);
        [(x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)]
            .into_iter()
            .filter_map(|(x, y)| self.cell(Coordinates(x, y)))
    }

    /// Writes the set of cells beside a cell of a framed plane.
    ///
    /// The last word may hold bits past the last cell.
    #[inline]
    pub(crate) fn spread(&self, framed: &[u64], out: &mut [u64]) {
        let n = self.words;
        let (before, here, after) = (&framed[..n], &framed[1..n + 1], &framed[2..n + 2]);
        let (not_west, not_east, out) = (&self.not_west[..n], &self.not_east[..n], &mut out[..n]);
        // With a width of 64 a row is a whole word, and a shift by 64 bits is undefined: it is written as two
        // shifts.
        let (up, down) = (self.width as u32 - 1, 64 - self.width as u32);
        for i in 0..n {
            let east = (here[i] << 1 | before[i] >> 63) & not_west[i];
            let west = (here[i] >> 1 | after[i] << 63) & not_east[i];
            let south = here[i] << up << 1 | before[i] >> down;
            let north = here[i] >> up >> 1 | after[i] << down;
            out[i] = east | west | south | north;
        }
    }
}

/// The cells of a plane given by its words without guards, in increasing order.
pub(crate) fn cells_of(words: &[u64]) -> impl Iterator<Item = Cell> + '_ {
    ludovec_engine::mask::iter(words).map(|i| Cell(i as u16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreading_reaches_exactly_the_cells_beside() {
        for (width, height) in [(4, 4), (5, 7), (40, 20), (63, 6), (64, 4), (64, 64), (13, 64), (4, 16)] {
            let map = Map::new(width, height);
            for cell in (0..map.cells()).map(|c| Cell(c as u16)) {
                let mut framed = vec![0u64; map.words + 2];
                framed[1 + cell.index() / 64] |= 1 << (cell.index() % 64);
                let mut reached = vec![0; map.words];
                map.spread(&framed, &mut reached);
                reached[map.words - 1] &= map.last_word;
                let mut beside: Vec<_> = map.beside(cell).collect();
                beside.sort();
                assert_eq!(cells_of(&reached).collect::<Vec<_>>(), beside, "{width}x{height} {cell:?}");
            }
        }
    }

    #[test]
    fn coordinates_and_cells_are_the_same_thing() {
        let map = Map::new(7, 5);
        for y in -1..6 {
            for x in -1..8 {
                let inside = (0..7).contains(&x) && (0..5).contains(&y);
                let cell = map.cell(Coordinates(x, y));
                assert_eq!(cell.is_some(), inside);
                assert_eq!(cell.map(|c| map.coordinates(c)), inside.then_some(Coordinates(x, y)));
            }
        }
    }
}
