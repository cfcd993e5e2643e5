//! Counting the leaves of the game tree: the oldest test of a move generator.

use super::generate::Sink;
use super::position::{Position, Rules};
use super::sinks::{Count, Each};
use super::tables::Tables;

/// Leaves `depth` plies below `position`; the last ply is counted without being played.
pub(super) fn perft<R: Rules>(tables: &Tables<R::Bits>, position: &Position<R>, depth: u32) -> u64 {
    if depth > 0 && !R::PLAIN && position.ended_early(tables).is_some() {
        return 0;
    }
    match depth {
        0 => 1,
        1 => position.count_moves(tables),
        _ => {
            let mut leaves = 0;
            position.each_move(tables, |mv| {
                let mut next = *position;
                next.play(tables, mv);
                leaves += perft(tables, &next, depth - 1);
            });
            leaves
        }
    }
}

impl<R: Rules> Position<R> {
    /// How many legal moves there are.
    #[inline]
    pub(super) fn count_moves(&self, tables: &Tables<R::Bits>) -> u64 {
        let choices = if R::PLAIN { 4 } else { u64::from(self.open_choices(tables).count_ones()) };
        let mut count = Count { moves: 0, choices };
        self.pour(tables, &mut count);
        count.moves
    }

    /// Calls `call` with every legal move.
    #[inline]
    pub(super) fn each_move(&self, tables: &Tables<R::Bits>, call: impl FnMut(super::Move)) {
        self.pour(tables, &mut Each { position: self, tables, call });
    }

    /// Hands every legal move to `sink`, whatever the variant.
    #[inline]
    pub(super) fn pour<S: Sink<R::Bits>>(&self, tables: &Tables<R::Bits>, sink: &mut S) {
        if R::PLAIN || tables.pins {
            self.generate(tables, sink);
        } else {
            self.generate_by_trial(tables, sink);
        }
    }
}
