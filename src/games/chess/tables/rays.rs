//! The lines through a square, and the squares that a slider reaches along them.

use super::Tables;
use crate::board::bitboard::Bitboard;
use crate::variant::schema::Square;

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

impl<B: Bitboard> Tables<B> {
    /// The squares strictly between two squares of a line; none if they share no line.
    #[inline]
    pub(crate) fn between(&self, a: Square, b: Square) -> B {
        for (here, there) in self.rays[a].line.iter().zip(&self.rays[b].line) {
            if here.0.has(b) {
                return here.0 & there.1;
            }
            if here.1.has(b) {
                return here.1 & there.0;
            }
        }
        B::EMPTY
    }

    /// The squares from `a` (excluded) toward `b` and past it up to the next occupied one, as if `b` were empty;
    /// none if they share no line.
    pub(crate) fn seen_past(&self, a: Square, b: Square, occupied: B) -> B {
        let rays = &self.rays[a];
        let mut halves = rays.line.iter().flat_map(|line| [line.0, line.1]);
        let half = halves.find(|half| half.has(b)).unwrap_or(B::EMPTY);
        let others = occupied & !B::square(b);
        (rays.orthogonal(others) | rays.diagonal(others)) & half
    }

    /// The whole line through two squares except for the first; none if they share no line.
    #[inline]
    pub(crate) fn line(&self, a: Square, b: Square) -> B {
        self.rays[a].line.iter().map(|l| l.0 | l.1).find(|l| l.has(b)).unwrap_or(B::EMPTY)
    }
}
