//! The leaves of a tree that wait for their evaluation: positions, priors, backup.

use super::{GameTree, Pending};
use crate::contract::rules::Rules;
use crate::contract::spec::MAX_PLAYERS;
use crate::contract::support::error::Result;
use crate::prefetch::prefetch;
use crate::search::context::SearchContext;
use crate::search::tree::ROOT;

impl<G: Rules> GameTree<G> {
    /// Number of leaves in flight (waiting for their values).
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// The position of the `i`-th waiting leaf, its current player, and whether it is the root.
    pub(crate) fn leaf(&self, i: usize) -> (&G::State, usize, bool) {
        let leaf = self.pending[i].leaf;
        (&self.states[leaf as usize], self.tree.node(leaf).mover.into(), leaf == ROOT)
    }

    /// The legal actions of the `i`-th waiting leaf, in increasing order.
    pub(crate) fn leaf_actions(&self, i: usize) -> &[u32] {
        self.tree.actions(self.pending[i].leaf)
    }

    /// Sets the priors of the `i`-th waiting leaf from one logit per legal action; false if the logits are invalid.
    pub(crate) fn set_leaf_priors(&mut self, i: usize, logits: impl Iterator<Item = f32>) -> bool {
        self.tree.set_priors(self.pending[i].leaf, logits)
    }

    /// [`Self::set_leaf_priors`] from one logit per action index.
    pub(crate) fn gather_leaf_priors(&mut self, i: usize, logits: &[f32]) -> bool {
        self.tree.gather_priors(self.pending[i].leaf, logits)
    }

    /// Prefetches the tree's struct before its search.
    pub(crate) fn prefetch(&self) {
        prefetch(std::ptr::from_ref(self), 1);
    }

    /// Prefetches the memory that a simulation reads first.
    pub(crate) fn prefetch_root(&self, context: &SearchContext<G>) {
        self.tree.prefetch();
        self.tree.prefetch_end();
        prefetch(self.states.as_ptr_range().end, 1);
        if context.hidden {
            prefetch(self.states.as_ptr(), 1);
        }
    }

    /// Prefetches the path of the waiting leaf before its backup.
    pub(crate) fn prefetch_path(&self) {
        self.tree.prefetch();
        if let Some(pending) = self.pending.first() {
            prefetch(pending.path.as_ptr(), 8);
        }
    }

    /// Sets the priors of the `i`-th waiting leaf to uniform.
    pub(crate) fn set_uniform_leaf_priors(&mut self, i: usize) {
        self.tree.set_uniform_priors(self.pending[i].leaf);
    }

    /// Backs up the values of the `i`-th waiting leaf, by seat.
    pub(crate) fn back_up_leaf(
        &mut self,
        context: &SearchContext<G>,
        i: usize,
        values: &mut [f64; MAX_PLAYERS],
    ) {
        let refreshed = self.is_refreshed(context);
        let Pending { path, rewards, leaf } = &self.pending[i];
        self.tree.evaluate(*leaf, values);
        self.tree.back_up(path, rewards, values, context.settings.discount.into(), refreshed);
    }

    /// Reserves memory for [`Self::add_leaf_reward`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(crate) fn make_room_for_rewards(&mut self) -> Result<()> {
        self.tree.make_room_for_rewards()
    }

    /// Adds to the rewards of the step to the `i`-th waiting leaf, by player. The root has no such step, and an
    /// evaluated leaf at the depth limit has its reward already.
    pub(crate) fn add_leaf_reward(&mut self, i: usize, extra: &[f32]) {
        let Pending { rewards, leaf, .. } = &mut self.pending[i];
        if *leaf == ROOT || self.tree.is_evaluated(*leaf) {
            return;
        }
        let last_step = rewards.iter_mut().rev().zip(extra.iter().rev());
        last_step.for_each(|(reward, extra)| *reward += extra);
        self.tree.add_reward(*leaf, extra);
    }

    /// Discards all simulations in flight.
    pub(crate) fn clear_in_flight(&mut self) {
        self.in_flight = 0;
    }
}
