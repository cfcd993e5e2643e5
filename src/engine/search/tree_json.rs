//! A tree as JSON, for people and drawings.

use serde_json::{Value, json};

use crate::contract::Game;
use crate::search::game_tree::GameTree;
use crate::search::tree::Edge;

impl<G: Game> GameTree<G> {
    /// A node and its descendants, `depth` actions deep, the most visited actions first.
    pub(crate) fn to_json(&self, game: &G, node: u32, depth: usize) -> Value {
        let of_node = self.tree.node(node);
        let mut shown = json!({
            "player": of_node.mover,
            "visits": of_node.visits,
            "values": self.tree.values(node),
            "legal_actions": of_node.legal,
        });
        if of_node.finished {
            shown["finished"] = true.into();
        }
        if depth == 0 || of_node.tried == 0 {
            return shown;
        }
        let tried = self.tree.tried(node);
        let mut order: Vec<usize> = (0..tried.len()).collect();
        order.sort_by_key(|&i| (std::cmp::Reverse(tried.visits(i)), tried.actions[i]));
        let state = &self.states[node as usize];
        let edges = order.into_iter().map(|i| {
            let step = Edge { node, edge: i as u32 };
            let mut outcomes: Vec<u32> = self.tree.outcomes(step).collect();
            outcomes.sort_by_key(|&child| (std::cmp::Reverse(self.tree.node(child).visits), child));
            json!({
                "action": tried.actions[i],
                "text": game.action_to_string(state, tried.actions[i]),
                "prior": tried.priors[i],
                "visits": tried.visits(i),
                "q": tried.q(i),
                "outcomes": outcomes.iter().map(|&child| self.to_json(game, child, depth - 1)).collect::<Vec<_>>(),
            })
        });
        shown["actions"] = edges.collect();
        shown
    }
}
