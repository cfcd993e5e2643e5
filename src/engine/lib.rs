//! The engine: steps any [`Game`] in batches and implements everything except the rules.
//!
//! | folder or file | holds |
//! |---|---|
//! | `contract/` | the contract of a game: rules, words, pictures, guides; their types |
//! | `dynamic/` | the dynamic traits for front ends, batch configuration, columns, records |
//! | `search/` | tree search: the tree of one game, selection, leaf evaluation |
//! | `bots/` | bots that play any game |
//! | `single/` | one game with its history |
//! | `batch/` | many games side by side |
//! | `forest/` | tree search over a batch: one tree per game, all leaves in one batch |
//! | `checks/` | the conformance suite, checksums of rollouts, workloads for benchmarks |
//! | `erase` | implements the dynamic traits for any game |
//! | `registry` | environments by name |
//! | `interruptible` | calls in another thread that the caller may abandon |
//! | `files` | atomic file writes, locks of files |
//! | `transition` | one step with its rewards |
//! | `threads` | the threads that step a batch or search its trees |
//! | `prefetch` | software prefetching |

mod batch;
mod bots;
mod checks;
mod contract;
mod dynamic;
mod erase;
pub mod files;
mod forest;
pub mod interruptible;
mod prefetch;
pub mod registry;
mod search;
mod single;
#[cfg(test)]
mod tests;
mod threads;
mod transition;

/// Crates of types in public signatures.
pub use {bytemuck, ndarray, serde_json};

pub use self::batch::env::BatchEnv;
pub use self::batch::snapshot;
pub use self::bots::named_bot::{EXPLORE, GENERIC_BOTS, playout_count, playout_settings};
#[doc(hidden)]
pub use self::checks::conformance::check as check_conformance_of;
pub use self::checks::recorded_search::conform_search;
pub use self::checks::{inspect, rollout};
#[doc(hidden)]
pub use self::contract::actions::family_name;
#[doc(hidden)]
pub use self::contract::defaults;
pub use self::contract::dialect::{Dialect, GtpGame, GtpPosition, UciGame};
pub use self::contract::guide::{Attempt, Bot, Guide, Symmetry};
pub use self::contract::observation::packed::{PackedField, PackedLayout};
pub use self::contract::observation::row::{Row, spread};
pub use self::contract::observation::state_columns::{Column, StateColumn};
pub use self::contract::observation::values::{ValueTables, Values, table};
pub use self::contract::observation::{ObservationField, ObservationLayout};
pub use self::contract::options::named::Named;
pub use self::contract::options::option_pairs::OptionPairs;
pub use self::contract::options::option_spec::{OptionKind, OptionSpec, OptionValue, Paths, Presets};
pub use self::contract::options::{CommonOptions, OnIllegal, Options, RewardMode};
#[doc(hidden)]
pub use self::contract::picture::pictures;
pub use self::contract::picture::{Caption, Picture, text_as_svg, with_caption};
pub use self::contract::reward::{Payoff, margins_from_scores, reward_range};
pub use self::contract::rules::{Rules, Status};
pub use self::contract::show::beside::{Beside, Panel, PanelRow};
pub use self::contract::show::view::{CellSize, Marks, Place, SEAT_COLOURS, Theme, View};
pub use self::contract::show::{ansi, drawing};
pub use self::contract::spec::{ActionFamily, ActionId, ActionLayout, MAX_PLAYERS, Spec};
pub use self::contract::support::cpu::CpuLevel;
#[cfg(target_arch = "x86_64")]
pub use self::contract::support::cpu::missing_feature;
pub use self::contract::support::error::{Error, Refusal, RefusalKind, Result};
pub use self::contract::support::kept::{kept, kept_file, kept_json};
pub use self::contract::support::{escape, file, memory, similar};
pub use self::contract::words::{CompoundAction, Step, Words};
pub use self::contract::{Game, chance, mask};
pub use self::dynamic::analysis::{ActionSearch, Analysis, Forecast, Found};
pub use self::dynamic::any_game::AnyGame;
#[doc(hidden)]
pub use self::dynamic::calls;
pub use self::dynamic::columns;
pub use self::dynamic::config::{AutoReset, BatchConfig, MaskFormat, ObservationFormat};
pub use self::dynamic::effort::{Effort, Findings, NO_SUITE};
pub use self::dynamic::interrupt::Interrupt;
pub use self::dynamic::leaves::{LeafAnswers, LeafBuffers, LeafEvaluator, Leaves, LegalActions, Logits};
pub use self::dynamic::record::{LogEntry, Record, Variation};
pub use self::dynamic::tree_search::{
    Evaluator, SearchLine, SearchMethod, SearchResults, SearchSettings, SearchStats, SharedEvaluator,
    TreeSearch, ValueForm,
};
pub use self::dynamic::vector::{Position, States, VectorEnv};
pub use self::dynamic::workload::Workload;
pub use self::forest::trees::Forest;
pub use self::registry::{
    Conform, ConformReport, Entry, GameMaker, ImportedGame, OptionSet, ReadGames, Tool, UciVariants, fnv1a,
};
pub use self::search::exp::exp;
pub use self::single::game::{MAX_NAME, Outcomes, SingleGame};
pub use self::single::typed::TypedGame;
pub use self::threads::Threads;
