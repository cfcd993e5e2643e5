//! Pieces, and which piece is which after a move.

use super::option::Position;
use crate::setup::BoardPiece;
use crate::variant::schema::Square as SquareIndex;

/// Identifies a piece on one board and on its clones, wherever the piece goes. A promoted pawn is another
/// piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PieceId(pub u32);

/// A piece, as it was when one looked; [`Board::position_of`](super::Board::position_of) says where it is
/// now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Which piece it is.
    pub id: PieceId,
    /// What it is: `knight`.
    pub name: String,
    /// Its letter in FEN: upper case for seat 0.
    pub letter: char,
    /// The seat it belongs to; nobody's for neutral pieces.
    pub player: Option<usize>,
    /// Where it stood.
    pub position: Position,
}

/// The identities of the pieces by square.
#[derive(Debug, Clone)]
pub(super) struct Identities {
    by_index: Vec<Option<PieceId>>,
    next: PieceId,
}

impl Identities {
    /// Identities for the pieces of a board that nobody has looked at yet.
    pub(super) fn of(board: &[Option<BoardPiece>]) -> Self {
        let none = Self { by_index: vec![None; board.len()], next: PieceId(0) };
        none.after(&vec![None; board.len()], board, &[])
    }

    /// The identity of the piece on a square; on an empty square, the one that the next new piece gets.
    pub(super) fn at(&self, index: SquareIndex) -> PieceId {
        self.by_index[usize::from(index)].unwrap_or(self.next)
    }

    /// Where a piece is, unless it has left the board.
    pub(super) fn index_of(&self, id: PieceId) -> Option<SquareIndex> {
        self.by_index.iter().position(|found| *found == Some(id)).map(|index| index as SquareIndex)
    }

    /// The identities when the board `old` has become `new`, where the pieces that moved went as `travels`
    /// says (from, to). A piece that is of another kind or side afterwards is a new one.
    pub(super) fn after(
        &self,
        old: &[Option<BoardPiece>],
        new: &[Option<BoardPiece>],
        travels: &[(SquareIndex, SquareIndex)],
    ) -> Self {
        let mut next = self.next;
        let by_index = new.iter().enumerate().map(|(index, piece)| {
            let piece = (*piece)?;
            let arrived = travels.iter().find(|(_, to)| usize::from(*to) == index);
            let left = travels.iter().any(|(from, _)| usize::from(*from) == index);
            let origin = match arrived {
                Some((from, _)) => Some(usize::from(*from)),
                None if left => None,
                None => Some(index),
            };
            let known = origin.filter(|&origin| {
                old[origin].is_some_and(|was| (was.kind, was.colour) == (piece.kind, piece.colour))
            });
            known.and_then(|origin| self.by_index[origin]).or_else(|| {
                let id = next;
                next = PieceId(id.0.wrapping_add(1));
                Some(id)
            })
        });
        Self { by_index: by_index.collect(), next }
    }
}
