//! Star Wars Risk for players: estimates and bots.

use super::board::{EMPIRE, REBEL, Ship};
use super::state::State;
use super::{StarWarsRisk, bots};
use crate::engine::{Bot, Dialect, Guide};

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
