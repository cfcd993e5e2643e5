//! The engine: steps any [`Game`] in batches and decides everything that is not a rule.

pub mod chance;
mod error;
mod game;
pub mod mask;
mod options;
mod spec;

pub use error::{Error, Result};
pub use game::{Bot, Game, Status, Step, Symmetry};
pub use options::{OptionKind, OptionSpec, OptionValue, Options};
pub use spec::{ActionFamily, ActionLayout, MAX_PLAYERS, ObservationField, ObservationLayout, Spec};
