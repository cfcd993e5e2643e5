//! The engine: steps any [`Game`] in batches and decides everything that is not a rule.
//!
//! | folder or file | holds |
//! |---|---|
//! | `contract/` | what a game promises: rules, words, pictures, guides; the values they speak in |
//! | `faces/` | the dynamic traits that front ends hold, batch configuration, columns, records |
//! | `search/` | tree search: the tree of one game, how it chooses, what answers for its leaves |
//! | `bots/` | bots that play any game |
//! | `single/` | one game with its history |
//! | `batch/` | many games side by side |
//! | `forest/` | tree search over a batch: a tree a game, all leaves in one batch |
//! | `checks/` | the conformance suite, checksums of rollouts, workloads for benchmarks |
//! | `erase` | puts any game behind the dynamic traits |
//! | `registry` | environments by name |
//! | `transition` | one step with its rewards |
//! | `threads` | the threads that step a batch or search its trees |
//! | `prefetch` | fetching memory before it is used |
//!
//! Imports point one way; CONTRIBUTING.md has their picture, which a test compares with the sources.

mod batch;
mod bots;
mod checks;
mod contract;
mod erase;
mod faces;
mod forest;
mod prefetch;
pub mod registry;
mod search;
mod single;
#[cfg(test)]
mod tests;
mod threads;
mod transition;

pub use self::batch::env::BatchEnv;
pub use self::batch::snapshot;
pub use self::bots::policy::{GENERIC_BOTS, playouts};
pub use self::checks::recorded_search::conform_search;
pub use self::checks::{inspect, rollout};
#[allow(
    unused_imports,
    reason = "not every game counts bits so often that code is compiled for several processors"
)]
pub(crate) use self::contract::cpu;
pub use self::contract::cpu::CpuLevel;
#[cfg(target_arch = "x86_64")]
pub use self::contract::cpu::missing_feature;
pub use self::contract::dialect::Dialect;
pub use self::contract::error::{Error, Refusal, RefusalKind, Result};
pub use self::contract::guide::{Bot, Guide, Symmetry};
pub use self::contract::named::Named;
pub use self::contract::observation::{ObservationField, ObservationLayout};
pub use self::contract::option_spec::{OptionKind, OptionSpec, OptionValue};
pub use self::contract::options::{CommonOptions, OnIllegal, Options, RewardMode};
pub use self::contract::packed::{PackedField, PackedLayout};
#[cfg(test)]
#[allow(unused_imports, reason = "not every game's tests look at pictures")]
pub(crate) use self::contract::picture::pictures;
pub use self::contract::picture::{Caption, Picture, with_caption};
pub use self::contract::reward::reward_range;
pub use self::contract::row::{Row, spread};
pub use self::contract::rules::{Rules, Status};
pub use self::contract::spec::{ActionFamily, ActionLayout, MAX_PLAYERS, Spec};
#[allow(unused_imports, reason = "used by the games")]
pub(crate) use self::contract::state_columns::state_columns;
pub use self::contract::state_columns::{Column, StateColumn};
pub use self::contract::values::{ValueTables, Values, table};
pub use self::contract::view::{Marks, Place, SEAT_COLOURS, Theme, View};
pub use self::contract::words::{CompoundAction, Step, Words};
pub use self::contract::{Game, chance, drawing, mask, terminal};
pub use self::faces::analysis::{Analysis, Forecast};
pub use self::faces::any_game::AnyGame;
pub(crate) use self::faces::calls;
pub use self::faces::columns;
pub use self::faces::config::{AutoReset, BatchConfig, MaskFormat, ObservationFormat};
#[cfg(any(test, feature = "conformance"))]
pub use self::faces::effort::Effort;
pub use self::faces::interrupt::Interrupt;
pub use self::faces::record::{LogEntry, Record};
pub use self::faces::single::{MAX_NAME, Outcomes, SingleGame};
pub use self::faces::tree_search::{
    Evaluator, LeafBuffers, LegalActions, Logits, SearchMethod, SearchResults, SearchSettings, SearchStats,
    TreeSearch, ValueForm,
};
pub use self::faces::vector::{States, VectorEnv};
pub use self::faces::workload::Workload;
pub use self::registry::{Conform, ConformReport, Entry, OptionSet, Tool, fnv1a};
