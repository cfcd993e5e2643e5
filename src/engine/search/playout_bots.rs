//! The bots that search by playouts.

use std::sync::Arc;

use crate::contract::Game;
use crate::contract::chance::{Chance, SeededChance, StreamId};
use crate::contract::options::RewardMode;
use crate::contract::support::error::Error;
use crate::dynamic::analysis::{ActionSearch, Analysis, Forecast, Found};
use crate::dynamic::interrupt::Interrupt;
use crate::dynamic::tree_search::{Evaluator, SearchSettings};
use crate::search::builtin_evaluator::BuiltinEvaluator;
use crate::search::context::SearchContext;
use crate::search::game_tree::{GameTree, SearchRoot, TreeReuse};
use crate::search::scratch::Scratch;
use crate::search::tree::ROOT;

/// Minimum number of playouts per action in a search one action deep.
const PLAYOUTS_EACH: u32 = 5;

/// The depth in actions at which playouts begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lookahead {
    /// One action: flat Monte Carlo, with sequential halving.
    OneAction,
    /// A tree.
    Tree,
}

/// Limits of a bot's search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub(crate) lookahead: Lookahead,
    pub(crate) playouts: u32,
    /// Whether the root has noise.
    pub(crate) explores: bool,
    /// Positions with fewer legal actions are not searched.
    pub(crate) least_actions: usize,
}

impl Limits {
    /// The settings of the search.
    pub(crate) fn settings(self) -> SearchSettings {
        let Self { lookahead, playouts, explores, .. } = self;
        let settings = SearchSettings {
            simulations: playouts,
            gumbel_scale: if explores { 1.0 } else { 0.0 },
            // Playouts predict outcomes, even if the reward mode is `score`.
            reward: Some(RewardMode::Outcome),
            one_ply: true,
            ..SearchSettings::default()
        };
        match lookahead {
            Lookahead::Tree => settings,
            Lookahead::OneAction => SearchSettings {
                considered: (playouts / PLAYOUTS_EACH).max(1),
                max_depth: Some(1),
                ..settings
            },
        }
    }
}

/// The result of a search by playouts. After an interruption the action is legal but the result is meaningless.
pub(crate) struct Searched<G: Game> {
    context: SearchContext<G>,
    tree: GameTree<G>,
}

impl<G: Game> Searched<G> {
    /// The best action, always a legal one.
    pub(crate) fn action(&self) -> u32 {
        self.tree.decide(&self.context)
    }

    /// The policy, visits and values.
    pub(crate) fn found(&self) -> Found {
        let (actions, expanded) = (self.tree.tree.actions(ROOT), self.tree.tree.expanded(ROOT));
        let mut policy = Vec::new();
        self.tree.policy(&self.context, &mut policy);
        let mut order: Vec<usize> = (0..actions.len()).collect();
        order.sort_unstable_by_key(|&i| actions[i]);
        let visits = |&i: &usize| if i < expanded.len() { expanded.visits(i) } else { 0 };
        let values = self.tree.best_values(&self.context);
        Found {
            policy: order.iter().map(|&i| policy[i]).collect(),
            visits: order.iter().map(visits).collect(),
            values: values[..self.context.players].iter().map(|&value| value as f32).collect(),
        }
    }

    /// The results as an analysis.
    pub(crate) fn analysis(&self) -> Analysis {
        let (tree, action) = (&self.tree.tree, self.action());
        let expanded = tree.expanded(ROOT);
        let found = |i: usize| match i < expanded.len() {
            true if expanded.visits(i) > 0 || expanded.is_certain(i) => {
                (expanded.visits(i), Some(expanded.q(i) as f32))
            }
            _ => (0, None),
        };
        let mut actions: Vec<(u32, ActionSearch)> =
            tree.actions(ROOT).iter().enumerate().map(|(i, &action)| (action, found(i))).collect();
        let mut shares =
            Analysis::shares_of_search(actions.iter().map(|&(action, (visits, _))| (action, visits)), action)
                .unwrap_or_else(|| {
                    let mut policy = Vec::new();
                    self.tree.policy(&self.context, &mut policy);
                    tree.actions(ROOT).iter().copied().zip(policy).collect()
                });
        shares.sort_unstable_by_key(|&(action, _)| action);
        actions.sort_unstable_by_key(|&(action, _)| action);
        let (visits, action_values) = actions.into_iter().map(|(_, found)| found).unzip();
        let lines = tree.lines(ROOT, LONGEST_LINE, &|_, _| String::new());
        let line = lines.into_iter().map(|line| line.actions).find(|line| line[0] == action);
        let values = self.tree.best_values(&self.context);
        Analysis {
            action,
            shares,
            values: values[..self.context.players].iter().map(|&value| value as f32).collect(),
            forecast: Forecast::Lead,
            visits,
            action_values,
            line: line.unwrap_or_else(|| vec![action]),
        }
    }
}

/// Maximum length of a line of play.
const LONGEST_LINE: usize = 32;

/// Searches `state` by playouts until `interrupt` is raised.
pub(crate) fn search_by_playouts<G: Game>(
    game: &Arc<G>,
    state: &G::State,
    limits: Limits,
    chance: &mut SeededChance,
    interrupt: &Interrupt,
) -> Searched<G> {
    let mut settings = limits.settings();
    settings.seed = Some(u64::from(chance.uniform(u32::MAX)) << 32 | u64::from(chance.uniform(u32::MAX)));
    let context = SearchContext::new(game.clone(), settings).for_playouts();
    let mut tree = GameTree::new(&context);
    let stream = StreamId { seed: 0, game: 0, episode: 0 };
    let position = SearchRoot { state, stream, length: 0, done: false };
    Scratch::lend(&**game, |scratch| {
        if let Err(error) = tree.start(&context, &position, TreeReuse::Nothing, false, scratch) {
            // Bots cannot return errors, so the panic carries the error to the front end.
            error.unwind();
        }
        if tree.tree.actions(ROOT).len() >= limits.least_actions {
            BuiltinEvaluator::new(&context, Evaluator::Playout)
                .search(&context, &mut tree, scratch, interrupt);
            if tree.starved {
                let done = tree.counters.simulations;
                Error::out_of_memory(
                    &format!("the search tree after {done} of {} simulations", limits.playouts),
                    tree.bytes(),
                )
                .unwind();
            }
        }
    });
    Searched { context, tree }
}
