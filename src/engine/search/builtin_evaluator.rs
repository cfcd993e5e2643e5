//! Leaf evaluation without a network: constant values, the game's estimate, or playouts.

use crate::contract::chance::{Chance, SeededChance};
use crate::contract::rules::Rules;
use crate::contract::spec::MAX_PLAYERS;
use crate::contract::{Game, mask};
use crate::dynamic::interrupt::Interrupt;
use crate::dynamic::tree_search::Evaluator;
use crate::search::context::SearchContext;
use crate::search::game_tree::GameTree;
use crate::search::playout::{Simulator, squash};
use crate::search::rating::{DECIDED, rate_actions};
use crate::search::scratch::Scratch;

/// Priors at the root: the approximate difference between the logits of the most and the least promising action.
const RATING_WEIGHT: f32 = 6.0;
/// Priors below the root: actions are not rated, and their logits are uniform draws between 0 and this number.
const DRAWN_WEIGHT: f32 = 1.0;

/// Evaluates the leaves of one tree.
pub(crate) struct BuiltinEvaluator<'a, G: Game> {
    evaluator: Evaluator,
    simulator: Simulator<'a, G>,
    mask: Vec<u64>,
    logits: Vec<f32>,
}

impl<'a, G: Game> BuiltinEvaluator<'a, G> {
    pub(crate) fn new(context: &'a SearchContext<G>, evaluator: Evaluator) -> Self {
        let mask = vec![0; Rules::spec(&*context.game).mask_words()];
        Self { evaluator, simulator: Simulator::new(&*context.game), mask, logits: Vec::new() }
    }

    /// Runs the search of a tree to the end, or until `interrupt` is raised.
    pub(crate) fn search(
        &mut self,
        context: &SearchContext<G>,
        tree: &mut GameTree<G>,
        scratch: &mut Scratch,
        interrupt: &Interrupt,
    ) {
        // Leaves that are already in flight are evaluated even after an interrupt.
        while tree.in_flight() > 0
            || (!interrupt.is_raised() && tree.descend(context, &mut self.mask, scratch))
        {
            for leaf in 0..tree.in_flight() {
                self.answer(context, tree, leaf);
            }
            tree.clear_in_flight();
        }
    }

    /// Sets the priors and values of a leaf.
    fn answer(&mut self, context: &SearchContext<G>, tree: &mut GameTree<G>, leaf: usize) {
        let mut values = [0.0; MAX_PLAYERS];
        if self.evaluator == Evaluator::Null {
            tree.set_uniform_leaf_priors(leaf);
            tree.back_up_leaf(context, leaf, &mut values);
            return;
        }
        let game = &*context.game;
        let mut chance = tree.chance().clone();
        let (state, _, is_root) = tree.leaf(leaf);
        let (root, seat) = tree.root();
        // The root contains the real hidden information, which a playout must not use, so the playout begins at a
        // determinized copy.
        let state = if is_root { game.determinize(root, seat, &mut chance) } else { *state };
        let origin = if is_root { &state } else { tree.origin() };
        let found = match self.evaluator {
            Evaluator::Playout => self.simulator.playout(state, seat, origin, &mut chance),
            _ => self.simulator.estimate(&state, seat, origin),
        };
        for (value, found) in values.iter_mut().zip(found) {
            *value = f64::from(found);
        }
        self.logits.clear();
        if self.evaluator == Evaluator::Playout {
            if is_root && tree.leaf_actions(leaf).len() > 1 {
                game.legal(&state, &mut self.mask);
                rate(game, &state, &self.mask, &mut chance, &mut self.logits);
            } else {
                let steps = 1 << 16;
                let draw = |_: &u32| DRAWN_WEIGHT * chance.uniform(steps) as f32 / steps as f32;
                self.logits.extend(tree.leaf_actions(leaf).iter().map(draw));
            }
        }
        *tree.chance() = chance;
        if self.logits.is_empty() {
            tree.set_uniform_leaf_priors(leaf);
        } else {
            tree.set_leaf_priors(leaf, self.logits.iter().copied());
        }
        tree.back_up_leaf(context, leaf, &mut values);
    }
}

/// Writes logits for the actions in `mask`, based on the lead at the end of the turn after each action.
fn rate<G: Game>(game: &G, state: &G::State, mask: &[u64], chance: &mut SeededChance, logits: &mut Vec<f32>) {
    debug_assert!(mask::count(mask) > 1);
    let rated = rate_actions(game, state, mask, G::outlook, chance);
    // Only undecided positions determine the scale of the logits, because the leads of won and lost games are huge.
    let open = || rated.iter().map(|&(_, lead)| lead).filter(|lead| lead.abs() < DECIDED / 2.0);
    let count = open().count().max(1) as f32;
    let mean = open().sum::<f32>() / count;
    let scale = open().map(|lead| (lead - mean).abs()).sum::<f32>() / count + 1e-6;
    logits.extend(rated.iter().map(|&(_, lead)| RATING_WEIGHT * squash(lead - mean, scale)));
}
