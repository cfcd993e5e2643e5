//! Capture en passant: offered after a double step and withdrawn by the next move; the pseudo-legal captures.
//!
//! A position remembers the squares that the pawn passed (on which it can be taken) and the square of the pawn (the
//! victim). It remembers them only while an enemy pawn attacks one of the passed squares.

use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::moves::{Move, MoveKind};
use crate::rules::board::position::{MoveRules, NOWHERE, Position};
use crate::rules::board::zobrist;
use crate::rules::tables::Tables;
use crate::rules::variant::schema::Square;

impl<R: MoveRules> Position<R> {
    /// Withdraws the chance to capture en passant.
    #[inline]
    pub(crate) fn clear_en_passant(&mut self) {
        if self.en_passant.any() {
            for square in self.en_passant.squares() {
                self.key ^= zobrist::en_passant(square);
            }
            self.en_passant = R::Bits::EMPTY;
            self.victim = NOWHERE;
        }
    }

    /// After a double step over `passed`: offers en passant if an enemy pawn can capture.
    #[inline]
    pub(crate) fn offer_en_passant(
        &mut self,
        tables: &Tables<R::Bits>,
        us: usize,
        to: Square,
        passed: R::Bits,
    ) {
        for square in (passed & tables.pawn.passable[us]).squares() {
            let pawns = self.pawns(tables) & self.colours[1 - us];
            if (tables.pawn.takers[1 - us][square] & pawns).any() {
                self.en_passant |= R::Bits::square(square);
                self.victim = to;
                self.key ^= zobrist::en_passant(square);
            }
        }
    }

    /// Calls `call` with every pseudo-legal capture en passant.
    pub(crate) fn each_pseudo_legal_en_passant(&self, tables: &Tables<R::Bits>, call: &mut dyn FnMut(Move)) {
        let us = self.turn();
        for to in (self.en_passant & !self.occupied()).squares() {
            for from in (tables.pawn.takers[us][to] & self.pawns(tables) & self.own()).squares() {
                call(Move { from, to, what: MoveKind::EnPassant });
            }
        }
    }

    /// Whether there is a pseudo-legal capture en passant.
    pub(crate) fn has_pseudo_legal_en_passant(&self, tables: &Tables<R::Bits>) -> bool {
        let mut found = false;
        self.each_pseudo_legal_en_passant(tables, &mut |_| found = true);
        found
    }
}
