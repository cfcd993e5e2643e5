//! The squares that a piece reaches by its own movement.

use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::position::{MoveRules, Position};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::{KindSet, Modality, PieceKind, Square};

/// The squares that a piece reaches, grouped by the effects allowed there.
pub(crate) struct ReachableSquares<B> {
    /// Squares for moves and captures.
    pub(crate) both: B,
    /// Squares for moves only.
    pub(crate) quiet: B,
    /// Squares for captures only.
    takes: B,
}

impl<B: Bitboard> ReachableSquares<B> {
    /// The pseudo-legal destinations among the `open` squares.
    pub(crate) fn onto(&self, open: B, enemy: B, occupied: B) -> B {
        open & (self.both | (self.quiet & !occupied) | (self.takes & enemy))
    }

    fn add(&mut self, modality: Modality, squares: B) {
        *match modality {
            Modality::Both => &mut self.both,
            Modality::Move => &mut self.quiet,
            Modality::Capture => &mut self.takes,
        } |= squares;
    }
}

/// The squares on which a movement of this modality may end.
pub(crate) fn modality_mask<B: Bitboard>(modality: Modality, open: B, enemy: B, occupied: B) -> B {
    match modality {
        Modality::Both => open,
        Modality::Move => open & !occupied,
        Modality::Capture => open & enemy,
    }
}

impl<R: MoveRules> Position<R> {
    /// The squares that a piece reaches by its movement, grouped by the effects allowed there.
    pub(crate) fn reach(
        &self,
        tables: &Tables<R::Bits>,
        us: usize,
        kind: PieceKind,
        from: Square,
        occupied: R::Bits,
    ) -> ReachableSquares<R::Bits> {
        let is = |set: KindSet| set >> kind & 1 == 1;
        let mut reach =
            ReachableSquares { both: R::Bits::EMPTY, quiet: R::Bits::EMPTY, takes: R::Bits::EMPTY };
        if is(tables.orthogonal) {
            reach.both |= tables.rays[from].orthogonal(occupied);
        }
        if is(tables.diagonal) {
            reach.both |= tables.rays[from].diagonal(occupied);
        }
        for leap in tables.leaps.iter().filter(|l| is(l.kinds) && (!l.initial || self.unmoved.has(from))) {
            reach.add(leap.modality, leap.targets[us][from]);
        }
        for rider in tables.riders.iter().filter(|r| is(r.kinds) && (!r.initial || self.unmoved.has(from))) {
            reach.add(rider.modality, rider.reach(us, from, occupied));
        }
        if tables.pawn.kind == Some(kind) {
            reach.quiet |= tables.pawn.push[us][from];
            reach.takes |= tables.pawn.take[us][from];
        }
        reach
    }
}
