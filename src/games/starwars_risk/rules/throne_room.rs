//! The fight in the throne room.

use super::board::{EMPIRE, REBEL};
use super::events::Witness;
use super::state::State;
use crate::StarWarsRisk;

impl State {
    /// Whether the fight continues: no counter is at 0.
    #[inline]
    pub(crate) fn throne_room_is_open(&self) -> bool {
        self.throne[REBEL] > 0 && self.throne[EMPIRE] > 0
    }
}

impl StarWarsRisk {
    /// Reduces the opponent's counter in the throne room; reaching 0 earns the bonus.
    pub(crate) fn damage<W: Witness>(&self, state: &mut State, amount: u8, bonus: u8, witness: &mut W) {
        let counter = &mut state.throne[1 - usize::from(state.seat)];
        *counter = counter.saturating_sub(amount);
        if *counter == 0 {
            self.award(state, bonus, witness);
        }
    }
}
