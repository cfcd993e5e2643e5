//! Helpers for chess players: material estimate, bots.

use super::{bots, material};
use crate::rules::board::position::MoveRules;
use crate::rules::state::State;
use crate::rules::{Chess, Shows};
use ludovec_engine::{Bot, Guide};

impl<R: MoveRules, H: Shows<R>> Guide for Chess<R, H> {
    /// The value of each side's pieces.
    fn estimate(&self, state: &State<R, H>, out: &mut [f32]) {
        for (side, worth) in out.iter_mut().enumerate() {
            *worth = material::of_side(&self.tables, &state.position, side) as f32;
        }
    }

    fn bots() -> &'static [Bot<Self>] {
        bots::list()
    }
}
