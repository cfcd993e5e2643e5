//! Tree reuse: a node becomes the root, and all nodes not below it are dropped.

use crate::search::tree::{NONE, Node, ROOT, Tree};

impl Tree {
    /// Makes `root` the root and drops all nodes not below it. `kept` is called with the old index of every remaining
    /// node, in the order of the new indices.
    pub(crate) fn move_root(&mut self, root: u32, mut kept: impl FnMut(u32)) {
        // A parent precedes its children, so one pass finds and renumbers everything below the root.
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        numbers.resize(self.nodes.len(), NONE);
        numbers[root as usize] = 0;
        let mut count = 1;
        for node in root as usize..self.nodes.len() {
            if numbers[node] == NONE {
                continue;
            }
            let Node { stats, expanded, .. } = self.nodes[node];
            for stat in stats..stats + expanded {
                let mut child = self.stats.children[stat as usize];
                while child != NONE {
                    numbers[child as usize] = 0;
                    child = self.nodes[child as usize].sibling;
                }
            }
        }
        for number in &mut numbers[root as usize + 1..] {
            if *number == 0 {
                *number = count;
                count += 1;
            }
        }
        let renumbered = |node: u32| if node == NONE { NONE } else { numbers[node as usize] };
        self.spare.clear();
        self.spare_entries.clear();
        let (mut actions_end, mut node_end) = (0, 0);
        for (old, _) in numbers.iter().enumerate().filter(|&(_, &number)| number != NONE) {
            let mut node = self.nodes[old];
            let (first, legal) = (node.first as usize, node.legal as usize);
            self.actions.copy_within(first..first + legal, actions_end);
            self.priors.copy_within(first..first + legal, actions_end);
            let players = self.players;
            self.values.copy_within(old * players..(old + 1) * players, node_end * players);
            self.rewards.copy_within(old * players..(old + 1) * players, node_end * players);
            if !self.added.is_empty() {
                self.added.copy_within(old * players..(old + 1) * players, node_end * players);
            }
            let (stats, expanded) = (node.stats as usize, node.expanded as usize);
            node.first = actions_end as u32;
            node.stats = self.spare.len() as u32;
            node.room = node.expanded;
            node.sibling = if node_end == 0 { NONE } else { renumbered(node.sibling) };
            self.spare.visits.extend_from_slice(&self.stats.visits[stats..stats + expanded]);
            self.spare.q.extend_from_slice(&self.stats.q[stats..stats + expanded]);
            self.spare
                .children
                .extend(self.stats.children[stats..stats + expanded].iter().map(|&child| renumbered(child)));
            self.spare.pending.resize(self.spare.visits.len(), 0);
            node.bounds = self.spare_entries.take(&self.entries, node.bounds, players);
            for &mark in &self.stats.marks[stats..stats + expanded] {
                self.spare.marks.push(self.spare_entries.take(&self.entries, mark, players));
            }
            self.nodes[node_end] = node;
            kept(old as u32);
            actions_end += legal;
            node_end += 1;
        }
        self.numbers = numbers;
        self.nodes.truncate(node_end);
        self.values.truncate(node_end * self.players);
        self.rewards.truncate(node_end * self.players);
        self.added.truncate(node_end * self.players);
        self.actions.truncate(actions_end);
        self.priors.truncate(actions_end);
        std::mem::swap(&mut self.stats, &mut self.spare);
        std::mem::swap(&mut self.entries, &mut self.spare_entries);
        // The new root gets keys with noise, so its unexpanded actions must be sorted again.
        self.nodes[ROOT as usize].sorted = false;
    }
}
