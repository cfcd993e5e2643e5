//! The fight in the throne room.

use super::StarWarsRisk;
use super::board::{EMPIRE, REBEL};
use super::events::Witness;
use super::state::State;

impl State {
    /// Whether the fight goes on: no counter is at 0.
    #[inline]
    pub(super) fn throne_room_is_open(&self) -> bool {
        self.throne[REBEL] > 0 && self.throne[EMPIRE] > 0
    }
}

impl StarWarsRisk {
    /// Takes the opponent's counter in the throne room down; the bonus is for bringing it to 0.
    pub(super) fn damage<W: Witness>(&self, state: &mut State, amount: u8, bonus: u8, witness: &mut W) {
        let counter = &mut state.throne[1 - usize::from(state.seat)];
        *counter = counter.saturating_sub(amount);
        if *counter == 0 {
            self.award(state, bonus, witness);
        }
    }
}
