//! Search for any game: flat Monte Carlo, and UCT over determinisations.
//!
//! Every playout begins in a state drawn anew from those that the mover cannot tell from the real one, and
//! draws its own chance, so that nothing hidden and nothing of the real future is seen. The tree is that of
//! information-set search: its nodes are sequences of decisions, whatever was drawn between them, and a
//! child competes only in the playouts in which its action was legal. Each seat maximises its own value.
//!
//! A playout goes on at random to the end of the game, where a seat's value is its outcome in [-1, 1], or for
//! [`HORIZON`] decisions, where the change of its lead since the root is squashed into (-1/2, 1/2): a finished
//! game counts more than an estimate. With few playouts for many actions the order in which actions are
//! tried decides most; at the root it is that of the greedy bot, further down it is random.

use super::bots::{at_random, rate_actions};
use super::chance::{SeededChance, shuffle};
use super::game::{Game, Status};
use super::mask;
use super::reward::outcome_from_ranks;
use super::spec::MAX_PLAYERS;

/// Random decisions of a playout before the position is estimated.
const HORIZON: u32 = 30;
/// Weight of exploration in UCT.
const EXPLORATION: f32 = 0.4;
/// Actions tried at a node grow with the square root of its visits.
const WIDENING: f32 = 2.0;
/// Fewest playouts that an action gets in flat search.
const FLAT_SHARE: u32 = 5;

/// A value for each seat.
type Values = [f32; MAX_PLAYERS];

/// How far `seat` is ahead of the best other seat.
pub(super) fn lead(values: &[f32], seat: usize) -> f32 {
    let others = values.iter().enumerate().filter(|&(other, _)| other != seat);
    let best = others.map(|(_, &value)| value).fold(f32::NEG_INFINITY, f32::max);
    if best == f32::NEG_INFINITY { values[seat] } else { values[seat] - best }
}

/// Shares `playouts` out evenly among the actions in `mask`, or among the most promising ones where there are
/// too many, and picks the one with the best mean.
pub(super) fn flat<G: Game>(
    game: &G,
    state: &G::State,
    mask: &[u64],
    playouts: u32,
    chance: &mut SeededChance,
) -> u32 {
    let mut candidates = candidates(game, state, mask, chance);
    candidates.truncate((playouts / FLAT_SHARE).max(1) as usize);
    let mut sums = vec![0.0; candidates.len()];
    let mut simulator = Simulator::new(game, state, chance);
    let rounds = playouts.div_ceil(candidates.len() as u32);
    for _ in 0..rounds {
        for (&action, sum) in candidates.iter().zip(&mut sums) {
            let mut state = simulator.deal();
            game.step(&mut state, action, simulator.chance);
            *sum += simulator.finish(state)[simulator.seat];
        }
    }
    let best = (0..sums.len()).rev().max_by(|&a, &b| f32::total_cmp(&sums[a], &sums[b]));
    candidates[best.expect("there is a legal action")]
}

/// Grows a tree by one node a playout and picks the action that was visited most.
pub(super) fn uct<G: Game>(
    game: &G,
    state: &G::State,
    mask: &[u64],
    playouts: u32,
    chance: &mut SeededChance,
) -> u32 {
    let candidates = candidates(game, state, mask, chance);
    let [_, _, ..] = candidates[..] else { return candidates[0] };
    let mut tree = Tree::new(playouts);
    let mut simulator = Simulator::new(game, state, chance);
    let mut path = Vec::new();
    for _ in 0..playouts {
        let mut state = simulator.deal();
        let mut node = ROOT;
        path.clear();
        while game.status(&state) == Status::Running {
            let seat = game.current_player(&state);
            simulator.legal(&state);
            let (child, is_new) = match tree.select(node, seat, &mut simulator.mask) {
                Some(child) => (child, false),
                None => {
                    let untried = &simulator.mask;
                    let promising = || candidates.iter().copied().find(|&a| mask::contains(untried, a));
                    let action = if node == ROOT { promising() } else { None };
                    let action = action.unwrap_or_else(|| at_random(untried, simulator.chance));
                    (tree.add(node, seat, action), true)
                }
            };
            game.step(&mut state, tree.nodes[child].action, simulator.chance);
            path.push(child);
            node = child;
            if is_new {
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

/// The actions in `mask`, the most promising first.
fn candidates<G: Game>(game: &G, state: &G::State, mask: &[u64], chance: &mut SeededChance) -> Vec<u32> {
    if mask::count(mask) == 1 {
        return mask::iter(mask).collect();
    }
    let mut rated = rate_actions(game, state, mask, chance);
    shuffle(&mut rated, chance);
    rated.sort_by(|a, b| f32::total_cmp(&b.1, &a.1));
    rated.into_iter().map(|(action, _)| action).collect()
}

/// Plays from the root's information set.
struct Simulator<'a, G: Game> {
    game: &'a G,
    root: &'a G::State,
    /// The seat that searches.
    seat: usize,
    players: usize,
    chance: &'a mut SeededChance,
    mask: Vec<u64>,
    /// Leads at the root.
    before: Values,
    /// Sum and number of the changes of the searching seat's lead, without their signs: the scale of values.
    changes: (f32, f32),
}

impl<'a, G: Game> Simulator<'a, G> {
    fn new(game: &'a G, root: &'a G::State, chance: &'a mut SeededChance) -> Self {
        let spec = game.spec();
        let mask = vec![0; spec.mask_words()];
        let seat = game.current_player(root);
        let (before, changes) = ([0.0; MAX_PLAYERS], (1e-6, 1.0));
        Self { game, root, seat, players: spec.players, chance, mask, before, changes }
    }

    /// Fills in the mask.
    fn legal(&mut self, state: &G::State) {
        self.game.legal(state, &mut self.mask);
    }

    /// A state that the searching seat cannot tell from the root.
    fn deal(&mut self) -> G::State {
        let state = self.game.determinize(self.root, self.seat, self.chance);
        self.before = self.leads(&state);
        state
    }

    /// Plays on at random; the value of what comes of it for every seat.
    fn finish(&mut self, mut state: G::State) -> Values {
        for _ in 0..HORIZON {
            if self.game.status(&state) != Status::Running {
                break;
            }
            self.legal(&state);
            let action = at_random(&self.mask, self.chance);
            self.game.step(&mut state, action, self.chance);
        }
        let mut values = [0.0; MAX_PLAYERS];
        if self.game.status(&state) == Status::Terminated {
            let mut ranks = [0; MAX_PLAYERS];
            self.game.ranks(&state, &mut ranks[..self.players]);
            outcome_from_ranks(&ranks[..self.players], &mut values[..self.players]);
            return values;
        }
        let after = self.leads(&state);
        self.changes.0 += (after[self.seat] - self.before[self.seat]).abs();
        self.changes.1 += 1.0;
        let scale = self.changes.0 / self.changes.1;
        for (value, (after, before)) in values.iter_mut().zip(after.iter().zip(&self.before)) {
            let change = after - before;
            *value = 0.5 * change / (change.abs() + scale);
        }
        values
    }

    fn leads(&self, state: &G::State) -> Values {
        let mut estimates = [0.0; MAX_PLAYERS];
        self.game.estimate(state, &mut estimates[..self.players]);
        std::array::from_fn(|seat| if seat < self.players { lead(&estimates[..self.players], seat) } else { 0.0 })
    }
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
        self.nodes.push(Node { action, seat, visits: 0, available: 0, sum: 0.0, first_child, next_sibling });
        self.nodes.len() - 1
    }

    fn add(&mut self, parent: usize, seat: usize, action: u32) -> usize {
        let child = self.push(action, seat, self.nodes[parent].first_child);
        self.nodes[parent].first_child = child;
        self.nodes[child].available = 1;
        child
    }

    /// The child to follow where `seat` may take the actions in `mask`; none when another one is to be tried.
    ///
    /// Takes the actions of all children out of the mask.
    fn select(&mut self, parent: usize, seat: usize, mask: &mut [u64]) -> Option<usize> {
        let limit = 1 + (WIDENING * (self.nodes[parent].visits as f32).sqrt()) as u32;
        let mut best = (f32::NEG_INFINITY, NONE);
        let mut tried = 0;
        let mut child = self.nodes[parent].first_child;
        while child != NONE {
            let node = &mut self.nodes[child];
            if usize::from(node.seat) == seat && mask::contains(mask, node.action) {
                mask[node.action as usize / 64] &= !(1 << (node.action % 64));
                tried += 1;
                node.available += 1;
                let visits = node.visits as f32;
                let bound = node.sum / visits
                    + EXPLORATION * ((node.available as f32).ln() / visits).sqrt();
                if bound > best.0 {
                    best = (bound, child);
                }
            }
            child = node.next_sibling;
        }
        let untried = mask::count(mask) > 0;
        if best.1 == NONE || (untried && tried < limit) { None } else { Some(best.1) }
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
