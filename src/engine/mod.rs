//! The engine: steps any [`Game`] in batches and decides everything that is not a rule.
//!
//! | file | holds |
//! |---|---|
//! | `game` | the contract: what rules implement |
//! | `spec`, `options` | what an environment looks like and which options it takes, as data |
//! | `chance` | randomness as an input |
//! | `mask` | legality as bit rows |
//! | `columns`, `claim` | the output arrays, whose memory they are |
//! | `vector`, `batch`, `part`, `slot`, `threads` | many games side by side: the dynamic face, the implementation, a thread's share, one game, who steps them |
//! | `calls` | what the arguments of a call on a batch must be |
//! | `sampling` | action samples |
//! | `single`, `record` | one game with history and undo, what is kept of it |
//! | `reward`, `snapshot`, `rollout` | decided once for all games |
//! | `bots`, `search`, `playout` | bots that play any game, bots by name |
//! | `interrupt` | ending a long call early |
//! | `view` | how a position is shown, and to whom |
//! | `workload` | the rules' hot operations alone, for benchmarks |
//! | `registry`, `any_game` | environments by name, rules behind a pointer |
//! | `conformance` | what every game promises, checked by playing it (feature `conformance`) |

mod any_game;
mod batch;
mod bots;
pub(crate) mod calls;
pub mod chance;
mod claim;
pub mod columns;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod error;
mod game;
mod interrupt;
pub mod mask;
mod options;
mod part;
mod playout;
mod record;
pub mod registry;
mod reward;
pub mod rollout;
mod sampling;
mod search;
mod single;
mod slot;
pub mod snapshot;
mod spec;
#[cfg(test)]
mod tests;
mod threads;
mod vector;
mod view;
mod workload;

pub use any_game::{AnyGame, Placement};
pub use batch::BatchEnv;
pub use bots::{GENERIC_BOTS, playouts};
pub use error::{Error, Result};
pub use game::{Bot, CompoundAction, Game, Status, Step, Symmetry};
pub use interrupt::Interrupt;
pub use options::{OptionKind, OptionSpec, OptionValue, Options};
pub use record::{LogEntry, Record};
pub use registry::{ConformReport, Entry, OptionSet, fnv1a};
pub use reward::{CommonOptions, OnIllegal, RewardMode, reward_range};
pub use single::{Outcomes, SingleGame};
pub use spec::{ActionFamily, ActionLayout, MAX_PLAYERS, ObservationField, ObservationLayout, Spec};
pub use vector::{AutoReset, BatchConfig, MaskFormat, Named, ObservationFormat, VectorEnv};
pub use view::{Place, SEAT_COLOURS, Theme, View};
pub use workload::Workload;
