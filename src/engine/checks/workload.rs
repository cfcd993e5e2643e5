//! The four hot operations of a game's rules for benchmarks, without a batch or engine.

use std::hint::black_box;

use crate::contract::chance::{Chance, SeededChance};
use crate::contract::mask;
use crate::contract::rules::{Rules, Status};
use crate::dynamic::workload::Workload;

/// Positions of random games, and the inputs of the operations.
pub(crate) struct Positions<'a, G: Rules> {
    game: &'a G,
    /// Positions with their masks.
    sampled: Vec<(G::State, Vec<u64>)>,
    at: usize,
    chance: SeededChance,
    mask: Vec<u64>,
    observation: Vec<u8>,
}

impl<'a, G: Rules> Positions<'a, G> {
    /// About `n` positions.
    pub(crate) fn sample(game: &'a G, n: usize) -> Self {
        let mut chance = SeededChance::from_seed(1);
        let mut mask = vec![0; game.spec().mask_words()];
        let mut sampled = Vec::new();
        while sampled.len() < n {
            let mut state = game.init(&mut chance);
            while game.status(&state) == Status::Running {
                game.legal(&state, &mut mask);
                let index = chance.uniform(mask::count(&mask));
                if chance.uniform(4) == 0 {
                    sampled.push((state, mask.clone()));
                }
                game.step(
                    &mut state,
                    mask::select(&mask, index).expect("the index is below the count"),
                    &mut chance,
                );
            }
        }
        Self { game, sampled, at: 0, chance, mask, observation: vec![0; game.spec().observation_len()] }
    }

    fn next(&mut self) -> usize {
        self.at = (self.at + 1) % self.sampled.len();
        self.at
    }
}

impl<G: Rules> Workload for Positions<'_, G> {
    fn step(&mut self) {
        let (state, mask) = &self.sampled[(self.at + 1) % self.sampled.len()];
        let index = self.chance.uniform(mask::count(mask));
        let action = mask::select(mask, index).expect("the index is below the count");
        let mut state = *state;
        self.game.step(&mut state, action, &mut self.chance);
        black_box(&state);
        self.next();
    }
    fn legal(&mut self) {
        let at = self.next();
        self.game.legal(&self.sampled[at].0, &mut self.mask);
        black_box(&self.mask);
    }
    fn observe(&mut self) {
        let at = self.next();
        let state = &self.sampled[at].0;
        self.game.observe(state, self.game.current_player(state), &mut self.observation);
        black_box(&self.observation);
    }
    fn reset(&mut self) {
        black_box(self.game.init(&mut self.chance));
    }
}
