//! Helpers for Tilewe players: estimates and bots.

use super::{Tilewe, bots, symmetry};
use ludovec_engine::{Bot, Dialect, Guide, Symmetry};

impl Guide for Tilewe {
    fn bots() -> &'static [Bot<Self>] {
        bots::BOTS
    }

    fn symmetries(&self) -> Vec<Symmetry> {
        symmetry::all(self.players)
    }
}

/// Tilewe has no dialect: external bots use the engine's protocol.
impl Dialect for Tilewe {}
