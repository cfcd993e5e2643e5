//! Small World for players: estimates and bots.

use super::state::State;
use super::{SmallWorld, bots};
use ludovec_engine::{Bot, Dialect, Guide};

impl Guide for SmallWorld {
    /// Coins, plus the income of the current turn if it has not been paid yet, plus the income of a next turn.
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

/// No dialect of its own: bots in other programs speak the engine's protocol.
impl Dialect for SmallWorld {}
