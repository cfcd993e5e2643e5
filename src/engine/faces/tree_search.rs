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
#[non_exhaustive]
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
#[non_exhaustive]
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

/// The value of a setting, read from plain data.
trait Setting: Sized {
    /// The value, if `value` is one.
    fn read(value: &Value) -> Option<Self>;
    /// What is allowed, in words.
    fn allowed() -> String;
}

impl Setting for bool {
    fn read(value: &Value) -> Option<Self> {
        value.as_bool()
    }
    fn allowed() -> String {
        "true or false is needed".into()
    }
}

impl Setting for f32 {
    fn read(value: &Value) -> Option<Self> {
        value.as_f64().map(|number| number as f32)
    }
    fn allowed() -> String {
        "a finite number is needed".into()
    }
}

macro_rules! whole_settings {
    ($($type:ty)+) => {
        $(impl Setting for $type {
            fn read(value: &Value) -> Option<Self> {
                value.as_u64().and_then(|number| number.try_into().ok())
            }
            fn allowed() -> String {
                format!("0 to {} are allowed", Self::MAX)
            }
        })+
    };
}

whole_settings! { u32 u64 usize }

impl<T: Named> Setting for T {
    fn read(value: &Value) -> Option<Self> {
        value.as_str().and_then(Self::named)
    }
    fn allowed() -> String {
        let names: Vec<&str> = Self::NAMES.iter().map(|(name, _)| *name).collect();
        format!("one of {} is allowed", names.join(", "))
    }
}

impl<T: Setting> Setting for Option<T> {
    fn read(value: &Value) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::read(value).map(Some) }
    }
    fn allowed() -> String {
        T::allowed()
    }
}

/// Settings with their defaults. Those of every front end follow from these lines.
macro_rules! search_settings {
    ($($(#[doc = $doc:literal])* $name:ident: $type:ty = $default:expr,)*) => {
        /// How trees are searched.
        #[derive(Debug, Clone, PartialEq)]
        pub struct SearchSettings { $($(#[doc = $doc])* pub $name: $type,)* }

        impl Default for SearchSettings {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl SearchSettings {
            /// The names of all settings.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// Sets the setting called `name`: numbers, switches, words, null for a default that is chosen later.
            /// [`SearchSettings::check`] tells whether settings are in range.
            ///
            /// # Errors
            /// [`Error::InvalidConfig`] names the setting, its value and what is allowed.
            pub fn set(&mut self, name: &str, value: &Value) -> Result<()> {
                match name {
                    $(stringify!($name) => {
                        self.$name = <$type as Setting>::read(value).ok_or_else(|| {
                            Error::config(format!("{name}={value}: {}", <$type as Setting>::allowed()))
                        })?;
                    })*
                    _ => {
                        let names = Self::NAMES.join(", ");
                        return Err(Error::config(format!("{name}: a search has no such setting, it has {names}")));
                    }
                }
                Ok(())
            }
        }
    };
}

search_settings! {
    /// Simulations of every move, at least 1. The evaluation of the root is not one.
    simulations: u32 = 64,
    /// How actions are chosen.
    method: SearchMethod = SearchMethod::default(),
    /// Gumbel: how many actions the root considers at most.
    considered: u32 = 16,
    /// Gumbel: factor of the noise at the root; 0 for none.
    gumbel_scale: f32 = 1.0,
    /// PUCT: exploration.
    c_init: f32 = 1.25,
    /// PUCT: from about so many visits on, exploration grows.
    c_base: f32 = 19652.0,
    /// PUCT: parameter of the Dirichlet noise at the root; `None` is 10 by the number of legal actions.
    dirichlet_alpha: Option<f32> = None,
    /// PUCT: share of that noise in the priors of the root; 0 for none.
    dirichlet_fraction: f32 = 0.0,
    /// Factor by which a value is multiplied for every step of a backup.
    discount: f32 = 1.0,
    /// Which values a network gives.
    value: ValueForm = ValueForm::default(),
    /// The reward mode of the search's values, where it differs from the environment's. The search then ignores the
    /// environment's limit of steps.
    reward: Option<RewardMode> = None,
    /// Whether the sub-tree below the action that was played is kept.
    reuse: bool = false,
    /// Leaves that a tree hands out at once; more than 1 with virtual loss.
    leaves: u32 = 1,
    /// PUCT: the first moves of a game are drawn with probability proportional to `visits^(1 / temperature)`.
    temperature: f32 = 1.0,
    /// PUCT: how many moves of a game those are.
    temperature_moves: u32 = 0,
    /// Number of groups of trees, 1 or 2. With 2 (double buffering), one group descends while a network evaluates the
    /// leaves of the other.
    groups: u32 = 1,
    /// Whether every batch of leaves has the same number of rows, the last of them padding.
    pad: bool = false,
    /// Nodes that a tree has at most; `None` for as many as its simulations need.
    max_nodes: Option<u32> = None,
    /// Most actions in a row that a simulation plays. Positions at that depth are not expanded but evaluated anew at
    /// every visit.
    max_depth: Option<u32> = None,
    /// Seed of all noise and of the chance that simulations meet.
    seed: u64 = 0,
    /// Threads; `None` uses all cores. Results never depend on it.
    threads: Option<usize> = None,
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
#[non_exhaustive]
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
#[non_exhaustive]
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
#[non_exhaustive]
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
#[non_exhaustive]
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_set_by_name() {
        let mut settings = SearchSettings::default();
        let given = [
            ("simulations", json!(12)),
            ("method", json!("puct")),
            ("gumbel_scale", json!(0.5)),
            ("dirichlet_alpha", json!(2)),
            ("value", json!("seats")),
            ("reward", json!("score")),
            ("pad", json!(true)),
            ("max_nodes", json!(7)),
            ("seed", json!(u64::MAX)),
            ("threads", json!(3)),
        ];
        for (name, value) in &given {
            settings.set(name, value).unwrap();
        }
        let expected = SearchSettings {
            simulations: 12,
            method: SearchMethod::Puct,
            gumbel_scale: 0.5,
            dirichlet_alpha: Some(2.0),
            value: ValueForm::Seats,
            reward: Some(RewardMode::Score),
            pad: true,
            max_nodes: Some(7),
            seed: u64::MAX,
            threads: Some(3),
            ..SearchSettings::default()
        };
        assert_eq!(settings, expected);
        settings.set("max_nodes", &Value::Null).unwrap();
        assert_eq!(settings.max_nodes, None);
    }

    #[test]
    fn every_setting_refuses_what_it_cannot_hold() {
        let mut settings = SearchSettings::default();
        for name in SearchSettings::NAMES {
            let error = settings.set(name, &json!(["nothing"])).unwrap_err().to_string();
            assert!(error.contains(&format!("{name}=[\"nothing\"]: ")), "{error}");
        }
        for (name, value, allowed) in [
            ("simulations", json!(-1), "0 to 4294967295"),
            ("leaves", json!(1_u64 << 32), "0 to 4294967295"),
            ("method", json!("ucb"), "one of gumbel, puct"),
            ("simulations", Value::Null, "0 to"),
            ("playouts", json!(3), "simulations, method"),
        ] {
            let error = settings.set(name, &value).unwrap_err().to_string();
            assert!(error.contains(allowed), "{error}");
        }
        assert_eq!(settings, SearchSettings::default());
    }
}
