//! Pawns: double steps and promotion choices.

use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::moves::MoveKind;
use crate::rules::board::position::{MoveRules, Position, kind};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::{DoubleStep, KindSet, Square};

impl<R: MoveRules> Position<R> {
    /// The kinds that a pawn of the side to move can promote to now.
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

    /// The kind of a move given by its squares alone: a double step of a pawn, or a plain move.
    #[inline]
    pub(crate) fn plain_or_double_step(
        &self,
        tables: &Tables<R::Bits>,
        from: Square,
        to: Square,
    ) -> MoveKind {
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

    /// The destinations of the pawn on `from`, on a double-step square, after two steps.
    pub(crate) fn double_steps(
        &self,
        tables: &Tables<R::Bits>,
        us: usize,
        from: Square,
        occupied: R::Bits,
    ) -> R::Bits {
        tables.pawn.double[us][from]
            .iter()
            .filter(|(via, to)| {
                usize::from(*via) < R::Bits::SQUARES && !occupied.has(*via) && !occupied.has(*to)
            })
            .fold(R::Bits::EMPTY, |set, (_, to)| set | R::Bits::square(*to))
    }

    /// Whether the pawn on `from` may make a double step: because of its square, or because it has not moved.
    pub(crate) fn may_double_step(&self, tables: &Tables<R::Bits>, from: Square) -> bool {
        let fresh = tables.tracks_unmoved && self.unmoved.has(from);
        match tables.variant.pawn.double_step {
            DoubleStep::Never => false,
            DoubleStep::Unmoved => fresh,
            DoubleStep::Squares(_) => {
                let pawn = &tables.pawn;
                let from_here = pawn.double_from[self.turn()] & !pawn.double_unmoved[self.turn()];
                from_here.has(from) || (tables.pawns_appear && fresh)
            }
        }
    }
}
