//! A tree as JSON, for people and drawings.

use serde_json::{Value, json};

use crate::search::tree::{Edge, Tree};

impl Tree {
    /// A node with its subtree to `depth` actions, most visited actions first. `spell` formats an action of a node as
    /// text.
    pub(crate) fn to_json(&self, node: u32, depth: usize, spell: &dyn Fn(u32, u32) -> String) -> Value {
        let of_node = self.node(node);
        let mut shown = json!({
            "player": of_node.mover,
            "visits": of_node.visits,
            "values": self.values(node),
            "legal_actions": of_node.legal,
        });
        if of_node.finished {
            shown["finished"] = true.into();
        }
        if depth == 0 || of_node.expanded == 0 {
            return shown;
        }
        let expanded = self.expanded(node);
        let mut order: Vec<usize> = (0..expanded.len()).collect();
        order.sort_by_key(|&i| (std::cmp::Reverse(expanded.visits(i)), expanded.actions[i]));
        let edges = order.into_iter().map(|i| {
            let step = Edge { node, edge: i as u32 };
            let mut outcomes: Vec<u32> = self.outcomes(step).collect();
            outcomes.sort_by_key(|&child| (std::cmp::Reverse(self.node(child).visits), child));
            json!({
                "action": expanded.actions[i],
                "text": spell(node, expanded.actions[i]),
                "prior": expanded.priors[i],
                "visits": expanded.visits(i),
                "q": expanded.q(i),
                "outcomes": outcomes.iter().map(|&child| self.to_json(child, depth - 1, spell)).collect::<Vec<_>>(),
            })
        });
        shown["actions"] = edges.collect();
        shown
    }
}
