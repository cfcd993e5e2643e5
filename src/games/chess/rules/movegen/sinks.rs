//! Sinks: receivers of the move generator's moves. The generator is compiled separately for each sink, so that a
//! count of moves, for example, never builds a list.

use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::moves::{Move, MoveKind};
use crate::rules::board::position::{MoveRules, Position, kind};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::Square;

/// Takes moves as the generator finds them, most of them as a bitboard of destinations.
pub(crate) trait Sink<B: Bitboard> {
    /// Moves of the piece on `from` that are identified by their destination alone; `targets` may be empty.
    fn moves(&mut self, from: Square, targets: B);
    /// Promotions of the pawn on `from`: to each of `targets`, with every choice of a piece.
    fn promotions(&mut self, from: Square, targets: B);
    /// Drops of a piece from the hand: the `slot`-th kind of the variant's list, onto each of `targets`.
    fn drops(&mut self, slot: usize, targets: B);
    /// Any other move.
    fn other(&mut self, mv: Move);
    /// Whether the sink needs no further moves; the generator may then stop.
    #[inline]
    fn done(&self) -> bool {
        false
    }
}

/// Counts moves (bulk counting): the number of bits is the number of moves.
#[derive(Debug, Default)]
pub(crate) struct Count {
    /// Moves so far.
    pub(crate) moves: u64,
    /// The number of promotion choices of a pawn.
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

/// Calls a function with every move, one by one.
pub(crate) struct Each<'a, R: MoveRules, F> {
    /// The position of the moves.
    pub(crate) position: &'a Position<R>,
    /// Its tables.
    pub(crate) tables: &'a Tables<R::Bits>,
    /// The function to call.
    pub(crate) call: F,
}

impl<R: MoveRules, F: FnMut(Move)> Sink<R::Bits> for Each<'_, R, F> {
    #[inline]
    fn moves(&mut self, from: Square, targets: R::Bits) {
        for to in targets.squares() {
            let what = self.position.plain_or_double_step(self.tables, from, to);
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
