//! How a batch is run: how many games, under which seed, in which formats.

use crate::contract::named::Named;
use crate::contract::spec::Spec;

/// What happens when a game of a batch ends. The names are Gymnasium's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum AutoReset {
    /// The step after the last one resets: it ignores the action and pays nothing.
    NextStep,
    /// The last step resets: the outputs show the new game, the `final_*` columns the finished one.
    #[default]
    SameStep,
    /// Finished games wait for a reset; to step one is an error.
    Disabled,
}

impl Named for AutoReset {
    const NAMES: &'static [(&'static str, Self)] =
        &[("next_step", Self::NextStep), ("same_step", Self::SameStep), ("disabled", Self::Disabled)];
}

/// How observations are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ObservationFormat {
    /// Bytes, as the game writes them.
    #[default]
    U8,
    /// Floats, each byte times its field's scale; written beside the bytes.
    F32,
    /// The same numbers in the fewest bits; see [`PackedLayout`](crate::PackedLayout).
    Packed,
    /// Not written.
    None,
}

impl Named for ObservationFormat {
    const NAMES: &'static [(&'static str, Self)] =
        &[("u8", Self::U8), ("f32", Self::F32), ("packed", Self::Packed), ("none", Self::None)];
}

impl ObservationFormat {
    /// Shape of an observation of `spec` in this format.
    pub fn shape(self, spec: &Spec) -> Vec<usize> {
        match self {
            Self::U8 | Self::F32 => spec.observation_shape.clone(),
            Self::Packed => vec![spec.packed().row_bytes],
            Self::None => vec![0],
        }
    }
}

/// How legality is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MaskFormat {
    /// Bit rows.
    #[default]
    Bits,
    /// Bit rows and beside them one byte an action.
    Bytes,
}

impl Named for MaskFormat {
    const NAMES: &'static [(&'static str, Self)] = &[("bits", Self::Bits), ("bytes", Self::Bytes)];
}

/// How a batch is run. The game and its options are not part of this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchConfig {
    /// Number of games, at least 1.
    pub num_envs: usize,
    /// Index of the first game in a larger whole, so that a batch in blocks plays the same games.
    pub first_game: u64,
    /// Number of games in the larger whole, when its other blocks are stepped at the same time on the same machine;
    /// `None` when this batch is alone. The number decides how memory is written (non-temporal stores), never the
    /// contents.
    pub total_games: Option<usize>,
    /// Seed of all streams.
    pub seed: u64,
    /// Threads that step; `None` uses all cores. Results never depend on it.
    pub threads: Option<usize>,
    /// Whether every thread stays on a core of its own and steps the same games in every call, so that these lie in
    /// memory near that core (NUMA). Linux only; a batch of one thread is stepped by the caller's, wherever that runs.
    pub pinned: bool,
    /// What happens when a game ends.
    pub autoreset: AutoReset,
    /// How observations are written.
    pub observation: ObservationFormat,
    /// How legality is shown.
    pub mask: MaskFormat,
}

impl Default for BatchConfig {
    fn default() -> Self {
        Self {
            num_envs: 1,
            first_game: 0,
            total_games: None,
            seed: 0,
            threads: None,
            pinned: false,
            autoreset: AutoReset::default(),
            observation: ObservationFormat::default(),
            mask: MaskFormat::default(),
        }
    }
}
