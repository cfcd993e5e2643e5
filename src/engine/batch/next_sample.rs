//! The next action sample of a game: a uniform draw from its legal actions.
//!
//! A sample depends only on the seed, the game and the number of earlier samples of the game, not on the time of
//! drawing. So for a caller that samples step after step, the next sample is drawn early, right after the step has
//! written the mask. The mask is still in the processor's cache then. By the time the caller asks for the sample, all
//! other games of the batch have been stepped and the mask has left the cache.
//!
//! ```text
//!          draw             take
//!  empty --------> ready(a) --------> taken(a)
//!    ^                |                   |
//!    +------ settle (the position changes; a taken sample is counted)
//! ```

use crate::contract::chance::StreamId;
use crate::contract::mask;
use crate::contract::spec::ActionId;

/// Separates the random streams of action samples from the streams of play.
const SAMPLE_SALT: u64 = 0x0073_616d_706c_6521;

/// The sample of a game's current position: empty, ready, or taken.
///
/// The samples of all games are in one array of four bytes each, separate from the games, so reading all of them is
/// fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NextSample(u32);

impl NextSample {
    /// The bit that distinguishes taken from ready; the other bits are the action.
    const TAKEN: u32 = 1 << 31;
    /// Not drawn. The value exceeds every action index.
    pub(super) const EMPTY: Self = Self(!Self::TAKEN);

    /// Action `action`, ready.
    pub(super) fn ready(action: u32) -> Self {
        debug_assert!(action < Self::EMPTY.0);
        Self(action)
    }

    /// Draws the `n`-th sample of the game of stream `id`; empty if no action is legal.
    #[inline]
    pub(super) fn draw(id: StreamId, n: u64, mask: &[u64]) -> Self {
        nth_sample(id, n, mask).map_or(Self::EMPTY, Self)
    }

    /// Hands a ready sample out, once.
    #[inline]
    pub(super) fn take(&mut self) -> Option<ActionId> {
        let action = self.peek()?;
        self.0 |= Self::TAKEN;
        Some(action)
    }

    /// Takes the samples of all games if all are ready. Otherwise takes none and returns false.
    pub(super) fn take_all(samples: &mut [Self], actions: &mut [ActionId]) -> bool {
        let all = samples.len() == actions.len() && samples.iter().all(|sample| sample.peek().is_some());
        if all {
            for (sample, action) in samples.iter_mut().zip(actions) {
                *action = sample.0;
                sample.0 |= Self::TAKEN;
            }
        }
        all
    }

    /// The action of a ready sample.
    #[inline]
    pub(super) fn peek(self) -> Option<ActionId> {
        (self.0 < Self::EMPTY.0).then_some(self.0)
    }

    /// Whether the sample was taken.
    pub(super) fn is_taken(self) -> bool {
        self.0 & Self::TAKEN != 0
    }

    /// Whether `action` is the sample, and therefore legal.
    #[inline]
    pub(super) fn is(self, action: ActionId) -> bool {
        self.0 & !Self::TAKEN == action && self != Self::EMPTY
    }

    /// Empties the sample; increments `samples` if it was taken.
    #[inline]
    pub(super) fn settle(&mut self, samples: &mut u64) {
        *samples += u64::from(self.is_taken());
        *self = Self::EMPTY;
    }
}

/// The `n`-th action sample of the game of stream `id`, counted from 0.
#[inline]
pub(crate) fn nth_sample(id: StreamId, n: u64, mask: &[u64]) -> Option<u32> {
    mask::sample(mask, StreamId { episode: n, ..id }.mix(SAMPLE_SALT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_taken_once_and_counted_once() {
        let mut samples = 5;
        let mut sample = NextSample(7);
        assert_eq!((sample.peek(), sample.is(7), sample.is(8)), (Some(7), true, false));
        assert_eq!((sample.take(), sample.take(), sample.peek()), (Some(7), None, None));
        assert!(sample.is(7));
        sample.settle(&mut samples);
        assert_eq!((samples, sample), (6, NextSample::EMPTY));
        sample.settle(&mut samples);
        assert_eq!(samples, 6);

        let mut actions = [0; 2];
        let mut drawn = [NextSample(1), NextSample(2)];
        assert!(NextSample::take_all(&mut drawn, &mut actions));
        assert_eq!((actions, drawn[1].is(2)), ([1, 2], true));
        assert!(!NextSample::take_all(&mut drawn, &mut actions));
        assert!(!NextSample::take_all(&mut [NextSample(1), NextSample(2), NextSample(3)], &mut actions));
    }

    #[test]
    fn nothing_is_drawn_at_first() {
        let mut sample = NextSample::EMPTY;
        assert_eq!(sample.take(), None);
        for action in [0, u32::MAX, 1 << 31, (1 << 31) - 1] {
            assert!(!sample.is(action));
            assert_eq!(NextSample(0).is(action), action == 0);
        }
    }
}
