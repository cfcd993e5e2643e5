//! Pieces, and their identities after a move.

use super::option::Position;
use crate::exchange::setup::BoardPiece;
use crate::rules::variant::schema::Square as SquareIndex;

/// Identifies a piece on one board and on its clones, through all its moves. A promoted pawn is another piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PieceId(pub u32);

/// A snapshot of a piece; [`Board::position_of`](super::Board::position_of) gives its current position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its identity.
    pub id: PieceId,
    /// The name of its kind: `knight`.
    pub name: String,
    /// Its letter in FEN: upper case for seat 0.
    pub letter: char,
    /// The owner's seat; `None` for neutral pieces.
    pub player: Option<usize>,
    /// Its square at the time of the snapshot.
    pub position: Position,
}

/// The identities of the pieces by square.
#[derive(Debug, Clone)]
pub(super) struct Identities {
    by_index: Vec<Option<PieceId>>,
    next: PieceId,
}

impl Identities {
    /// Fresh identities for the pieces of a new board.
    pub(super) fn of(board: &[Option<BoardPiece>]) -> Self {
        let none = Self { by_index: vec![None; board.len()], next: PieceId(0) };
        none.after(&vec![None; board.len()], board, &[])
    }

    /// The identity of the piece on a square; on an empty square, the identity of the next new piece.
    pub(super) fn at(&self, index: SquareIndex) -> PieceId {
        self.by_index[usize::from(index)].unwrap_or(self.next)
    }

    /// The square of a piece, unless it has left the board.
    pub(super) fn index_of(&self, id: PieceId) -> Option<SquareIndex> {
        self.by_index.iter().position(|found| *found == Some(id)).map(|index| index as SquareIndex)
    }

    /// The identities after the board `old` has become `new`, with the moves `travels` (from, to). A piece of
    /// another kind or side afterwards is a new one.
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
