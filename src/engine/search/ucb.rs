//! UCB1 with progressive widening: action selection below the root in searches by playouts.
//!
//! Playouts are noisy and do not rate single actions, so there are no useful priors. A node expands a new action
//! whenever the number of expanded actions is below the square root of its visits. Otherwise it selects the action
//! with the highest upper confidence bound. With few visits this finds a good reply among many, where PUCT with equal
//! priors would stay with the first action that looked good.

use crate::search::gumbel::Best;
use crate::search::tree::Tree;

/// Weight of the width of the confidence interval, for values in [-1, 1]. It is small because a playout ends in an
/// estimate, which is far less noisy than the outcome of a whole game.
const EXPLORATION: f64 = 0.2;

/// Selects an action; returns its index in the node's block: an expanded action, or the first unexpanded one, right
/// after them.
pub(super) fn select(tree: &mut Tree, node: u32) -> usize {
    tree.sort_next(node, None);
    let of_node = *tree.node(node);
    let expanded = tree.expanded(node);
    let (count, visits) = expanded
        .open()
        .fold((0, 0), |(count, visits): (u32, u32), i| (count + 1, visits + expanded.visits(i)));
    if of_node.expanded < of_node.legal && count <= visits.isqrt() {
        return of_node.expanded as usize;
    }
    let width = libm::log(f64::from(visits + 1));
    let mut best = Best::new();
    for i in expanded.open() {
        let interval = (width / f64::from(expanded.visits(i).max(1))).sqrt();
        best.offer(expanded.q(i) + EXPLORATION * interval, expanded.actions[i], i);
    }
    best.position
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::spec::MAX_PLAYERS;
    use crate::search::tree::{Edge, NewNode, ROOT};

    #[test]
    fn expanded_actions_grow_with_the_root_of_the_visits_and_the_best_gets_most() {
        let mut tree = Tree::new(1);
        tree.add(&NewNode { key: None, mover: 0, finished: false, chance: false }, &[0.0], &[u64::MAX]);
        tree.evaluate(ROOT, &[0.0; MAX_PLAYERS]);
        for visits in 0..400_u32 {
            let edge = select(&mut tree, ROOT);
            if edge == tree.node(ROOT).expanded as usize {
                tree.expand_next(ROOT);
            }
            assert_eq!(tree.node(ROOT).expanded, visits.isqrt() + 1);
            let step = Edge { node: ROOT, edge: edge as u32 };
            tree.note_pending(step);
            let value = if tree.action(step) == 3 { 0.5 } else { -0.25 };
            tree.back_up(&[step], &[0.0], &mut [value; MAX_PLAYERS], 1.0, false);
        }
        let visits = |edge: usize| tree.expanded(ROOT).visits(edge);
        let most = (0..20).max_by_key(|&edge| visits(edge)).expect("20 actions were expanded");
        assert_eq!(tree.expanded(ROOT).actions[most], 3);
        assert!(visits(most) > 300, "{} of 400 visits", visits(most));
        assert_eq!((0..20).filter(|&edge| visits(edge) == 0).count(), 0);
    }
}
