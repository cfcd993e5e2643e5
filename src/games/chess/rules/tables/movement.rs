//! Movement by component: leaps, and riders that depend on the squares in between.

use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::position::NOWHERE;
use crate::rules::variant::schema::{KindSet, MAX_SQUARES, Modality, Path, Square};

/// A set of leaps, and the kinds that have it.
#[derive(Debug, Clone)]
pub(crate) struct Leap<B: Bitboard> {
    /// The kinds.
    pub(crate) kinds: KindSet,
    /// The effects allowed at the destination.
    pub(crate) modality: Modality,
    /// Whether it is for unmoved pieces only.
    pub(crate) initial: bool,
    /// By colour and square: the destinations.
    pub(crate) targets: [B::PerSquare<B>; 2],
    /// By colour and square: the origins.
    pub(crate) sources: [B::PerSquare<B>; 2],
    pub(crate) offsets: Vec<(i8, i8)>,
}

/// A movement in one direction other than sliding like a rook or a bishop: a ride in larger steps or of
/// limited length, a lame leap, a hop. It follows the squares of its direction one by one (ray walk on a
/// mailbox).
#[derive(Debug, Clone)]
pub(crate) struct Rider<B: Bitboard> {
    /// The kinds.
    pub(crate) kinds: KindSet,
    /// The effects allowed at the destination.
    pub(crate) modality: Modality,
    /// Whether it is for unmoved pieces only.
    pub(crate) initial: bool,
    /// The path.
    pub(crate) path: Path,
    /// By colour and square: the next square in this direction, or [`NOWHERE`].
    pub(crate) next: [B::PerSquare<Square>; 2],
    /// By colour and square: for lame leaps, the square that must be empty.
    pub(crate) via: [B::PerSquare<Square>; 2],
}

impl<B: Bitboard> Rider<B> {
    /// The squares that a piece of `colour` on `from` reaches with some arrangement of other pieces; for a hopper
    /// every square of its line.
    pub(crate) fn ever(&self, colour: usize, from: Square) -> B {
        let most = match self.path {
            Path::Ride { max } if max > 0 => usize::from(max),
            Path::Lame { .. } => 1,
            _ => MAX_SQUARES,
        };
        let next = |&square: &Square| Some(self.next[colour][square]).filter(|&next| next != NOWHERE);
        let line = std::iter::successors(next(&from), next).take(most);
        line.fold(B::EMPTY, |reach, square| reach | B::square(square))
    }

    /// The squares that a piece of `colour` on `from` reaches, including the first piece in the way, of either
    /// colour, if the movement can capture it.
    pub(crate) fn reach(&self, colour: usize, from: Square, occupied: B) -> B {
        let next = &self.next[colour];
        let mut reach = B::EMPTY;
        let mut square = next[from];
        match self.path {
            Path::Leap => unreachable!("leaps are compiled to leap tables"),
            Path::Lame { .. } => {
                let via = self.via[colour][from];
                if square != NOWHERE && via != NOWHERE && !occupied.has(via) {
                    reach |= B::square(square);
                }
            }
            Path::Ride { max } => {
                let mut left = if max == 0 { u8::MAX } else { max };
                while square != NOWHERE && left > 0 {
                    reach |= B::square(square);
                    if occupied.has(square) {
                        break;
                    }
                    square = next[square];
                    left -= 1;
                }
            }
            Path::Hop { beside } => {
                while square != NOWHERE && !occupied.has(square) {
                    square = next[square];
                }
                if square != NOWHERE {
                    square = next[square];
                }
                while square != NOWHERE {
                    reach |= B::square(square);
                    if beside || occupied.has(square) {
                        break;
                    }
                    square = next[square];
                }
            }
        }
        reach
    }
}
