//! The description of an environment, as data: the content of `env_spec/<env>.json`.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::contract::mask;
use crate::contract::observation::packed::PackedLayout;
use crate::contract::observation::state_columns::StateColumn;
use crate::contract::observation::values::{ValueTables, Values};
use crate::contract::observation::{ObservationField, ObservationLayout};
use crate::contract::options::{CommonOptions, Options};
use crate::contract::reward::{Payoff, reward_range};

/// Maximum number of seats of any game.
pub const MAX_PLAYERS: usize = 8;

/// A run of action indices with one meaning.
///
/// ```
/// use ludovec_engine::ActionLayout;
/// let mut actions = ActionLayout::default();
/// actions.push("DROP", 7, "drop a disc into column i");
/// let family = &actions.into_families()[0];
/// assert_eq!((family.name.as_str(), family.offset, family.count), ("DROP", 0, 7));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ActionFamily {
    /// The action's name, as in labels and structured actions.
    pub name: String,
    /// First index.
    pub offset: u32,
    /// Number of indices.
    pub count: u32,
    /// The meaning of index `offset + i`.
    pub meaning: String,
    /// Shape of the grid if the indices form a grid in row-major order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shape: Vec<u32>,
    /// Tables that name the positions along the axes of `shape`, or the indices themselves if there is no grid.
    #[serde(skip_serializing_if = "Values::is_empty")]
    pub values: Values,
}

/// The index of an action in the action space of an environment: 0 to [`Spec::num_actions`] - 1.
///
/// It is the same number everywhere: in masks, batches, searches, single games, records. Arrays of NumPy and of fleets
/// hold it as int32.
pub type ActionId = u32;

/// Lays out action families one after the other.
///
/// ```
/// use ludovec_engine::ActionLayout;
/// let mut actions = ActionLayout::default();
/// let [roll, hold] = [actions.push("ROLL", 1, "roll the die"), actions.push("HOLD", 1, "bank the points")];
/// assert_eq!((roll, hold, actions.len()), (0, 1, 2));
/// ```
#[derive(Debug, Default)]
pub struct ActionLayout {
    families: Vec<ActionFamily>,
    len: u32,
}

impl ActionLayout {
    /// Appends a family and returns its offset.
    pub fn push(&mut self, name: &str, count: u32, meaning: &str) -> u32 {
        let offset = self.len;
        self.families.push(ActionFamily {
            name: name.into(),
            offset,
            count,
            meaning: meaning.into(),
            shape: Vec::new(),
            values: Values::default(),
        });
        self.len += count;
        offset
    }
    /// Names the indices of the last family: `shape` is the shape of their grid, and `tables` has the name of a table
    /// per axis, or `""`.
    ///
    /// ```
    /// use ludovec_engine::ActionLayout;
    /// let mut actions = ActionLayout::default();
    /// actions.push("MOVE", 64, "to a square");
    /// actions.name(&[8, 8], &["rank", "file"]);
    /// assert_eq!(actions.into_families()[0].shape, [8, 8]);
    /// ```
    pub fn name(&mut self, shape: &[u32], tables: &[&str]) {
        if let Some(family) = self.families.last_mut() {
            family.shape = if shape.len() == 1 { Vec::new() } else { shape.to_vec() };
            family.values = Values::axes(tables);
        }
    }
    /// Number of actions so far.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.len
    }
    /// Whether there are no families yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The families.
    #[must_use]
    pub fn into_families(self) -> Vec<ActionFamily> {
        self.families
    }
}

/// The description of an environment under one set of options.
///
/// [`document`](crate::registry::document) adds the lists of options and bots.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spec {
    /// Environment id.
    pub env: &'static str,
    /// Version of the environment's behaviour; it changes with any change of rules, indices or layout.
    pub version: u32,
    /// One sentence.
    pub summary: &'static str,
    /// The options that this spec describes.
    #[serde(skip_deserializing)]
    pub options: Options,
    /// Number of seats, at most [`MAX_PLAYERS`].
    pub players: usize,
    /// Number of action indices.
    pub num_actions: u32,
    /// The action indices by family.
    pub actions: Vec<ActionFamily>,
    /// Shape of an observation (u8).
    pub observation_shape: Vec<usize>,
    /// The observation by field.
    pub observation: Vec<ObservationField>,
    /// The basis of `reward=score`.
    pub score: &'static str,
    /// Minimum and maximum reward of a player per step, under these options.
    pub reward_range: (f32, f32),
    /// The quantity that players play for: the outcome of a game.
    #[serde(skip_serializing_if = "Payoff::is_ranks")]
    pub payoff: Payoff,
    /// Upper bound on the number of decisions in an episode.
    pub max_episode_steps: u32,
    /// Whether players have hidden information.
    pub hidden_information: bool,
    /// The observation field of simultaneous decisions, empty if there are none.
    ///
    /// Players who decide at the same time decide in turn, and their decisions stay sealed: the field has elements other
    /// than 0 from the first decision of such a phase to its last one, which sets them back to 0. Until then no other
    /// element that another player observes changes. So the order of the decisions carries no information, and interfaces
    /// may show the phase as one step. The declaration is a field of the observation, because an observation is what
    /// every game has, whatever its language, and because players may know who has decided.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub simultaneous: &'static str,
    /// Size of one game's state in bytes.
    pub state_bytes: usize,
    /// The true state by field, for [`VectorEnv::states`](crate::VectorEnv::states). May be empty.
    pub state: Vec<StateColumn>,
    /// The tables of names that actions, observations and state columns refer to.
    pub values: ValueTables,
}

impl Spec {
    /// The spec of a game with states of type `S`; what follows from the layouts is filled in.
    ///
    /// The rest is that of a game without hidden information, in which the winner scores 1. A game with other values
    /// says so: `Spec { max_episode_steps: 9, ..Spec::of::<State>(...) }`.
    #[must_use]
    pub fn of<S>(
        env: &'static str,
        version: u32,
        summary: &'static str,
        options: &Options,
        players: usize,
        actions: ActionLayout,
        observation: ObservationLayout,
    ) -> Self {
        Self {
            env,
            version,
            summary,
            options: options.clone(),
            players,
            num_actions: actions.len(),
            actions: actions.into_families(),
            observation_shape: vec![observation.len()],
            observation: observation.into_fields(),
            score: "1 for the winner",
            reward_range: reward_range(options, (0.0, 1.0)),
            payoff: Payoff::Ranks,
            max_episode_steps: u32::MAX,
            hidden_information: false,
            simultaneous: "",
            state_bytes: size_of::<S>(),
            state: Vec::new(),
            values: ValueTables::default(),
        }
    }
    /// The elements of an observation that are other than 0 within a simultaneous phase; none without such phases.
    pub fn flags(&self) -> impl Iterator<Item = usize> {
        let declared = self.observation.iter().filter(|field| field.name == self.simultaneous);
        declared.flat_map(ObservationField::indices)
    }
    /// Number of elements of one observation.
    #[must_use]
    pub fn observation_len(&self) -> usize {
        self.observation_shape.iter().product()
    }
    /// The layout of packed observations. Recomputed by every call.
    #[must_use]
    pub fn packed(&self) -> PackedLayout {
        PackedLayout::new(&self.observation)
    }
    /// A hash of everything that determines the meaning of a state: the environment's id, version and own options.
    pub(crate) fn digest(&self) -> u64 {
        let common = CommonOptions::specs();
        let rules: Vec<_> =
            self.options.iter().filter(|(key, _)| common.iter().all(|c| c.name != *key)).collect();
        let text = serde_json::to_string(&(self.env, self.version, rules)).expect("options are plain values");
        xxh3_64(text.as_bytes())
    }
    /// Number of `u64` words of one mask row.
    #[must_use]
    pub fn mask_words(&self) -> usize {
        mask::words(self.num_actions as usize)
    }
    /// The family of `action`, with the index inside it.
    #[must_use]
    pub fn family(&self, action: ActionId) -> Option<(&ActionFamily, u32)> {
        let family = self.actions.iter().find(|f| action >= f.offset && action - f.offset < f.count)?;
        Some((family, action - family.offset))
    }
}
