//! Roots of trees: where a search starts, and the part of the tree that stays (tree reuse).

use std::cmp::Reverse;

use super::GameTree;
use crate::contract::chance::{SeededChance, StreamId, split_mix};
use crate::contract::mask;
use crate::contract::rules::Rules;
use crate::contract::spec::MAX_PLAYERS;
use crate::contract::support::error::Result;
use crate::contract::support::memory::room_exact;
use crate::search::context::SearchContext;
use crate::search::scratch::Scratch;
use crate::search::tree::{Edge, NewNode, ROOT, TREE};

/// Separates the random streams of searches from the streams of play.
const SEARCH_SALT: u64 = 0x0000_7365_6172_6368;

/// The start of a search: a position of a game in play.
pub(crate) struct SearchRoot<'a, S> {
    pub(crate) state: &'a S,
    /// The game's random stream.
    pub(crate) stream: StreamId,
    /// Decisions taken in the episode.
    pub(crate) length: u32,
    /// Whether the game is over and needs no decision.
    pub(crate) done: bool,
}

/// The part of itself that a tree keeps when its root moves.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TreeReuse {
    Nothing,
    /// The subtree of the position after this action of the root.
    After(u32),
    /// The subtree of the position, wherever it is.
    Found,
}

impl<G: Rules> GameTree<G> {
    /// Deactivates the tree and drops its nodes.
    pub(crate) fn stop(&mut self) {
        self.rest();
        self.tree.clear();
        self.states.clear();
    }

    /// Pauses the search; the nodes stay for `follow`.
    pub(crate) fn rest(&mut self) {
        self.root.active = false;
        self.in_flight = 0;
        self.begun = 0;
        self.full = false;
        self.starved = false;
    }

    /// Makes `position` the root. Tree reuse: the part below it that `reuse` names stays, if there is one. With `again`,
    /// an earlier call may have made `position` the root already.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); the tree is then unchanged or empty.
    pub(crate) fn start(
        &mut self,
        context: &SearchContext<G>,
        position: &SearchRoot<'_, G::State>,
        reuse: TreeReuse,
        again: bool,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let SearchRoot { state, stream, length, done } = *position;
        let known = match reuse {
            TreeReuse::Nothing => None,
            _ if again && self.has_root(position) => Some(ROOT),
            TreeReuse::After(action) => self.known_position(context, position, Some(action), scratch),
            TreeReuse::Found => self.known_position(context, position, None, scratch),
        };
        let seat = context.game.current_player(state);
        let unused = (context.settings.leaves as usize).saturating_sub(self.pending.len());
        room_exact(&mut self.pending, unused, TREE)?;
        if let Some(node) = known {
            self.root.make_room(self.tree.node(node).legal as usize)?;
            self.tree.make_room_to_move()?;
        }
        match known {
            Some(node) => {
                let (tree, states) = (&mut self.tree, &mut self.states);
                let mut count = 0;
                tree.move_root(node, |old| {
                    states[count] = states[old as usize];
                    count += 1;
                });
                states.truncate(count);
                states[0] = *state;
            }
            None => {
                self.stop();
                if !done {
                    context.game.legal(state, &mut scratch.mask);
                    let legal = mask::count(&scratch.mask) as usize;
                    self.root.make_room(legal)?;
                    self.reserve(context, legal)?;
                    let root = NewNode { key: None, mover: seat, finished: false, chance: false };
                    self.tree.add(&root, &[0.0; MAX_PLAYERS], &scratch.mask);
                    self.states.push(*state);
                    self.counters.nodes += 1;
                }
            }
        }
        self.rest();
        let root = &mut self.root;
        (root.active, root.prepared, root.draw) = (!done, false, None);
        (root.seat, root.length, root.stream) = (seat, length, stream);
        // The random stream depends on the seed, the game and its number of decisions, not on earlier searches.
        self.chance = SeededChance::new(StreamId {
            seed: split_mix(context.settings.seed.unwrap_or(stream.seed) ^ SEARCH_SALT),
            game: stream.game,
            episode: stream.episode << 32 | u64::from(length),
        });
        if done { Ok(()) } else { self.try_root(context, scratch) }
    }

    /// Whether `position` is the root and evaluated.
    fn has_root(&self, position: &SearchRoot<'_, G::State>) -> bool {
        let root = &self.root;
        let is_same = (root.length, root.stream) == (position.length, position.stream);
        !position.done
            && is_same
            && self.states.first() == Some(position.state)
            && self.tree.is_evaluated(ROOT)
    }

    /// The evaluated node below the root that matches `position`: the child after `action` or, without one, any node at
    /// the depth of the position.
    fn known_position(
        &self,
        context: &SearchContext<G>,
        position: &SearchRoot<'_, G::State>,
        action: Option<u32>,
        scratch: &mut Scratch,
    ) -> Option<u32> {
        let root = &self.root;
        let depth = position.length.checked_sub(root.length).filter(|&depth| depth > 0)?;
        if self.states.is_empty() || position.stream != root.stream || position.done {
            return None;
        }
        if context.hidden && context.game.current_player(position.state) != root.seat {
            // With hidden information the nodes are information sets of one player: a search for another player
            // begins with a new tree.
            return None;
        }
        let key = context.hidden.then(|| self.key(context, position.state, false, scratch));
        let mut is_position = |node: u32| {
            let is_same = match key {
                Some(key) => self.key_of(context, node, scratch) == key,
                None => self.states[node as usize] == *position.state,
            };
            is_same && self.tree.is_evaluated(node) && !self.tree.node(node).finished
        };
        match action {
            None => self.find_below(ROOT, depth, &mut is_position),
            Some(_) if depth > 1 => None,
            Some(action) => {
                let edge =
                    self.tree.expanded(ROOT).actions.iter().position(|&expanded| expanded == action)?;
                self.tree.outcomes(Edge { node: ROOT, edge: edge as u32 }).find(|&node| is_position(node))
            }
        }
    }

    /// The most visited node `depth` decisions below `node` that `is_wanted`: several orders of moves may lead to a
    /// position.
    fn find_below(&self, node: u32, depth: u32, is_wanted: &mut dyn FnMut(u32) -> bool) -> Option<u32> {
        let edges = 0..self.tree.node(node).expanded;
        let children = edges.flat_map(|edge| self.tree.outcomes(Edge { node, edge }));
        let found = children.filter_map(|child| match depth {
            1 => is_wanted(child).then_some(child),
            _ => self.find_below(child, depth - 1, is_wanted),
        });
        found.max_by_key(|&node| (self.tree.node(node).visits, Reverse(node)))
    }
}
