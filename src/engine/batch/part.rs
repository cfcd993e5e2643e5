//! A run of games of a batch with their rows and samples; a part can be split over threads.

use std::sync::{Mutex, PoisonError};

use crate::batch::next_sample::NextSample;
use crate::batch::slot::{GameCall, Slot, Stepper};
use crate::contract::rules::Rules;
use crate::faces::columns::Rows;
use crate::threads::{Threads, share};

/// Games per task: enough to hide the cost of a task, few enough to balance the load of the threads (work stealing).
pub(super) const CHUNK: usize = 64;

/// A run of games with their rows, and the selection among them.
pub(super) struct Part<'a, G: Rules> {
    /// Number of the first game.
    pub(super) first: usize,
    /// Index of the first selected game in the selection.
    pub(super) rank: usize,
    /// The selected games of this run; `None` selects all.
    pub(super) ids: Option<&'a [u32]>,
    pub(super) slots: &'a mut [Slot<G>],
    pub(super) next: &'a mut [NextSample],
    pub(super) rows: Rows<'a>,
    /// Output for one action per selected game; empty if the caller does not ask for actions.
    pub(super) actions: &'a mut [i32],
    /// Maximum number of games per task.
    pub(super) grain: usize,
}

impl<G: Rules> Part<'_, G> {
    /// Runs `task` for every selected game, on `threads` if given.
    pub(super) fn run<F>(self, stepper: &Stepper<G>, threads: Option<&Threads>, task: &F)
    where
        F: Fn(&Stepper<G>, GameCall<'_, '_, G>) + Sync + ?Sized,
    {
        let mut whole = Some(self);
        match threads {
            Some(threads) if threads.pinned => {
                let shares = whole.take().map_or_else(Vec::new, |part| part.shares(threads.count()));
                let shares: Vec<_> = shares.into_iter().map(|share| Mutex::new(Some(share))).collect();
                threads.run_on_each(&|thread| {
                    let share = shares[thread].lock().unwrap_or_else(PoisonError::into_inner).take();
                    share.into_iter().for_each(|part| part.run_here(stepper, task));
                });
            }
            Some(threads) => {
                let parts = whole.take().map_or_else(Vec::new, Part::chunks);
                threads.run_each(parts, &|part| part.run_here(stepper, task));
            }
            None => whole.take().into_iter().for_each(|part| part.run_here(stepper, task)),
        }
    }
}

impl<'a, G: Rules> Part<'a, G> {
    /// The fixed share of each pinned thread, the same in every call.
    fn shares(self, threads: usize) -> Vec<Self> {
        let games = self.slots.len();
        let mut rest = self;
        let mut shares = Vec::with_capacity(threads);
        for thread in 0..threads - 1 {
            let (left, right) = rest.split_at(share(games, threads, thread).len());
            shares.push(left);
            rest = right;
        }
        shares.push(rest);
        shares
    }

    /// Splits the part into tasks of `grain` games, or more if few of them are selected.
    fn chunks(self) -> Vec<Self> {
        let mut chunks = Vec::new();
        let mut rest = self;
        loop {
            let selected = |ids: &[u32]| {
                ids.get(rest.grain.div_ceil(4)).map_or(usize::MAX, |&id| id as usize - rest.first)
            };
            let games = rest.ids.map_or(rest.grain, |ids| selected(ids).max(rest.grain));
            if games >= rest.slots.len() {
                chunks.push(rest);
                return chunks;
            }
            let (chunk, others) = rest.split_at(games);
            chunks.push(chunk);
            rest = others;
        }
    }

    fn split_at(self, games: usize) -> (Self, Self) {
        let Self { first, rank, ids, slots, next, rows, actions, grain } = self;
        let (left_slots, right_slots) = slots.split_at_mut(games);
        let (left_next, right_next) = next.split_at_mut(games);
        let (left_rows, right_rows) = rows.split_at(games);
        let selected = ids.map_or(games, |ids| ids.partition_point(|&id| (id as usize) < first + games));
        let (left_ids, right_ids) = ids.map(|ids| ids.split_at(selected)).unzip();
        let (left_actions, right_actions) = actions.split_at_mut(selected.min(actions.len()));
        let left = Part {
            first,
            rank,
            ids: left_ids,
            slots: left_slots,
            next: left_next,
            rows: left_rows,
            actions: left_actions,
            grain,
        };
        let right = Part {
            first: first + games,
            rank: rank + selected,
            ids: right_ids,
            slots: right_slots,
            next: right_next,
            rows: right_rows,
            actions: right_actions,
            grain,
        };
        (left, right)
    }

    /// Runs `task` for every selected game, one after the other.
    fn run_here<F>(self, stepper: &Stepper<G>, task: &F)
    where
        F: Fn(&Stepper<G>, GameCall<'_, '_, G>) + ?Sized,
    {
        let Self { first, rank, ids, slots, next, mut rows, actions, .. } = self;
        let rows = &mut rows;
        let mut unasked = 0;
        match ids {
            None => {
                for (row, (slot, next)) in slots.iter_mut().zip(next).enumerate() {
                    let action = actions.get_mut(row).unwrap_or(&mut unasked);
                    task(stepper, GameCall { slot, next, rows, row, rank: rank + row, action });
                }
            }
            Some(ids) => {
                for (k, &id) in ids.iter().enumerate() {
                    let row = id as usize - first;
                    let (slot, next) = (&mut slots[row], &mut next[row]);
                    let action = actions.get_mut(k).unwrap_or(&mut unasked);
                    task(stepper, GameCall { slot, next, rows, row, rank: rank + k, action });
                }
            }
        }
        #[cfg(target_arch = "x86_64")]
        if stepper.observer.nontemporal {
            // Safety: every x86-64 processor has the instruction. Without the fence, non-temporal stores are not
            // ordered before later stores.
            #[allow(unused_unsafe, reason = "safe since the intrinsic became safe under its target feature")]
            unsafe {
                core::arch::x86_64::_mm_sfence();
            }
        }
    }
}
