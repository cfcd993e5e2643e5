//! Bitboards: sets of squares as the bits of a number, 64 bits for boards of up to 64 squares, 128 for boards
//! of up to 128.

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Index, IndexMut, Not};

use bytemuck::Pod;

use crate::rules::variant::schema::Square;
use ludovec_engine::Column;

/// A set of squares: bit `c` is set when square `c` is in it.
pub trait Bitboard:
    Pod
    + Column
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
    /// No square.
    const EMPTY: Self;
    /// Every bit set.
    const FULL: Self;
    /// The number of squares that fit.
    const SQUARES: usize;
    /// One value for every square.
    type PerSquare<T: Copy + Debug + Send + Sync + 'static>: Index<Square, Output = T>
        + IndexMut<Square>
        + Debug
        + Clone
        + Send
        + Sync;

    /// A table with `value` for every square.
    fn per_square<T: Copy + Debug + Send + Sync + 'static>(value: T) -> Self::PerSquare<T>;
    /// The set of one square.
    fn square(square: Square) -> Self;
    /// The two words, low first.
    fn words(self) -> [u64; 2];
    /// The set with these words. A set of one word ignores the high one.
    fn from_words(words: [u64; 2]) -> Self;
    /// The number of squares in the set.
    fn count(self) -> u32;
    /// The first square. The set must not be empty.
    fn first(self) -> Square;
    /// Whether the set has two or more squares.
    fn many(self) -> bool;
    /// The set without its first square.
    fn rest(self) -> Self;
    /// All squares from `a` to `b`, both included, in either order.
    fn span(a: Square, b: Square) -> Self;
    /// Sliding attacks along one line by obstruction difference: the squares that a slider reaches, up to and
    /// including the first blocker on either side. `lower` and `upper` are the squares of the line before and
    /// after the slider's own, `occupied` are the blockers.
    ///
    /// Subtracting the bit of the highest blocker below from twice the bit of the lowest blocker above leaves
    /// all bits between the two set; the bits on the line are the attacks.
    fn slide(lower: Self, upper: Self, occupied: Self) -> Self;

    /// Whether `square` is in the set.
    #[inline]
    fn has(self, square: Square) -> bool {
        self & Self::square(square) != Self::EMPTY
    }
    /// Whether `square` is in the set; false if the number is not a square.
    #[inline]
    fn has_in_range(self, square: Square) -> bool {
        usize::from(square) < Self::SQUARES && self.has(square)
    }
    /// Whether the set is empty.
    #[inline]
    fn none(self) -> bool {
        self == Self::EMPTY
    }
    /// Whether the set has a square.
    #[inline]
    fn any(self) -> bool {
        self != Self::EMPTY
    }
    /// The squares in increasing order.
    #[inline]
    fn squares(self) -> Squares<Self> {
        Squares(self)
    }
}

/// The squares of a set in increasing order.
#[derive(Debug, Clone)]
pub struct Squares<B>(B);

impl<B: Bitboard> Iterator for Squares<B> {
    type Item = Square;
    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.0.none() {
            return None;
        }
        let square = self.0.first();
        self.0 = self.0.rest();
        Some(square)
    }
}

/// A mailbox: one value for each of `N` squares, `N` a power of two.
#[derive(Debug, Clone)]
pub struct SquareTable<T, const N: usize>([T; N]);

impl<T, const N: usize> Index<Square> for SquareTable<T, N> {
    type Output = T;
    #[inline]
    fn index(&self, square: Square) -> &T {
        // A square is always below N. The remainder does not change it, but avoids the bounds check.
        &self.0[usize::from(square) % N]
    }
}

impl<T, const N: usize> IndexMut<Square> for SquareTable<T, N> {
    #[inline]
    fn index_mut(&mut self, square: Square) -> &mut T {
        &mut self.0[usize::from(square) % N]
    }
}

macro_rules! bitboard {
    ($word:ty, $squares:literal, $from:expr, $into:expr) => {
        impl Bitboard for $word {
            const EMPTY: Self = 0;
            const FULL: Self = <$word>::MAX;
            const SQUARES: usize = $squares;
            type PerSquare<T: Copy + Debug + Send + Sync + 'static> = SquareTable<T, $squares>;

            fn per_square<T: Copy + Debug + Send + Sync + 'static>(value: T) -> Self::PerSquare<T> {
                SquareTable([value; $squares])
            }
            #[inline]
            fn square(square: Square) -> Self {
                1 << (square % $squares)
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
            fn first(self) -> Square {
                self.trailing_zeros() as Square
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
            fn span(a: Square, b: Square) -> Self {
                (<$word>::MAX << (a.min(b) % $squares))
                    & (<$word>::MAX >> ($squares - 1 - a.max(b) % $squares))
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
