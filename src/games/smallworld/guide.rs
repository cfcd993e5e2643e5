//! Small World for players: estimates and bots.

use serde_json::Value;

use super::state::State;
use super::{SmallWorld, bots};
use crate::engine::chance::{Chance, SeededChance};
use crate::engine::{
    AnyGame, Bot, CompoundAction, Dialect, Entry, Error, Guide, OptionSpec, Options, Picture, Place, Refusal,
    RefusalKind, Result, Rules, Spec, Status, Step, Symmetry, Theme, Tool, View, Words, reward_range,
};

impl Guide for SmallWorld {
    /// Coins, what the turn under way will pay, and what the next one would.
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

/// Its bots in other programs speak the protocol of the engine.
impl Dialect for SmallWorld {}
