//! The lines through a square, and the squares that a slider reaches along them.

use crate::rules::board::bitboard::Bitboard;

/// The steps along the four lines toward higher squares.
pub(crate) const LINES: [(i8, i8); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// The four lines through a square, each as the squares before and after it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rays<B> {
    /// Along the rank, the file, the rising and the falling diagonal.
    pub(crate) line: [(B, B); 4],
}

impl<B: Bitboard> Rays<B> {
    /// The squares that a rook reaches from here.
    #[inline]
    pub(crate) fn orthogonal(&self, occupied: B) -> B {
        B::slide(self.line[0].0, self.line[0].1, occupied)
            | B::slide(self.line[1].0, self.line[1].1, occupied)
    }
    /// The squares that a bishop reaches from here.
    #[inline]
    pub(crate) fn diagonal(&self, occupied: B) -> B {
        B::slide(self.line[2].0, self.line[2].1, occupied)
            | B::slide(self.line[3].0, self.line[3].1, occupied)
    }
}
