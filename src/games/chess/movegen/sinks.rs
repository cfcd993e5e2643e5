//! What legal moves are poured into: counts, lists, a yes or no.

use super::legal_moves::Sink;
use crate::games::chess::board::bitboard::Bitboard;
use crate::games::chess::board::moves::{Move, MoveKind};
use crate::games::chess::board::position::{MoveRules, Position, kind};
use crate::games::chess::tables::{KindSet, Tables};
use crate::games::chess::variant::schema::Square;

/// Counts moves without listing them.
#[derive(Debug, Default)]
pub(crate) struct Count {
    /// Moves so far.
    pub(crate) moves: u64,
    /// Choices of a promotion.
    pub(crate) choices: u64,
}

impl<B: Bitboard> Sink<B> for Count {
    #[inline]
    fn moves(&mut self, _: Square, targets: B) {
        self.moves += u64::from(targets.count());
    }
    #[inline]
    fn promotions(&mut self, _: Square, targets: B) {
        self.moves += self.choices * u64::from(targets.count());
    }
    #[inline]
    fn drops(&mut self, _: usize, targets: B) {
        self.moves += u64::from(targets.count());
    }
    #[inline]
    fn other(&mut self, _: Move) {
        self.moves += 1;
    }
}

/// Whether there is any move.
#[derive(Debug, Default)]
pub(crate) struct Any(pub(crate) bool);

impl<B: Bitboard> Sink<B> for Any {
    #[inline]
    fn moves(&mut self, _: Square, targets: B) {
        self.0 |= targets.any();
    }
    #[inline]
    fn promotions(&mut self, _: Square, _: B) {
        self.0 = true;
    }
    #[inline]
    fn drops(&mut self, _: usize, _: B) {
        self.0 = true;
    }
    #[inline]
    fn other(&mut self, _: Move) {
        self.0 = true;
    }
    #[inline]
    fn done(&self) -> bool {
        self.0
    }
}

/// Calls a function with every move.
pub(crate) struct Each<'a, R: MoveRules, F> {
    /// The position the moves are of.
    pub(crate) position: &'a Position<R>,
    /// Its tables.
    pub(crate) tables: &'a Tables<R::Bits>,
    /// What is called.
    pub(crate) call: F,
}

impl<R: MoveRules, F: FnMut(Move)> Sink<R::Bits> for Each<'_, R, F> {
    #[inline]
    fn moves(&mut self, from: Square, targets: R::Bits) {
        for to in targets.squares() {
            let what = self.position.what_moves(self.tables, from, to);
            (self.call)(Move { from, to, what });
        }
    }
    #[inline]
    fn promotions(&mut self, from: Square, targets: R::Bits) {
        let plain = [kind::QUEEN, kind::ROOK, kind::BISHOP, kind::KNIGHT];
        let choices = if R::ORTHODOX { &plain[..] } else { &self.tables.pawn.choices };
        let open = self.position.open_choices(self.tables);
        for to in targets.squares() {
            for &choice in choices.iter().filter(|c| R::ORTHODOX || open >> **c & 1 == 1) {
                (self.call)(Move { from, to, what: MoveKind::Promote(choice) });
            }
        }
    }
    fn drops(&mut self, slot: usize, targets: R::Bits) {
        if let Some(drops) = &self.tables.variant.drops {
            let what = MoveKind::Drop(drops.kinds[slot]);
            for to in targets.squares() {
                (self.call)(Move { from: to, to, what });
            }
        }
    }
    #[inline]
    fn other(&mut self, mv: Move) {
        (self.call)(mv);
    }
}

impl<R: MoveRules> Position<R> {
    /// What the mover's pawns may promote to now.
    #[inline]
    pub(crate) fn open_choices(&self, tables: &Tables<R::Bits>) -> KindSet {
        let pawn = &tables.pawn;
        let mut open = pawn.open[self.turn()];
        if !R::ORTHODOX && pawn.limit > 0 {
            for &choice in &pawn.choices {
                if (self.of(choice) & self.own()).count() >= u32::from(pawn.limit) {
                    open &= !(1 << choice);
                }
            }
        }
        open
    }

    /// Whether a move told by its squares alone is a pawn's double step.
    #[inline]
    pub(crate) fn what_moves(&self, tables: &Tables<R::Bits>, from: Square, to: Square) -> MoveKind {
        let double = if R::ORTHODOX {
            from.abs_diff(to) == 16 && self.of(kind::PAWN).has(from)
        } else {
            self.pawns(tables).has(from)
                && !tables.pawn.push[self.turn()][from].has(to)
                && !tables.pawn.take[self.turn()][from].has(to)
                && tables.pawn.double[self.turn()][from].iter().any(|(_, end)| *end == to)
        };
        if double { MoveKind::DoubleStep } else { MoveKind::Plain }
    }
}
