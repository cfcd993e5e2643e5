//! A run of games of a batch with all that belongs to them, to be split over threads.

use crate::engine::batch::next_sample::NextSample;
use crate::engine::batch::slot::{Slot, Stepper};
use crate::engine::contract::rules::Rules;
use crate::engine::faces::columns::Rows;

/// Games that one task steps; large enough to hide the cost of a task, small enough to balance.
pub(super) const CHUNK: usize = 64;

/// A run of games with their rows, and which of them are selected.
pub(super) struct Part<'a, G: Rules> {
    /// Number of the first game.
    pub(super) first: usize,
    /// Position in the selection of the first selected game.
    pub(super) rank: usize,
    /// The selected games of this run; all of them when absent.
    pub(super) ids: Option<&'a [u32]>,
    pub(super) slots: &'a mut [Slot<G>],
    pub(super) next: &'a mut [NextSample],
    pub(super) rows: Rows<'a>,
}

impl<G: Rules> Part<'_, G> {
    /// Runs `task` for every selected game on the threads that this is called in.
    pub(super) fn run<F>(self, stepper: &Stepper<G>, task: &F)
    where
        F: Fn(&Stepper<G>, usize, &mut Slot<G>, &mut NextSample, &mut Rows<'_>, usize) + Sync,
    {
        if self.slots.len() <= CHUNK || self.ids.is_some_and(|ids| ids.len() <= CHUNK / 4) {
            return self.run_here(stepper, task);
        }
        let half = self.slots.len() / 2;
        let (left_slots, right_slots) = self.slots.split_at_mut(half);
        let (left_next, right_next) = self.next.split_at_mut(half);
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
            next: left_next,
            rows: left_rows,
        };
        let right = Part {
            first: self.first + half,
            rank: right_rank,
            ids: right_ids,
            slots: right_slots,
            next: right_next,
            rows: right_rows,
        };
        rayon::join(|| left.run(stepper, task), || right.run(stepper, task));
    }

    /// Runs `task` for every selected game, one after the other.
    pub(super) fn run_here<F>(mut self, stepper: &Stepper<G>, task: &F)
    where
        F: Fn(&Stepper<G>, usize, &mut Slot<G>, &mut NextSample, &mut Rows<'_>, usize),
    {
        match self.ids {
            None => {
                for (i, (slot, next)) in self.slots.iter_mut().zip(self.next).enumerate() {
                    task(stepper, self.rank + i, slot, next, &mut self.rows, i);
                }
            }
            Some(ids) => {
                for (k, &id) in ids.iter().enumerate() {
                    let i = id as usize - self.first;
                    task(stepper, self.rank + k, &mut self.slots[i], &mut self.next[i], &mut self.rows, i);
                }
            }
        }
        #[cfg(target_arch = "x86_64")]
        if stepper.nontemporal {
            // Safety: every x86-64 processor has it. Nothing else orders stores past the caches.
            #[allow(unused_unsafe, reason = "safe since the intrinsic became safe under its target feature")]
            unsafe {
                core::arch::x86_64::_mm_sfence();
            }
        }
    }
}
