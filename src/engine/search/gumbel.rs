//! Gumbel AlphaZero: action selection and the improved policy.
//!
//! Danihelka, Guez, Schrittwieser, Silver: Policy improvement by planning with Gumbel, ICLR 2022; constants as in
//! mctx.

use crate::search::exp::exp;
use crate::search::tree::{Expanded, Node, ROOT, Tree};

/// Added to the visits of the most visited action in the scale of Q values against logits (mctx's `maxvisit_init`).
const MAXVISIT_INIT: f64 = 50.0;
/// Factor of the scale of Q values against logits (mctx's `value_scale`).
const VALUE_SCALE: f64 = 0.1;
/// Minimum divisor when Q values are rescaled by their range.
pub(super) const EPSILON: f64 = 1e-8;
/// Visits of the mixed value that the improved policy adds to every action where values are noisy.
const PRIOR_VISITS: f64 = 4.0;

/// Action selection in trees of a game with `num_actions` actions.
#[derive(Debug, Clone)]
pub(super) struct Gumbel {
    pub(super) num_actions: u32,
    /// Maximum number of actions considered at the root.
    pub(super) considered: u32,
    pub(super) simulations: u32,
}

/// Completed Q values of a node's actions on the scale of logits.
struct CompletedQ {
    /// The value of unvisited actions.
    mixed: f64,
    low: f64,
    range: f64,
    scale: f64,
}

impl CompletedQ {
    fn of(&self, q: f64) -> f64 {
        self.scale * ((q - self.low) / self.range)
    }
}

impl Gumbel {
    /// Selects an action below the root; returns its index in the node's block: an expanded action, or the first
    /// unexpanded one, right after them. Only where values are exact.
    pub(super) fn select(&self, tree: &mut Tree, node: u32) -> usize {
        if tree.node(node).legal == 1 {
            return 0;
        }
        tree.sort_next(node, None);
        let of_node = *tree.node(node);
        let expanded = tree.expanded(node);
        if expanded.len() == 0 {
            return 0;
        }
        let total: u32 = expanded.open().map(|i| expanded.visits(i)).sum();
        let completed = self.completed(&of_node, expanded, total, EPSILON);
        let has_unexpanded = of_node.expanded < of_node.legal;
        let highest = expanded
            .open()
            .map(|i| expanded.q(i))
            .fold(if has_unexpanded { completed.mixed } else { f64::NEG_INFINITY }, f64::max);
        let highest = completed.of(highest);
        let weight = |prior: f32, q: f64| f64::from(prior * exp((completed.of(q) - highest) as f32));
        let mut sum = 0.0;
        if has_unexpanded {
            sum += weight(of_node.rest, completed.mixed);
        }
        for i in expanded.open() {
            sum += weight(expanded.priors[i], expanded.q(i));
        }
        let (each, every) = (1.0 / sum, 1.0 / f64::from(1 + total));
        let mut best = Best::new();
        for i in expanded.open() {
            let probability = weight(expanded.priors[i], expanded.q(i)) * each;
            best.offer(probability - f64::from(expanded.visits(i)) * every, expanded.actions[i], i);
        }
        if has_unexpanded {
            let next = of_node.expanded as usize;
            let (prior, action) = (tree.priors(node)[next], tree.actions(node)[next]);
            best.offer(weight(prior, completed.mixed) * each, action, next);
        }
        best.position
    }

    /// Selects an action at the root in simulation `simulation`. `keys` are logits with noise, `base` the visits before
    /// the search. `least_range`: [`SearchContext::least_range`](crate::search::context::SearchContext::least_range).
    pub(super) fn select_at_root(
        &self,
        tree: &mut Tree,
        keys: &mut [f32],
        base: &[u32],
        simulation: u32,
        least_range: f64,
    ) -> usize {
        tree.sort_next(ROOT, Some(keys));
        let root = tree.node(ROOT);
        let expanded = tree.expanded(ROOT);
        let closed = expanded.len() - expanded.open().count();
        let considered = self.considered.min(root.legal - closed as u32);
        let mut wanted = considered_visits(considered, self.simulations, simulation);
        if closed > 0 {
            // A candidate may have been refuted since: one that was dropped before takes its place.
            let visits = expanded.open().map(|i| new_visits(expanded, base, i));
            let visits = visits.chain((root.expanded < root.legal).then_some(0));
            let most = visits.clone().filter(|&visits| visits <= wanted).max();
            wanted = most.or_else(|| visits.min()).unwrap_or(wanted);
        }
        let is_candidate = |i| new_visits(expanded, base, i) == wanted;
        self.best_at_root(tree, keys, is_candidate, wanted == 0, least_range)
    }

    /// The best action: the one with the highest score among the most visited actions and the actions with
    /// exact values.
    pub(super) fn decide(&self, tree: &Tree, keys: &[f32], base: &[u32], least_range: f64) -> usize {
        let expanded = tree.expanded(ROOT);
        let most = expanded.open().map(|i| new_visits(expanded, base, i)).max().unwrap_or(0);
        let is_candidate = |i| new_visits(expanded, base, i) == most || expanded.is_certain(i);
        self.best_at_root(tree, keys, is_candidate, most == 0, least_range)
    }

    /// The best of the root's open actions that are candidates.
    fn best_at_root(
        &self,
        tree: &Tree,
        keys: &[f32],
        is_candidate: impl Fn(usize) -> bool,
        has_unvisited: bool,
        least_range: f64,
    ) -> usize {
        let root = tree.node(ROOT);
        let expanded = tree.expanded(ROOT);
        let total = expanded.open().map(|i| expanded.visits(i)).sum();
        let completed = self.completed(root, expanded, total, least_range);
        let mut best = Best::new();
        for i in expanded.open().filter(|&i| is_candidate(i)) {
            best.offer(f64::from(keys[i]) + completed.of(expanded.q(i)), expanded.actions[i], i);
        }
        if has_unvisited && root.expanded < root.legal {
            let next = root.expanded as usize;
            best.offer(f64::from(keys[next]) + completed.of(completed.mixed), tree.actions(ROOT)[next], next);
        }
        best.position
    }

    /// The improved policy of the root: one probability per legal action, in the order of [`Tree::actions`].
    ///
    /// Shrinkage: with chance or hidden information (`is_noisy`), the Q value of few visits is noise, which the softmax
    /// would multiply. So it moves towards the mixed value, the less the more visits it has.
    pub(super) fn policy(&self, tree: &Tree, is_noisy: bool, least_range: f64, policy: &mut Vec<f32>) {
        let expanded = tree.expanded(ROOT);
        let total = expanded.open().map(|i| expanded.visits(i)).sum();
        let completed = self.completed(tree.node(ROOT), expanded, total, least_range);
        let added = if is_noisy { PRIOR_VISITS } else { 0.0 };
        let q = |i: usize| {
            if i >= expanded.len() {
                return completed.of(completed.mixed);
            }
            let visits = f64::from(expanded.visits(i));
            let shrunk = (visits * expanded.q(i) + added * completed.mixed) / (visits + added);
            // Without noise, Q values stay what they are, to the last bit.
            completed.of(if is_noisy && !expanded.is_certain(i) { shrunk } else { expanded.q(i) })
        };
        let priors = tree.priors(ROOT);
        let highest = (0..priors.len()).map(q).fold(f64::NEG_INFINITY, f64::max);
        let start = policy.len();
        policy.extend(priors.iter().enumerate().map(|(i, prior)| prior * exp((q(i) - highest) as f32)));
        let sum: f32 = policy[start..].iter().sum();
        policy[start..].iter_mut().for_each(|weight| *weight /= sum);
    }

    /// Completes the Q values of a node with the mixed value for unvisited actions, rescales them to [0, 1] by their
    /// range or `least_range`, and scales them by visits.
    fn completed(&self, node: &Node, expanded: Expanded<'_>, total: u32, least_range: f64) -> CompletedQ {
        let raw = f64::from(node.raw);
        let (mut priors, mut weighted, mut most) = (0.0, 0.0, 0);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for i in expanded.open() {
            let (prior, q) = (f64::from(expanded.priors[i]), expanded.q(i));
            priors += prior;
            weighted += prior * q;
            most = most.max(expanded.visits(i));
            low = low.min(q);
            high = high.max(q);
        }
        let mixed = if total == 0 {
            raw
        } else {
            let total = f64::from(total);
            (raw + total * (weighted / priors)) / (total + 1.0)
        };
        // As in mctx, illegal actions count as unvisited here.
        if node.expanded < self.num_actions {
            (low, high) = (low.min(mixed), high.max(mixed));
        }
        let scale = (MAXVISIT_INIT + f64::from(most)) * VALUE_SCALE;
        CompletedQ { mixed, low, range: (high - low).max(least_range), scale }
    }
}

/// Visits of the expanded action `i` in this search.
fn new_visits(expanded: Expanded<'_>, base: &[u32], i: usize) -> u32 {
    expanded.visits(i) - base.get(i).unwrap_or(&0)
}

/// Sequential halving of `considered` actions: the visit count that an action must have to compete in a simulation.
///
/// Every phase has about the same number of simulations, shared evenly by the remaining actions; then half of the
/// actions are dropped.
fn considered_visits(considered: u32, simulations: u32, simulation: u32) -> u32 {
    if considered <= 1 {
        return simulation;
    }
    let phases = (considered - 1).ilog2() + 1;
    let (mut start, mut visits, mut left) = (0, 0, considered);
    loop {
        let rounds = (simulations / phases.saturating_mul(left)).max(1);
        let end = rounds.saturating_mul(left).saturating_add(start);
        if simulation < end {
            return visits + (simulation - start) / left;
        }
        start = end;
        visits += rounds;
        left = (left / 2).max(2);
    }
}

/// The best score so far; ties go to the lowest action.
pub(super) struct Best {
    score: f64,
    action: u32,
    pub(super) position: usize,
}

impl Best {
    pub(super) fn new() -> Self {
        Self { score: f64::NEG_INFINITY, action: u32::MAX, position: 0 }
    }

    #[inline]
    pub(super) fn offer(&mut self, score: f64, action: u32, position: usize) {
        if score > self.score || (score == self.score && action < self.action) {
            *self = Self { score, action, position };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequential_halving_visits_fewer_and_fewer_actions() {
        let table = |considered, simulations| {
            (0..simulations).map(|i| considered_visits(considered, simulations, i)).collect::<Vec<_>>()
        };
        assert_eq!(table(1, 4), [0, 1, 2, 3]);
        assert_eq!(table(4, 8), [0, 0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(table(3, 5), [0, 0, 0, 1, 1]);
        assert_eq!(table(16, 5), [0; 5], "more actions are considered than simulations made");
        for (considered, simulations) in [(2, 1), (7, 50), (16, 200), (16, 64)] {
            let first = table(considered, simulations).iter().filter(|&&visits| visits == 0).count();
            assert_eq!(first as u32, considered.min(simulations));
        }
    }
}
