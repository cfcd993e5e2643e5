//! The Death Star: what it may fire at, and what its fire does.

use super::StarWarsRisk;
use super::board::{REBEL, Ship, Space, SpaceSet};
use super::events::Witness;
use super::state::State;

impl State {
    /// What the Death Star may fire at: the motherships, and once they are gone every space with rebels.
    #[inline]
    pub(super) fn fire_targets(&self) -> SpaceSet {
        if self.motherships > 0 { SpaceSet(u32::from(self.motherships)) } else { self.fleet(REBEL) }
    }
}

impl StarWarsRisk {
    /// The Death Star has hit a space.
    pub(super) fn destroy<W: Witness>(&self, state: &mut State, target: Space, witness: &mut W) {
        let falcon = state.count(Ship::Falcon, target) > 0;
        state.clear(target);
        if SpaceSet::MOTHERSHIPS.contains(target) {
            state.motherships &= !(1 << target.0);
            return;
        }
        let constants = &self.tables.constants;
        self.award(state, constants.bonus_clear + if falcon { constants.bonus_falcon } else { 0 }, witness);
    }
}
