//! The dynamic trait of tree search over a batch: thousands of trees, one batch of leaves.

use serde::Serialize;
use serde_json::Value;

use crate::contract::options::RewardMode;
use crate::contract::options::named::Named;
use crate::contract::spec::ActionId;
use crate::contract::support::error::{Error, Result};
use crate::dynamic::columns::PlaceColumn;
use crate::dynamic::interrupt::Interrupt;
use crate::dynamic::leaves::{LeafAnswers, LeafBuffers, LeafEvaluator, Leaves, LegalActions, Logits};
use crate::dynamic::vector::VectorEnv;
use crate::single::game::SingleGame;

/// Search method: selection of the actions to visit, and the policy derived from the visits.
///
/// Below the root, Gumbel AlphaZero falls back to PUCT in games with chance, hidden information or more than two
/// players. With [playouts or estimates](Evaluator) as leaf evaluator, both methods use UCB1 there.
///
/// ```
/// use ludovec_engine::{Named, SearchMethod};
/// assert_eq!(SearchMethod::named("puct"), Some(SearchMethod::Puct));
/// ```
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

/// The form of a network's values for a leaf.
///
/// ```
/// use ludovec_engine::{SearchSettings, ValueForm};
/// let settings = SearchSettings { value: ValueForm::Seats, ..SearchSettings::default() };
/// assert!(settings.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ValueForm {
    /// One value, for the current player. The other player's value is its negative.
    #[default]
    Seat,
    /// One value per seat: first the current player's, then the values of the following seats in turn order.
    Seats,
}

impl Named for ValueForm {
    const NAMES: &'static [(&'static str, Self)] = &[("seat", Self::Seat), ("seats", Self::Seats)];
}

/// A type of settings that can be read from JSON.
trait Setting: Sized {
    /// Converts `value`; `None` if it has another type.
    fn read(value: &Value) -> Option<Self>;
    /// The allowed values, in words.
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

/// Declares the settings and their defaults, from which the settings of every front end are derived.
macro_rules! search_settings {
    ($($(#[doc = $doc:literal])* $name:ident: $type:ty = $default:expr,)*) => {
        /// Settings of a tree search.
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

            /// Sets the setting `name` to a number, a boolean, a word, or null for a default chosen later.
            /// [`SearchSettings::check`] tells whether settings are in range.
            ///
            /// # Errors
            /// [`Error::InvalidConfig`] names the setting, its value and the allowed values.
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
    /// PUCT: approximate number of visits from which exploration grows.
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
    /// Whether ends of games are backed up as bounds (proofs): a proven win is played, a proven loss is never chosen, and
    /// a proven root ends its search. Without effect where the game has hidden information.
    proofs: bool = true,
    /// With `proofs`: whether the actions of the root are tried by the rules before the search, and the actions of leaves
    /// before a network evaluates them, so that ends one action away are known.
    one_ply: bool = false,
    /// Whether the sub-tree below the action that was played is kept.
    reuse: bool = false,
    /// Leaves per tree and batch; more than 1 with virtual loss.
    leaves: u32 = 1,
    /// PUCT: the first moves of a game are drawn with probability proportional to `visits^(1 / temperature)`.
    temperature: f32 = 1.0,
    /// PUCT: number of moves at the start of a game to which `temperature` applies.
    temperature_moves: u32 = 0,
    /// Number of groups of trees, 1 or 2. With 2 (double buffering), one group descends while a network evaluates the
    /// leaves of the other.
    groups: u32 = 1,
    /// Whether every batch of leaves has the same number of rows, the last of them padding.
    pad: bool = false,
    /// Nodes that a tree has at most; `None` for as many as its simulations need.
    max_nodes: Option<u32> = None,
    /// Maximum depth of a simulation in actions. Positions at this depth are not expanded but re-evaluated at every
    /// visit.
    max_depth: Option<u32> = None,
    /// Seed of all noise and of the chance that simulations meet; `None` for the seed of each game's random stream.
    seed: Option<u64> = None,
    /// Threads; `None` uses all cores. Results never depend on it.
    threads: Option<usize> = None,
}

impl SearchSettings {
    /// Maximum number of simulations per move.
    pub const MAX_SIMULATIONS: u32 = 100_000_000;

    /// Rejects settings out of range.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the setting, its value and the allowed values.
    ///
    /// ```
    /// use ludovec_engine::SearchSettings;
    /// let error = SearchSettings { leaves: 0, ..SearchSettings::default() }.check().unwrap_err();
    /// assert!(error.to_string().contains("leaves=0: 1 to 1024 are allowed"));
    /// ```
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

/// Leaf evaluator of a search without a network.
///
/// ```
/// use ludovec_engine::{Evaluator, Named};
/// assert_eq!(Evaluator::named("estimate"), Some(Evaluator::Estimate));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Evaluator {
    /// A dummy evaluator (uniform priors, value 0), to measure search overhead.
    Null,
    /// The game's own estimate of the position, with uniform priors.
    Estimate,
    /// A playout; the priors at the root follow each action's lead at the end of the turn.
    Playout,
}

impl Named for Evaluator {
    const NAMES: &'static [(&'static str, Self)] =
        &[("null", Self::Null), ("estimate", Self::Estimate), ("playout", Self::Playout)];
}

/// The results of a search at its roots. Ragged lists have one element for each legal action of each root, in the
/// layout of `legal`.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct SearchResults {
    /// `[N]`: the best action; 0 if the game is not searched.
    pub actions: Vec<ActionId>,
    /// The legal actions of every root.
    pub legal: LegalActions,
    /// Improved policy, the training target.
    pub policy: Vec<f32>,
    /// Visit count of the action.
    pub visits: Vec<i32>,
    /// Mean value of the action for the current player; exact if proven, 0 if unvisited.
    pub q: Vec<f32>,
    /// What is proven of the action: 1 if no action is better, -1 if it is the worst possible or another one is at least
    /// as good, 0 otherwise.
    pub proven: Vec<i8>,
    /// `[N, P]`: value of the root for every player: the value of its best action.
    pub values: Vec<f32>,
    /// `[N, P]`: mean value of the root over its simulations for every player.
    pub mean_values: Vec<f32>,
}

/// Counters of a search since its creation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SearchStats {
    /// Number of trees of the current search, without finished games.
    pub trees: u64,
    /// Number of simulations.
    pub simulations: u64,
    /// Number of created nodes.
    pub nodes: u64,
    /// Mean depth: average number of actions from the root to the end of a simulation.
    pub mean_depth: f64,
    /// Share of the simulations that ended in a finished position.
    pub terminal_share: f64,
    /// Number of trees of the current search that stopped at their node limit.
    pub full: u64,
    /// Number of trees of the current search that stopped because the value of their root is proven.
    pub proven: u64,
    /// Memory of all trees in bytes.
    pub bytes: u64,
}

/// An evaluator that threads share: it maps observations of the current players, as bytes, and their legal actions to one
/// logit per legal action, and to values as for [`TreeSearch::expand`].
pub type SharedEvaluator<'a> = dyn Fn(&[u8], &LegalActions) -> Result<(Vec<f32>, Vec<f32>)> + Sync + 'a;

/// One search tree per game, searched side by side.
///
/// ```text
/// start -> select -> (network) -> expand -> select -> ... -> select returns 0 -> results
/// ```
///
/// Methods that return an error have changed nothing, unless documented otherwise.
///
/// ```
/// use ludovec_engine::{BatchConfig, Logits, SearchSettings, TreeSearch};
/// # use ludovec_engine::{Dialect, Guide, Picture, Words};
/// # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/nim.rs")); }
/// # use nim::*;
/// # impl Words for Nim {}
/// # impl Picture for Nim {}
/// # impl Guide for Nim {}
/// # impl Dialect for Nim {}
/// # let nim: Arc<dyn AnyGame> = Arc::new(Nim::new(&options()));
///
/// let env = nim.vector(BatchConfig { num_envs: 4, ..BatchConfig::default() })?;
/// let mut search = nim.tree_search(env.config(), SearchSettings { simulations: 64, ..SearchSettings::default() })?;
/// search.start(&*env, None)?;
/// loop {
///     let rows = search.select()?;
///     if rows == 0 {
///         break;
///     }
///     // A network would read `search.leaves()`.
///     search.expand(Logits::All(&vec![0.0; rows * 3]), &vec![0.0; rows])?;
/// }
/// assert_eq!(search.results()?.actions, search.actions());
/// # Ok::<(), Error>(())
/// ```
pub trait TreeSearch: Send {
    /// The settings of the search.
    fn settings(&self) -> &SearchSettings;
    /// Number of trees.
    fn num_trees(&self) -> usize;
    /// Roots a tree at the current position of every game of `env`, or of the games `ids`; the other trees have
    /// nothing to search.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the environment or the number of games differs from the one the trees were made
    /// for, or ids are out of range or order.
    fn start(&mut self, env: &dyn VectorEnv, ids: Option<&[u32]>) -> Result<()>;
    /// Roots the trees like [`TreeSearch::start`], but a tree that has met the position of its game, any number of
    /// decisions ago, keeps the part below it, and the other trees rest: they have nothing to search and keep all their
    /// nodes. So players follow their games across the moves of others.
    ///
    /// With hidden information, a tree belongs to one player; it begins afresh for another one.
    ///
    /// # Errors
    /// As for [`TreeSearch::start`].
    fn follow(&mut self, env: &dyn VectorEnv, ids: Option<&[u32]>) -> Result<()>;
    /// Moves the roots to the current positions of `env`, after `actions` were played; with [`SearchSettings::reuse`]
    /// the sub-trees below them are kept.
    ///
    /// # Errors
    /// As for [`TreeSearch::start`], and unless there is one action per tree.
    fn advance(&mut self, env: &dyn VectorEnv, actions: &[ActionId]) -> Result<()>;
    /// Descends every tree that needs more visits. Returns the number of rows of leaves waiting for
    /// [`TreeSearch::expand`]; 0 when the search is done.
    ///
    /// Another call before `expand` returns the same leaves.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] before the first [`TreeSearch::start`].
    fn select(&mut self) -> Result<usize>;
    /// The index in [`TreeSearch::buffers`] of the buffer with the leaves of the last [`TreeSearch::select`].
    fn group(&self) -> usize;
    /// The leaf buffers of each group: the columns `observations`, `observations_f32`, `mask_bits`, `current_player`
    /// and `tree`, their rows, and the owners of their memory. Padding has tree -1.
    fn buffers(&mut self) -> Vec<LeafBuffers>;
    /// Moves the observations of the leaves into memory returned by `place`, which is asked once for each group. Views of
    /// the earlier buffers become invalid (empty).
    ///
    /// # Safety
    /// As for [`Columns::placed`](crate::dynamic::columns::Columns::placed).
    ///
    /// # Errors
    /// As for [`Columns::placed`](crate::dynamic::columns::Columns::placed), and [`Error::InvalidConfig`] after the first [`TreeSearch::start`].
    unsafe fn place_observations(&mut self, place: &mut PlaceColumn<'_>) -> Result<()>;
    /// The observations of the current players in the leaves of the last [`TreeSearch::select`], as bytes,
    /// concatenated.
    fn leaf_observations(&self) -> &[u8];
    /// The leaves of the last [`TreeSearch::select`] as slices, one row each.
    fn leaves(&self) -> Leaves<'_>;
    /// The legal actions of the leaves of the last [`TreeSearch::select`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    fn legal_actions(&self) -> Result<LegalActions>;
    /// The position of row `row` of the leaves of the last [`TreeSearch::select`] as a game of its own, for evaluators
    /// that play on. A root with hidden information is determinized for its current player.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] unless a leaf waits in that row.
    fn leaf_game(&mut self, row: usize) -> Result<SingleGame>;
    /// Checks that a network can evaluate leaves under these settings: [`ValueForm::Seat`] needs a zero-sum game of at
    /// most two players. [`TreeSearch::expand`] checks it as well; searches without a network take any form.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the setting that is needed.
    fn check_values(&self) -> Result<()>;
    /// Adds `extra`, `[rows, P]` by player, to the rewards of the steps that reached the waiting leaves: reward shaping,
    /// between [`TreeSearch::select`] and [`TreeSearch::expand`]. All simulations through these steps earn it.
    ///
    /// Rows of roots have no effect. Steps that end a game are never shown: they earn the rewards of the rules.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for a wrong shape, for invalid numbers, or if no leaves wait; [`Error::OutOfMemory`].
    fn add_reward(&mut self, extra: &[f32]) -> Result<()>;
    /// Expands the waiting leaves with a network's output: logits, and values `[rows]` or `[rows, P]`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for wrong shapes, for values or logits of legal actions that are not numbers, or if
    /// no leaves wait. The leaves keep waiting.
    fn expand(&mut self, logits: Logits<'_>, values: &[f32]) -> Result<()>;
    /// Runs the search to the end without a network.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if `interrupt` is raised; a later call can resume the search.
    fn run(&mut self, evaluator: Evaluator, interrupt: &Interrupt) -> Result<()>;
    /// Runs the search to the end with an evaluator that every thread asks for its own trees, so that no thread waits for
    /// the leaves of another one. The results are as with [`TreeSearch::select`] and [`TreeSearch::expand`].
    ///
    /// # Errors
    /// The evaluator's errors, those of [`TreeSearch::expand`] for its answers, of several errors that of the first tree,
    /// and [`Error::Interrupted`] if `interrupt` is raised. A later call can resume the search.
    fn run_shared(&mut self, evaluator: &SharedEvaluator<'_>, interrupt: &Interrupt) -> Result<()>;
    /// Runs the search to the end with an own evaluator: a function of all waiting leaves, called until none waits.
    ///
    /// # Errors
    /// The evaluator's errors, the errors of [`TreeSearch::select`] and [`TreeSearch::expand`], and
    /// [`Error::Interrupted`] if `interrupt` is raised. A later call can resume the search.
    fn run_with(
        &mut self,
        evaluate: &mut dyn FnMut(&Leaves<'_>, &mut LeafAnswers<'_>) -> Result<()>,
        interrupt: &Interrupt,
    ) -> Result<()> {
        let (mut logits, mut values) = (Vec::new(), Vec::new());
        loop {
            if interrupt.is_raised() {
                return Err(Error::Interrupted("the search is not finished, run it again to go on".into()));
            }
            if self.select()? == 0 {
                return Ok(());
            }
            let leaves = self.leaves();
            for (answers, width) in [(&mut logits, leaves.num_actions), (&mut values, leaves.num_values)] {
                answers.clear();
                answers.resize(leaves.rows * width, 0.0);
            }
            evaluate(&leaves, &mut LeafAnswers { logits: &mut logits, values: &mut values })?;
            self.expand(Logits::All(&logits), &values)?;
        }
    }
    /// The same with an evaluator that has a type of its own.
    ///
    /// # Errors
    /// As for [`TreeSearch::run_with`].
    fn run_evaluator(&mut self, evaluator: &mut dyn LeafEvaluator, interrupt: &Interrupt) -> Result<()> {
        self.run_with(&mut |leaves, answers| evaluator.evaluate(leaves, answers), interrupt)
    }
    /// The best actions, one per tree, as in [`SearchResults`].
    fn actions(&mut self) -> Vec<ActionId>;
    /// The results so far.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    fn results(&mut self) -> Result<SearchResults>;
    /// The counters so far.
    fn stats(&mut self) -> SearchStats;
    /// A tree down to `depth` actions below its root: visits, values, priors, actions in words.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if there is no such tree.
    fn tree_json(&mut self, tree: usize, depth: usize) -> Result<Value>;
    /// The principal variations of a tree: for every visited action of its root, most visits first, the line of most
    /// visited actions and outcomes, of at most `depth` actions.
    ///
    /// # Errors
    /// As for [`TreeSearch::tree_json`].
    fn lines(&mut self, tree: usize, depth: usize) -> Result<Vec<SearchLine>>;
}

/// A line of play in a search tree.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SearchLine {
    /// The actions from the root on, at least one.
    pub actions: Vec<ActionId>,
    /// The same as texts.
    pub texts: Vec<String>,
    /// Visits of the first action.
    pub visits: u32,
    /// Mean value of the first action for the current player of the root.
    pub value: f64,
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
            seed: Some(u64::MAX),
            threads: Some(3),
            ..SearchSettings::default()
        };
        assert_eq!(settings, expected);
        settings.set("max_nodes", &Value::Null).unwrap();
        assert_eq!(settings.max_nodes, None);
    }

    #[test]
    fn every_setting_refuses_invalid_values() {
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
