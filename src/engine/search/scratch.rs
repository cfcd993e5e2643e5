//! Temporary buffers of simulations.

use std::cell::RefCell;

use crate::contract::rules::Rules;

/// Buffers of a thread.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(super) mask: Vec<u64>,
    /// Legal actions of the positions of a short line of play.
    pub(super) masks: [Vec<u64>; 2],
    pub(super) observation: Vec<u8>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Scratch {
    /// Lends the buffers of this thread, large enough for `game`.
    pub(crate) fn lend<T>(game: &impl Rules, work: impl FnOnce(&mut Self) -> T) -> T {
        SCRATCH.with_borrow_mut(|scratch| {
            scratch.fit(game);
            work(scratch)
        })
    }

    /// Grows the buffers to the size that `game` needs.
    pub(crate) fn fit(&mut self, game: &impl Rules) {
        let spec = game.spec();
        self.mask.resize(spec.mask_words(), 0);
        self.masks.iter_mut().for_each(|mask| mask.resize(spec.mask_words(), 0));
        self.observation.resize(spec.observation_len(), 0);
    }
}
