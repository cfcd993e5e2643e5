//! Helpers for Small World players: estimates and bots.

use super::bots;
use crate::SmallWorld;
use crate::rules::state::State;
use ludovec_engine::{Bot, Dialect, Guide};

impl Guide for SmallWorld {
    /// Coins, plus the income of the current turn if it has not been paid yet, plus the income of one more turn.
    fn estimate(&self, state: &State, out: &mut [f32]) {
        for (seat, worth) in out.iter_mut().enumerate() {
            let mut payments = u16::from(state.turn < self.rules.turns);
            if seat == usize::from(state.seat) && !state.phase().is_paid() {
                payments += 1;
            }
            *worth = f32::from(state.coins[seat] + payments * state.income(seat));
        }
    }

    fn bots() -> &'static [Bot<Self>] {
        bots::BOTS
    }
}

/// Small World has no dialect: external bots use the engine's protocol.
impl Dialect for SmallWorld {}
