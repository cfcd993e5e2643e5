//! AlphaZero's PUCT, with Q values rescaled to the range seen at the node, as in MuZero and mctx.

use crate::search::gumbel::{Best, EPSILON};
use crate::search::tree::{ROOT, Tree};

/// The selection rule of PUCT.
#[derive(Debug, Clone, Copy)]
pub(super) struct Puct {
    pub(super) c_init: f64,
    pub(super) c_base: f64,
}

impl Puct {
    /// Selects an action; returns its index in the node's block: an expanded action, or the first unexpanded one,
    /// right after them. At the root, `keys` are the priors with noise. With `refreshed` (refreshed node values),
    /// exploring visits do not lower the value of a node, so there is more exploration.
    pub(super) fn select(
        &self,
        tree: &mut Tree,
        node: u32,
        mut keys: Option<&mut [f32]>,
        refreshed: bool,
    ) -> usize {
        if tree.node(node).legal == 1 {
            return 0;
        }
        tree.sort_next(node, keys.as_deref_mut());
        let of_node = *tree.node(node);
        let expanded = tree.expanded(node);
        if expanded.len() == 0 {
            return 0;
        }
        let priors = keys.as_deref().unwrap_or_else(|| tree.priors(node));
        let value = tree.value_of_mover(node);
        let (mut low, mut high, mut visits) = (value, value, 1);
        for i in expanded.open() {
            let q = expanded.q(i);
            low = low.min(q);
            high = high.max(q);
            visits += expanded.visits(i);
        }
        let range = (high - low).max(EPSILON);
        let visits = f64::from(visits);
        let exploration = self.c_init + libm::log((visits + self.c_base + 1.0) / self.c_base);
        let more = if refreshed { (visits / 32.0).min((visits / 8.0).sqrt()).max(1.0) } else { 1.0 };
        let exploration = visits.sqrt() * exploration * more;
        let mut best = Best::new();
        for i in expanded.open() {
            let bonus = exploration * f64::from(priors[i]) / f64::from(expanded.visits(i) + 1);
            best.offer((expanded.q(i) - low) / range + bonus, expanded.actions[i], i);
        }
        if of_node.expanded < of_node.legal {
            let next = of_node.expanded as usize;
            best.offer(exploration * f64::from(priors[next]), tree.actions(node)[next], next);
        }
        best.position
    }
}

/// The best action: the one with the most visits; ties are broken by the Q value, then by the index.
pub(super) fn decide(tree: &Tree) -> usize {
    let expanded = tree.expanded(ROOT);
    let most = expanded.open().map(|i| expanded.visits(i)).max().unwrap_or(0);
    let mut best = Best::new();
    for i in expanded.open().filter(|&i| expanded.visits(i) == most) {
        best.offer(expanded.q(i), expanded.actions[i], i);
    }
    best.position
}

/// The visit shares, one per legal action in the order of [`Tree::actions`]; without visits, the priors.
pub(super) fn policy(tree: &Tree, policy: &mut Vec<f32>) {
    let expanded = tree.expanded(ROOT);
    let total: u32 = (0..expanded.len()).map(|i| expanded.visits(i)).sum();
    if total == 0 {
        policy.extend_from_slice(tree.priors(ROOT));
        return;
    }
    let start = policy.len();
    policy.extend((0..expanded.len()).map(|i| expanded.visits(i) as f32 / total as f32));
    policy.resize(start + tree.node(ROOT).legal as usize, 0.0);
}
