//! Going into decline.

use super::pieces::markers;
use super::roster::Power;
use super::state::{Army, ArmyId, slot};
use super::step::TurnContext;
use ludovec_engine::chance::Chance;

impl<C: Chance + ?Sized> TurnContext<'_, C> {
    /// The active race of the turn owner goes into decline: one token stays in each region, the rest goes
    /// back to the tray with all pieces that only an active race has. It replaces an earlier race in decline, unless
    /// it has the Spirit power.
    pub(crate) fn decline(&mut self) {
        let seat = usize::from(self.state.seat);
        let active = ArmyId { seat, slot: slot::ACTIVE };
        let Army { race, power, .. } = *self.state.army(active);
        let [abilities, by_power] = self.state.abilities(active);
        let to = ArmyId { seat, slot: if by_power.spirit { slot::SPIRIT } else { slot::DECLINED } };

        if !by_power.spirit {
            self.state.power_discard |= 1 << power;
        }
        if self.state.army(to).exists() {
            self.lose_army(to);
        }

        let state = &mut *self.state;
        let held = state.held(active);
        state.unmark(held, markers::IMMUNE);
        state.strike_encampments(held);
        if abilities.holes > 0 {
            state.leaps = 0;
        }
        if !abilities.fights_in_decline {
            state.gather(active);
        }
        let army = std::mem::replace(state.army_mut(active), Army::EMPTY);
        state.tray[usize::from(race)] += army.hand + army.displaced;
        *state.army_mut(to) = Army { race, power, hand: 0, displaced: 0 };
        state.held[seat][to.slot] = held;
        state.held[seat][slot::ACTIVE] = Default::default();
        if held.is_empty() {
            self.lose_army(to);
        }
    }

    /// Whether the active race may decline after scoring.
    pub(crate) fn may_decline_after_scoring(&self) -> bool {
        let power = self.state.armies[usize::from(self.state.seat)][slot::ACTIVE].power();
        power.map(Power::ability).is_some_and(|ability| ability.stout)
    }
}
