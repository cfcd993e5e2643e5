//! Tree search on games given as tables: results computed by hand, and invariants of every tree.

mod proofs;
mod reuse;
mod shaping;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::pig::Pig;
use crate::chance::{Chance, SeededChance, StreamId};
use crate::checks::tabular::{Branch, State, Tabular, UNIT};
use crate::search::context::SearchContext;
use crate::search::game_tree::{GameTree, SearchRoot, TreeReuse};
use crate::search::scratch::Scratch;
use crate::search::tree::{Edge, NONE, ROOT, Tree};
use crate::{
    AnyGame, BatchConfig, Error, Evaluator, Interrupt, LegalActions, Logits, MAX_PLAYERS, RewardMode, Rules,
    SearchMethod, SearchResults, SearchSettings, SharedEvaluator, TreeSearch, ValueForm, VectorEnv, mask,
};

const METHODS: [SearchMethod; 2] = [SearchMethod::Gumbel, SearchMethod::Puct];

/// The next state and the rewards of an action; -1 is the end.
fn outcome(weight: u32, next: i64, rewards: &[f64]) -> Branch {
    Branch { weight, next: usize::try_from(next).ok(), rewards: rewards.to_vec() }
}

/// An action without chance.
fn sure(next: i64, rewards: &[f64]) -> Vec<Branch> {
    vec![outcome(1, next, rewards)]
}

/// A game: the current player of each state, and the outcomes of its actions. State 0 is the root.
fn table(players: usize, states: Vec<(usize, Vec<Vec<Branch>>)>) -> Arc<Tabular> {
    let (player, outcomes) = states.into_iter().unzip();
    Arc::new(Tabular::new(players, 0, player, outcomes).unwrap())
}

/// A pseudo-random number in [-1, 1], determined by `of`.
fn scrambled(of: u64) -> f64 {
    f64::from(SeededChance::from_seed(of).uniform(2001)) / 1000.0 - 1.0
}

/// A search of one tree, step by step.
struct Search {
    context: SearchContext<Tabular>,
    tree: GameTree<Tabular>,
    scratch: Scratch,
    mask: Vec<u64>,
    /// Whether the network returns pseudo-random numbers instead of uniform logits and value 0.
    has_opinion: bool,
    /// The network's value of each state for the first of two players, instead.
    known: Vec<f64>,
}

impl Search {
    fn new(game: &Arc<Tabular>, settings: SearchSettings) -> Self {
        let context = SearchContext::new(game.clone(), SearchSettings { gumbel_scale: 0.0, ..settings });
        let (tree, mut scratch) = (GameTree::new(&context), Scratch::default());
        scratch.fit(&**game);
        Self {
            context,
            tree,
            scratch,
            mask: vec![0; Rules::spec(&**game).mask_words()],
            has_opinion: false,
            known: Vec::new(),
        }
    }

    /// Searches the start of a game.
    fn of(game: &Arc<Tabular>, settings: SearchSettings) -> Self {
        let mut search = Self::new(game, settings);
        search.start(&game.start(), 0, None);
        search.run();
        search
    }

    fn start(&mut self, state: &State, length: u32, played: Option<u32>) {
        let stream = StreamId { seed: 1, game: 0, episode: 0 };
        let done = self.context.game.status(state) != crate::Status::Running;
        let root = SearchRoot { state, stream, length, done };
        let reuse = played.map_or(TreeReuse::Nothing, TreeReuse::After);
        self.tree.start(&self.context, &root, reuse, false, &mut self.scratch).unwrap();
    }

    fn follow(&mut self, state: &State, length: u32) {
        let stream = StreamId { seed: 1, game: 0, episode: 0 };
        let root = SearchRoot { state, stream, length, done: false };
        self.tree.start(&self.context, &root, TreeReuse::Found, false, &mut self.scratch).unwrap();
    }

    /// Evaluates a leaf with the network.
    fn answer(&mut self, i: usize) {
        let mut values = [0.0; MAX_PLAYERS];
        if self.has_opinion {
            let at = self.tree.leaf(i).0.at as u64;
            let legal = self.tree.leaf_actions(i).len() as u64;
            let logits: Vec<_> = (0..legal).map(|action| scrambled(at << 8 | action) as f32).collect();
            self.tree.set_leaf_priors(i, logits.into_iter());
            for (seat, value) in values.iter_mut().enumerate() {
                *value = UNIT * scrambled(at << 8 | 128 | seat as u64);
            }
        } else {
            self.tree.set_uniform_leaf_priors(i);
            if let Some(&value) = self.known.get(self.tree.leaf(i).0.at as usize) {
                values[..2].copy_from_slice(&[value, -value]);
            }
        }
        self.tree.back_up_leaf(&self.context, i, &mut values);
    }

    /// Descends until no more leaves are available; returns the number of waiting leaves.
    fn descend(&mut self) -> usize {
        while self.tree.in_flight() < self.context.settings.leaves as usize
            && self.tree.descend(&self.context, &mut self.mask, &mut self.scratch)
        {}
        self.tree.in_flight()
    }

    /// Searches to the end.
    fn run(&mut self) {
        while self.descend() > 0 {
            (0..self.tree.in_flight()).for_each(|i| self.answer(i));
            self.tree.clear_in_flight();
        }
    }

    fn tree(&self) -> &Tree {
        &self.tree.tree
    }

    /// Mean value of an action at the root.
    fn q(&self, action: u32) -> f64 {
        let expanded = self.tree().expanded(ROOT);
        let i = expanded.actions.iter().position(|&expanded| expanded == action).unwrap();
        expanded.q(i) / UNIT
    }

    fn values(&self) -> Vec<f64> {
        self.tree().values(ROOT).iter().map(|value| value / UNIT).collect()
    }

    fn decide(&self) -> u32 {
        self.tree.decide(&self.context)
    }
}

fn settings(method: SearchMethod, simulations: u32) -> SearchSettings {
    // Proofs would end most of these searches early; they have tests of their own.
    SearchSettings {
        method,
        simulations,
        value: ValueForm::Seats,
        proofs: false,
        // Without a seed, the streams of the games would be the seeds.
        seed: Some(0),
        ..SearchSettings::default()
    }
}

fn is_near(found: f64, exact: f64) -> bool {
    (found - exact).abs() < 0.05
}

/// Player 0 chooses which player decides. Action 0 is best only if every player maximizes its own value: if the
/// others tried to harm or help player 0, action 1 would be better.
#[test]
fn each_of_three_players_maximizes_its_own_value() {
    let game = table(
        3,
        vec![
            (0, vec![sure(1, &[0.0; 3]), sure(2, &[0.0; 3])]),
            (1, vec![sure(-1, &[0.8, 0.6, 0.0]), sure(-1, &[0.1, 0.2, 0.9])]),
            (2, vec![sure(-1, &[0.5, 0.0, 0.4]), sure(-1, &[1.0, 1.0, 0.3])]),
        ],
    );
    for method in METHODS {
        let search = Search::of(&game, settings(method, 4000));
        assert_eq!(search.decide(), 0, "{method:?}");
        assert!(is_near(search.q(0), 0.8), "{method:?}: {}", search.q(0));
        let values = search.values();
        assert!(
            [0.8, 0.6, 0.0].iter().zip(&values).all(|(&exact, &found)| is_near(found, exact)),
            "{method:?}: {values:?}"
        );
    }
}

/// Two actions with values 0.02 apart, after chance or without: the share of the better one in the improved policy.
#[test]
fn small_differences_of_noisy_outcomes_count_in_proportion() {
    let share = |method, reward, has_chance: bool| {
        let better = if has_chance {
            vec![outcome(1, 1, &[0.0; 2]), outcome(1, 2, &[0.0; 2])]
        } else {
            sure(1, &[0.0; 2])
        };
        let end = || (1, vec![sure(-1, &[0.0; 2]), vec![]]);
        let game = table(2, vec![(0, vec![better, sure(3, &[0.0; 2])]), end(), end(), end()]);
        let limited = SearchSettings { max_depth: Some(1), reward: Some(reward), ..settings(method, 100) };
        let mut search = Search::new(&game, limited);
        search.known = vec![0.0, 0.02, 0.02, 0.0];
        search.start(&game.start(), 0, None);
        search.run();
        assert_eq!(search.decide(), 0);
        let mut policy = Vec::new();
        search.tree.policy(&search.context, &mut policy);
        policy[search.tree().actions(ROOT).iter().position(|&action| action == 0).unwrap()]
    };
    let noisy = share(SearchMethod::Gumbel, RewardMode::Outcome, true);
    assert!((0.55..0.75).contains(&noisy), "{noisy}");
    // As in mctx: exact values, scores, which have no scale, and PUCT.
    let others = [
        (SearchMethod::Gumbel, RewardMode::Outcome, false),
        (SearchMethod::Gumbel, RewardMode::Score, true),
        (SearchMethod::Puct, RewardMode::Outcome, true),
        (SearchMethod::Puct, RewardMode::Outcome, false),
    ];
    for (method, reward, has_chance) in others {
        let decisive = share(method, reward, has_chance);
        assert!(decisive > 0.8, "{method:?}, {reward:?}, chance {has_chance}: {decisive}");
    }
}

#[test]
fn a_player_may_move_several_times_in_a_row() {
    // Players 0, 0, 1, 1: the last two moves are worth 1 to player 1 if the second maximizes its own value.
    let pays = |value: f64| sure(-1, &[value, -value]);
    let moves = |next| sure(next, &[0.0; 2]);
    let game = table(
        2,
        vec![
            (0, vec![moves(1), pays(0.2)]),
            (0, vec![moves(2), pays(0.0)]),
            (1, vec![pays(0.6), moves(3)]),
            (1, vec![pays(0.4), pays(1.0)]),
        ],
    );
    for method in METHODS {
        let search = Search::of(&game, settings(method, 4000));
        assert_eq!(search.decide(), 0, "{method:?}");
        assert!(is_near(search.q(0), 0.4), "{method:?}: {}", search.q(0));
        let values = search.values();
        assert!((values[0] + values[1]).abs() < 1e-9, "{method:?}: {values:?}");
    }
}

#[test]
fn later_rewards_are_discounted_per_step() {
    let game =
        table(1, vec![(0, vec![sure(1, &[1.0])]), (0, vec![sure(2, &[0.5])]), (0, vec![sure(-1, &[-0.25])])]);
    for method in METHODS {
        let search = Search::of(&game, SearchSettings { discount: 0.5, ..settings(method, 10) });
        // The first two simulations end in positions with network value 0; the others at the end of the game.
        let expected = (1.0 + 1.25 + 8.0 * 1.1875) / 10.0;
        assert!((search.q(0) - expected).abs() < 1e-9, "{method:?}: {}", search.q(0));
    }
}

#[test]
fn chance_outcomes_follow_their_weights() {
    let weights = [1, 2, 3, 4];
    let lead = |(i, &weight): (usize, &u32)| outcome(weight, 1, &[i as f64]);
    let game = table(
        1,
        vec![(0, vec![weights.iter().enumerate().map(lead).collect()]), (0, vec![sure(-1, &[0.0])])],
    );
    for method in METHODS {
        let mut chi_square = 0.0;
        let simulations = 2000;
        for seed in 0..10 {
            let search =
                Search::of(&game, SearchSettings { seed: Some(seed), ..settings(method, simulations) });
            let tree = search.tree();
            let mut met = [0; 4];
            for child in tree.outcomes(Edge { node: ROOT, edge: 0 }) {
                met[(f64::from(tree.rewards(child)[0]) / UNIT) as usize] += tree.node(child).visits;
            }
            assert_eq!(met.iter().sum::<u32>(), simulations);
            for (met, weight) in met.iter().zip(weights) {
                let expected = f64::from(simulations * weight) / 10.0;
                chi_square += (f64::from(*met) - expected).powi(2) / expected;
            }
        }
        // 30 degrees of freedom: the probability is 1/1000 above 59.7, and 1/1000 below 11.6.
        assert!((11.6..59.7).contains(&chi_square), "{method:?}: {chi_square}");
    }
}

#[test]
fn outcomes_of_an_action_are_children_up_to_a_bound() {
    // Most of the many outcomes are drawn at most once.
    let lead = |i| outcome(1, 1, &[f64::from(i) / 1000.0]);
    let next = vec![sure(-1, &[0.0]), (0..3000).map(|i| outcome(1, -1, &[f64::from(i) / 1e4])).collect()];
    let game = table(1, vec![(0, vec![(0..3000).map(lead).collect(), sure(-1, &[0.0])]), (0, next)]);
    for method in METHODS {
        let search = Search::of(&game, settings(method, 3000));
        let tree = search.tree();
        let mut most = 0;
        for node in 0..tree.nodes.len() as u32 {
            let expanded = tree.expanded(node);
            for edge in 0..expanded.len() {
                let children = tree.outcomes(Edge { node, edge: edge as u32 }).count();
                let bound = 8 + 2 * expanded.visits(edge).isqrt() as usize;
                assert!(children <= bound, "{method:?}: {children} children, {bound} are allowed");
                most = most.max(children);
            }
        }
        assert!(most > 50, "{method:?}: {most}");
        assert!((search.q(0) - 1.65).abs() < 0.1, "{method:?}: {}", search.q(0));
    }
}

#[test]
fn a_tree_returns_each_leaf_once() {
    for seed in 0..20 {
        let game = random_game(seed);
        for (method, leaves) in METHODS.into_iter().flat_map(|m| [2, 4, 16].map(|leaves| (m, leaves))) {
            let mut search = Search::new(&game, SearchSettings { leaves, ..settings(method, 100) });
            search.start(&game.start(), 0, None);
            let mut most = 0;
            while search.descend() > 0 {
                let waiting = search.tree.in_flight();
                let distinct: BTreeSet<*const State> =
                    (0..waiting).map(|i| std::ptr::from_ref(search.tree.leaf(i).0)).collect();
                assert_eq!(distinct.len(), waiting, "game {seed}, {method:?}");
                most = most.max(waiting);
                (0..waiting).for_each(|i| search.answer(i));
                search.tree.clear_in_flight();
            }
            check(&search, &format!("game {seed}, {method:?}, {leaves} leaves"));
            let visits = root_visits(&search);
            assert_eq!(visits, 100, "game {seed}, {method:?}: virtual visits are taken back");
            assert!(most <= leaves as usize);
        }
    }
}

/// An acyclic game: up to 4 players, 4 actions, chance, rewards from -1 to 1.
fn random_game(seed: u64) -> Arc<Tabular> {
    let mut chance = SeededChance::from_seed(seed);
    let players = chance.uniform(4) as usize + 1;
    let (states, actions) = (chance.uniform(20) as usize + 3, chance.uniform(4) as usize + 1);
    let mut player = Vec::new();
    let mut outcomes = Vec::new();
    for state in 0..states {
        player.push(chance.uniform(players as u32) as usize);
        let sure_to_be_legal = chance.uniform(actions as u32) as usize;
        let mut of_state = Vec::new();
        for action in 0..actions {
            let is_legal = action == sure_to_be_legal || chance.uniform(5) > 0;
            let count = if is_legal { [1, 1, 2, 3][chance.uniform(4) as usize] } else { 0 };
            let mut of_action = Vec::new();
            for _ in 0..count {
                let later = (states - 1 - state) as u32;
                let ends = later == 0 || chance.uniform(5) == 0;
                let next = if ends { -1 } else { i64::from(chance.uniform(later.min(4))) + state as i64 + 1 };
                let rewards: Vec<_> =
                    (0..players).map(|_| f64::from(chance.uniform(21)) / 10.0 - 1.0).collect();
                of_action.push(outcome(chance.uniform(4) + 1, next, &rewards));
            }
            of_state.push(of_action);
        }
        outcomes.push(of_state);
    }
    Arc::new(Tabular::new(players, 0, player, outcomes).unwrap())
}

/// Visits of all actions at the root.
fn root_visits(search: &Search) -> u32 {
    let expanded = search.tree().expanded(ROOT);
    (0..expanded.len()).map(|i| expanded.visits(i)).sum()
}

/// Checks the invariants of a tree between two simulations.
fn check(search: &Search, what: &str) {
    let tree = search.tree();
    let players = tree.values(ROOT).len();
    let mut parents = vec![0; tree.nodes.len()];
    for number in 0..tree.nodes.len() as u32 {
        let node = tree.node(number);
        // Each of at most 23 steps pays at most 1, which also bounds the network's values.
        assert!(
            tree.values(number).iter().all(|value| value.abs() <= 24.0 * UNIT),
            "{what}: values of {number}"
        );
        assert_eq!(tree.values(number).len(), players);
        let actions: BTreeSet<_> = tree.actions(number).iter().collect();
        assert_eq!(actions.len(), node.legal as usize, "{what}: actions of {number}");
        assert_eq!(node.legal == 0, node.finished, "{what}: {number}");
        let expanded = tree.expanded(number);
        if node.finished {
            assert_eq!(expanded.len(), 0, "{what}: {number}");
            continue;
        }
        let priors = tree.priors(number);
        let sum: f32 = priors.iter().sum();
        assert!((sum - 1.0).abs() < 1e-5 && priors.iter().all(|&p| p > 0.0), "{what}: priors of {number}");
        let mut visits = 1;
        for edge in 0..expanded.len() {
            let step = Edge { node: number, edge: edge as u32 };
            assert_eq!(expanded.visits(edge), tree.edge_visits(step), "{what}: nothing is under way");
            let mut of_outcomes = 0;
            let mut keys = BTreeSet::new();
            for child in tree.outcomes(step) {
                assert!(child > number, "{what}: {child} is below {number}");
                parents[child as usize] += 1;
                of_outcomes += tree.node(child).visits;
                assert!(keys.insert(tree.node(child).key), "{what}: an outcome has two nodes");
            }
            assert!(of_outcomes > 0 && of_outcomes == expanded.visits(edge), "{what}: visits below {number}");
            assert!(expanded.q(edge).abs() <= 24.0 * UNIT, "{what}: value of an action of {number}");
            visits += expanded.visits(edge);
        }
        assert_eq!(node.visits, visits, "{what}: visits of {number}");
    }
    assert!(parents[0] == 0 && parents[1..].iter().all(|&p| p == 1), "{what}: every node has one parent");
}

/// A node and its descendants, in words.
fn dump(tree: &Tree, number: u32, out: &mut String) {
    use std::fmt::Write;
    let node = tree.node(number);
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    write!(out, "{} {} {} {:?} ", node.mover, node.finished, node.visits, node.raw).unwrap();
    writeln!(out, "{:?} {:?} {:?}", bits(tree.values(number)), tree.actions(number), tree.priors(number))
        .unwrap();
    let expanded = tree.expanded(number);
    for edge in 0..expanded.len() {
        let step = Edge { node: number, edge: edge as u32 };
        write!(out, "({} {} {} ", tree.action(step), expanded.visits(edge), expanded.q(edge).to_bits())
            .unwrap();
        for child in tree.outcomes(step) {
            write!(out, "{:?} {} {:?} ", tree.node(child).key, tree.node(child).chance, tree.rewards(child))
                .unwrap();
            dump(tree, child, out);
        }
        out.push(')');
    }
}

fn dumped(tree: &Tree, number: u32) -> String {
    let mut out = String::new();
    dump(tree, number, &mut out);
    out
}

/// A batch of tabular games and their search.
fn batch_of(game: &Arc<Tabular>, settings: SearchSettings) -> (Box<dyn VectorEnv>, Box<dyn TreeSearch>) {
    let config = BatchConfig { num_envs: 3, threads: Some(1), ..BatchConfig::default() };
    let search = game.clone().into_tree_search(&config, settings).unwrap();
    (game.clone().into_vector(config).unwrap(), search)
}

#[test]
fn a_full_tree_stops_growing_and_reports_it() {
    for (seed, method) in (0..30).flat_map(|seed| METHODS.map(|method| (seed, method))) {
        let game = random_game(seed);
        let of_room = |max_nodes| {
            let (env, mut search) = batch_of(&game, SearchSettings { max_nodes, ..settings(method, 200) });
            search.start(&*env, None).unwrap();
            search.run(Evaluator::Null, &Interrupt::default()).unwrap();
            (search.stats(), search.results().unwrap())
        };
        let (stats, found) = of_room(None);
        assert_eq!((stats.trees, stats.full, stats.simulations), (3, 0, 600), "game {seed}");
        let nodes = stats.nodes;
        let (plenty, same) = of_room(Some(nodes as u32));
        assert_eq!((plenty.full, same), (0, found), "game {seed}: there is room for all");
        let most = 4;
        let (stats, found) = of_room(Some(most));
        assert!(stats.nodes <= 3 * u64::from(most), "game {seed}: {} nodes", stats.nodes);
        assert_eq!(stats.full == 0, nodes <= 3 * u64::from(most), "game {seed}: {nodes} nodes, {stats:?}");
        assert_eq!(stats.full > 0, stats.simulations < 600, "game {seed}: {stats:?}");
        for (tree, action) in found.actions.iter().enumerate() {
            let legal = found.legal.offsets[tree] as usize..found.legal.offsets[tree + 1] as usize;
            assert!(found.legal.actions[legal].contains(action), "game {seed}");
        }
    }
}

/// The observations of the waiting leaves, and their number.
fn leaves(search: &mut dyn TreeSearch) -> (usize, Vec<u8>) {
    let rows = search.select().unwrap();
    let buffers = search.buffers().swap_remove(search.group());
    let (column, _owner) = buffers.columns.iter().find(|(column, _)| column.name == "observations").unwrap();
    // Safety: the owner keeps the column alive, and no one writes to it before the next call.
    let observations = unsafe { std::slice::from_raw_parts(column.address, rows * column.width) };
    (rows, observations.to_vec())
}

/// The logits and values of a network that depends only on the row.
fn answers(observations: &[u8], legal: &LegalActions, rows: usize, seats: usize) -> (Vec<f32>, Vec<f32>) {
    let at = |row: usize| u64::from(observations[4 * row]);
    let value = |i: usize| (UNIT * scrambled(at(i / seats) << 8 | 128 | (i % seats) as u64)) as f32;
    let logit = |&action: &u32| scrambled(action.into()) as f32;
    (legal.actions.iter().map(logit).collect(), (0..rows * seats).map(value).collect())
}

/// Runs the search to the end with a network that depends only on the row; `meddle` is called before every answer.
fn finish(
    search: &mut dyn TreeSearch,
    seats: usize,
    mut meddle: impl FnMut(&mut dyn TreeSearch, usize),
) -> SearchResults {
    loop {
        let (rows, observations) = leaves(search);
        if rows == 0 {
            return search.results().unwrap();
        }
        meddle(search, rows);
        let (logits, values) = answers(&observations, &search.legal_actions().unwrap(), rows, seats);
        search.expand(Logits::Legal(&logits), &values).unwrap();
    }
}

#[test]
fn asking_for_leaves_again_gives_the_same_ones() {
    for (seed, groups) in (0..10).flat_map(|seed| [1, 2].map(|groups| (seed, groups))) {
        let game = random_game(seed);
        let seats = Rules::spec(&*game).players;
        let settings = SearchSettings { leaves: 2, groups, ..settings(SearchMethod::Puct, 40) };
        let (env, mut search) = batch_of(&game, settings);
        search.start(&*env, None).unwrap();
        let once = finish(&mut *search, seats, |_, _| ());
        search.start(&*env, None).unwrap();
        let again = finish(&mut *search, seats, |search, _| {
            let (group, legal, before) = (search.group(), search.legal_actions().unwrap(), leaves(search));
            assert_eq!(
                (leaves(search), search.group(), search.legal_actions().unwrap()),
                (before, group, legal)
            );
        });
        assert_eq!(again, once, "game {seed}");
        assert_eq!(search.select().unwrap(), 0, "the search is over");
    }
}

#[test]
fn threads_that_share_an_evaluator_find_the_same() {
    for (seed, method) in (0..10).flat_map(|seed| METHODS.map(|method| (seed, method))) {
        let game = random_game(seed);
        let seats = Rules::spec(&*game).players;
        let evaluator = |observations: &[u8], legal: &LegalActions| {
            Ok(answers(observations, legal, legal.offsets.len() - 1, seats))
        };
        for (leaves, groups, threads) in [(1, 1, 1), (3, 1, 2), (1, 2, 3)] {
            let settings = SearchSettings { leaves, groups, threads: Some(threads), ..settings(method, 40) };
            let config = BatchConfig { num_envs: 70, threads: Some(threads), ..BatchConfig::default() };
            let env = game.clone().into_vector(config).unwrap();
            let mut search = game.clone().into_tree_search(env.config(), settings).unwrap();
            search.start(&*env, None).unwrap();
            let expected = finish(&mut *search, seats, |_, _| ());
            search.start(&*env, None).unwrap();
            // Refused answers and interrupts leave leaves in flight, and a later call goes on.
            let refused = |observations: &[u8], legal: &LegalActions| {
                let (logits, mut values) = evaluator(observations, legal)?;
                values[0] = f32::NAN;
                Ok((logits, values))
            };
            let short = |_: &[u8], _: &LegalActions| Ok((Vec::new(), Vec::new()));
            let logits_of_nothing = |observations: &[u8], legal: &LegalActions| {
                let (mut logits, values) = evaluator(observations, legal)?;
                logits.fill(f32::NAN);
                Ok((logits, values))
            };
            let bad: [&SharedEvaluator<'_>; 3] = [&refused, &short, &logits_of_nothing];
            for bad in bad {
                let error = search.run_shared(bad, &Interrupt::default()).unwrap_err();
                assert!(matches!(error, Error::InvalidConfig(_)), "{error}");
            }
            let raised = Interrupt::default();
            raised.raise();
            let error = search.run_shared(&evaluator, &raised).unwrap_err();
            assert!(matches!(error, Error::Interrupted(_)), "{error}");
            search.run_shared(&evaluator, &Interrupt::default()).unwrap();
            assert_eq!(
                search.results().unwrap(),
                expected,
                "game {seed}, {leaves} leaves, {threads} threads"
            );
        }
    }
}

#[test]
fn a_refused_call_changes_nothing() {
    let is_config = |result: Result<(), Error>| matches!(result, Err(Error::InvalidConfig(_)));
    for (seed, groups) in (0..6).flat_map(|seed| [1, 2].map(|groups| (seed, groups))) {
        let game = random_game(seed);
        let spec = Rules::spec(&*game);
        let (seats, actions) = (spec.players, spec.num_actions as usize);
        let settings = SearchSettings { groups, ..settings(SearchMethod::Gumbel, 40) };
        let (env, mut search) = batch_of(&game, settings);
        assert!(is_config(search.select().map(|_| ())), "select before start");
        assert!(is_config(search.expand(Logits::Uniform, &[])), "expand before start");
        assert!(is_config(search.run(Evaluator::Null, &Interrupt::default())), "run before start");
        search.start(&*env, None).unwrap();
        assert!(is_config(search.expand(Logits::Uniform, &[])), "expand before select");
        let once = finish(&mut *search, seats, |_, _| ());
        assert!(is_config(search.expand(Logits::Uniform, &[])), "expand when all is done");
        assert!(is_config(search.advance(&*env, &[0])), "one action for three trees");

        let small = BatchConfig { num_envs: 2, ..env.config().clone() };
        let others = [
            game.clone().into_vector(small).unwrap(),
            Arc::new(Pig::new(&[])).into_vector(env.config().clone()).unwrap(),
        ];
        search.start(&*env, None).unwrap();
        let found = finish(&mut *search, seats, |search, rows| {
            let waiting = leaves(search);
            let zeros = vec![0.0; rows * seats];
            let total = search.legal_actions().unwrap().actions.len();
            for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut values = zeros.clone();
                *values.last_mut().unwrap() = wrong;
                assert!(is_config(search.expand(Logits::Uniform, &values)), "value {wrong}");
                if wrong == f32::NEG_INFINITY {
                    assert!(is_config(search.expand(Logits::Legal(&vec![wrong; total]), &zeros)));
                } else {
                    let mut logits = vec![0.0; total];
                    *logits.last_mut().unwrap() = wrong;
                    assert!(is_config(search.expand(Logits::Legal(&logits), &zeros)), "logit {wrong}");
                }
                assert!(is_config(search.expand(Logits::All(&vec![wrong; rows * actions]), &zeros)));
            }
            let (longer, shorter) = (vec![0.0; rows * seats + 1], &zeros[1..]);
            assert!(is_config(search.expand(Logits::Uniform, &longer)));
            assert!(is_config(search.expand(Logits::Uniform, shorter)));
            for wrong in [total - 1, total + 1, 0] {
                assert!(is_config(search.expand(Logits::Legal(&vec![0.0; wrong]), &zeros)));
            }
            for wrong in [rows * actions - 1, rows * actions + 1, 0] {
                assert!(is_config(search.expand(Logits::All(&vec![0.0; wrong]), &zeros)));
            }
            for other in &others {
                assert!(is_config(search.start(&**other, None)));
                assert!(is_config(search.advance(&**other, &[0; 3])));
            }
            for ids in [&[3][..], &[1, 0], &[1, 1]] {
                assert!(is_config(search.start(&*env, Some(ids))), "games {ids:?}");
            }
            assert!(matches!(search.tree_json(3, 1), Err(Error::InvalidConfig(_))));
            assert_eq!(leaves(search), waiting);
        });
        assert_eq!(found, once, "game {seed}");
    }
}

#[test]
fn trees_of_other_games_stop_where_some_are_started() {
    let game = random_game(3);
    let (env, mut search) = batch_of(&game, settings(SearchMethod::Puct, 30));
    search.start(&*env, None).unwrap();
    search.run(Evaluator::Null, &Interrupt::default()).unwrap();
    let all = search.results().unwrap();
    search.start(&*env, Some(&[1])).unwrap();
    search.run(Evaluator::Null, &Interrupt::default()).unwrap();
    let one = search.results().unwrap();
    let of = |results: &SearchResults, tree: usize| {
        let legal = results.legal.offsets[tree] as usize..results.legal.offsets[tree + 1] as usize;
        (results.actions[tree], results.legal.actions[legal.clone()].to_vec(), results.visits[legal].to_vec())
    };
    assert_eq!(of(&one, 1), of(&all, 1));
    assert_eq!([of(&one, 0), of(&one, 2)], [(0, Vec::new(), Vec::new()), (0, Vec::new(), Vec::new())]);
    assert_eq!(search.stats().trees, 1);
}
