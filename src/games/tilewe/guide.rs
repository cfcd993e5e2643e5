//! Tilewe for players: estimates and bots.

use super::{Tilewe, bots, symmetry};
use crate::engine::{Bot, Dialect, Guide, Symmetry};

impl Guide for Tilewe {
    fn bots() -> &'static [Bot<Self>] {
        bots::BOTS
    }

    fn symmetries(&self) -> Vec<Symmetry> {
        symmetry::all(self.players)
    }
}

/// Its bots in other programs speak the protocol of the engine.
impl Dialect for Tilewe {}
