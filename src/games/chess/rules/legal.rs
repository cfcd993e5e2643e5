//! The action mask: the legal moves over the action indices.

use super::board::bitboard::Bitboard;
use super::board::moves::Move;
use super::board::position::{MoveRules, Position};
use super::movegen::sinks::Sink;
use super::tables::Tables;
use super::variant::schema::Square;
use crate::actions::{ActionView, Actions};
use ludovec_engine::mask;

impl<B: Bitboard> Actions<B> {
    /// Overwrites `mask` with the legal moves of `position`.
    #[inline]
    pub(crate) fn write_legal<R: MoveRules<Bits = B>>(
        &self,
        tables: &Tables<B>,
        position: &Position<R>,
        mask: &mut [u64],
    ) {
        mask.fill(0);
        if self.view == ActionView::Flat {
            position.generate(
                tables,
                &mut FlatRow { actions: self, tables, position, mask, turn: position.turn() },
            );
        } else {
            position.each_move(tables, |mv| mask::set(mask, self.encode(tables, position, mv)));
        }
    }
}

/// A sink that writes moves straight into the mask of the flat numbering. Destinations from one square are
/// consecutive bits there, so a bitboard of destinations is stored as a whole.
struct FlatRow<'a, R: MoveRules> {
    actions: &'a Actions<R::Bits>,
    tables: &'a Tables<R::Bits>,
    position: &'a Position<R>,
    mask: &'a mut [u64],
    turn: usize,
}

impl<R: MoveRules> FlatRow<'_, R> {
    #[inline]
    fn or(&mut self, offset: usize, set: R::Bits) {
        if R::ORTHODOX {
            // The 64 destinations from one square are one word of the mask.
            self.mask[offset / 64] |= set.words()[0];
            return;
        }
        let [low, high] = set.words();
        mask::or_at(self.mask, offset, low);
        if high != 0 {
            mask::or_at(self.mask, offset + 64, high);
        }
    }
}

impl<R: MoveRules> Sink<R::Bits> for FlatRow<'_, R> {
    #[inline]
    fn moves(&mut self, from: Square, targets: R::Bits) {
        let (from, targets) = if R::ORTHODOX {
            let [seen, _] = targets.words();
            // Branch-free mirroring of the board for black: the side to move changes with every move, and a branch
            // on it would be mispredicted.
            let flipped = 0u64.wrapping_sub(self.turn as u64);
            let shown = (seen & !flipped) | (seen.swap_bytes() & flipped);
            (from ^ (flipped & 56) as Square, R::Bits::from_words([shown, 0]))
        } else {
            (self.actions.flip(self.turn, from), self.actions.flip_set(self.turn, targets))
        };
        self.or(usize::from(from) * self.actions.squares as usize, targets);
    }
    #[inline]
    fn promotions(&mut self, from: Square, targets: R::Bits) {
        let actions = self.actions;
        let open = self.position.open_choices(self.tables);
        let mut choices = 0;
        for (i, &kind) in actions.choices.iter().enumerate() {
            choices |= u64::from(open >> kind & 1) << i;
        }
        let run = &actions.promoting[actions.flip(self.turn, from)];
        for to in targets.squares() {
            let pair = run.index(actions.flip(self.turn, to));
            let offset = actions.promotions + pair * actions.choices.len() as u32;
            mask::or_at(self.mask, offset as usize, choices);
        }
    }
    #[inline]
    fn drops(&mut self, slot: usize, targets: R::Bits) {
        let targets = self.actions.flip_set(self.turn, targets);
        let offset = self.actions.placements as usize + slot * self.actions.squares as usize;
        self.or(offset, targets);
    }
    #[inline]
    fn other(&mut self, mv: Move) {
        mask::set(self.mask, self.actions.encode(self.tables, self.position, mv));
    }
}
