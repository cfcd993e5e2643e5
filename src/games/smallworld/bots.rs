//! Scripted players.

use super::SmallWorld;
use crate::engine::Bot;

/// The bots of this game.
pub(super) const BOTS: &[Bot<SmallWorld>] = &[];
