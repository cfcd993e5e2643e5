//! Star Wars Risk for players: estimates and bots.

use serde_json::Value;

use super::board::{EMPIRE, REBEL, Ship};
use super::state::State;
use super::{StarWarsRisk, bots};
use crate::engine::chance::{Chance, SeededChance};
use crate::engine::{
    AnyGame, Bot, CompoundAction, Dialect, Entry, Error, Guide, OptionSpec, Options, Picture, Place, Refusal,
    RefusalKind, Result, Rules, Spec, Status, Step, Symmetry, Theme, Tool, View, Words, reward_range,
};

impl Guide for StarWarsRisk {
    /// Ships and hit points on the board, and for the rebellion what it has passed of the shield run.
    fn estimate(&self, state: &State, out: &mut [f32]) {
        out[REBEL] = f32::from(2 * state.shield);
        out[EMPIRE] = 0.0;
        for ship in Ship::ALL {
            out[ship.side()] += f32::from(state.in_play(ship));
        }
    }

    fn bots() -> &'static [Bot<Self>] {
        &bots::BOTS
    }
}

/// Its bots in other programs speak the protocol of the engine.
impl Dialect for StarWarsRisk {}
