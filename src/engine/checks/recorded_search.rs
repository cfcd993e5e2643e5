//! Recorded searches are repeated and compared visit by visit. Games with exact solutions check that searches find
//! them.

use std::io::BufRead;
use std::sync::Arc;

use serde::Deserialize;

use crate::checks::tabular::{Branch, State, Tabular, UNIT};
use crate::contract::chance::StreamId;
use crate::contract::rules::Rules;
use crate::contract::spec::MAX_PLAYERS;
use crate::contract::support::error::{Error, Result};
use crate::dynamic::tree_search::{SearchMethod, SearchSettings};
use crate::registry::ConformReport;
use crate::search::context::SearchContext;
use crate::search::game_tree::{GameTree, SearchRoot, TreeReuse};
use crate::search::scratch::Scratch;
use crate::search::tree::ROOT;

/// Tolerance for numbers of a recorded search.
const TOLERANCE: f64 = 1e-4;
/// Number of simulations within which an exact solution must be found.
const EXACT_SIMULATIONS: u32 = 10_000;
/// Tolerance for the value of the best action after these simulations.
const EXACT_TOLERANCE: f64 = 0.05;
/// The same if the value is proven; the solutions are rounded.
const PROVEN_TOLERANCE: f64 = 1e-4;

/// A line of a file.
#[derive(Deserialize)]
struct Line {
    kind: String,
}

/// A search recorded from mctx.
#[derive(Deserialize)]
struct Recording {
    kind: String,
    root: usize,
    gamma: f32,
    player: Vec<usize>,
    next: Vec<Vec<i64>>,
    legal: Vec<Vec<u8>>,
    reward: Vec<Vec<f64>>,
    logits: Vec<Vec<f32>>,
    value: Vec<f64>,
    algo: String,
    num_simulations: u32,
    max_num_considered_actions: Option<u32>,
    gumbel: Option<Vec<f32>>,
    pb_c_init: Option<f32>,
    pb_c_base: Option<f32>,
    visits: Vec<u32>,
    q: Vec<f64>,
    root_value: f64,
    weights: Vec<f64>,
    action: u32,
    actions: Vec<u32>,
}

/// Weight, next state (-1 at the end), rewards of all players.
type SolvedOutcome = (u32, i64, Vec<f64>);

/// A game with its solution.
#[derive(Deserialize)]
struct Solved {
    #[serde(rename = "P")]
    players: usize,
    root: usize,
    player: Vec<usize>,
    /// By state and action.
    next: Vec<Vec<Vec<SolvedOutcome>>>,
    best: u32,
    q: Vec<Option<f64>>,
}

/// Repeats the recorded searches in `lines`, one per line, and solves the games of kind `exact`.
///
/// # Errors
/// [`Error::InvalidConfig`] names the malformed line.
pub fn conform_search(lines: &mut dyn BufRead) -> Result<ConformReport> {
    let mut report = ConformReport::default();
    for (number, line) in (1..).zip(lines.lines()) {
        let at_line = |e: &dyn std::fmt::Display| Error::config(format!("line {number}: {e}"));
        let line = line.map_err(|e| at_line(&e))?;
        if line.trim().is_empty() {
            continue;
        }
        report.games += 1;
        let Line { kind } = serde_json::from_str(&line).map_err(|e| at_line(&e))?;
        if kind == "exact" {
            let solved: Solved = serde_json::from_str(&line).map_err(|e| at_line(&e))?;
            for method in [SearchMethod::Puct, SearchMethod::Gumbel] {
                report.positions += 1;
                if let Some(difference) = solved.differs(method).map_err(|e| at_line(&e))? {
                    report.mismatch(|| format!("line {number}, {method:?}: {difference}"));
                }
            }
        } else {
            let recording: Recording = serde_json::from_str(&line).map_err(|e| at_line(&e))?;
            report.positions += 1;
            if let Some(difference) = recording.differs().map_err(|e| at_line(&e))? {
                report.mismatch(|| format!("line {number}, {}: {difference}", recording.algo));
            }
        }
    }
    Ok(report)
}

/// Searches the start of a game to the end. `network` returns the logits and values of a state; `noise` is the root
/// noise.
fn search(
    context: &SearchContext<Tabular>,
    network: impl Fn(usize) -> (Vec<f32>, [f64; MAX_PLAYERS]),
    noise: Option<&[f32]>,
) -> GameTree<Tabular> {
    Scratch::lend(&*context.game, |scratch| {
        let mut mask = vec![0; context.game.spec().mask_words()];
        let mut tree = GameTree::new(context);
        let stream = StreamId { seed: 0, game: 0, episode: 0 };
        let state = context.game.start();
        let root = SearchRoot { state: &state, stream, length: 0, done: false };
        tree.start(context, &root, TreeReuse::Nothing, false, scratch)
            .expect("the trees of recordings are small");
        while tree.descend(context, &mut mask, scratch) {
            let (&State { at, .. }, _, is_root) = tree.leaf(0);
            let (logits, mut values) = network(at as usize);
            tree.gather_leaf_priors(0, &logits);
            tree.back_up_leaf(context, 0, &mut values);
            tree.clear_in_flight();
            if let (true, Some(noise)) = (is_root, noise) {
                tree.prepare_root_with(noise);
            }
        }
        tree
    })
}

/// Visits and values of the actions at the root, by action.
fn at_root(tree: &GameTree<Tabular>, actions: usize) -> (Vec<u32>, Vec<f64>) {
    let expanded = tree.tree.expanded(ROOT);
    let (mut visits, mut q) = (vec![0; actions], vec![0.0; actions]);
    for (i, &action) in expanded.actions.iter().enumerate() {
        visits[action as usize] = expanded.visits(i);
        q[action as usize] = expanded.q(i) / UNIT;
    }
    (visits, q)
}

impl Recording {
    fn context(&self) -> Result<SearchContext<Tabular>> {
        let players = match self.kind.as_str() {
            "one" => 1,
            "two" | "turns" => 2,
            other => {
                return Err(Error::config(format!("kind {other:?}: one, two, turns or exact is needed")));
            }
        };
        let method = match self.algo.as_str() {
            "gumbel" => SearchMethod::Gumbel,
            "puct" => SearchMethod::Puct,
            other => return Err(Error::config(format!("algo {other:?}: gumbel or puct is needed"))),
        };
        let (states, actions) = (self.next.len(), self.next.first().map_or(0, Vec::len));
        let is_table = |rows: usize, mut widths: Vec<usize>| {
            widths.dedup();
            rows == states && widths == [actions]
        };
        let fits = is_table(self.next.len(), self.next.iter().map(Vec::len).collect())
            && is_table(self.legal.len(), self.legal.iter().map(Vec::len).collect())
            && is_table(self.reward.len(), self.reward.iter().map(Vec::len).collect())
            && is_table(self.logits.len(), self.logits.iter().map(Vec::len).collect())
            && self.player.len() == states
            && self.value.len() == states
            && self.player.iter().all(|&player| player < players)
            && [self.visits.len(), self.q.len(), self.weights.len()] == [actions; 3]
            && self
                .gumbel
                .as_ref()
                .is_none_or(|noise| noise.len() == actions && noise.iter().all(|noise| noise.is_finite()))
            && self.logits.iter().flatten().all(|logit| logit.is_finite());
        if !fits {
            return Err(Error::config(
                "tables of S rows and A columns, and A results of each kind, are needed",
            ));
        }
        let outcomes = |state: usize| {
            (0..actions)
                .map(|action| {
                    let reward = self.reward[state][action];
                    let rewards =
                        (0..players).map(|seat| if seat == self.player[state] { reward } else { -reward });
                    let next = usize::try_from(self.next[state][action]).ok();
                    let outcome = Branch { weight: 1, next, rewards: rewards.collect() };
                    if self.legal[state][action] == 1 { vec![outcome] } else { Vec::new() }
                })
                .collect()
        };
        let game =
            Tabular::new(players, self.root, self.player.clone(), (0..states).map(outcomes).collect())?;
        let defaults = SearchSettings::default();
        let settings = SearchSettings {
            simulations: self.num_simulations,
            method,
            considered: self.max_num_considered_actions.unwrap_or(defaults.considered),
            c_init: self.pb_c_init.unwrap_or(defaults.c_init),
            c_base: self.pb_c_base.unwrap_or(defaults.c_base),
            discount: self.gamma,
            // mctx proves nothing.
            proofs: false,
            ..defaults
        };
        settings.check()?;
        Ok(SearchContext::new(Arc::new(game), settings))
    }

    /// The first difference between the recorded search and the repeated one.
    fn differs(&self) -> Result<Option<String>> {
        let context = self.context()?;
        let network = |state: usize| {
            let mut values = [0.0; MAX_PLAYERS];
            for (seat, value) in values.iter_mut().enumerate().take(context.players) {
                *value =
                    UNIT * if seat == self.player[state] { self.value[state] } else { -self.value[state] };
            }
            (self.logits[state].clone(), values)
        };
        let tree = search(&context, network, self.gumbel.as_deref());
        let actions = self.visits.len();
        let (visits, q) = at_root(&tree, actions);
        if visits != self.visits {
            return Ok(Some(format!("visits {visits:?}, recorded {:?}", self.visits)));
        }
        let far = |a: f64, b: f64| (a - b).abs() > TOLERANCE;
        if (0..actions).any(|action| far(q[action], self.q[action])) {
            return Ok(Some(format!("q {q:?}, recorded {:?}", self.q)));
        }
        let value = tree.tree.value_of_mover(ROOT) / UNIT;
        if far(value, self.root_value) {
            return Ok(Some(format!("value {value}, recorded {}", self.root_value)));
        }
        let (mut of_legal, mut weights) = (Vec::new(), vec![0.0; actions]);
        tree.policy(&context, &mut of_legal);
        for (&action, weight) in tree.tree.actions(ROOT).iter().zip(of_legal) {
            weights[action as usize] = f64::from(weight);
        }
        if (0..actions).any(|action| far(weights[action], self.weights[action])) {
            return Ok(Some(format!("weights {weights:?}, recorded {:?}", self.weights)));
        }
        let action = tree.decide(&context);
        let is_right = action == self.action || self.actions.contains(&action);
        Ok((!is_right).then(|| format!("action {action}, recorded {:?}", self.actions)))
    }
}

impl Solved {
    /// The difference between the solution and the result of a search with `method`, if any.
    fn differs(&self, method: SearchMethod) -> Result<Option<String>> {
        let outcome = |(weight, next, rewards): &SolvedOutcome| Branch {
            weight: *weight,
            next: usize::try_from(*next).ok(),
            rewards: rewards.clone(),
        };
        let of_state = |actions: &Vec<Vec<_>>| {
            actions.iter().map(|outcomes| outcomes.iter().map(outcome).collect()).collect()
        };
        let table = self.next.iter().map(of_state).collect();
        let game = Tabular::new(self.players, self.root, self.player.clone(), table)?;
        let actions = self.q.len();
        let best = self.q.get(self.best as usize).copied().flatten();
        let Some(best) = best.filter(|_| actions == game.spec().num_actions as usize) else {
            return Err(Error::config("one q an action, and a number for the best one, are needed"));
        };
        let game = Arc::new(game);
        for proofs in [false, true] {
            let settings = SearchSettings {
                simulations: EXACT_SIMULATIONS,
                method,
                gumbel_scale: 0.0,
                proofs,
                ..SearchSettings::default()
            };
            let context = SearchContext::new(game.clone(), settings);
            let tree = search(&context, |_| (vec![0.0; actions], [0.0; MAX_PLAYERS]), None);
            let (_, q) = at_root(&tree, actions);
            let action = tree.decide(&context);
            if action != self.best {
                return Ok(Some(format!("action {action}, the best is {}, proofs {proofs}", self.best)));
            }
            let found = q[action as usize];
            let tolerance = if tree.is_proven() { PROVEN_TOLERANCE } else { EXACT_TOLERANCE };
            if (found - best).abs() > tolerance {
                return Ok(Some(format!("q {found} of action {action}, exactly {best}, proofs {proofs}")));
            }
        }
        Ok(None)
    }
}
