//! Memory of a tree, reserved before a simulation changes anything.

use super::{GameTree, Pending};
use crate::contract::rules::Rules;
use crate::contract::support::error::Result;
use crate::contract::support::memory::{room, room_exact};
use crate::search::context::SearchContext;
use crate::search::tree::{TREE, Tree};

/// Maximum number of nodes that a tree reserves at once.
const MOST_RESERVED: u32 = 1024;

impl<G: Rules> GameTree<G> {
    /// Reserves memory for the nodes of a search, no more than needed, and for a root with `legal` legal actions.
    pub(super) fn reserve(&mut self, context: &SearchContext<G>, legal: usize) -> Result<()> {
        let nodes = Self::nodes_reserved(context);
        self.tree.reserve(nodes)?;
        self.tree.make_room(legal)?;
        room_exact(&mut self.states, nodes, TREE)
    }

    /// Nodes that a search makes room for at its start.
    fn nodes_reserved(context: &SearchContext<G>) -> usize {
        let settings = &context.settings;
        let most = settings.max_nodes.unwrap_or(MOST_RESERVED).min(MOST_RESERVED);
        settings.simulations.min(most) as usize + 1
    }

    /// Bytes that a tree takes for them.
    pub(crate) fn bytes_reserved(context: &SearchContext<G>) -> usize {
        Self::nodes_reserved(context) * (Tree::node_bytes(context.players) + size_of::<G::State>())
    }

    /// Reserves memory for one more step of the simulation.
    pub(super) fn make_room_to_go(&mut self, context: &SearchContext<G>) -> Result<()> {
        let Pending { path, rewards, .. } = &mut self.pending[self.in_flight];
        room(path, 1, TREE)?;
        room(rewards, context.players, TREE)
    }

    /// Reserves memory for a new node with `legal` legal actions and, given `parent`, for a newly tried action of it.
    pub(super) fn make_room(
        &mut self,
        context: &SearchContext<G>,
        legal: usize,
        parent: Option<u32>,
    ) -> Result<()> {
        self.make_room_to_go(context)?;
        self.tree.make_room(legal)?;
        room(&mut self.states, 1, TREE)?;
        parent.map_or(Ok(()), |parent| self.tree.make_room_to_expand(parent))
    }
}
