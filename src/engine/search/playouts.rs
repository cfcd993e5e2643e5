//! The bots that search by playouts.

use std::sync::Arc;

use crate::engine::contract::Game;
use crate::engine::contract::chance::{Chance, SeededChance, StreamId};
use crate::engine::contract::options::RewardMode;
use crate::engine::faces::analysis::{Analysis, Forecast};
use crate::engine::faces::interrupt::Interrupt;
use crate::engine::faces::tree_search::{Evaluator, SearchSettings};
use crate::engine::search::evaluator::Judge;
use crate::engine::search::game_tree::{GameTree, Position};
use crate::engine::search::plan::Plan;
use crate::engine::search::scratch::Scratch;
use crate::engine::search::tree::ROOT;

/// Fewest playouts that an action gets in a search one action deep.
const PLAYOUTS_EACH: u32 = 5;

/// How far a search looks ahead of its playouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// One action: flat Monte Carlo, with sequential halving.
    OneAction,
    /// A tree.
    Tree,
}

/// Searches `state` by playouts and picks an action; any legal one once `interrupt` is raised.
pub(crate) fn choose_by_playouts<G: Game>(
    game: &Arc<G>,
    state: &G::State,
    reach: Reach,
    playouts: u32,
    chance: &mut SeededChance,
    interrupt: &Interrupt,
) -> u32 {
    // Of a single action there is nothing to find out.
    let (plan, tree) = search(game, state, (reach, playouts, 2), chance, interrupt);
    tree.decide(&plan)
}

/// Searches `state` by playouts and says what was found; anything once `interrupt` is raised.
pub(crate) fn analyse_by_playouts<G: Game>(
    game: &Arc<G>,
    state: &G::State,
    reach: Reach,
    playouts: u32,
    chance: &mut SeededChance,
    interrupt: &Interrupt,
) -> Analysis {
    let (plan, tree) = search(game, state, (reach, playouts, 1), chance, interrupt);
    let mut policy = Vec::new();
    tree.policy(&plan, &mut policy);
    let mut shares: Vec<(u32, f32)> = tree.tree.actions(ROOT).iter().copied().zip(policy).collect();
    shares.sort_unstable_by_key(|&(action, _)| action);
    Analysis {
        action: tree.decide(&plan),
        shares,
        values: tree.tree.values(ROOT).iter().map(|&value| value as f32).collect(),
        forecast: Forecast::Lead,
    }
}

/// The tree of so many playouts, searched where there are at least so many actions to choose from.
fn search<G: Game>(
    game: &Arc<G>,
    state: &G::State,
    (reach, playouts, least_actions): (Reach, u32, usize),
    chance: &mut SeededChance,
    interrupt: &Interrupt,
) -> (Plan<G>, GameTree<G>) {
    let mut settings = SearchSettings {
        simulations: playouts,
        gumbel_scale: 0.0,
        // Whatever the environment's rewards are.
        reward: Some(RewardMode::Outcome),
        ..SearchSettings::default()
    };
    if reach == Reach::OneAction {
        settings.considered = (playouts / PLAYOUTS_EACH).max(1);
        settings.max_depth = Some(1);
    }
    settings.seed = u64::from(chance.uniform(u32::MAX)) << 32 | u64::from(chance.uniform(u32::MAX));
    let plan = Plan::new(game.clone(), settings).for_playouts();
    let mut tree = GameTree::new(&plan);
    let stream = StreamId { seed: 0, game: 0, episode: 0 };
    let position = Position { state, stream, length: 0, done: false };
    Scratch::lend(&**game, |scratch| {
        tree.start(&plan, &position, None, scratch);
        if tree.tree.actions(ROOT).len() >= least_actions {
            Judge::new(&plan, Evaluator::Playout).search(&plan, &mut tree, scratch, interrupt);
        }
    });
    (plan, tree)
}
