//! A tree for people: as JSON for drawings, and its principal variations.

use serde_json::{Value, json};

use crate::dynamic::tree_search::SearchLine;
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

    /// The lines of play from a node, one for each of its visited or proven actions, most visits first; `spell` as in
    /// [`Tree::to_json`].
    pub(crate) fn lines(
        &self,
        node: u32,
        depth: usize,
        spell: &dyn Fn(u32, u32) -> String,
    ) -> Vec<SearchLine> {
        if self.node(node).expanded == 0 {
            return Vec::new();
        }
        let expanded = self.expanded(node);
        let mut order: Vec<usize> =
            (0..expanded.len()).filter(|&i| expanded.visits(i) > 0 || expanded.is_certain(i)).collect();
        order.sort_by_key(|&i| (std::cmp::Reverse(expanded.visits(i)), expanded.actions[i]));
        let line = |first: usize| {
            let (mut actions, mut texts) = (Vec::new(), Vec::new());
            let (mut at, mut next) = (node, Some(first));
            while let Some(i) = next.filter(|_| actions.len() < depth.max(1)) {
                let action = self.expanded(at).actions[i];
                actions.push(action);
                texts.push(spell(at, action));
                let outcomes = self.outcomes(Edge { node: at, edge: i as u32 });
                let Some(child) = outcomes.max_by_key(|&child| self.node(child).visits) else { break };
                at = child;
                if self.node(at).expanded == 0 {
                    break;
                }
                let edges = self.expanded(at);
                let most = (0..edges.len()).rev().max_by_key(|&i| edges.visits(i));
                next = self.proven_action(at).or(most.filter(|&i| edges.visits(i) > 0));
            }
            SearchLine { actions, texts, visits: expanded.visits(first), value: expanded.q(first) }
        };
        order.into_iter().map(line).collect()
    }
}
