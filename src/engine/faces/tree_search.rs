//! The dynamic face of tree search over a batch: thousands of trees, one batch of leaves.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::contract::error::{Error, Result};
use crate::contract::named::Named;
use crate::contract::options::RewardMode;
use crate::faces::columns::{ColumnInfo, Columns, Owner};
use crate::faces::interrupt::Interrupt;
use crate::faces::vector::VectorEnv;

/// How a tree selects the actions to visit, and what policy it derives from the visits.
///
/// Below the root, PUCT takes over from Gumbel AlphaZero where there is chance, hidden information or a third seat, and
/// UCB1 from both where [playouts or estimates](Evaluator) answer for leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchMethod {
    /// Gumbel AlphaZero: sequential halving at the root, completed Q values below.
    #[default]
    Gumbel,
    /// AlphaZero: PUCT.
    Puct,
}

impl Named for SearchMethod {
    const NAMES: &'static [(&'static str, Self)] = &[("gumbel", Self::Gumbel), ("puct", Self::Puct)];
}

/// Which values a network gives for a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ValueForm {
    /// One: that of the seat to move. The other seat's is its negative.
    #[default]
    Seat,
    /// One a seat: first that of the seat to move, then those of the seats that follow it.
    Seats,
}

impl Named for ValueForm {
    const NAMES: &'static [(&'static str, Self)] = &[("seat", Self::Seat), ("seats", Self::Seats)];
}

/// How trees are searched.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchSettings {
    /// Simulations of every move, at least 1. The evaluation of the root is not one.
    pub simulations: u32,
    /// How actions are chosen.
    pub method: SearchMethod,
    /// Gumbel: how many actions the root considers at most.
    pub considered: u32,
    /// Gumbel: factor of the noise at the root; 0 for none.
    pub gumbel_scale: f32,
    /// PUCT: exploration.
    pub c_init: f32,
    /// PUCT: from about so many visits on, exploration grows.
    pub c_base: f32,
    /// PUCT: parameter of the Dirichlet noise at the root; `None` is 10 by the number of legal actions.
    pub dirichlet_alpha: Option<f32>,
    /// PUCT: share of that noise in the priors of the root; 0 for none.
    pub dirichlet_fraction: f32,
    /// Factor by which a value is multiplied for every step of a backup.
    pub discount: f32,
    /// Which values a network gives.
    pub value: ValueForm,
    /// The reward mode of the search's values, where it differs from the environment's. The search then ignores the
    /// environment's limit of steps.
    pub reward: Option<RewardMode>,
    /// Whether the sub-tree below the action that was played is kept.
    pub reuse: bool,
    /// Leaves that a tree hands out at once; more than 1 with virtual loss.
    pub leaves: u32,
    /// PUCT: the first moves of a game are drawn with probability proportional to `visits^(1 / temperature)`.
    pub temperature: f32,
    /// PUCT: how many moves of a game those are.
    pub temperature_moves: u32,
    /// Number of groups of trees, 1 or 2. With 2 (double buffering), one group descends while a network evaluates the
    /// leaves of the other.
    pub groups: u32,
    /// Whether every batch of leaves has the same number of rows, the last of them padding.
    pub pad: bool,
    /// Nodes that a tree has at most; `None` for as many as its simulations need.
    pub max_nodes: Option<u32>,
    /// Most actions in a row that a simulation plays. Positions at that depth are not expanded but evaluated anew at
    /// every visit.
    pub max_depth: Option<u32>,
    /// Seed of all noise and of the chance that simulations meet.
    pub seed: u64,
    /// Threads; `None` uses all cores. Results never depend on it.
    pub threads: Option<usize>,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            simulations: 64,
            method: SearchMethod::default(),
            considered: 16,
            gumbel_scale: 1.0,
            c_init: 1.25,
            c_base: 19652.0,
            dirichlet_alpha: None,
            dirichlet_fraction: 0.0,
            discount: 1.0,
            value: ValueForm::default(),
            reward: None,
            reuse: false,
            leaves: 1,
            temperature: 1.0,
            temperature_moves: 0,
            groups: 1,
            pad: false,
            max_nodes: None,
            max_depth: None,
            seed: 0,
            threads: None,
        }
    }
}

impl SearchSettings {
    /// Most simulations of a move.
    pub const MAX_SIMULATIONS: u32 = 100_000_000;

    /// Refuses settings out of range.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the setting, its value and what is allowed.
    pub fn check(&self) -> Result<()> {
        let whole = |name: &str, value: u32, least: u32, most: u32| {
            if (least..=most).contains(&value) {
                return Ok(());
            }
            Err(Error::config(format!("{name}={value}: {least} to {most} are allowed")))
        };
        let real = |name: &str, value: f32, allowed: bool, what: &str| {
            if allowed && value.is_finite() {
                return Ok(());
            }
            Err(Error::config(format!("{name}={value}: {what} is needed")))
        };
        whole("simulations", self.simulations, 1, Self::MAX_SIMULATIONS)?;
        whole("considered", self.considered, 1, u32::MAX)?;
        whole("leaves", self.leaves, 1, 1024)?;
        whole("groups", self.groups, 1, 2)?;
        whole("max_nodes", self.max_nodes.unwrap_or(2), 2, u32::MAX - 1)?;
        whole("max_depth", self.max_depth.unwrap_or(1), 1, u32::MAX)?;
        let not_negative = "a finite number of at least 0";
        real("gumbel_scale", self.gumbel_scale, self.gumbel_scale >= 0.0, not_negative)?;
        real("c_init", self.c_init, self.c_init >= 0.0, not_negative)?;
        real("c_base", self.c_base, self.c_base > 0.0, "a finite number above 0")?;
        let alpha = self.dirichlet_alpha.unwrap_or(1.0);
        real("dirichlet_alpha", alpha, alpha > 0.0, "a finite number above 0")?;
        let fraction = self.dirichlet_fraction;
        real("dirichlet_fraction", fraction, (0.0..=1.0).contains(&fraction), "a number from 0 to 1")?;
        let discount = self.discount;
        real("discount", discount, (0.0..=1.0).contains(&discount), "a number from 0 to 1")?;
        real("temperature", self.temperature, self.temperature > 0.0, "a finite number above 0")
    }
}

/// How the leaves of a search without a network are evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evaluator {
    /// Uniform priors, value 0: measures the cost of the search itself.
    Null,
    /// The game's own estimate of the position; uniform priors.
    Estimate,
    /// A playout; at the root, priors by the lead that each action gives at the end of the turn.
    Playout,
}

impl Named for Evaluator {
    const NAMES: &'static [(&'static str, Self)] =
        &[("null", Self::Null), ("estimate", Self::Estimate), ("playout", Self::Playout)];
}

/// A network's logits of actions.
#[derive(Debug, Clone, Copy)]
pub enum Logits<'a> {
    /// One an action of the action space: `[rows, A]`. Those of illegal actions are ignored.
    All(&'a [f32]),
    /// One a legal action, in the order of [`LegalActions`].
    Legal(&'a [f32]),
    /// The same logit for all actions.
    Uniform,
}

/// Legal actions of several positions, one after the other, in increasing order within a position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LegalActions {
    /// `[n + 1]`: those of position `i` are `actions[offsets[i]..offsets[i + 1]]`.
    pub offsets: Vec<i64>,
    /// `[total]`
    pub actions: Vec<i32>,
}

/// The results of a search at its roots. Ragged lists have one element for each legal action of each root, laid out as
/// `legal` is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchResults {
    /// `[N]`: the move to play; 0 where there is nothing to decide.
    pub actions: Vec<i32>,
    /// The legal actions of every root.
    pub legal: LegalActions,
    /// Improved policy, the training target.
    pub policy: Vec<f32>,
    /// How often the action was visited.
    pub visits: Vec<i32>,
    /// Mean value of the action for the seat to move, 0 where unvisited.
    pub q: Vec<f32>,
    /// `[N, P]`: value of the root for every seat.
    pub values: Vec<f32>,
}

/// Counters of a search since it was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct SearchStats {
    /// Trees of the present search, finished games left out.
    pub trees: u64,
    /// Simulations that were made.
    pub simulations: u64,
    /// Nodes that were made.
    pub nodes: u64,
    /// Actions from the root to the position that a simulation ends in, on average.
    pub mean_depth: f64,
    /// Share of the simulations that ended in a finished position.
    pub terminal_share: f64,
    /// Trees of the present search that stopped because they had as many nodes as they may have.
    pub full: u64,
    /// Bytes that all trees take.
    pub bytes: u64,
}

/// A tree a game, searched side by side.
///
/// ```text
/// start -> select -> (network) -> expand -> select -> ... -> select returns 0 -> results
/// ```
///
/// Methods that return an error have changed nothing, except where they say otherwise.
pub trait TreeSearch: Send {
    /// How trees are searched.
    fn settings(&self) -> &SearchSettings;
    /// How many trees there are.
    fn num_trees(&self) -> usize;
    /// Roots a tree at the present position of every game of `env`, or of the games `ids`; the others have nothing to
    /// search.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for games of another kind or number than the trees were made for, ids out of range or
    /// order.
    fn start(&mut self, env: &dyn VectorEnv, ids: Option<&[u32]>) -> Result<()>;
    /// Moves the roots to the present positions of `env`, in which `actions` were just played; with
    /// [`SearchSettings::reuse`] what was found below them stays.
    ///
    /// # Errors
    /// As for [`TreeSearch::start`], and for any number of actions but one a tree.
    fn advance(&mut self, env: &dyn VectorEnv, actions: &[i32]) -> Result<()>;
    /// Descends every tree that still needs visits. The rows of leaves that wait for [`TreeSearch::expand`] are
    /// returned, 0 when the search is done.
    ///
    /// Calling this again before `expand` returns the same leaves.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] before the first [`TreeSearch::start`].
    fn select(&mut self) -> Result<usize>;
    /// Which of the buffers of [`TreeSearch::buffers`] the leaves of the last [`TreeSearch::select`] lie in.
    fn group(&self) -> usize;
    /// Where the leaves of each group are written: the columns `observations`, `observations_f32`, `mask_bits`,
    /// `current_player` and `tree`, their rows, and what keeps their memory alive. Padding has tree -1.
    fn buffers(&mut self) -> Vec<LeafBuffers>;
    /// What the seats to move see in the leaves of the last [`TreeSearch::select`], as bytes, one after the other.
    fn leaf_observations(&self) -> &[u8];
    /// The legal actions of the leaves of the last [`TreeSearch::select`].
    fn legal_actions(&self) -> LegalActions;
    /// Takes in what a network says about the leaves that wait: values `[rows]` or `[rows, P]`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for wrong shapes, values or logits of legal actions that are not numbers, or when no
    /// leaves wait. The leaves wait on.
    fn expand(&mut self, logits: Logits<'_>, values: &[f32]) -> Result<()>;
    /// Searches to the end without a network.
    ///
    /// # Errors
    /// [`Error::Interrupted`] when `interrupt` is raised: the search can go on later.
    fn run(&mut self, evaluator: Evaluator, interrupt: &Interrupt) -> Result<()>;
    /// The moves to play, one a tree: those of [`SearchResults`].
    fn actions(&mut self) -> Vec<i32>;
    /// What was found so far.
    fn results(&mut self) -> SearchResults;
    /// What was done so far.
    fn stats(&mut self) -> SearchStats;
    /// A tree down to `depth` actions below its root: visits, values, priors, actions in words.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] when there is no such tree.
    fn tree_json(&mut self, tree: usize, depth: usize) -> Result<Value>;
}

/// Memory that the leaves of a group of trees are written to.
pub struct LeafBuffers {
    /// Most rows at once.
    pub rows: usize,
    /// The columns: name, element type, width, address; and what keeps each alive.
    pub columns: Vec<(ColumnInfo, Owner)>,
}

impl std::fmt::Debug for LeafBuffers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns: Vec<&ColumnInfo> = self.columns.iter().map(|(info, _)| info).collect();
        f.debug_struct("LeafBuffers").field("rows", &self.rows).field("columns", &columns).finish()
    }
}

impl LeafBuffers {
    /// Where `columns` lie.
    pub(crate) fn of(columns: &Columns) -> Self {
        let owner = |name| Arc::clone(columns.owner(name).expect("a listed column has an owner"));
        let columns_with_owners = columns.list().into_iter().map(|info| (info, owner(info.name))).collect();
        Self { rows: columns.num_envs(), columns: columns_with_owners }
    }
}
