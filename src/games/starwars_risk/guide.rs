//! Star Wars Risk for players: estimates and bots.

use super::board::{EMPIRE, REBEL, Ship};
use super::state::State;
use super::{StarWarsRisk, bots};
use ludovec_engine::{Bot, Dialect, Guide};

impl Guide for StarWarsRisk {
    /// Ships and hit points on the board; for the rebellion also the spaces of the shield run that it has passed.
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

/// No dialect of its own: bots in other programs speak the engine's protocol.
impl Dialect for StarWarsRisk {}
