//! Configuration of a batch: number of games, seed, formats.

use crate::contract::options::named::Named;
use crate::contract::spec::Spec;

/// Auto-reset: the behaviour at the end of a game. The names are Gymnasium's.
///
/// ```
/// use ludovec_engine::{AutoReset, BatchConfig};
/// let config = BatchConfig { autoreset: AutoReset::Disabled, ..BatchConfig::default() };
/// assert_ne!(config.autoreset, AutoReset::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum AutoReset {
    /// The step after the last one resets: it ignores the action and its reward is 0.
    NextStep,
    /// The last step resets: the outputs describe the new game, the `final_*` columns the finished one.
    #[default]
    SameStep,
    /// Finished games wait for a reset; stepping one is an error.
    Disabled,
}

impl Named for AutoReset {
    const NAMES: &'static [(&'static str, Self)] =
        &[("next_step", Self::NextStep), ("same_step", Self::SameStep), ("disabled", Self::Disabled)];
}

/// Observation format.
///
/// ```
/// use ludovec_engine::{Named, ObservationFormat};
/// assert_eq!(ObservationFormat::named("packed"), Some(ObservationFormat::Packed));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ObservationFormat {
    /// Bytes, as the game writes them.
    #[default]
    U8,
    /// Floats, each byte times its field's scale, in addition to the bytes.
    F32,
    /// The same numbers in the minimum number of bits; see [`PackedLayout`](crate::PackedLayout).
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
    #[must_use]
    pub fn shape(self, spec: &Spec) -> Vec<usize> {
        match self {
            Self::U8 | Self::F32 => spec.observation_shape.clone(),
            Self::Packed => vec![spec.packed().row_bytes],
            Self::None => vec![0],
        }
    }
}

/// Action mask format.
///
/// ```
/// use ludovec_engine::{Named, MaskFormat};
/// assert_eq!(MaskFormat::Bytes.name(), "bytes");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MaskFormat {
    /// Bit rows.
    #[default]
    Bits,
    /// Bit rows, and one byte per action in addition.
    Bytes,
}

impl Named for MaskFormat {
    const NAMES: &'static [(&'static str, Self)] = &[("bits", Self::Bits), ("bytes", Self::Bytes)];
}

/// Configuration of a batch, without the game and its options.
///
/// ```
/// use ludovec_engine::BatchConfig;
/// let config = BatchConfig { num_envs: 256, seed: 7, ..BatchConfig::default() };
/// assert_eq!((config.num_envs, config.threads), (256, None));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchConfig {
    /// Number of games, at least 1.
    pub num_envs: usize,
    /// Index of the first game in a larger batch, so that a batch split into blocks plays the same games.
    pub first_game: u64,
    /// Number of games in the larger batch if its other blocks are stepped at the same time on the same machine;
    /// `None` if this batch is alone. The number affects only how memory is written (non-temporal stores), never the
    /// contents.
    pub total_games: Option<usize>,
    /// Seed of all random streams.
    pub seed: u64,
    /// Number of threads for stepping; `None` uses all cores. Results never depend on it.
    pub threads: Option<usize>,
    /// Whether every thread is pinned to its own core and steps the same games in every call, so that their memory is
    /// near that core (NUMA). Linux only. A batch of one thread is stepped by the calling thread, without pinning.
    pub pinned: bool,
    /// Behaviour at the end of a game.
    pub autoreset: AutoReset,
    /// Observation format.
    pub observation: ObservationFormat,
    /// Action mask format.
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
