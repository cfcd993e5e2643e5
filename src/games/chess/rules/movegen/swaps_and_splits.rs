//! Moves that a variant adds to the pieces' own: swaps and splits.

use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::moves::{Move, MoveKind};
use crate::rules::board::position::{MoveRules, Position};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::Square;

impl<R: MoveRules> Position<R> {
    /// Own pairs of `side` that can swap and capture the pieces between them; the lower square first.
    pub(crate) fn swap_pairs(
        &self,
        tables: &Tables<R::Bits>,
        side: usize,
    ) -> impl Iterator<Item = (Square, Square)> {
        let (own, enemy) = (self.colours[side], self.colours[1 - side]);
        let width = tables.variant.width;
        tables.variant.generators.swap_captures.iter().flat_map(move |swap| {
            let pieces = self.of(swap.kind) & own;
            pieces.squares().flat_map(move |a| {
                let upward = tables.rays[a].line[0].1 | tables.rays[a].line[1].1;
                (upward & pieces).squares().filter_map(move |b| {
                    let apart = b - a == swap.distance && b / width == a / width
                        || b - a == swap.distance * width && b % width == a % width;
                    let between = tables.between(a, b);
                    (apart && between.any() && (between & !enemy).none()).then_some((a, b))
                })
            })
        })
    }

    /// Calls `call` with the splits of the piece on `from`, one for each direction in which its parts have
    /// room.
    pub(crate) fn each_pseudo_legal_split(
        &self,
        tables: &Tables<R::Bits>,
        from: Square,
        parts: usize,
        call: &mut dyn FnMut(Move),
    ) {
        let occupied = self.occupied();
        let foreign = (self.enemy() | self.neutral) & tables.board;
        for direction in 0..4u8 {
            let line = tables.rays[from].line[usize::from(direction % 2)];
            let ray = if direction < 2 { line.1 } else { line.0 };
            let reach = tables.rays[from].orthogonal(occupied) & ray;
            let run = reach & !occupied;
            if run.count() as usize >= parts
                && (reach & foreign).none()
                && let Some(to) = self.split_end(tables, from, direction)
            {
                call(Move { from, to, what: MoveKind::Split(direction) });
            }
        }
    }

    /// The end of a split's run from `from`: the last empty square in that direction.
    pub(crate) fn split_end(&self, tables: &Tables<R::Bits>, from: Square, direction: u8) -> Option<Square> {
        let rays = &tables.rays[from].line[usize::from(direction % 2)];
        let ray = if direction < 2 { rays.1 } else { rays.0 };
        let reach = tables.rays[from].orthogonal(self.occupied()) & ray & !self.occupied();
        if direction < 2 { reach.squares().last() } else { reach.squares().next() }
    }

    /// The squares on which the parts of a split appear, from the inside out.
    pub(crate) fn split_squares(&self, tables: &Tables<R::Bits>, mv: Move) -> Vec<Square> {
        let parts = tables.variant.generators.split.as_ref().map_or(0, |s| s.into.len()) as i16;
        let width = i16::from(tables.variant.width);
        let MoveKind::Split(direction) = mv.what else { return Vec::new() };
        let step = [1, width, -1, -width][usize::from(direction % 4)];
        (0..parts).map(|i| (i16::from(mv.to) - (parts - 1 - i) * step) as Square).collect()
    }
}
