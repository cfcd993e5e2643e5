//! Every legal move of a position in any variant: one by one, as a count, or as a test for any move.

use super::fill;
use super::sinks::{Any, Count, Each, Sink};
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::moves::Move;
use crate::rules::board::position::{MoveRules, Position};
use crate::rules::tables::Tables;

/// The legal moves of a position.
pub(crate) fn legal_moves<R: MoveRules>(tables: &Tables<R::Bits>, position: &Position<R>) -> Vec<Move> {
    let mut moves = Vec::new();
    position.visit_moves(tables, &mut |mv| moves.push(mv));
    moves
}

impl<R: MoveRules> Position<R> {
    /// The number of legal moves.
    #[inline]
    pub(crate) fn count_moves(&self, tables: &Tables<R::Bits>) -> u64 {
        let choices = if R::ORTHODOX { 4 } else { u64::from(self.open_choices(tables).count_ones()) };
        let mut count = Count { moves: 0, choices };
        self.generate(tables, &mut count);
        count.moves
    }

    /// Calls `call` with every legal move.
    #[inline]
    pub(crate) fn each_move(&self, tables: &Tables<R::Bits>, call: impl FnMut(Move)) {
        self.generate(tables, &mut Each { position: self, tables, call });
    }

    /// [`Self::each_move`] as one shared instance. Every caller of `each_move` itself compiles its own move generator,
    /// which pays off for play and perft only.
    #[inline(never)]
    pub(crate) fn visit_moves(&self, tables: &Tables<R::Bits>, call: &mut dyn FnMut(Move)) {
        self.each_move(tables, call);
    }

    /// Passes every legal move to `sink`, in any variant.
    #[inline]
    pub(crate) fn generate<S: Sink<R::Bits>>(&self, tables: &Tables<R::Bits>, sink: &mut S) {
        if R::ORTHODOX || tables.pins {
            self.generate_legal(tables, sink);
        } else {
            self.generate_by_test(tables, sink);
        }
    }

    /// Whether the side to move has a legal move.
    #[inline]
    pub(crate) fn can_move(&self, tables: &Tables<R::Bits>) -> bool {
        if R::ORTHODOX && self.checkers.none() && self.can_step_freely() {
            return true;
        }
        self.has_any_move(tables)
    }

    /// A quick test for a legal move, in orthodox chess and not in check: whether a piece that is not pinned can
    /// take one step. It nearly always succeeds; otherwise moves have to be generated.
    #[inline]
    fn can_step_freely(&self) -> bool {
        let ([own, _], [occupied, _]) = (self.own().words(), self.occupied().words());
        let pieces = self.pieces_by_movement(self.own() & !self.pinned);
        fill::pushed(pieces.pawns, self.turn()) & !occupied != 0 || fill::stepped(&pieces) & !own != 0
    }

    /// Whether the generator finds a legal move.
    fn has_any_move(&self, tables: &Tables<R::Bits>) -> bool {
        let mut any = Any(false);
        self.generate(tables, &mut any);
        any.0
    }
}
