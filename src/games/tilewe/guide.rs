//! Tilewe for players: estimates and bots.

use serde_json::Value;

use super::{Tilewe, bots, symmetry};
use crate::engine::chance::{Chance, SeededChance};
use crate::engine::{
    AnyGame, Bot, CompoundAction, Dialect, Entry, Error, Guide, OptionSpec, Options, Picture, Place, Refusal,
    RefusalKind, Result, Rules, Spec, Status, Step, Symmetry, Theme, Tool, View, Words, reward_range,
};

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
