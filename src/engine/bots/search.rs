//! Search for any game: flat Monte Carlo, and UCT over determinisations.
//!
//! Every playout begins in a state drawn anew from those that the mover cannot tell from the real one, and
//! draws its own chance, so that nothing hidden and nothing of the real future is seen. The tree is that of
//! information-set search: its nodes are sequences of decisions, whatever was drawn between them, and a
//! child competes only in the playouts in which its action was legal. Each seat maximises its own value.
//!
//! With few playouts for many actions, what is tried first decides most: at the root that is what looks best after the
//! turn, and how good it looks counts for a few visits; further down it is random. A node's actions are tried one
//! after the other as it is visited more.

use crate::engine::bots::playout::{Simulator, squash};
use crate::engine::bots::random::at_random;
use crate::engine::bots::rating::{DECIDED, rate_actions};
use crate::engine::contract::chance::{SeededChance, shuffle};
use crate::engine::contract::rules::Status;
use crate::engine::contract::{Game, mask};
use crate::engine::faces::interrupt::Interrupt;

/// Weight of exploration in UCT.
const EXPLORATION: f32 = 0.2;
/// Visits that the look of an action counts for.
const PRIOR_VISITS: u32 = 4;
/// Fewest playouts that an action gets in flat search.
const FLAT_SHARE: u32 = 5;

/// How playouts are spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// Flat Monte Carlo.
    Flat,
    /// A tree over determinisations.
    Uct,
}

/// Picks one of the actions in `mask`; any number once `interrupt` is raised.
pub(super) fn search<G: Game>(
    method: Method,
    playouts: u32,
    game: &G,
    state: &G::State,
    mask: &[u64],
    chance: &mut SeededChance,
    interrupt: &Interrupt,
) -> u32 {
    let candidates = candidates(game, state, mask, chance);
    if let [only] = &candidates[..] {
        return only.action;
    }
    let simulator = Simulator::new(game, state, chance);
    match method {
        Method::Flat => flat(candidates, simulator, playouts, interrupt),
        Method::Uct => uct(&candidates, simulator, playouts, interrupt),
    }
}

/// Shares playouts out evenly among the candidates, or among the most promising ones where there are too many, and
/// picks the one with the best mean.
fn flat<G: Game>(
    mut candidates: Vec<Candidate>,
    mut simulator: Simulator<'_, G>,
    playouts: u32,
    interrupt: &Interrupt,
) -> u32 {
    candidates.truncate((playouts / FLAT_SHARE).max(1) as usize);
    let mut sums = vec![0.0; candidates.len()];
    for playout in (0..playouts as usize).take_while(|_| !interrupt.is_raised()) {
        let i = playout % candidates.len();
        let mut state = simulator.deal();
        simulator.game.step(&mut state, candidates[i].action, simulator.chance);
        sums[i] += simulator.finish(state)[simulator.seat];
    }
    let mean = |i: usize| sums[i] / (playouts as usize - i).div_ceil(candidates.len()) as f32;
    let best = (0..candidates.len()).rev().max_by(|&a, &b| f32::total_cmp(&mean(a), &mean(b)));
    candidates[best.expect("there is a legal action")].action
}

/// Grows a tree by one node a playout and picks the action that was visited most.
fn uct<G: Game>(
    candidates: &[Candidate],
    mut simulator: Simulator<'_, G>,
    playouts: u32,
    interrupt: &Interrupt,
) -> u32 {
    let game = simulator.game;
    let mut tree = Tree::new(playouts);
    let mut path = Vec::new();
    for _ in (0..playouts).take_while(|_| !interrupt.is_raised()) {
        let mut state = simulator.deal();
        let mut node = ROOT;
        path.clear();
        while game.status(&state) == Status::Running {
            let seat = game.current_player(&state);
            game.legal(&state, &mut simulator.mask);
            let selected = tree.select(node, seat, &mut simulator.mask);
            let child = selected.unwrap_or_else(|| {
                let untried = &simulator.mask;
                let mut promising = candidates.iter().filter(|c| mask::contains(untried, c.action));
                match promising.next().filter(|_| node == ROOT) {
                    Some(candidate) => tree.add(node, seat, candidate.action, candidate.prior),
                    None => tree.add(node, seat, at_random(untried, simulator.chance), None),
                }
            });
            game.step(&mut state, tree.nodes[child].action, simulator.chance);
            path.push(child);
            node = child;
            if selected.is_none() {
                break;
            }
        }
        let values = simulator.finish(state);
        tree.nodes[ROOT].visits += 1;
        for &node in &path {
            let node = &mut tree.nodes[node];
            node.visits += 1;
            node.sum += values[usize::from(node.seat)];
        }
    }
    tree.best()
}

/// An action at the root.
struct Candidate {
    action: u32,
    /// How good it looks, as a value; none where there is no choice.
    prior: Option<f32>,
}

/// The actions in `mask`, the most promising first.
fn candidates<G: Game>(
    game: &G,
    state: &G::State,
    mask: &[u64],
    chance: &mut SeededChance,
) -> Vec<Candidate> {
    if mask::count(mask) == 1 {
        return mask::iter(mask).map(|action| Candidate { action, prior: None }).collect();
    }
    let mut rated = rate_actions(game, state, mask, G::outlook, chance);
    shuffle(&mut rated, chance);
    rated.sort_by(|a, b| f32::total_cmp(&b.1, &a.1));
    // Won and lost games say nothing about the scale of leads.
    let open = || rated.iter().map(|&(_, lead)| lead).filter(|lead| lead.abs() < DECIDED / 2.0);
    let count = open().count().max(1) as f32;
    let mean = open().sum::<f32>() / count;
    let scale = open().map(|lead| (lead - mean).abs()).sum::<f32>() / count + 1e-6;
    let candidate =
        |&(action, lead): &(u32, f32)| Candidate { action, prior: Some(squash(lead - mean, scale)) };
    rated.iter().map(candidate).collect()
}

const ROOT: usize = 0;
/// No node: the root is nobody's child.
const NONE: usize = ROOT;

/// A decision: who took which action after those on the way to it.
struct Node {
    action: u32,
    seat: u8,
    visits: u32,
    /// Playouts in which it could have been chosen.
    available: u32,
    /// Sum of the values for `seat`.
    sum: f32,
    first_child: usize,
    next_sibling: usize,
}

struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    fn new(playouts: u32) -> Self {
        let mut tree = Self { nodes: Vec::with_capacity(playouts.min(1 << 20) as usize + 1) };
        tree.push(0, 0, NONE);
        tree
    }

    fn push(&mut self, action: u32, seat: usize, next_sibling: usize) -> usize {
        let (seat, first_child) = (seat as u8, NONE);
        self.nodes.push(Node { action, seat, visits: 0, available: 1, sum: 0.0, first_child, next_sibling });
        self.nodes.len() - 1
    }

    fn add(&mut self, parent: usize, seat: usize, action: u32, prior: Option<f32>) -> usize {
        let child = self.push(action, seat, self.nodes[parent].first_child);
        self.nodes[parent].first_child = child;
        if let Some(value) = prior {
            self.nodes[child].visits = PRIOR_VISITS;
            self.nodes[child].sum = PRIOR_VISITS as f32 * value;
        }
        child
    }

    /// The child to follow where `seat` may take the actions in `mask`; none when another one is to be tried.
    ///
    /// Takes the actions of all children out of the mask.
    fn select(&mut self, parent: usize, seat: usize, mask: &mut [u64]) -> Option<usize> {
        // Actions tried grow with the square root of the visits.
        let limit = 1 + self.nodes[parent].visits.isqrt();
        let mut best = (f32::NEG_INFINITY, NONE);
        let mut tried = 0;
        let mut child = self.nodes[parent].first_child;
        while child != NONE {
            let node = &mut self.nodes[child];
            if usize::from(node.seat) == seat && mask::contains(mask, node.action) {
                mask::clear(mask, node.action);
                tried += 1;
                node.available += 1;
                let visits = node.visits as f32;
                let exploration = ((node.available as f32).ln() / visits).sqrt();
                let bound = node.sum / visits + EXPLORATION * exploration;
                if bound > best.0 {
                    best = (bound, child);
                }
            }
            child = node.next_sibling;
        }
        let is_complete = tried >= limit || mask::count(mask) == 0;
        (is_complete && best.1 != NONE).then_some(best.1)
    }

    /// The root's action with the most visits, then the best mean.
    fn best(&self) -> u32 {
        let mut best = &self.nodes[self.nodes[ROOT].first_child];
        let mut child = best.next_sibling;
        while child != NONE {
            let node = &self.nodes[child];
            if (node.visits, node.sum) > (best.visits, best.sum) {
                best = node;
            }
            child = node.next_sibling;
        }
        best.action
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_tries_more_actions_with_more_visits_and_follows_the_best() {
        let mut tree = Tree::new(100);
        let all = || vec![0b111_u64];
        assert_eq!(tree.select(ROOT, 0, &mut all()), None);
        let good = tree.add(ROOT, 0, 0, None);
        (tree.nodes[good].visits, tree.nodes[good].sum) = (1, 1.0);
        assert_eq!(
            tree.select(ROOT, 0, &mut all()),
            Some(good),
            "one action is enough for an unvisited node"
        );
        tree.nodes[ROOT].visits = 1;
        let mut untried = all();
        assert_eq!(tree.select(ROOT, 0, &mut untried), None);
        assert_eq!(untried, [0b110]);
        let bad = tree.add(ROOT, 0, 2, None);
        (tree.nodes[bad].visits, tree.nodes[bad].sum) = (1, -1.0);
        assert_eq!(tree.select(ROOT, 0, &mut all()), Some(good));
        assert_eq!(tree.select(ROOT, 0, &mut [0b100]), Some(bad), "only what is legal competes");
        assert_eq!(tree.select(ROOT, 1, &mut all()), None, "another seat's decisions are its own");
        tree.nodes[bad].visits = 5;
        assert_eq!(tree.best(), 2);
    }
}
