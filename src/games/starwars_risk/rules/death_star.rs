//! The Death Star: its targets, and the effect of its fire.

use super::board::{REBEL, Ship, Space, SpaceSet};
use super::events::Witness;
use super::state::State;
use crate::StarWarsRisk;

impl State {
    /// The targets of the Death Star: the motherships, and once all are destroyed every space with rebels.
    #[inline]
    pub(crate) fn fire_targets(&self) -> SpaceSet {
        if self.motherships > 0 { SpaceSet(u32::from(self.motherships)) } else { self.fleet(REBEL) }
    }
}

impl StarWarsRisk {
    /// Applies the Death Star's hit on a space.
    pub(crate) fn destroy<W: Witness>(&self, state: &mut State, target: Space, witness: &mut W) {
        let falcon = state.count(Ship::Falcon, target) > 0;
        state.clear(target);
        if SpaceSet::MOTHERSHIPS.contains(target) {
            state.motherships &= !(1 << target.0);
            return;
        }
        let constants = &self.data.constants;
        self.award(state, constants.bonus_clear + if falcon { constants.bonus_falcon } else { 0 }, witness);
    }
}
