//! The statistics of one tree: visits, values, priors, independent of the game.
//!
//! Nodes are stored in the order of their creation. Each has one contiguous block of its legal actions (`actions`,
//! `priors`). After the first simulation through the node, it also has one contiguous block of statistics (`visits`,
//! `q`, `children`) of its expanded actions.
//!
//! Unexpanded actions of a node differ only in their priors, so both selection rules try them in the order of their
//! priors. The expanded actions are therefore a prefix of the block, followed by the best unexpanded action: a
//! selection reads the expanded actions and one more, even with hundreds of legal actions.
//!
//! Selection, expansion and backup share private arrays of one struct, so the file is long.

mod bounds;
mod subtree;

use std::num::NonZeroU64;

use self::bounds::Entries;
pub(crate) use self::bounds::{Bounds, Interval, ReturnRules};
use crate::contract::mask;
use crate::contract::spec::MAX_PLAYERS;
use crate::contract::support::error::Result;
use crate::contract::support::memory::{self, room};
use crate::prefetch::prefetch;
use crate::search::exp::exp;

/// Number of visits from which the value of a node is refreshed.
const REFRESHED_FROM: u32 = 32;
/// Uncertainty of a value after one visit, as a share of the range of the node's values; it decreases with the square
/// root of the visits.
const DOUBT: f64 = 0.5;
/// No node.
pub(crate) const NONE: u32 = u32::MAX;
/// Index of the root.
pub(crate) const ROOT: u32 = 0;
/// Name of a tree's memory in error messages.
pub(crate) const TREE: &str = "the nodes of a search tree";
/// Initial capacity for the statistics of a node's expanded actions; doubled when full.
const FIRST_ROOM: u32 = 4;

/// A node: everything about a position except its actions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// Distinguishes the outcomes of one action; `None` while there is only one.
    pub(crate) key: Option<NonZeroU64>,
    /// The network's value for the current player.
    pub(crate) raw: f32,
    /// Sum of the priors of the unexpanded actions; valid while `sorted`.
    pub(crate) rest: f32,
    /// Number of simulations that ended at this node or passed through it.
    pub(crate) visits: u32,
    /// Start of the block of legal actions.
    first: u32,
    /// Number of legal actions.
    pub(crate) legal: u32,
    /// Number of expanded actions.
    pub(crate) expanded: u32,
    /// Start of the block of statistics.
    stats: u32,
    /// Capacity of that block.
    room: u32,
    /// The next outcome of the same action.
    pub(crate) sibling: u32,
    /// The mark of its bounds; 0 if nothing is known.
    bounds: u32,
    /// The current player.
    pub(crate) mover: u8,
    /// Whether the game is over in this position.
    pub(crate) finished: bool,
    /// Whether the step from the parent drew chance.
    pub(crate) chance: bool,
    /// Whether the best unexpanded action directly follows the expanded ones.
    sorted: bool,
    /// Whether the returns of all players are exact, so that no simulation needs to go on from here.
    pub(crate) solved: bool,
    /// Whether an expanded action is closed.
    has_closed: bool,
}

impl Node {
    /// Capacity of the block of statistics after it has grown.
    fn grown(&self) -> u32 {
        (2 * self.room).max(FIRST_ROOM).min(self.legal)
    }
}

/// A position with its expanded actions, as input of the selection rules.
#[derive(Clone, Copy)]
pub(crate) struct Expanded<'a> {
    pub(crate) actions: &'a [u32],
    pub(crate) priors: &'a [f32],
    visits: &'a [u32],
    q: &'a [f64],
    pending: &'a [u32],
    marks: &'a [u32],
    has_closed: bool,
}

impl Expanded<'_> {
    /// Visits of expanded action `i`, including simulations in flight.
    #[inline]
    pub(crate) fn visits(&self, i: usize) -> u32 {
        self.visits[i] + self.pending[i]
    }

    /// Mean value of expanded action `i`; simulations in flight count as lost (virtual loss).
    #[inline]
    pub(crate) fn q(&self, i: usize) -> f64 {
        match self.pending[i] {
            0 => self.q[i],
            pending => {
                let (visits, pending) = (f64::from(self.visits[i]), f64::from(pending));
                (self.q[i] * visits - pending) / (visits + pending)
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.visits.len()
    }

    /// Whether expanded action `i` may be selected: another one is not proven to be as good or better.
    #[inline]
    pub(crate) fn is_open(&self, i: usize) -> bool {
        !self.has_closed || !bounds::is_closed(self.marks[i])
    }

    /// Whether the value of expanded action `i` is exact.
    #[inline]
    pub(crate) fn is_certain(&self, i: usize) -> bool {
        bounds::is_certain(self.marks[i])
    }

    /// The expanded actions that may be selected.
    #[inline]
    pub(crate) fn open(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        (0..self.len()).filter(move |&i| self.is_open(i))
    }
}

/// An edge of the descent: the expanded action with this index in the node's block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    pub(crate) node: u32,
    pub(crate) edge: u32,
}

#[derive(Debug, Clone)]
pub(crate) struct Tree {
    players: usize,
    /// Whether any step in the tree drew chance.
    pub(crate) has_chance: bool,
    pub(crate) nodes: Vec<Node>,
    /// `[nodes, players]`: mean value for every player.
    values: Vec<f64>,
    /// `[nodes, players]`: rewards of the step to the node.
    rewards: Vec<f32>,
    /// `[nodes, players]`: the part of `rewards` that the caller added; empty until there is one.
    added: Vec<f32>,
    actions: Vec<u32>,
    priors: Vec<f32>,
    /// Statistics of expanded actions.
    stats: Stats,
    /// The bounds of nodes and expanded actions.
    entries: Entries,
    /// Double buffering: the memory of `stats` before the last move of the root, for reuse.
    spare: Stats,
    spare_entries: Entries,
    /// Memory for renumbering nodes when the root moves.
    numbers: Vec<u32>,
}

/// Statistics of expanded actions, for the current player.
#[derive(Debug, Clone, Default)]
struct Stats {
    visits: Vec<u32>,
    /// Mean value.
    q: Vec<f64>,
    /// The first outcome.
    children: Vec<u32>,
    /// Simulations in flight.
    pending: Vec<u32>,
    /// Marks of bounds; 0 where nothing is known.
    marks: Vec<u32>,
}

impl Stats {
    fn clear(&mut self) {
        self.visits.clear();
        self.q.clear();
        self.children.clear();
        self.pending.clear();
        self.marks.clear();
    }

    fn len(&self) -> usize {
        self.visits.len()
    }

    /// Reserves memory for `more` statistics.
    fn make_room(&mut self, more: usize) -> Result<()> {
        room(&mut self.visits, more, TREE)?;
        room(&mut self.q, more, TREE)?;
        room(&mut self.children, more, TREE)?;
        room(&mut self.pending, more, TREE)?;
        room(&mut self.marks, more, TREE)
    }

    fn resize(&mut self, len: usize) {
        self.visits.resize(len, 0);
        self.q.resize(len, 0.0);
        self.children.resize(len, NONE);
        self.pending.resize(len, 0);
        self.marks.resize(len, 0);
    }

    fn copy_within(&mut self, from: std::ops::Range<usize>, to: usize) {
        self.visits.copy_within(from.clone(), to);
        self.q.copy_within(from.clone(), to);
        self.children.copy_within(from.clone(), to);
        self.pending.copy_within(from.clone(), to);
        self.marks.copy_within(from, to);
    }
}

/// A new node, without its legal actions.
pub(crate) struct NewNode {
    pub(crate) key: Option<NonZeroU64>,
    pub(crate) mover: usize,
    pub(crate) finished: bool,
    pub(crate) chance: bool,
}

impl Tree {
    pub(crate) fn new(players: usize) -> Self {
        Self {
            players,
            has_chance: false,
            nodes: Vec::new(),
            values: Vec::new(),
            rewards: Vec::new(),
            added: Vec::new(),
            actions: Vec::new(),
            priors: Vec::new(),
            stats: Stats::default(),
            entries: Entries::default(),
            spare: Stats::default(),
            spare_entries: Entries::default(),
            numbers: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.has_chance = false;
        self.nodes.clear();
        self.values.clear();
        self.rewards.clear();
        self.added.clear();
        self.actions.clear();
        self.priors.clear();
        self.stats.clear();
        self.entries.clear();
    }

    /// Bytes of a node without its actions.
    pub(crate) fn node_bytes(players: usize) -> usize {
        size_of::<Node>() + players * (size_of::<f64>() + size_of::<f32>())
    }

    /// Reserves memory for `nodes` nodes in an empty tree.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(crate) fn reserve(&mut self, nodes: usize) -> Result<()> {
        memory::room_exact(&mut self.nodes, nodes, TREE)?;
        memory::room_exact(&mut self.values, nodes * self.players, TREE)?;
        memory::room_exact(&mut self.rewards, nodes * self.players, TREE)
    }

    /// Reserves memory for one node with `legal` legal actions.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); the tree is unchanged.
    #[inline]
    pub(crate) fn make_room(&mut self, legal: usize) -> Result<()> {
        room(&mut self.nodes, 1, TREE)?;
        room(&mut self.values, self.players, TREE)?;
        room(&mut self.rewards, self.players, TREE)?;
        if !self.added.is_empty() {
            room(&mut self.added, self.players, TREE)?;
        }
        room(&mut self.actions, legal, TREE)?;
        room(&mut self.priors, legal, TREE)
    }

    /// Reserves memory for [`Tree::expand_next`].
    ///
    /// # Errors
    /// As for [`Tree::make_room`].
    #[inline]
    pub(crate) fn make_room_to_expand(&mut self, node: u32) -> Result<()> {
        let node = self.node(node);
        if node.expanded < node.room {
            return Ok(());
        }
        let grown = node.grown();
        self.stats.make_room(grown as usize)
    }

    /// Reserves memory for [`Tree::move_root`].
    ///
    /// # Errors
    /// As for [`Tree::make_room`].
    pub(crate) fn make_room_to_move(&mut self) -> Result<()> {
        self.numbers.clear();
        room(&mut self.numbers, self.nodes.len(), TREE)?;
        self.spare.clear();
        self.spare.make_room(self.stats.len())?;
        self.spare_entries.clear();
        self.spare_entries.make_room(self.entries.len(), self.players)
    }

    #[inline]
    pub(crate) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// Memory of the tree in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let stats = |stats: &Stats| 24 * stats.visits.capacity();
        self.nodes.capacity() * size_of::<Node>()
            + 8 * self.values.capacity()
            + 4 * (self.rewards.capacity()
                + self.added.capacity()
                + self.actions.capacity()
                + self.priors.capacity())
            + stats(&self.stats)
            + stats(&self.spare)
            + self.entries.bytes()
            + self.spare_entries.bytes()
    }

    /// Prefetches the memory after the last node, for the next one.
    #[inline]
    pub(crate) fn prefetch_end(&self) {
        prefetch(self.nodes.as_ptr_range().end, 1);
        prefetch(self.values.as_ptr_range().end, self.players);
        prefetch(self.rewards.as_ptr_range().end, self.players);
        prefetch(self.actions.as_ptr_range().end, 16);
        prefetch(self.priors.as_ptr_range().end, 16);
        prefetch(self.stats.visits.as_ptr_range().end, 1);
        prefetch(self.stats.q.as_ptr_range().end, 1);
        prefetch(self.stats.pending.as_ptr_range().end, 1);
        prefetch(self.stats.marks.as_ptr_range().end, 1);
        prefetch(self.stats.children.as_ptr_range().end, 1);
    }

    /// Prefetches the memory read first by the next simulation.
    #[inline]
    pub(crate) fn prefetch(&self) {
        prefetch(self.nodes.as_ptr(), 2);
        prefetch(self.priors.as_ptr(), 16);
        prefetch(self.stats.visits.as_ptr(), 16);
        prefetch(self.stats.q.as_ptr(), 16);
        prefetch(self.stats.pending.as_ptr(), 16);
        prefetch(self.stats.marks.as_ptr(), 16);
        prefetch(self.stats.children.as_ptr(), 16);
    }

    /// Adds an unevaluated node with uniform priors; `mask` has its legal actions.
    pub(crate) fn add(&mut self, new: &NewNode, rewards: &[f32], mask: &[u64]) -> u32 {
        let first = self.actions.len();
        if !new.finished {
            mask::append(mask, &mut self.actions);
        }
        let legal = self.actions.len() - first;
        self.has_chance |= new.chance;
        // Priors are uniform until a network sets them.
        self.priors.resize(self.actions.len(), 1.0 / legal as f32);
        self.values.resize(self.values.len() + self.players, 0.0);
        self.rewards.extend_from_slice(&rewards[..self.players]);
        if !self.added.is_empty() {
            self.added.resize(self.rewards.len(), 0.0);
        }
        self.nodes.push(Node {
            key: new.key,
            raw: 0.0,
            rest: 1.0,
            visits: 0,
            first: first as u32,
            legal: legal as u32,
            expanded: 0,
            stats: 0,
            room: 0,
            sibling: NONE,
            bounds: 0,
            mover: new.mover as u8,
            finished: new.finished,
            chance: new.chance,
            sorted: false,
            solved: false,
            has_closed: false,
        });
        self.nodes.len() as u32 - 1
    }

    /// The legal actions of a node, the expanded ones first.
    #[inline]
    pub(crate) fn actions(&self, node: u32) -> &[u32] {
        let node = self.node(node);
        &self.actions[node.first as usize..(node.first + node.legal) as usize]
    }

    /// The priors of the legal actions, in the order of [`Tree::actions`].
    #[inline]
    pub(crate) fn priors(&self, node: u32) -> &[f32] {
        let node = self.node(node);
        &self.priors[node.first as usize..(node.first + node.legal) as usize]
    }

    /// Mean value of a node for every player.
    #[inline]
    pub(crate) fn values(&self, node: u32) -> &[f64] {
        &self.values[node as usize * self.players..][..self.players]
    }

    /// Mean value of a node for its current player.
    pub(crate) fn value_of_mover(&self, node: u32) -> f64 {
        self.values(node)[usize::from(self.node(node).mover)]
    }

    /// Rewards of the step to a node, by player.
    #[inline]
    pub(crate) fn rewards(&self, node: u32) -> &[f32] {
        &self.rewards[node as usize * self.players..][..self.players]
    }

    /// The part of the rewards that the caller added; empty if there is none.
    pub(crate) fn added(&self, node: u32) -> &[f32] {
        self.added.get(node as usize * self.players..).map_or(&[], |added| &added[..self.players])
    }

    /// Whether the caller added rewards.
    pub(crate) fn has_added(&self) -> bool {
        !self.added.is_empty()
    }

    /// Reserves memory for [`Tree::add_reward`].
    ///
    /// # Errors
    /// As for [`Tree::make_room`].
    pub(crate) fn make_room_for_rewards(&mut self) -> Result<()> {
        let missing = self.rewards.len() - self.added.len();
        room(&mut self.added, missing, TREE)
    }

    /// Adds to the rewards of the step to a node.
    pub(crate) fn add_reward(&mut self, node: u32, extra: &[f32]) {
        if self.added.is_empty() {
            self.forget_bounds();
        }
        self.added.resize(self.rewards.len(), 0.0);
        let first = node as usize * self.players;
        for (i, &extra) in extra.iter().enumerate() {
            self.rewards[first + i] += extra;
            self.added[first + i] += extra;
        }
    }

    /// The expanded actions of a node.
    #[inline]
    pub(crate) fn expanded(&self, node: u32) -> Expanded<'_> {
        let &Node { first, stats, expanded, has_closed, .. } = self.node(node);
        let (first, stats, expanded) = (first as usize, stats as usize, expanded as usize);
        Expanded {
            actions: &self.actions[first..first + expanded],
            priors: &self.priors[first..first + expanded],
            visits: &self.stats.visits[stats..stats + expanded],
            q: &self.stats.q[stats..stats + expanded],
            pending: &self.stats.pending[stats..stats + expanded],
            marks: &self.stats.marks[stats..stats + expanded],
            has_closed,
        }
    }

    /// Sets the priors of a node to the softmax of `logits`, one per legal action. Returns false if a logit is NaN or
    /// positive infinity, or if all are negative infinity.
    pub(crate) fn set_priors(&mut self, node: u32, logits: impl Iterator<Item = f32>) -> bool {
        let Node { first, legal, .. } = *self.node(node);
        let priors = &mut self.priors[first as usize..(first + legal) as usize];
        let mut highest = f32::NEG_INFINITY;
        let mut is_number = true;
        for (prior, logit) in priors.iter_mut().zip(logits) {
            *prior = logit;
            highest = highest.max(logit);
            is_number &= !logit.is_nan();
        }
        if !is_number || !highest.is_finite() {
            return false;
        }
        softmax(priors, highest);
        true
    }

    /// [`Tree::set_priors`] from one logit per action index; logits of illegal actions are ignored.
    pub(crate) fn gather_priors(&mut self, node: u32, logits: &[f32]) -> bool {
        let actions = std::mem::take(&mut self.actions);
        let Node { first, legal, .. } = *self.node(node);
        let legal = &actions[first as usize..(first + legal) as usize];
        let could = self.set_priors(node, legal.iter().map(|&action| logits[action as usize]));
        self.actions = actions;
        could
    }

    /// Sets the priors of a node to uniform.
    pub(crate) fn set_uniform_priors(&mut self, node: u32) {
        let Node { first, legal, .. } = *self.node(node);
        self.priors[first as usize..(first + legal) as usize].fill(1.0 / legal as f32);
    }

    /// Stores a network's value of a node for every player: the first visit of a new node.
    #[inline]
    pub(crate) fn evaluate(&mut self, node: u32, values: &[f64]) {
        let of_node = &mut self.values[node as usize * self.players..][..self.players];
        let node = &mut self.nodes[node as usize];
        node.raw = values[usize::from(node.mover)] as f32;
        node.visits += 1;
        for (mean, value) in of_node.iter_mut().zip(values) {
            *mean += (value - *mean) / f64::from(node.visits);
        }
    }

    /// Whether a node was evaluated.
    #[inline]
    pub(crate) fn is_evaluated(&self, node: u32) -> bool {
        self.node(node).visits > 0
    }

    /// Moves the unexpanded action with the highest key right after the expanded ones; the first of equal keys wins.
    /// The keys are the priors, or `keys`, one per legal action, which are permuted along with the actions.
    pub(crate) fn sort_next(&mut self, node: u32, keys: Option<&mut [f32]>) {
        let Node { first, legal, expanded, sorted, .. } = *self.node(node);
        if sorted {
            return;
        }
        let unexpanded = (first + expanded) as usize..(first + legal) as usize;
        let priors = &mut self.priors[unexpanded.clone()];
        let rest = sum(priors);
        if expanded < legal {
            let best = match &keys {
                Some(keys) => first_highest(&keys[expanded as usize..legal as usize]),
                None => first_highest(priors),
            };
            if best > 0 {
                priors[..=best].rotate_right(1);
                self.actions[unexpanded][..=best].rotate_right(1);
                if let Some(keys) = keys {
                    keys[expanded as usize..][..=best].rotate_right(1);
                }
            }
        }
        let node = &mut self.nodes[node as usize];
        (node.rest, node.sorted) = (rest, true);
    }

    /// Expands the next action of a node: allocates its statistics.
    #[inline]
    pub(crate) fn expand_next(&mut self, node: u32) {
        let Node { expanded, room, stats, .. } = *self.node(node);
        if expanded == room {
            let (old, start) = (stats as usize, self.stats.len());
            let grown = self.node(node).grown();
            if old + room as usize == start && room > 0 {
                // The node's block is the last one, so it can grow in place.
                self.stats.resize(old + grown as usize);
                self.nodes[node as usize].room = grown;
            } else {
                self.stats.resize(start + grown as usize);
                self.stats.copy_within(old..old + expanded as usize, start);
                let node = &mut self.nodes[node as usize];
                (node.stats, node.room) = (start as u32, grown);
            }
        }
        let node = &mut self.nodes[node as usize];
        node.expanded += 1;
        node.sorted = false;
    }

    #[inline]
    fn stat(&self, step: Edge) -> usize {
        (self.node(step.node).stats + step.edge) as usize
    }

    /// The action of an edge.
    #[inline]
    pub(crate) fn action(&self, step: Edge) -> u32 {
        self.actions[(self.node(step.node).first + step.edge) as usize]
    }

    /// Visits of an expanded action.
    #[inline]
    pub(crate) fn edge_visits(&self, step: Edge) -> u32 {
        self.stats.visits[self.stat(step)]
    }

    /// The first outcome of an expanded action.
    #[inline]
    pub(crate) fn first_outcome(&self, step: Edge) -> u32 {
        self.stats.children[self.stat(step)]
    }

    /// All outcomes of an expanded action.
    pub(crate) fn outcomes(&self, step: Edge) -> impl Iterator<Item = u32> + '_ {
        let known = |node: u32| (node != NONE).then_some(node);
        std::iter::successors(known(self.first_outcome(step)), move |&node| known(self.node(node).sibling))
    }

    /// Makes `child` an outcome of an expanded action.
    #[inline]
    pub(crate) fn attach(&mut self, step: Edge, child: u32) {
        let stat = self.stat(step);
        self.nodes[child as usize].sibling = self.stats.children[stat];
        self.stats.children[stat] = child;
    }

    /// Counts a simulation in flight on this edge.
    #[inline]
    pub(crate) fn note_pending(&mut self, step: Edge) {
        let stat = self.stat(step);
        self.stats.pending[stat] += 1;
    }

    /// Removes a simulation in flight from this path.
    pub(crate) fn forget_pending(&mut self, path: &[Edge]) {
        for &step in path {
            let stat = self.stat(step);
            self.stats.pending[stat] -= 1;
        }
    }

    /// Backup: propagates `values`, the players' expected values at the end of `path`, to the root. Each step
    /// discounts the value from below and adds its reward (`rewards`, one per player and step). On request, nodes
    /// with many visits are [refreshed](Tree::refresh).
    pub(crate) fn back_up(
        &mut self,
        path: &[Edge],
        rewards: &[f32],
        values: &mut [f64],
        discount: f64,
        refreshed: bool,
    ) {
        let players = self.players;
        for (&step, rewards) in path.iter().zip(rewards.chunks_exact(players)).rev() {
            let stat = self.stat(step);
            let node = &mut self.nodes[step.node as usize];
            node.visits += 1;
            let share = 1.0 / f64::from(node.visits);
            let means = &mut self.values[step.node as usize * players..][..players];
            // The value of a solved node stays exact.
            let share = if node.solved { 0.0 } else { share };
            for ((value, &reward), mean) in values.iter_mut().zip(rewards).zip(means) {
                *value = f64::from(reward) + discount * *value;
                *mean += (*value - *mean) * share;
            }
            let Stats { visits, q, pending, marks, .. } = &mut self.stats;
            pending[stat] -= 1;
            visits[stat] += 1;
            let mover = usize::from(node.mover);
            q[stat] += (values[mover] - q[stat]) / f64::from(visits[stat]);
            if marks[stat] != 0 {
                self.confine(stat, mover);
            }
            if refreshed && self.node(step.node).visits >= REFRESHED_FROM {
                self.refresh(step, discount);
            }
        }
    }

    /// Refreshes the value of an expanded action: the mean of its outcomes' values, weighted by visits. Also sets the
    /// value of its node to the value of the best action, the one with the highest lower confidence bound.
    fn refresh(&mut self, step: Edge, discount: f64) {
        let mover = usize::from(self.node(step.node).mover);
        let mut of_action = [0.0; MAX_PLAYERS];
        self.value_of_action(step, discount, &mut of_action);
        let stat = self.stat(step);
        self.stats.q[stat] = of_action[mover];
        self.confine(stat, mover);
        if self.node(step.node).solved {
            return;
        }
        let expanded = self.expanded(step.node);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for i in 0..expanded.len() {
            low = low.min(expanded.q[i]);
            high = high.max(expanded.q[i]);
        }
        let doubt = DOUBT * (high - low);
        let mut best = (f64::NEG_INFINITY, 0);
        for i in (0..expanded.len()).filter(|&i| expanded.visits[i] > 0) {
            let bound = expanded.q[i] - doubt / f64::from(expanded.visits[i]).sqrt();
            if bound > best.0 {
                best = (bound, i);
            }
        }
        self.value_of_action(Edge { edge: best.1 as u32, ..step }, discount, &mut of_action);
        let players = self.players;
        self.values[step.node as usize * players..][..players].copy_from_slice(&of_action[..players]);
    }

    /// The value of an expanded action for every player: the mean over its outcomes, weighted by visits.
    pub(crate) fn value_of_action(&self, step: Edge, discount: f64, of_action: &mut [f64; MAX_PLAYERS]) {
        *of_action = [0.0; MAX_PLAYERS];
        let mut total = 0.0;
        for child in self.outcomes(step) {
            let visits = f64::from(self.node(child).visits);
            total += visits;
            let of_child = self.rewards(child).iter().zip(self.values(child));
            for (sum, (&reward, value)) in of_action.iter_mut().zip(of_child) {
                *sum += visits * (f64::from(reward) + discount * value);
            }
        }
        of_action.iter_mut().for_each(|sum| *sum /= total);
    }
}

/// Turns logits with maximum `highest` into probabilities no smaller than the smallest normal float.
fn softmax(logits: &mut [f32], highest: f32) {
    for logit in &mut *logits {
        *logit = exp(*logit - highest);
    }
    let total = sum(logits);
    for probability in logits {
        *probability = (*probability / total).max(f32::MIN_POSITIVE);
    }
}

/// Sums in eight lanes: the compiler can vectorize it, and the order of additions is the same on all machines.
fn sum(numbers: &[f32]) -> f32 {
    let (chunks, rest) = numbers.as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, number)| *lane += number);
    }
    lanes.iter().sum::<f32>() + rest.iter().sum::<f32>()
}

/// Index of the first maximum.
fn first_highest(numbers: &[f32]) -> usize {
    let (chunks, rest) = numbers.as_chunks::<8>();
    let mut lanes = [f32::NEG_INFINITY; 8];
    for chunk in chunks {
        lanes
            .iter_mut()
            .zip(chunk)
            .for_each(|(lane, &number)| *lane = if number > *lane { number } else { *lane });
    }
    let highest = lanes.into_iter().chain(rest.iter().copied()).fold(f32::NEG_INFINITY, f32::max);
    numbers.iter().position(|&number| number == highest).unwrap_or(0)
}
