//! Changes of the board, by moves or by setting up pieces, and the events that report them to listeners.
//!
//! This file and `board` import each other: it has the methods of [`Board`] that change the board.

use super::Board;
use crate::exchange::setup::{BoardPiece, Setup};
use crate::objects::erased::ErasedGame;
use crate::objects::event::Event;
use crate::objects::option::MoveOption;
use crate::objects::piece::{Identities, Piece};
use crate::rules::board::moves::MoveKind;
use crate::rules::variant::schema::{Square as SquareIndex, Variant};
use ludovec_engine::{Error, Result};

/// The position after a change of the board, with the identities of its pieces.
pub(super) struct Reached {
    position: Box<dyn ErasedGame>,
    identities: Identities,
}

/// The differences between two positions of the board.
#[derive(Debug, Default)]
pub(super) struct Changes {
    removed: Vec<Piece>,
    added: Vec<Piece>,
    /// The added pieces that did not come from another square of the board.
    new: Vec<Piece>,
}

impl Board {
    /// The position after an option of the piece on `index`: a legal move is played by the rules; any other option,
    /// added by a listener, is carried out literally.
    pub(super) fn after(&self, index: SquareIndex, option: &MoveOption) -> Result<Reached> {
        if let Some((mv, _)) = self.moves_of(index).into_iter().find(|(_, known)| known == option) {
            let travels = match mv.what {
                MoveKind::Castle => self
                    .game
                    .castle_squares(mv)
                    .map_or_else(Vec::new, |(king, rook)| vec![(mv.from, king), (mv.to, rook)]),
                MoveKind::Swap => vec![(mv.from, mv.to), (mv.to, mv.from)],
                MoveKind::Place if index != mv.to => vec![(index, mv.to)],
                MoveKind::Place
                | MoveKind::Drop(_)
                | MoveKind::Summon
                | MoveKind::Split(_)
                | MoveKind::Pass => Vec::new(),
                _ => vec![(mv.from, mv.to)],
            };
            return Ok(self.reached(self.game.played(mv), &travels));
        }
        let before = self.game.setup();
        let mut setup = before.clone();
        let to = self.index(option.position).ok_or_else(|| Error::state("the option leads to no square"))?;
        for &position in &option.captures {
            let captured =
                self.index(position).ok_or_else(|| Error::state("the option captures on no square"))?;
            setup.board[usize::from(captured)] = None;
        }
        let piece = setup.board[usize::from(index)].take();
        if setup.board[usize::from(to)].is_some() {
            return Err(Error::state("the option leads onto a piece that it does not capture"));
        }
        setup.board[usize::from(to)] = piece;
        forget_stale(self.variant(), &before, &mut setup);
        setup.en_passant = None;
        setup.halfmoves = if option.captures.is_empty() { setup.halfmoves.saturating_add(1) } else { 0 };
        setup.fullmoves = setup.fullmoves.saturating_add(u16::from(setup.turn));
        setup.turn = 1 - setup.turn;
        Ok(self.reached(self.game.replaced(&setup)?, &[(index, to)]))
    }

    /// A position with the identities of its pieces after the moves `travels` (from, to).
    pub(super) fn reached(
        &self,
        position: Box<dyn ErasedGame>,
        travels: &[(SquareIndex, SquareIndex)],
    ) -> Reached {
        let identities = self.identities.after(&self.game.setup().board, &position.setup().board, travels);
        Reached { position, identities }
    }

    pub(super) fn go_on_from(&mut self, Reached { position, identities }: Reached) {
        (self.game, self.identities) = (position, identities);
    }

    /// The pieces that leave and arrive if the position becomes `after`.
    pub(super) fn changes(&self, after: &Reached) -> Changes {
        let (old, new) = (self.game.setup().board, after.position.setup().board);
        let mut changes = Changes::default();
        for (index, (&was, &is)) in (0..).zip(old.iter().zip(&new)) {
            let was = was.map(|piece| self.piece_of(&self.identities, index, piece));
            let is = is.map(|piece| self.piece_of(&after.identities, index, piece));
            if was.as_ref().map(|piece| piece.id) == is.as_ref().map(|piece| piece.id) {
                continue;
            }
            changes.new.extend(is.clone().filter(|piece| self.identities.index_of(piece.id).is_none()));
            changes.removed.extend(was);
            changes.added.extend(is);
        }
        changes
    }

    /// Announces changes; false if a listener cancelled one.
    pub(super) fn ask_changes(&mut self, changes: &Changes) -> bool {
        let leave = |piece: &Piece| Event::BeforeRemovePiece { piece: piece.clone(), cancelled: false };
        let come = |piece: &Piece| Event::BeforeAddPiece { piece: piece.clone(), cancelled: false };
        let events: Vec<_> =
            changes.removed.iter().map(leave).chain(changes.added.iter().map(come)).collect();
        events.into_iter().all(|event| self.allowed(event))
    }

    /// Reports changes.
    pub(super) fn tell_changes(&mut self, changes: &Changes) {
        for piece in changes.removed.clone() {
            self.publish(&mut Event::AfterRemovePiece { piece });
        }
        for piece in changes.added.clone() {
            self.publish(&mut Event::AfterAddPiece { piece });
        }
        for piece in changes.new.clone() {
            self.publish(&mut Event::AfterNewPiece { piece });
        }
    }
}

/// Removes the castling rights and unmoved marks of pieces that are no longer where they were.
pub(super) fn forget_stale(variant: &Variant, before: &Setup, setup: &mut Setup) {
    let board = &setup.board;
    let stays = |index: &SquareIndex| board[usize::from(*index)] == before.board[usize::from(*index)];
    // A castling right also ends when its king moves.
    let king = variant.castling.as_ref().map(|castling| castling.king);
    let king_moved = |colour: Option<u8>| {
        let is_king = |piece: &Option<BoardPiece>| {
            piece.is_some_and(|m| Some(m.kind) == king && Some(m.colour) == colour)
        };
        before.board.iter().zip(board).any(|(was, is)| is_king(was) != is_king(is))
    };
    let owner = |index: &SquareIndex| before.board[usize::from(*index)].map(|piece| piece.colour);
    setup.castling.retain(|rook| stays(rook) && !king_moved(owner(rook)));
    if let Some(unmoved) = &mut setup.unmoved {
        unmoved.retain(stays);
    }
    if setup.en_passant.as_ref().is_some_and(|passed| !stays(&passed.victim)) {
        setup.en_passant = None;
    }
}
