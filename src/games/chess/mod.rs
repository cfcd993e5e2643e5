//! Chess and its variants.

mod moves;
pub mod setup;
pub mod variant;

pub use moves::{Move, MoveKind};
