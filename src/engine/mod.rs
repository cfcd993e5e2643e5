//! The engine: steps any [`Game`] in batches and decides everything that is not a rule.

mod any_game;
pub mod chance;
mod error;
mod game;
pub mod mask;
mod options;
pub mod registry;
mod spec;

pub use any_game::AnyGame;
pub use error::{Error, Result};
pub use game::{Bot, CompoundAction, Game, Status, Step, Symmetry};
pub use options::{OptionKind, OptionSpec, OptionValue, Options};
pub use registry::{ConformReport, Entry};
pub use spec::{ActionFamily, ActionLayout, MAX_PLAYERS, ObservationField, ObservationLayout, Spec};
