//! A contiguous range of a batch's games, or of a search's trees, that can be split over threads.

use std::sync::{Mutex, PoisonError};

use crate::batch::next_sample::NextSample;
use crate::batch::slot::{GameCall, Slot, Stepper};
use crate::contract::rules::Rules;
use crate::contract::spec::ActionId;
use crate::dynamic::columns::Rows;
use crate::threads::{Threads, share};

/// Games per task: enough to hide the cost of a task, few enough to balance the load of the threads (work stealing).
pub(super) const CHUNK: usize = 64;

/// Per-game memory that can be split together with a range of games.
pub(crate) trait Divide: Sized {
    /// Splits into the memory of the first `count` games and of the rest.
    fn divide(self, count: usize) -> (Self, Self);
}

/// One element per game, or an empty slice, which splits into empty slices.
impl<T> Divide for &mut [T] {
    fn divide(self, count: usize) -> (Self, Self) {
        let count = count.min(self.len());
        self.split_at_mut(count)
    }
}

/// A range of games with a selection.
pub(crate) struct Part<'a, G, S> {
    /// Number of the first game.
    pub(crate) first: usize,
    /// Number of games.
    pub(crate) len: usize,
    /// Position in the selection of the first selected game.
    pub(crate) selected_index: usize,
    /// The selected games of this range; `None` selects all.
    pub(crate) ids: Option<&'a [u32]>,
    /// The memory of all games of this range.
    pub(crate) games: G,
    /// The memory of the selected games.
    pub(crate) selected: S,
}

impl<G: Divide + Send, S: Divide + Send> Part<'_, G, S> {
    /// Runs `task` over the whole range: as one part or, with `threads`, as parts of about `grain` games.
    pub(crate) fn run<F>(self, grain: usize, threads: Option<&Threads>, task: &F)
    where
        F: Fn(Self) + Sync + ?Sized,
    {
        match threads {
            Some(threads) if threads.pinned => {
                let shares = self.shares(threads.count()).into_iter();
                let shares: Vec<_> = shares.map(|share| Mutex::new(Some(share))).collect();
                threads.run_on_each(&|thread| {
                    let share = shares[thread].lock().unwrap_or_else(PoisonError::into_inner).take();
                    share.into_iter().for_each(task);
                });
            }
            Some(threads) => threads.run_each(self.chunks(grain), &|part| task(part)),
            None => task(self),
        }
    }

    /// The fixed share of each pinned thread, the same in every call.
    fn shares(self, threads: usize) -> Vec<Self> {
        let games = self.len;
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
    fn chunks(self, grain: usize) -> Vec<Self> {
        let mut chunks = Vec::new();
        let mut rest = self;
        loop {
            let selected =
                |ids: &[u32]| ids.get(grain.div_ceil(4)).map_or(usize::MAX, |&id| id as usize - rest.first);
            let games = rest.ids.map_or(grain, |ids| selected(ids).max(grain));
            if games >= rest.len {
                chunks.push(rest);
                return chunks;
            }
            let (chunk, others) = rest.split_at(games);
            chunks.push(chunk);
            rest = others;
        }
    }

    fn split_at(self, count: usize) -> (Self, Self) {
        let Self { first, len, selected_index, ids, games, selected } = self;
        let chosen = ids.map_or(count, |ids| ids.partition_point(|&id| (id as usize) < first + count));
        let (left_ids, right_ids) = ids.map(|ids| ids.split_at(chosen)).unzip();
        let (left_games, right_games) = games.divide(count);
        let (left_selected, right_selected) = selected.divide(chosen);
        let left = Part {
            first,
            len: count,
            selected_index,
            ids: left_ids,
            games: left_games,
            selected: left_selected,
        };
        let right = Part {
            first: first + count,
            len: len - count,
            selected_index: selected_index + chosen,
            ids: right_ids,
            games: right_games,
            selected: right_selected,
        };
        (left, right)
    }
}

/// The memory of a batch's games.
pub(super) struct Games<'a, G: Rules> {
    pub(super) slots: &'a mut [Slot<G>],
    pub(super) next: &'a mut [NextSample],
    pub(super) rows: Rows<'a>,
}

impl<G: Rules> Divide for Games<'_, G> {
    fn divide(self, count: usize) -> (Self, Self) {
        let (left_slots, right_slots) = self.slots.divide(count);
        let (left_next, right_next) = self.next.divide(count);
        let (left_rows, right_rows) = self.rows.split_at(count);
        (
            Self { slots: left_slots, next: left_next, rows: left_rows },
            Self { slots: right_slots, next: right_next, rows: right_rows },
        )
    }
}

/// A range of a batch's games with an action buffer: one action per selected game, or empty if actions are not
/// requested.
pub(super) type BatchPart<'a, G> = Part<'a, Games<'a, G>, &'a mut [ActionId]>;

impl<G: Rules> BatchPart<'_, G> {
    /// Runs `task` for every selected game, one after the other.
    pub(super) fn for_each<F>(self, stepper: &Stepper<G>, task: &F)
    where
        F: Fn(&Stepper<G>, GameCall<'_, '_, G>) + ?Sized,
    {
        let Self {
            first,
            selected_index,
            ids,
            games: Games { slots, next, mut rows },
            selected: actions,
            ..
        } = self;
        let rows = &mut rows;
        let mut unasked = 0;
        match ids {
            None => {
                for (row, (slot, next)) in slots.iter_mut().zip(next).enumerate() {
                    let action = actions.get_mut(row).unwrap_or(&mut unasked);
                    task(
                        stepper,
                        GameCall { slot, next, rows, row, selected_index: selected_index + row, action },
                    );
                }
            }
            Some(ids) => {
                for (k, &id) in ids.iter().enumerate() {
                    let row = id as usize - first;
                    let (slot, next) = (&mut slots[row], &mut next[row]);
                    let action = actions.get_mut(k).unwrap_or(&mut unasked);
                    task(
                        stepper,
                        GameCall { slot, next, rows, row, selected_index: selected_index + k, action },
                    );
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
