//! Chess for players: material, bots.

use super::board::position::MoveRules;
use super::rules::{Chess, Shows};
use super::state::State;
use super::{bots, material};
use crate::engine::{Bot, Dialect, Guide};

impl<R: MoveRules, H: Shows<R>> Guide for Chess<R, H> {
    /// Material.
    fn estimate(&self, state: &State<R, H>, out: &mut [f32]) {
        for (side, worth) in out.iter_mut().enumerate() {
            *worth = material::of_side(&self.tables, &state.position, side) as f32;
        }
    }

    fn bots() -> &'static [Bot<Self>] {
        bots::list()
    }
}

/// Its bots in other programs speak the protocol of the engine.
impl<R: MoveRules, H: Shows<R>> Dialect for Chess<R, H> {}
