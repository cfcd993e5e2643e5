//! A run of games of a batch with all that belongs to them, to be split over threads.

use super::columns::Rows;
use super::game::Game;
use super::sampling::Draw;
use super::slot::{Shared, Slot};

/// Games that one task steps; large enough to hide the cost of a task, small enough to balance.
pub(super) const CHUNK: usize = 64;

/// A run of games with their rows, and which of them are selected.
pub(super) struct Part<'a, G: Game> {
    /// Number of the first game.
    pub(super) first: usize,
    /// Position in the selection of the first selected game.
    pub(super) rank: usize,
    /// The selected games of this run; all of them when absent.
    pub(super) ids: Option<&'a [u32]>,
    pub(super) slots: &'a mut [Slot<G>],
    pub(super) draws: &'a mut [Draw],
    pub(super) rows: Rows<'a>,
}

impl<G: Game> Part<'_, G> {
    /// Runs `task` for every selected game on the threads that this is called in.
    pub(super) fn run<F>(self, shared: &Shared<G>, task: &F)
    where
        F: Fn(&Shared<G>, usize, &mut Slot<G>, &mut Draw, &mut Rows<'_>, usize) + Sync,
    {
        if self.slots.len() <= CHUNK || self.ids.is_some_and(|ids| ids.len() <= CHUNK / 4) {
            return self.run_here(shared, task);
        }
        let half = self.slots.len() / 2;
        let (left_slots, right_slots) = self.slots.split_at_mut(half);
        let (left_draws, right_draws) = self.draws.split_at_mut(half);
        let (left_rows, right_rows) = self.rows.split_at(half);
        let (left_ids, right_ids, right_rank) = match self.ids {
            None => (None, None, self.rank + half),
            Some(ids) => {
                let n = ids.partition_point(|&id| (id as usize) < self.first + half);
                (Some(&ids[..n]), Some(&ids[n..]), self.rank + n)
            }
        };
        let left = Part {
            first: self.first,
            rank: self.rank,
            ids: left_ids,
            slots: left_slots,
            draws: left_draws,
            rows: left_rows,
        };
        let right = Part {
            first: self.first + half,
            rank: right_rank,
            ids: right_ids,
            slots: right_slots,
            draws: right_draws,
            rows: right_rows,
        };
        rayon::join(|| left.run(shared, task), || right.run(shared, task));
    }

    /// Runs `task` for every selected game, one after the other.
    pub(super) fn run_here<F>(mut self, shared: &Shared<G>, task: &F)
    where
        F: Fn(&Shared<G>, usize, &mut Slot<G>, &mut Draw, &mut Rows<'_>, usize),
    {
        match self.ids {
            None => {
                for (i, (slot, draw)) in self.slots.iter_mut().zip(self.draws).enumerate() {
                    task(shared, self.rank + i, slot, draw, &mut self.rows, i);
                }
            }
            Some(ids) => {
                for (k, &id) in ids.iter().enumerate() {
                    let i = id as usize - self.first;
                    task(shared, self.rank + k, &mut self.slots[i], &mut self.draws[i], &mut self.rows, i);
                }
            }
        }
        #[cfg(target_arch = "x86_64")]
        if shared.past_caches {
            // Safety: every x86-64 processor has it. Nothing else orders stores past the caches.
            #[allow(unused_unsafe, reason = "safe since the intrinsic became safe under its target feature")]
            unsafe {
                core::arch::x86_64::_mm_sfence();
            }
        }
    }
}
