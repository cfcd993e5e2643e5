//! Sets of cells: one word for boards up to 64 cells, two for boards up to 128.

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Index, IndexMut, Not};

use bytemuck::Pod;

use crate::games::chess::variant::schema::Cell;

/// A set of cells; bit `c` is cell `c`.
pub trait Bitboard:
    Pod
    + Eq
    + Debug
    + Default
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
{
    /// No cell.
    const EMPTY: Self;
    /// Every cell there could be.
    const FULL: Self;
    /// How many cells fit.
    const CELLS: usize;
    /// One value for every cell.
    type Table<T: Copy + Debug + Send + Sync + 'static>: Index<Cell, Output = T>
        + IndexMut<Cell>
        + Debug
        + Clone
        + Send
        + Sync;

    /// A table filled with `value`.
    fn table<T: Copy + Debug + Send + Sync + 'static>(value: T) -> Self::Table<T>;
    /// The set of one cell.
    fn cell(cell: Cell) -> Self;
    /// The two words, low first.
    fn words(self) -> [u64; 2];
    /// The set with these words; the high one is ignored where there is one word only.
    fn from_words(words: [u64; 2]) -> Self;
    /// How many cells.
    fn count(self) -> u32;
    /// The first cell of a set that is not empty.
    fn first(self) -> Cell;
    /// Whether there are two or more.
    fn many(self) -> bool;
    /// The set without its first cell.
    fn rest(self) -> Self;
    /// All cells from `a` to `b`, both included, in either order.
    fn span(a: Cell, b: Cell) -> Self;
    /// The cells of a line through a cell that a slider there reaches: `lower` and `upper` are the line's
    /// cells before and after it, `occupied` blocks, the first blocker of each side included.
    ///
    /// Obstruction difference: subtracting the highest blocker below from the lowest above leaves the bits between.
    fn slide(lower: Self, upper: Self, occupied: Self) -> Self;

    /// Whether `cell` is in the set.
    #[inline]
    fn has(self, cell: Cell) -> bool {
        self & Self::cell(cell) != Self::EMPTY
    }
    /// Whether `cell` is in the set; it may be no cell at all.
    #[inline]
    fn has_cell(self, cell: Cell) -> bool {
        usize::from(cell) < Self::CELLS && self.has(cell)
    }
    /// Whether there is no cell.
    #[inline]
    fn none(self) -> bool {
        self == Self::EMPTY
    }
    /// Whether there is any cell.
    #[inline]
    fn any(self) -> bool {
        self != Self::EMPTY
    }
    /// The cells in increasing order.
    #[inline]
    fn cells(self) -> Cells<Self> {
        Cells(self)
    }
}

/// The cells of a set in increasing order.
#[derive(Debug, Clone)]
pub struct Cells<B>(B);

impl<B: Bitboard> Iterator for Cells<B> {
    type Item = Cell;
    #[inline]
    fn next(&mut self) -> Option<Cell> {
        if self.0.none() {
            return None;
        }
        let cell = self.0.first();
        self.0 = self.0.rest();
        Some(cell)
    }
}

/// One value for each of `N` cells, `N` a power of two.
#[derive(Debug, Clone)]
pub struct CellTable<T, const N: usize>([T; N]);

impl<T, const N: usize> Index<Cell> for CellTable<T, N> {
    type Output = T;
    #[inline]
    fn index(&self, cell: Cell) -> &T {
        // A cell is always below N; the remainder tells the compiler so.
        &self.0[usize::from(cell) % N]
    }
}

impl<T, const N: usize> IndexMut<Cell> for CellTable<T, N> {
    #[inline]
    fn index_mut(&mut self, cell: Cell) -> &mut T {
        &mut self.0[usize::from(cell) % N]
    }
}

macro_rules! bitboard {
    ($word:ty, $cells:literal, $from:expr, $into:expr) => {
        impl Bitboard for $word {
            const EMPTY: Self = 0;
            const FULL: Self = <$word>::MAX;
            const CELLS: usize = $cells;
            type Table<T: Copy + Debug + Send + Sync + 'static> = CellTable<T, $cells>;

            fn table<T: Copy + Debug + Send + Sync + 'static>(value: T) -> Self::Table<T> {
                CellTable([value; $cells])
            }
            #[inline]
            fn cell(cell: Cell) -> Self {
                1 << (cell % $cells)
            }
            #[inline]
            fn words(self) -> [u64; 2] {
                $into(self)
            }
            #[inline]
            fn from_words(words: [u64; 2]) -> Self {
                $from(words)
            }
            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline]
            fn first(self) -> Cell {
                self.trailing_zeros() as Cell
            }
            #[inline]
            fn many(self) -> bool {
                self & self.wrapping_sub(1) != 0
            }
            #[inline]
            fn rest(self) -> Self {
                self & self.wrapping_sub(1)
            }
            #[inline]
            fn span(a: Cell, b: Cell) -> Self {
                (<$word>::MAX << (a.min(b) % $cells)) & (<$word>::MAX >> ($cells - 1 - a.max(b) % $cells))
            }
            #[inline]
            fn slide(lower: Self, upper: Self, occupied: Self) -> Self {
                let below = (lower & occupied) | 1;
                let above = upper & occupied;
                let from = <$word>::MAX << (<$word>::BITS - 1 - below.leading_zeros());
                let to = above & above.wrapping_neg();
                to.wrapping_add(to).wrapping_add(from) & (lower | upper)
            }
        }
    };
}
bitboard!(u64, 64, |w: [u64; 2]| w[0], |b: u64| [b, 0]);
bitboard!(u128, 128, |w: [u64; 2]| u128::from(w[0]) | u128::from(w[1]) << 64, |b: u128| [
    b as u64,
    (b >> 64) as u64
]);
