//! The run to the shield generator, and the stormtroopers in its way.

use super::board::SHIELD_RUN;
use super::game_data::GameData;
use super::state::State;
use crate::StarWarsRisk;

impl State {
    /// Whether the shield generator run is completed.
    #[inline]
    pub(crate) fn shield_is_down(&self) -> bool {
        usize::from(self.shield) == SHIELD_RUN
    }
    /// The number of stormtroopers that the next action places.
    #[inline]
    pub(crate) fn stormtrooper_room(&self, data: &GameData) -> u8 {
        let constants = &data.constants;
        let ahead = SHIELD_RUN as u8 - self.shield;
        constants
            .stormtroopers_per_action
            .min(constants.max_stormtroopers.min(ahead).saturating_sub(self.stormtroopers))
    }
}

impl StarWarsRisk {
    /// Advances along the shield run: each next space takes the smallest unused die that is high enough for it.
    #[inline]
    pub(crate) fn run(&self, state: &mut State, dice: &[u8]) {
        let mut by_face = [0u8; 8];
        for &die in dice {
            by_face[usize::from(die)] += 1;
        }
        while usize::from(state.shield) < SHIELD_RUN {
            let space = self.data.shield_run[usize::from(state.shield)];
            let value = usize::from(space + u8::from(state.stormtroopers > 0));
            let Some(face) = (value..=6).find(|&face| by_face[face] > 0) else { return };
            by_face[face] -= 1;
            state.shield += 1;
            state.stormtroopers = state.stormtroopers.saturating_sub(1);
        }
    }
}
