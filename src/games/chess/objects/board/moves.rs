//! Legal moves as options of the pieces.

use super::Board;
use crate::exchange::setup::{BoardPiece, Setup};
use crate::objects::option::{Extra, MoveOption, Position};
use crate::objects::piece::Piece;
use crate::rules::board::moves::{Move, MoveKind};
use crate::rules::variant::schema::{PieceKind, Role, Square as SquareIndex};

impl Board {
    /// The legal moves that are options of a square.
    pub(super) fn moves_of(&self, index: SquareIndex) -> Vec<(Move, MoveOption)> {
        let setup = self.game.setup();
        let here = setup.board[usize::from(index)];
        let neutral =
            here.is_some_and(|piece| self.variant().pieces[usize::from(piece.kind)].role == Role::Neutral);
        let off = self.placed_from_off_board(&setup);
        self.game
            .moves()
            .into_iter()
            .filter(|mv| match mv.what {
                // The piece moves from its square; a piece that is off the board appears on a square, as drops do.
                MoveKind::Place => neutral || off.is_some() && mv.to == index,
                MoveKind::Swap => mv.from == index || mv.to == index,
                // It replaces a move of any of the player's pieces.
                MoveKind::Summon => !neutral && here.is_some_and(|piece| piece.colour == setup.turn),
                _ => mv.from == index,
            })
            .map(|mv| (mv, self.option(&setup, index, mv)))
            .collect()
    }

    /// The neutral piece that every turn places, if it is not on the board yet.
    fn placed_from_off_board(&self, setup: &Setup) -> Option<PieceKind> {
        let kind = self.variant().turn.place?;
        setup.board.iter().flatten().all(|piece| piece.kind != kind).then_some(kind)
    }

    /// A legal move as an option of the piece on `index`.
    fn option(&self, setup: &Setup, index: SquareIndex, mv: Move) -> MoveOption {
        let variant = self.variant();
        let at = |index| Position::of(variant, index);
        let name = |kind: u8| Extra::Text(variant.pieces[usize::from(kind)].name.clone());
        let mut to = mv.to;
        let yes = Extra::Flag(true);
        let extra = match mv.what {
            MoveKind::Plain => None,
            MoveKind::Place => self.placed_from_off_board(setup).map(|kind| ("drop", name(kind))),
            MoveKind::DoubleStep => Some(("double_step", yes)),
            MoveKind::EnPassant => Some(("en_passant", yes)),
            MoveKind::Castle => {
                to = self.game.castle_squares(mv).map_or(mv.to, |squares| squares.0);
                Some(("castling", Extra::Position(at(mv.to))))
            }
            MoveKind::Promote(kind) => Some(("promotion", name(kind))),
            MoveKind::Merge => {
                let kinds = [mv.from, mv.to].map(|c| setup.board[usize::from(c)].map(|piece| piece.kind));
                let merges = &variant.generators.merges;
                let found = merges.iter().find(|m| [Some(m.mover), Some(m.onto)] == kinds);
                found.map(|merge| ("merge", name(merge.into)))
            }
            MoveKind::Swipe => Some(("swipe", yes)),
            MoveKind::Swap => {
                to = if index == mv.from { mv.to } else { mv.from };
                Some(("swap", Extra::Position(at(to))))
            }
            MoveKind::Split(_) => {
                to = self.game.split_squares(mv).last().copied().unwrap_or(mv.to);
                Some(("split", yes))
            }
            MoveKind::Drop(kind) => Some(("drop", name(kind))),
            MoveKind::Summon => Some(("summon", yes)),
            MoveKind::Pass => Some(("pass", yes)),
        };
        // A missing enemy piece was captured; after an explosion, also missing own pieces that have not moved away.
        let after = self.game.played(mv).setup();
        let taken = setup.board.iter().zip(&after.board).enumerate().filter(|&(index, (old, new))| {
            let owner = |piece: &Option<BoardPiece>| piece.map(|piece| piece.colour);
            old.is_some()
                && owner(old) != owner(new)
                && (owner(old) == Some(1 - setup.turn)
                    || variant.effects.blast.is_some() && index != usize::from(mv.from))
                && !self.is_neutral(old)
        });
        let captures = taken.map(|(index, _)| at(index as SquareIndex)).collect();
        MoveOption {
            position: at(to),
            captures,
            extra: extra.map(|(k, v)| (k.to_string(), v)).into_iter().collect(),
        }
    }

    fn is_neutral(&self, piece: &Option<BoardPiece>) -> bool {
        piece.is_some_and(|piece| self.variant().pieces[usize::from(piece.kind)].role == Role::Neutral)
    }

    /// The piece that makes a move from a square: the one there, or the one that will appear there.
    pub(super) fn acting(&self, index: SquareIndex, option: Option<&MoveOption>) -> Option<Piece> {
        let setup = self.game.setup();
        let found =
            option.and_then(|option| self.moves_of(index).into_iter().find(|(_, known)| known == option));
        let kind = match found.map(|(mv, _)| mv.what) {
            Some(MoveKind::Drop(kind)) => Some((kind, setup.turn)),
            Some(MoveKind::Place) => self.placed_from_off_board(&setup).map(|kind| (kind, 0)),
            _ => None,
        };
        let piece = match kind {
            Some((kind, colour)) => Some(BoardPiece { kind, colour, promoted: false }),
            None => setup.board[usize::from(index)],
        };
        piece.map(|piece| self.piece_of(&self.identities, index, piece))
    }
}
