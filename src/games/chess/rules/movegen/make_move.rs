//! Making a move: changes the board (`move_effects.rs`), then hands over the turn.
//!
//! Copy-make: moves are not unmade. Positions are small plain values, and a caller that wants to go back keeps a
//! copy.

use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::moves::{Move, MoveKind};
use crate::rules::board::position::{MoveRules, NOWHERE, Position, phase};
use crate::rules::board::zobrist;
use crate::rules::tables::Tables;

impl<R: MoveRules> Position<R> {
    /// Makes a legal move, with all its effects.
    #[inline]
    pub(crate) fn make_move(&mut self, tables: &Tables<R::Bits>, mv: Move) {
        self.plies = self.plies.saturating_add(1);
        let before = *self;
        self.apply(tables, mv);
        if !R::ORTHODOX {
            if self.unmoved != before.unmoved {
                self.key ^= zobrist::unmoved(before.unmoved.words()) ^ zobrist::unmoved(self.unmoved.words());
            }
            if mv.what == MoveKind::Place {
                self.phase = phase::MOVE;
            } else if tables.variant.turn.place.is_some() {
                self.phase = phase::PLACE;
                return;
            }
            if let MoveKind::Promote(kind) = mv.what
                && tables.variant.turn.boost == Some(kind)
            {
                (self.phase, self.phase_square) = (phase::BOOST, mv.to);
                self.refresh(tables);
                return;
            }
        }
        self.end_turn(tables, &before, mv);
    }

    /// Hands the turn over.
    #[inline]
    fn end_turn(&mut self, tables: &Tables<R::Bits>, before: &Self, mv: Move) {
        (self.phase, self.phase_square) = (phase::MOVE, NOWHERE);
        self.fullmoves = self.fullmoves.saturating_add(u16::from(self.turn));
        if R::HOOKED {
            self.turn = R::hook_next_turn(self, before, mv) as u8;
            if self.turn == before.turn {
                self.clear_en_passant();
            }
            self.key = self.compute_key();
        } else {
            self.turn ^= 1;
            self.key ^= zobrist::TURN;
        }
        self.refresh(tables);
        self.drop_idle_en_passant(tables);
        if !R::ORTHODOX && tables.counts_checks && self.checkers.any() {
            let giver = 1 - self.turn();
            self.checks[giver] = self.checks[giver].saturating_add(1);
            self.key ^= zobrist::check(giver, self.checks[giver]);
        }
    }

    /// Clears the en passant state if no legal move can use it, so that the position equals the one without it.
    ///
    /// If capturing en passant is compulsory, the state is kept, since a pseudo-legal capture already restricts the
    /// legal moves.
    #[inline]
    pub(crate) fn drop_idle_en_passant(&mut self, tables: &Tables<R::Bits>) {
        if self.en_passant.any() && !tables.variant.filters.must_en_passant && !self.en_passant_works(tables)
        {
            self.clear_en_passant();
        }
    }

    /// Whether some capture en passant is legal.
    fn en_passant_works(&self, tables: &Tables<R::Bits>) -> bool {
        if R::ORTHODOX || tables.pins {
            self.can_take_en_passant(tables)
        } else {
            self.can_take_en_passant_by_test(tables)
        }
    }
}
