//! Proofs by the rules: ends of games are exact, and the tree backs them up as bounds.
//!
//! | moment | tried by the rules | with |
//! |---|---|---|
//! | a simulation reaches an end | the bounds of its path | `proofs` |
//! | before the search | every action of the root; with few of them, short forced wins | `one_ply` |
//! | at a new leaf with few actions | every action, for a win | `one_ply`, with a network |
//!
//! With hidden information a proof would have to hold in all positions that the player cannot tell apart, so there are
//! none.

use std::ops::RangeInclusive;

use super::{GameTree, Pending};
use crate::contract::chance::{Chance, EnumeratedOutcomes};
use crate::contract::mask;
use crate::contract::rules::{Rules, Status};
use crate::contract::spec::MAX_PLAYERS;
use crate::contract::support::error::Result;
use crate::contract::support::memory::room;
use crate::search::context::SearchContext;
use crate::search::scratch::Scratch;
use crate::search::tree::{Bounds, Edge, Interval, NONE, NewNode, ROOT, ReturnRules, TREE};
use crate::transition::{self, Transition};

/// Below the root, actions are tried only in positions with at most this many: more would cost as much as a network.
const MOST_TRIED: usize = 64;
/// Maximum number of chance outcomes of an action that a proof lists.
const MOST_OUTCOMES: usize = 64;
/// Depth of the forced wins that are looked for before a search, in decisions.
const FORCED_DEPTH: usize = 3;
/// A move with at most this many replies is forcing: such moves are tried first.
const FORCING: u32 = 8;
/// Steps of the rules that a search spends on forced wins, for each of its simulations: with a network 1 % of its time.
const STEPS_PER_EVALUATION: u32 = 32;
const STEPS_PER_PLAYOUT: u32 = 2;

/// Notes whether chance is drawn.
struct Undrawn {
    drawn: bool,
}

impl Chance for Undrawn {
    fn uniform(&mut self, _: u32) -> u32 {
        self.drawn = true;
        0
    }
    fn weighted(&mut self, weights: &[u32]) -> usize {
        self.drawn = true;
        weights.iter().position(|&weight| weight > 0).unwrap_or(0)
    }
}

/// Plays an action without chance, the `length`-th decision; `None` if it draws chance.
fn trial<G: Rules>(
    context: &SearchContext<G>,
    state: &G::State,
    action: u32,
    length: u32,
) -> Option<(G::State, Transition)> {
    let (mut next, mut chance) = (*state, Undrawn { drawn: false });
    let source: &mut dyn Chance = &mut chance;
    let played = transition::step(&*context.game, &context.common, &mut next, action, length, source);
    (!chance.drawn).then_some((next, played))
}

/// A search for forced wins of one player.
struct Forced<'a, G: Rules> {
    context: &'a SearchContext<G>,
    seat: usize,
    /// The best return of the player.
    best: f32,
    /// The numbers of replies that the player's moves may leave.
    replies: RangeInclusive<u32>,
    /// Steps that it may still play.
    steps: u32,
}

impl<G: Rules> Forced<'_, G> {
    /// The number of actions within which the player wins from `state`, after `length` decisions, against any reply;
    /// `None` if that is not found within as many decisions as there are `masks`.
    fn plies(&mut self, state: &G::State, length: u32, masks: &mut [Vec<u64>]) -> Option<u32> {
        let game = &*self.context.game;
        let (mask, masks) = masks.split_first_mut()?;
        let is_own = game.current_player(state) == self.seat;
        if !is_own && masks.is_empty() {
            return None;
        }
        game.legal(state, mask);
        if !is_own && !self.replies.contains(&mask::count(mask)) {
            return None;
        }
        let mut longest = 0;
        for action in mask::iter(mask) {
            self.steps = self.steps.checked_sub(1)?;
            let after = trial(self.context, state, action, length + 1);
            let plies = after.and_then(|(next, played)| match played.status {
                Status::Running => self.plies(&next, length + 1, masks),
                _ => (played.rewards[self.seat] >= self.best).then_some(0),
            });
            match plies {
                Some(plies) if is_own => return Some(plies + 1),
                Some(plies) => longest = longest.max(plies + 1),
                None if is_own => {}
                None => return None,
            }
        }
        (longest > 0).then_some(longest)
    }
}

impl<G: Rules> GameTree<G> {
    /// The rules of proofs; `None` if nothing can be proven.
    fn return_rules<'a>(&self, context: &'a SearchContext<G>) -> Option<&'a ReturnRules> {
        // Rewards that a caller adds are known only where the tree has been.
        context.proofs.as_ref().filter(|_| !self.tree.has_added())
    }

    /// Whether the return of the searching player is proven.
    pub(crate) fn is_proven(&self) -> bool {
        self.root.active && self.tree.proven(ROOT).is_some()
    }

    /// Backs up the end of the current simulation along its path, as bounds.
    pub(super) fn back_up_bounds(&mut self, context: &SearchContext<G>, scratch: &mut Scratch) {
        let Some(rules) = self.return_rules(context) else { return };
        for depth in (0..self.pending[self.in_flight].path.len()).rev() {
            let Pending { path, leaf, .. } = &self.pending[self.in_flight];
            let step = path[depth];
            let child = path.get(depth + 1).map_or(*leaf, |next| next.node);
            let bounds = if self.tree.node(child).chance || self.tree.node(child).sibling != NONE {
                self.bounds_of_chance(context, rules, step, depth as u32, scratch)
            } else {
                self.tree.outcome_bounds(child, rules)
            };
            let is_news = bounds.is_some_and(|bounds| self.tree.set_action_bounds(step, &bounds));
            if !is_news || !self.tree.derive_bounds(step.node, rules) {
                return;
            }
        }
    }

    /// The bounds of an action with chance: the expectation over its outcomes, once all known ones are solved.
    fn bounds_of_chance(
        &self,
        context: &SearchContext<G>,
        rules: &ReturnRules,
        step: Edge,
        depth: u32,
        scratch: &mut Scratch,
    ) -> Option<Bounds> {
        let is_solved = |child| self.tree.node(child).solved || self.tree.node(child).finished;
        if !self.tree.outcomes(step).all(is_solved) {
            return None;
        }
        let (game, action) = (&*context.game, self.tree.action(step));
        let length = self.root.length + depth + 1;
        let mut outcomes = EnumeratedOutcomes::new(|chance| {
            let mut next = self.states[step.node as usize];
            let played = transition::step(game, &context.common, &mut next, action, length, chance);
            (next, played)
        });
        let mut sum = Bounds { by_player: [Interval::exactly(0.0); MAX_PLAYERS], plies: 0 };
        for outcome in outcomes.by_ref().take(MOST_OUTCOMES) {
            let (next, played) = &outcome.result;
            let finished = played.status != Status::Running;
            let of_outcome = if finished {
                let mut by_player = [Interval::exactly(0.0); MAX_PLAYERS];
                by_player
                    .iter_mut()
                    .zip(played.rewards)
                    .for_each(|(of, reward)| *of = Interval::exactly(reward.into()));
                Bounds { by_player, plies: 1 }
            } else {
                let key = self.key(context, next, finished, scratch);
                let known =
                    self.tree.outcomes(step).find(|&child| self.key_of(context, child, scratch) == key);
                known
                    .and_then(|child| self.tree.outcome_bounds(child, rules))
                    .unwrap_or_else(|| rules.unknown())
            };
            for (sum, of) in sum.by_player.iter_mut().zip(of_outcome.by_player) {
                sum.low += outcome.probability * of.low;
                sum.high += outcome.probability * of.high;
            }
            sum.plies = sum.plies.max(of_outcome.plies);
        }
        outcomes.next().is_none().then_some(sum)
    }

    /// Tries all actions of the root by the rules, and looks for short forced wins.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(super) fn try_root(&mut self, context: &SearchContext<G>, scratch: &mut Scratch) -> Result<()> {
        self.root.ends.clear();
        let Some(rules) = self.return_rules(context).filter(|_| context.settings.one_ply) else {
            return Ok(());
        };
        if self.is_proven() {
            return Ok(());
        }
        let (state, seat, length) = (self.states[0], self.root.seat, self.root.length);
        let expanded = self.tree.node(ROOT).expanded as usize;
        let legal = self.tree.actions(ROOT).len();
        room(&mut self.root.ends, legal, TREE)?;
        let mut wins = false;
        for &action in &self.tree.actions(ROOT)[expanded..] {
            let Some((_, played)) = trial(context, &state, action, length + 1) else { continue };
            if played.status != Status::Running {
                self.root.ends.push(action);
                wins |= f64::from(played.rewards[seat]) >= rules.range.high;
            }
        }
        if wins || self.root.ends.len() == legal || self.tree.is_evaluated(ROOT) {
            self.add_ends(context);
        }
        if !self.is_proven() && rules.range.high.is_finite() && legal <= MOST_TRIED {
            self.try_forced_wins(context, rules, scratch);
        }
        Ok(())
    }

    /// Adds the ends one action after the root as nodes without visits.
    pub(super) fn add_ends(&mut self, context: &SearchContext<G>) {
        let Some(rules) = self.return_rules(context) else { return };
        let ends = std::mem::take(&mut self.root.ends);
        for &action in &ends {
            self.add_end(context, rules, ROOT, action, self.root.length + 1);
        }
        self.root.ends = ends;
        self.root.ends.clear();
        self.tree.derive_bounds(ROOT, rules);
    }

    /// Adds the end of the game after an action of `node` as a node. It is left out if there is no memory.
    fn add_end(
        &mut self,
        context: &SearchContext<G>,
        rules: &ReturnRules,
        node: u32,
        action: u32,
        length: u32,
    ) {
        let Some((next, played)) = trial(context, &self.states[node as usize], action, length) else {
            return;
        };
        let new =
            NewNode { key: None, mover: context.game.current_player(&next), finished: true, chance: false };
        self.add_child(context, rules, node, action, &new, (&next, &played), &[], None);
    }

    /// Adds the position after an unexpanded action, with its bounds.
    #[expect(clippy::too_many_arguments, reason = "the parts of a node")]
    fn add_child(
        &mut self,
        context: &SearchContext<G>,
        rules: &ReturnRules,
        node: u32,
        action: u32,
        new: &NewNode,
        (next, played): (&G::State, &Transition),
        mask: &[u64],
        bounds: Option<&Bounds>,
    ) {
        let is_full = context.settings.max_nodes.is_some_and(|most| self.tree.nodes.len() >= most as usize);
        let has_room = self.tree.make_room(mask::count(mask) as usize).is_ok()
            && room(&mut self.states, 1, TREE).is_ok()
            && self.tree.make_room_to_expand(node).is_ok();
        if is_full || !has_room || !self.tree.bring_next(node, action) {
            return;
        }
        let step = Edge { node, edge: self.tree.node(node).expanded };
        self.tree.expand_next(node);
        let child = self.tree.add(new, &played.rewards, mask);
        self.tree.attach(step, child);
        self.states.push(*next);
        self.counters.nodes += 1;
        if new.finished {
            self.tree.nodes[child as usize].visits = 1;
        }
        if let Some(bounds) = bounds {
            self.tree.set_bounds(child, bounds);
        }
        if let Some(bounds) = self.tree.outcome_bounds(child, rules) {
            self.tree.set_action_bounds(step, &bounds);
        }
    }

    /// Looks for an action of the root after which every reply loses.
    fn try_forced_wins(&mut self, context: &SearchContext<G>, rules: &ReturnRules, scratch: &mut Scratch) {
        let (state, seat, length) = (self.states[0], self.root.seat, self.root.length);
        let steps_each = if context.has_playouts { STEPS_PER_PLAYOUT } else { STEPS_PER_EVALUATION };
        let steps = context.settings.simulations.saturating_mul(steps_each);
        let mut forced = Forced { context, seat, best: rules.range.high as f32, replies: 0..=FORCING, steps };
        let expanded = self.tree.node(ROOT).expanded as usize;
        let mut find = |replies| {
            forced.replies = replies;
            self.tree.actions(ROOT)[expanded..].iter().find_map(|&action| {
                let (next, played) = trial(context, &state, action, length + 1)?;
                let masks = &mut scratch.masks[..FORCED_DEPTH - 1];
                let plies = match played.status {
                    Status::Running => forced.plies(&next, length + 1, masks)?,
                    _ => return None,
                };
                Some((action, next, played, plies))
            })
        };
        let mut found = find(0..=FORCING);
        if found.is_none() && !context.has_playouts {
            found = find(FORCING + 1..=u32::MAX);
        }
        let Some((action, next, played, plies)) = found else { return };
        let mut bounds = rules.unknown();
        bounds.by_player[seat] = Interval::exactly(rules.range.high);
        bounds.plies = plies;
        rules.tighten(&mut bounds.by_player[..context.players]);
        context.game.legal(&next, &mut scratch.mask);
        let new =
            NewNode { key: None, mover: context.game.current_player(&next), finished: false, chance: false };
        self.add_child(context, rules, ROOT, action, &new, (&next, &played), &scratch.mask, Some(&bounds));
        self.tree.derive_bounds(ROOT, rules);
    }

    /// Tries the actions of a new leaf, after `length` decisions, for a win of its current player; returns whether it is
    /// solved.
    pub(super) fn try_leaf(&mut self, context: &SearchContext<G>, leaf: u32, length: u32) -> bool {
        let Some(rules) = self.return_rules(context).filter(|_| context.tries_leaves()) else { return false };
        if self.tree.actions(leaf).len() > MOST_TRIED {
            return false;
        }
        let mover = usize::from(self.tree.node(leaf).mover);
        let wins = |action: u32| {
            trial(context, &self.states[leaf as usize], action, length + 1).is_some_and(|(_, played)| {
                played.status != Status::Running && f64::from(played.rewards[mover]) >= rules.range.high
            })
        };
        let Some(action) = self.tree.actions(leaf).iter().copied().find(|&action| wins(action)) else {
            return false;
        };
        self.add_end(context, rules, leaf, action, length + 1);
        self.tree.derive_bounds(leaf, rules);
        let node = &mut self.tree.nodes[leaf as usize];
        node.visits += u32::from(node.solved);
        node.solved
    }

    /// What is proven of the root's `i`-th action: 1 if none is better, -1 if another one is at least as good and it is
    /// out of the question, or if it is the worst possible; 0 otherwise.
    pub(crate) fn proven_sign(&self, context: &SearchContext<G>, i: usize) -> i8 {
        let (Some(rules), expanded) = (self.return_rules(context), self.tree.expanded(ROOT)) else {
            return 0;
        };
        if i >= expanded.len() {
            return 0;
        }
        let Some(bounds) = self.tree.action_bounds(Edge { node: ROOT, edge: i as u32 }) else { return 0 };
        let Interval { low, high } = bounds.by_player[self.root.seat];
        if high <= rules.range.low || !expanded.is_open(i) {
            return -1;
        }
        let is_best = self.tree.proven(ROOT).is_some_and(|value| low >= value);
        i8::from(low >= rules.range.high || is_best)
    }

    /// The value of the root for every player: of its best action or, without visits, of the root itself.
    pub(crate) fn best_values(&self, context: &SearchContext<G>) -> [f64; MAX_PLAYERS] {
        let mut values = [0.0; MAX_PLAYERS];
        let (tree, position) = (&self.tree, self.best_position(context, None));
        let step = Edge { node: ROOT, edge: position as u32 };
        let bounds = (position < tree.expanded(ROOT).len()).then(|| tree.action_bounds(step)).flatten();
        if position < tree.expanded(ROOT).len() && tree.edge_visits(step) > 0 {
            tree.value_of_action(step, context.settings.discount.into(), &mut values);
        } else {
            values[..context.players].copy_from_slice(tree.values(ROOT));
        }
        if let Some(bounds) = bounds {
            let of_players = values.iter_mut().zip(bounds.by_player).take(context.players);
            of_players.for_each(|(value, Interval { low, high })| *value = value.min(high).max(low));
        }
        values
    }
}
