//! Chess and its variants.

mod moves;
pub mod notation;
pub mod setup;
pub mod variant;

pub use moves::{Move, MoveKind};
