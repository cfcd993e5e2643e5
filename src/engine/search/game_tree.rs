//! The search tree of one game: simulations descend over the real rules, and their leaves are evaluated and backed
//! up.
//!
//! Without hidden information a node is a position and stores its state. A simulation plays only its last action,
//! plus one action at each chance node on its path. With hidden information the search is ISMCTS (information set
//! Monte Carlo tree search): every simulation starts from a position determinized for the searching player and plays
//! all actions from there. A node then represents all positions with the same observation for that player and the
//! same legal actions.

mod leaves;
mod proofs;
mod room;
mod roots;

pub(crate) use self::roots::{SearchRoot, TreeReuse};
use crate::contract::chance::{SeededChance, StreamId};
use crate::contract::mask;
use crate::contract::rules::{Rules, Status};
use crate::contract::spec::MAX_PLAYERS;
use crate::contract::support::error::Result;
use crate::contract::support::memory::room;
use crate::dynamic::tree_search::SearchMethod;
use crate::search::context::{SearchContext, SelectionRule};
use crate::search::noise;
use crate::search::puct;
use crate::search::scratch::Scratch;
use crate::search::tree::{Edge, NONE, NewNode, ROOT, TREE, Tree};
use crate::search::ucb;
use crate::transition;

/// A simulation with a leaf that waits for its value.
#[derive(Default)]
struct Pending {
    path: Vec<Edge>,
    /// `[steps, players]`: the rewards of the steps.
    rewards: Vec<f32>,
    leaf: u32,
}

/// The position that a tree searches.
pub(super) struct Root {
    /// Whether the position has a decision to search.
    active: bool,
    pub(super) seat: usize,
    length: u32,
    stream: StreamId,
    /// Whether `keys` are filled in.
    prepared: bool,
    /// Gumbel: logits with noise; PUCT: priors with noise. One per legal action, in the order of the root's block.
    keys: Vec<f32>,
    /// Visits of the expanded actions before this search.
    base: Vec<u32>,
    /// A uniform draw in [0, 1) that selects the move, if moves are sampled by visits (temperature).
    draw: Option<f32>,
    /// Actions that end the game and have no node yet.
    ends: Vec<u32>,
}

impl Root {
    /// Reserves memory for the statistics of `legal` actions.
    fn make_room(&mut self, legal: usize) -> Result<()> {
        let Self { keys, base, .. } = self;
        room(keys, legal.saturating_sub(keys.len()), TREE)?;
        room(base, legal.saturating_sub(base.len()), TREE)
    }
}

/// Counters of a tree since its creation.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counters {
    pub(crate) simulations: u64,
    pub(crate) nodes: u64,
    pub(crate) depths: u64,
    pub(crate) terminal: u64,
}

/// The child for a chance outcome drawn in a simulation.
pub(super) enum Known {
    /// The child of the same outcome.
    Same(u32),
    /// The child of another outcome, because the action already has its maximum number of children.
    Exchanged(u32),
}

/// The end of a simulation.
enum Simulated {
    /// At a position waiting for its value.
    Leaf,
    /// At a position whose value is exact, a finished or solved one, and whether it is a new node.
    Exact { is_new: bool },
    /// At a position already in flight.
    Collision,
    /// At the node limit: no further node may be created.
    Full,
    /// At no node, because there is no memory for a new one.
    Starved,
}

/// The end of a walk through known children, before the simulation has to play an action.
enum Walk {
    /// The action to play.
    Play(Edge),
    End(Simulated),
}

/// The tree of one game.
pub(crate) struct GameTree<G: Rules> {
    pub(crate) tree: Tree,
    /// The state of every node; with hidden information, one of the states that the searching player cannot
    /// distinguish.
    pub(super) states: Vec<G::State>,
    pub(super) root: Root,
    /// With hidden information, the determinized root of the last simulation.
    determinized_root: Option<G::State>,
    pub(super) chance: SeededChance,
    /// The first `in_flight` entries are simulations in flight; the others are kept for reuse.
    pending: Vec<Pending>,
    in_flight: usize,
    /// Number of simulations of this search, including simulations in flight.
    begun: u32,
    pub(crate) full: bool,
    /// Whether the last simulation ran out of memory for its node. It is undone, and the next descent restarts it.
    pub(crate) starved: bool,
    pub(crate) counters: Counters,
}

impl<G: Rules> GameTree<G> {
    pub(crate) fn new(context: &SearchContext<G>) -> Self {
        let stream = StreamId { seed: 0, game: 0, episode: 0 };
        Self {
            tree: Tree::new(context.players),
            states: Vec::new(),
            root: Root {
                active: false,
                seat: 0,
                length: 0,
                stream,
                prepared: false,
                keys: Vec::new(),
                base: Vec::new(),
                draw: None,
                ends: Vec::new(),
            },
            determinized_root: None,
            chance: SeededChance::new(stream),
            pending: Vec::new(),
            in_flight: 0,
            begun: 0,
            full: false,
            starved: false,
            counters: Counters::default(),
        }
    }

    /// Whether the position has a decision to search.
    pub(crate) fn is_active(&self) -> bool {
        self.root.active
    }

    /// Whether the search is over: no leaf is in flight and no simulation is left to start.
    pub(crate) fn is_done(&self, context: &SearchContext<G>) -> bool {
        let is_searched = self.begun >= context.settings.simulations || self.full;
        let is_over = (self.tree.is_evaluated(ROOT) && is_searched) || self.is_proven();
        !self.root.active || (self.in_flight == 0 && is_over)
    }

    /// Simulates until a leaf waits for its value; false if there is no further leaf. The legal actions of the leaf are
    /// written to `mask`.
    ///
    /// Out of memory, the simulation is undone and the tree becomes `starved`.
    pub(crate) fn descend(
        &mut self,
        context: &SearchContext<G>,
        mask: &mut [u64],
        scratch: &mut Scratch,
    ) -> bool {
        self.starved = false;
        if !self.root.active || self.is_proven() {
            return false;
        }
        if !self.tree.is_evaluated(ROOT) {
            // The root is in flight: no action can be selected until it has priors.
            if self.in_flight > 0 {
                return false;
            }
            context.game.legal(&self.states[0], mask);
            let pending = self.next_pending();
            pending.path.clear();
            pending.rewards.clear();
            pending.leaf = ROOT;
            self.in_flight = 1;
            return true;
        }
        while self.begun < context.settings.simulations && !self.full && !self.is_proven() {
            let before = self.chance.position();
            let simulated = self.simulate(context, mask, scratch);
            let pending = &self.pending[self.in_flight];
            if let Simulated::Leaf | Simulated::Exact { .. } = simulated {
                self.begun += 1;
                self.counters.simulations += 1;
                self.counters.depths += pending.path.len() as u64;
            }
            match simulated {
                Simulated::Leaf => {}
                Simulated::Exact { is_new } => {
                    let Pending { path, rewards, leaf } = pending;
                    self.counters.terminal += u64::from(self.tree.node(*leaf).finished);
                    let mut values = [0.0; MAX_PLAYERS];
                    values[..context.players].copy_from_slice(self.tree.values(*leaf));
                    let discount = context.settings.discount.into();
                    let refreshed = self.is_refreshed(context);
                    self.tree.back_up(path, rewards, &mut values, discount, refreshed);
                    if is_new {
                        self.back_up_bounds(context, scratch);
                    }
                }
                Simulated::Collision | Simulated::Full | Simulated::Starved => {
                    self.tree.forget_pending(&pending.path);
                }
            }
            match simulated {
                Simulated::Leaf => {
                    self.in_flight += 1;
                    return true;
                }
                Simulated::Exact { .. } => {}
                Simulated::Collision => return false,
                Simulated::Full => self.full = true,
                Simulated::Starved => {
                    self.starved = true;
                    // The simulation that replaces it draws the same chance outcomes.
                    self.chance = SeededChance::at(self.chance.id(), before);
                    return false;
                }
            }
        }
        false
    }

    /// A free entry for the next simulation in flight.
    fn next_pending(&mut self) -> &mut Pending {
        if self.pending.len() == self.in_flight {
            self.pending.push(Pending::default());
        }
        &mut self.pending[self.in_flight]
    }

    /// Starts the next simulation.
    fn walk_from_root(&mut self, context: &SearchContext<G>) -> Walk {
        if !self.root.prepared {
            self.prepare_root(context);
        }
        let pending = self.next_pending();
        pending.path.clear();
        pending.rewards.clear();
        self.walk(context, ROOT)
    }

    /// Selects actions from `node` on while their outcomes are known without playing them.
    fn walk(&mut self, context: &SearchContext<G>, mut node: u32) -> Walk {
        loop {
            let edge = self.select(context, node);
            let step = Edge { node, edge: edge as u32 };
            if context.hidden || edge == self.tree.node(node).expanded as usize {
                return Walk::Play(step);
            }
            let child = self.tree.first_outcome(step);
            if child == NONE || self.tree.node(child).chance {
                return Walk::Play(step);
            }
            if self.make_room_to_go(context).is_err() {
                return Walk::End(Simulated::Starved);
            }
            let rewards = self.tree.rewards(child);
            self.pending[self.in_flight].rewards.extend_from_slice(rewards);
            if let Some(end) = self.enter(context, step, child) {
                return Walk::End(end);
            }
            node = child;
        }
    }

    /// Moves to a known child; returns how the simulation ends if it ends there.
    fn enter(&mut self, context: &SearchContext<G>, step: Edge, child: u32) -> Option<Simulated> {
        self.tree.note_pending(step);
        let pending = &mut self.pending[self.in_flight];
        pending.path.push(step);
        pending.leaf = child;
        let depth = pending.path.len() as u32;
        let node = &mut self.tree.nodes[child as usize];
        if node.finished || node.solved {
            node.visits += 1;
            return Some(Simulated::Exact { is_new: false });
        }
        if !self.tree.is_evaluated(child) {
            return Some(Simulated::Collision);
        }
        context.settings.max_depth.is_some_and(|most| depth >= most).then_some(Simulated::Leaf)
    }

    /// One descent from the root to a new position, a finished one, or the depth limit.
    fn simulate(&mut self, context: &SearchContext<G>, mask: &mut [u64], scratch: &mut Scratch) -> Simulated {
        let game = &*context.game;
        let at = self.in_flight;
        let mut walk = self.walk_from_root(context);
        // The state for playing actions: with hidden information a determinized root, otherwise filled in before an
        // action is played.
        let mut state =
            context.hidden.then(|| game.determinize(&self.states[0], self.root.seat, &mut self.chance));
        if context.has_playouts {
            self.determinized_root = state;
        }
        loop {
            let step = match walk {
                Walk::Play(step) => step,
                Walk::End(end) => {
                    if let Simulated::Leaf = end {
                        // The simulation ends at the depth limit, in an existing node.
                        game.legal(&self.states[self.pending[at].leaf as usize], mask);
                    }
                    return end;
                }
            };
            let is_new = step.edge as usize == self.tree.node(step.node).expanded as usize;
            let is_full =
                context.settings.max_nodes.is_some_and(|most| self.tree.nodes.len() >= most as usize);
            if is_new && is_full {
                return Simulated::Full;
            }
            let next = state.get_or_insert_with(|| self.states[step.node as usize]);
            let position = self.chance.position();
            let length = self.root.length + self.pending[at].path.len() as u32 + 1;
            let action = self.tree.action(step);
            let mut played = transition::step(game, &context.common, next, action, length, &mut self.chance);
            let finished = played.status != Status::Running;
            let chance = self.chance.position() != position;
            // Keys are computed lazily: the first outcome of an action gets its key only with the second outcome.
            let key = (!is_new).then(|| self.key(context, next, finished, scratch));
            let known = key.and_then(|key| self.known_outcome(context, step, key, is_full, scratch));
            if known.is_some() && self.make_room_to_go(context).is_err() {
                return Simulated::Starved;
            }
            let (child, rewards) = match known {
                Some(Known::Same(child)) => {
                    let rewards = &mut played.rewards[..context.players];
                    rewards
                        .iter_mut()
                        .zip(self.tree.added(child))
                        .for_each(|(reward, added)| *reward += added);
                    (child, &*rewards)
                }
                Some(Known::Exchanged(child)) => {
                    *next = self.states[child as usize];
                    (child, self.tree.rewards(child))
                }
                None => {
                    if !finished {
                        game.legal(next, mask);
                    }
                    let legal = if finished { 0 } else { mask::count(mask) as usize };
                    if self.make_room(context, legal, is_new.then_some(step.node)).is_err() {
                        return Simulated::Starved;
                    }
                    self.pending[at].rewards.extend_from_slice(&played.rewards[..context.players]);
                    if is_new {
                        self.tree.expand_next(step.node);
                    }
                    let mover = game.current_player(next);
                    let new = NewNode { key, mover, finished, chance };
                    let child = self.tree.add(&new, &played.rewards, mask);
                    self.tree.attach(step, child);
                    self.tree.note_pending(step);
                    self.states.push(*next);
                    self.counters.nodes += 1;
                    self.pending[at].path.push(step);
                    self.pending[at].leaf = child;
                    if finished {
                        self.tree.nodes[child as usize].visits = 1;
                        return Simulated::Exact { is_new: true };
                    }
                    let solved = self.try_leaf(context, child, length);
                    return if solved { Simulated::Exact { is_new: true } } else { Simulated::Leaf };
                }
            };
            self.pending[at].rewards.extend_from_slice(rewards);
            let end = self.enter(context, step, child);
            if context.hidden {
                if let (Some(Simulated::Leaf), Some(state)) = (&end, state) {
                    self.states[child as usize] = state;
                }
            } else {
                state = None;
            }
            walk = end.map_or_else(|| self.walk(context, child), Walk::End);
        }
    }

    /// Whether the values of nodes with many visits are refreshed: set to the value of the best action instead of the
    /// mean over all visits.
    ///
    /// Disabled for two-player games without chance, where PUCT's exploration works well and visits must equal mctx's
    /// exactly. In other games an action with unlucky first outcomes needs many more visits until its value is known,
    /// and these exploring visits must not lower the value of the node. With hidden information, the values of nodes
    /// cannot be computed from the values of their outcomes.
    fn is_refreshed(&self, context: &SearchContext<G>) -> bool {
        !context.hidden && !context.has_playouts && (context.players > 2 || self.tree.has_chance)
    }

    /// Whether values vary between visits of a node.
    fn is_noisy(&self, context: &SearchContext<G>) -> bool {
        context.is_noisy || self.tree.has_chance
    }

    /// Selects an action of a node; returns its index in the node's block: an expanded action, or the first
    /// unexpanded one, right after them.
    ///
    /// | node | values | Gumbel AlphaZero | PUCT |
    /// |---|---|---|---|
    /// | root | any | sequential halving | PUCT with noise |
    /// | below | from playouts | UCB1 | UCB1 |
    /// | below | noisy | PUCT | PUCT |
    /// | below | exact | improved policy | PUCT |
    ///
    /// The improved policy does not explore, so that one unlucky outcome can rule an action out for good: it is not
    /// used where values are noisy.
    fn select(&mut self, context: &SearchContext<G>, node: u32) -> usize {
        let (refreshed, is_noisy) = (self.is_refreshed(context), self.is_noisy(context));
        let Root { keys, base, .. } = &mut self.root;
        match (node, &context.rule) {
            (ROOT, SelectionRule::Gumbel(rule)) => {
                rule.select_at_root(&mut self.tree, keys, base, self.begun, context.least_range(is_noisy))
            }
            (ROOT, SelectionRule::Puct) => context.puct.select(&mut self.tree, ROOT, Some(keys), refreshed),
            _ if context.has_playouts => ucb::select(&mut self.tree, node),
            (_, SelectionRule::Gumbel(rule)) if !is_noisy => rule.select(&mut self.tree, node),
            _ => context.puct.select(&mut self.tree, node, None, refreshed),
        }
    }

    /// Draws the noise of the root.
    fn prepare_root(&mut self, context: &SearchContext<G>) {
        if !self.root.ends.is_empty() {
            self.add_ends(context);
        }
        let settings = &context.settings;
        let priors = self.tree.priors(ROOT);
        let keys = &mut self.root.keys;
        keys.clear();
        match settings.method {
            SearchMethod::Gumbel => {
                keys.extend(priors.iter().map(|&prior| libm::logf(prior)));
                if settings.gumbel_scale > 0.0 {
                    for key in &mut *keys {
                        *key += settings.gumbel_scale * noise::gumbel(&mut self.chance);
                    }
                }
            }
            SearchMethod::Puct => {
                keys.extend_from_slice(priors);
                let fraction = settings.dirichlet_fraction;
                if fraction > 0.0 {
                    let alpha = settings.dirichlet_alpha.unwrap_or(10.0 / priors.len() as f32);
                    noise::mix_dirichlet(keys, fraction, alpha, &mut self.chance);
                }
                if self.root.length < settings.temperature_moves {
                    self.root.draw = Some(noise::unit(&mut self.chance));
                }
            }
        }
        let expanded = self.tree.expanded(ROOT);
        self.root.base.clear();
        self.root.base.extend((0..expanded.len()).map(|i| expanded.visits(i)));
        self.root.prepared = true;
    }

    /// Prepares the root of a Gumbel search with this noise, one number per action index.
    pub(crate) fn prepare_root_with(&mut self, noise: &[f32]) {
        let keys = self.tree.actions(ROOT).iter().zip(self.tree.priors(ROOT));
        self.root.keys.clear();
        self.root.keys.extend(keys.map(|(&action, &prior)| libm::logf(prior) + noise[action as usize]));
        self.root.base.clear();
        self.root.prepared = true;
    }

    /// The random source of simulations.
    pub(crate) fn chance(&mut self) -> &mut SeededChance {
        &mut self.chance
    }

    /// The state of a node.
    pub(crate) fn state(&self, node: u32) -> &G::State {
        &self.states[node as usize]
    }

    /// The searched position, and the searching player.
    pub(crate) fn root(&self) -> (&G::State, usize) {
        (&self.states[0], self.root.seat)
    }

    /// The start position of the last simulation.
    pub(crate) fn origin(&self) -> &G::State {
        self.determinized_root.as_ref().unwrap_or(&self.states[0])
    }

    /// The best action.
    pub(crate) fn decide(&self, context: &SearchContext<G>) -> u32 {
        if !self.root.active {
            return 0;
        }
        self.tree.actions(ROOT)[self.best_position(context, self.root.draw)]
    }

    /// The place of the best action among the root's; with `draw`, of the one that is sampled by visits.
    fn best_position(&self, context: &SearchContext<G>, draw: Option<f32>) -> usize {
        if let Some(position) = self.tree.proven_action(ROOT) {
            return position;
        }
        let (tree, root) = (&self.tree, &self.root);
        let expanded = tree.expanded(ROOT);
        match &context.rule {
            _ if !root.prepared || expanded.len() == 0 => {
                let priors = tree.priors(ROOT);
                let is_open = |&i: &usize| i >= expanded.len() || expanded.is_open(i);
                let open = (0..priors.len()).rev().filter(is_open);
                open.max_by(|&a, &b| f32::total_cmp(&priors[a], &priors[b])).unwrap_or(0)
            }
            SelectionRule::Gumbel(rule) => {
                rule.decide(tree, &root.keys, &root.base, context.least_range(self.is_noisy(context)))
            }
            SelectionRule::Puct => match draw {
                Some(draw) => noise::by_visits(tree, draw, context.settings.temperature),
                None => puct::decide(tree),
            },
        }
    }

    /// The improved policy of the root, in the order of its actions.
    ///
    /// Only the best actions of a proven root and only open actions of other roots have probabilities above 0.
    pub(crate) fn policy(&self, context: &SearchContext<G>, policy: &mut Vec<f32>) {
        let start = policy.len();
        match &context.rule {
            SelectionRule::Gumbel(rule) => {
                let is_noisy = self.is_noisy(context);
                rule.policy(&self.tree, is_noisy, context.least_range(is_noisy), policy);
            }
            SelectionRule::Puct => puct::policy(&self.tree, policy),
        }
        let (policy, expanded) = (&mut policy[start..], self.tree.expanded(ROOT));
        let best = self.tree.proven_action(ROOT);
        if best.is_none() && expanded.open().count() == expanded.len() {
            return;
        }
        for (i, share) in policy.iter_mut().enumerate() {
            let is_open = i >= expanded.len() || expanded.is_open(i);
            if !is_open || best.is_some() && self.proven_sign(context, i) < 1 {
                *share = 0.0;
            }
        }
        let sum: f32 = policy.iter().sum();
        if sum > 0.0 {
            policy.iter_mut().for_each(|share| *share /= sum);
        } else {
            policy[self.best_position(context, None)] = 1.0;
        }
    }

    /// Memory of the tree in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.tree.bytes() + self.states.capacity() * size_of::<G::State>()
    }
}
