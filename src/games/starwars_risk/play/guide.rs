//! Helpers for Star Wars Risk players: estimates and bots.

use super::bots;
use crate::StarWarsRisk;
use crate::rules::board::{EMPIRE, REBEL, Ship};
use crate::rules::state::State;
use ludovec_engine::{Bot, Dialect, Guide};

impl Guide for StarWarsRisk {
    /// Ships and hit points on the board; for the rebellion also its progress on the shield run.
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

/// Star Wars Risk has no dialect: external bots use the engine's protocol.
impl Dialect for StarWarsRisk {}
