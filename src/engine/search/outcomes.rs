//! Chance nodes: the child of an action that a simulation continues with.
//!
//! Progressive widening: an action with chance has one child for every outcome drawn so far, up to [`most_outcomes`].
//! After that, a new outcome is replaced by a known one, drawn in proportion to visits.

use std::num::NonZeroU64;

use xxhash_rust::xxh3::xxh3_64;

use crate::contract::chance::Chance;
use crate::contract::rules::Rules;
use crate::search::context::SearchContext;
use crate::search::game_tree::{GameTree, Known};
use crate::search::scratch::Scratch;
use crate::search::tree::{Edge, NONE, Node};

/// Maximum number of children (outcomes) of an action with this many visits.
fn most_outcomes(visits: u32) -> usize {
    8 + 2 * visits.isqrt() as usize
}

impl<G: Rules> GameTree<G> {
    /// A hash that distinguishes the outcomes of an action: of the state or, with hidden information, of the
    /// searching player's observation and the legal actions.
    pub(super) fn key(
        &self,
        context: &SearchContext<G>,
        state: &G::State,
        finished: bool,
        scratch: &mut Scratch,
    ) -> NonZeroU64 {
        let key = if context.hidden {
            self.key_of_view(context, state, finished, scratch)
        } else {
            xxh3_64(bytemuck::bytes_of(state))
        };
        NonZeroU64::new(key).unwrap_or(NonZeroU64::MIN)
    }

    /// The key of a node.
    pub(super) fn key_of(&self, context: &SearchContext<G>, node: u32, scratch: &mut Scratch) -> NonZeroU64 {
        let Node { key, finished, .. } = *self.tree.node(node);
        key.unwrap_or_else(|| self.key(context, &self.states[node as usize], finished, scratch))
    }

    fn key_of_view(
        &self,
        context: &SearchContext<G>,
        state: &G::State,
        finished: bool,
        scratch: &mut Scratch,
    ) -> u64 {
        let seat = self.root.seat;
        context.game.observe(state, seat, &mut scratch.observation);
        let key = xxh3_64(&scratch.observation) ^ u64::from(finished);
        if finished || context.game.current_player(state) == seat {
            return key;
        }
        context.game.legal(state, &mut scratch.mask);
        key ^ xxh3_64(bytemuck::cast_slice(&scratch.mask)).rotate_left(1)
    }

    /// The existing child for an outcome with this key; `None` if a new child is needed.
    pub(super) fn known_outcome(
        &mut self,
        context: &SearchContext<G>,
        step: Edge,
        key: NonZeroU64,
        is_full: bool,
        scratch: &mut Scratch,
    ) -> Option<Known> {
        let (mut count, mut visits) = (0, 0);
        let mut child = self.tree.first_outcome(step);
        while child != NONE {
            let of_child = self.key_of(context, child, scratch);
            self.tree.nodes[child as usize].key = Some(of_child);
            if of_child == key {
                return Some(Known::Same(child));
            }
            let node = self.tree.node(child);
            count += 1;
            visits += node.visits;
            child = node.sibling;
        }
        if count < most_outcomes(self.tree.edge_visits(step)) && !is_full || visits == 0 {
            return None;
        }
        let mut draw = self.chance.uniform(visits);
        let drawn = self.tree.outcomes(step).find(|&child| {
            let visits = self.tree.node(child).visits;
            let is_it = draw < visits;
            draw = draw.wrapping_sub(visits);
            is_it
        });
        drawn.map(Known::Exchanged)
    }
}
