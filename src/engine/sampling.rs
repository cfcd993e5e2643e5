//! Action samples: one of the legal actions of a position, uniformly.
//!
//! When a caller samples step after step, the next sample is drawn while the step writes the mask: by the time
//! it is asked for, the other games of the batch have pushed the mask out of the cache. What is drawn depends
//! on seed, game and how often the game was sampled, never on when.

use super::chance::StreamId;
use super::game::Game;
use super::mask;
use super::slot::{Shared, Slot};
use super::vector::AutoReset;

/// Keeps the stream of action samples apart from play.
const SAMPLE_SALT: u64 = 0x0073_616d_706c_6521;

/// The sample of a game's present position: not drawn yet, drawn ahead, or handed out already.
///
/// Four bytes that lie side by side, apart from the slots, so that a look at those of all games is quick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Draw(u32);

impl Draw {
    const TAKEN: u32 = 1 << 31;
    /// No game has so many actions.
    pub(super) const NONE: Self = Self(!Self::TAKEN);

    /// Hands out what was drawn ahead, once.
    #[inline]
    pub(super) fn take(&mut self) -> Option<i32> {
        let action = self.ahead()?;
        self.0 |= Self::TAKEN;
        Some(action)
    }

    /// [`Draw::take`] for all games; false, and nothing is taken, when some were not drawn ahead.
    pub(super) fn take_all(draws: &mut [Self], actions: &mut [i32]) -> bool {
        let all = draws.len() == actions.len() && draws.iter().all(|draw| draw.ahead().is_some());
        if all {
            for (draw, action) in draws.iter_mut().zip(actions) {
                *action = draw.0 as i32;
                draw.0 |= Self::TAKEN;
            }
        }
        all
    }

    /// What was drawn ahead and is still there to be taken.
    #[inline]
    pub(super) fn ahead(self) -> Option<i32> {
        (self.0 < Self::NONE.0).then_some(self.0 as i32)
    }

    /// Whether `action` was drawn, and therefore may be played.
    #[inline]
    pub(super) fn is(self, action: i32) -> bool {
        self.0 & !Self::TAKEN == action as u32 && self != Self::NONE
    }

    /// Forgets the draw; `samples` counts it when it was taken.
    #[inline]
    pub(super) fn settle(&mut self, samples: &mut u64) {
        *samples += u64::from(self.0 & Self::TAKEN != 0);
        *self = Self::NONE;
    }
}

impl<G: Game> Shared<G> {
    /// Draws a legal action; 0 when there is none.
    #[inline]
    pub(super) fn sample(&self, slot: &mut Slot<G>, draw: &mut Draw, mask: &[u64]) -> i32 {
        if let Some(action) = draw.take() {
            return action;
        }
        self.draw_ahead(slot, draw, mask);
        draw.take().unwrap_or_else(|| {
            slot.samples += 1;
            0
        })
    }

    /// Makes the next draw for the position that `mask` belongs to.
    #[inline]
    pub(super) fn draw_ahead(&self, slot: &mut Slot<G>, draw: &mut Draw, mask: &[u64]) {
        draw.settle(&mut slot.samples);
        if slot.done {
            // The next step resets and plays nothing, whatever it is told; in other modes nothing may be played.
            if self.config.autoreset == AutoReset::NextStep {
                *draw = Draw(0);
            }
            return;
        }
        *draw = nth_sample(slot.chance.id(), slot.samples, mask).map_or(Draw::NONE, Draw);
    }
}

/// What sampling the game of stream `id` for the `n`-th time gives, counted from 0.
#[inline]
pub(super) fn nth_sample(id: StreamId, n: u64, mask: &[u64]) -> Option<u32> {
    mask::sample(mask, StreamId { episode: n, ..id }.mix(SAMPLE_SALT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_is_taken_once_and_counted_once() {
        let mut samples = 5;
        let mut draw = Draw(7);
        assert_eq!((draw.ahead(), draw.is(7), draw.is(8)), (Some(7), true, false));
        assert_eq!((draw.take(), draw.take(), draw.ahead()), (Some(7), None, None));
        assert!(draw.is(7));
        draw.settle(&mut samples);
        assert_eq!((samples, draw), (6, Draw::NONE));
        draw.settle(&mut samples);
        assert_eq!(samples, 6);

        let mut actions = [0; 2];
        let mut draws = [Draw(1), Draw(2)];
        assert!(Draw::take_all(&mut draws, &mut actions));
        assert_eq!((actions, draws[1].is(2)), ([1, 2], true));
        assert!(!Draw::take_all(&mut draws, &mut actions));
        assert!(!Draw::take_all(&mut [Draw(1), Draw(2), Draw(3)], &mut actions));
    }

    #[test]
    fn nothing_is_drawn_at_first() {
        let mut draw = Draw::NONE;
        assert_eq!(draw.take(), None);
        for action in [0, -1, i32::MAX, i32::MIN] {
            assert!(!draw.is(action));
            assert_eq!(Draw(0).is(action), action == 0);
        }
    }
}
