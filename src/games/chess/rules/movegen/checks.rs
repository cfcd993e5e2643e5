//! Checks: the checkers, the squares that parry the check (check mask), and the pinned pieces.

use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::position::{MoveRules, Position, kind};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::{Modality, Square};

impl<R: MoveRules> Position<R> {
    /// The pieces of the other side that could take the royal piece of `us`, by their own movement or by a
    /// rule of the variant.
    pub(crate) fn royal_attackers(&self, tables: &Tables<R::Bits>, us: usize) -> R::Bits {
        let king = self.royal(tables, us);
        if king.none() {
            return R::Bits::EMPTY;
        }
        let (king, them) = (king.first(), 1 - us);
        if self.royals_touch(tables, king, them) {
            return R::Bits::EMPTY;
        }
        let enemy = self.colours[them];
        let mut found = self.attackers(tables, king, them, self.occupied(), enemy);
        if R::HOOKED && R::hook_attacks(self, king, them) {
            found |= enemy;
        }
        let generators = &tables.variant.generators;
        if generators.summon.is_some_and(|summon| summon.square == king) {
            found |= enemy;
        }
        for (a, b) in self.swap_pairs(tables, them) {
            if tables.between(a, b).has(king) {
                found |= R::Bits::square(a) | R::Bits::square(b);
            }
        }
        for leap in generators.leap_captures.iter().filter(|l| Some(l.victim) == tables.royal) {
            let (lower, upper) = tables.rays[king].line[1];
            found |= (lower | upper) & self.of(leap.kind) & self.unmoved & enemy;
        }
        found
    }

    /// Whether the two royal pieces are adjacent in a variant with explosions. Then neither can be captured without
    /// an explosion that destroys the other.
    #[inline]
    pub(crate) fn royals_touch(&self, tables: &Tables<R::Bits>, king: Square, them: usize) -> bool {
        !R::ORTHODOX && tables.blast.is_some() && (tables.neighbours[king] & self.royal(tables, them)).any()
    }

    /// The pieces of either colour that would attack `square` in one leap if they moved like pieces of side `by`:
    /// pawns and leapers, which pieces in between do not block. For variants with [`Tables::pins`].
    #[inline]
    fn leaping_attackers(&self, tables: &Tables<R::Bits>, square: Square, by: usize) -> R::Bits {
        let mut found = tables.pawn.takers[by][square] & self.pawns(tables);
        if R::ORTHODOX {
            return found | (tables.leaps[0].targets[0][square] & self.of(kind::KNIGHT));
        }
        for leap in tables.leaps.iter().filter(|l| l.modality != Modality::Move) {
            found |= leap.sources[by][square] & self.of_any(leap.kinds);
        }
        if tables.blast.is_some() {
            // Captures explode and destroy the capturing piece, so a royal piece never captures.
            found &= !self.royal(tables, by);
        }
        found
    }

    /// The check mask for a single check of `checker` on `king`: the checker's square, for a capture, and, if it
    /// does not leap, the squares in between, for a block.
    #[inline]
    pub(crate) fn parries(
        &self,
        tables: &Tables<R::Bits>,
        king: Square,
        checker: R::Bits,
        them: usize,
    ) -> R::Bits {
        // In orthodox chess there are no squares between a leaper and the king anyway.
        if !R::ORTHODOX && (self.leaping_attackers(tables, king, them) & checker).any() {
            return checker;
        }
        checker | tables.between(king, checker.first())
    }

    /// Recomputes the checkers and the pinned pieces of the side to move.
    ///
    /// From the royal piece along each line: an enemy slider with no piece in between gives check. With exactly one
    /// piece in between, it pins this piece if it belongs to the mover.
    #[inline]
    pub(crate) fn refresh(&mut self, tables: &Tables<R::Bits>) {
        let (us, them) = (self.turn(), 1 - self.turn());
        let king = self.royal(tables, us);
        (self.checkers, self.pinned) = (R::Bits::EMPTY, R::Bits::EMPTY);
        if king.none() {
            return;
        }
        if !R::ORTHODOX && !tables.pins {
            self.checkers = self.royal_attackers(tables, us);
            return;
        }
        let king = king.first();
        if self.royals_touch(tables, king, them) {
            return;
        }
        let (own, enemy) = (self.colours[us], self.colours[them]);
        let occupied = self.occupied();
        let mut checkers = self.leaping_attackers(tables, king, them) & enemy;
        let mut pinned = R::Bits::EMPTY;
        let sliders = [self.orthogonal(tables) & enemy, self.diagonal(tables) & enemy];
        for (i, &(lower, upper)) in tables.rays[king].line.iter().enumerate() {
            let slider = sliders[i / 2];
            let mut shields = |from: Square, between: R::Bits| {
                let blockers = between & occupied;
                if blockers.none() {
                    checkers |= R::Bits::square(from);
                } else if !blockers.many() {
                    pinned |= blockers & own;
                }
            };
            for from in (lower & slider).squares() {
                shields(from, lower & tables.rays[from].line[i].1);
            }
            for from in (upper & slider).squares() {
                shields(from, upper & tables.rays[from].line[i].0);
            }
        }
        (self.checkers, self.pinned) = (checkers, pinned);
    }
}
