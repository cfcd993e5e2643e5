//! The row of combos (race with power) on offer, and the stacks that refill it.

use super::roster::{Power, Race};
use super::state::{Army, ArmyId, Combo, NONE, ROW, State, slot};
use super::step::{Stage, TurnContext};
use ludovec_engine::chance::Chance;

impl State {
    /// The change of coins by picking the combo at `index`: a coin goes on each combo above it, and the coins on it
    /// are gained.
    #[inline]
    pub(crate) fn coins_of_pick(&self, index: usize) -> i32 {
        i32::from(self.row[index].coins) - index as i32
    }
    /// The number of places of the row that a seat can pay for.
    #[inline]
    pub(crate) fn affordable_combos(&self, seat: usize) -> usize {
        usize::from(self.row_len).min(usize::from(self.coins[seat]) + 1)
    }
}

impl<C: Chance + ?Sized> TurnContext<'_, C> {
    /// Waits for a pick, or picks if there is only one choice.
    pub(crate) fn offer_combos(&mut self) -> Option<Stage> {
        let choices = self.state.affordable_combos(usize::from(self.state.seat));
        (choices == 1).then(|| self.pick_combo(0))
    }

    /// The mover takes the combo at `index`: it puts a coin on each combo above it and gets the coins on it.
    pub(crate) fn pick_combo(&mut self, index: usize) -> Stage {
        let seat = usize::from(self.state.mover);
        let state = &mut *self.state;
        let picked = state.row[index];
        state.coins[seat] = state.coins[seat].wrapping_add_signed(state.coins_of_pick(index) as i16);
        for combo in &mut state.row[..index] {
            combo.coins += 1;
        }
        state.row.copy_within(index + 1.., index);
        state.row_len -= 1;
        state.row[usize::from(state.row_len)] = Combo::EMPTY;

        let (race, power) = (usize::from(picked.race), usize::from(picked.power));
        let tokens = Race::ALL[race].start_tokens() + Power::ALL[power].bonus_tokens();
        state.tray[race] -= tokens;
        state.armies[seat][slot::ACTIVE] =
            Army { race: picked.race, power: picked.power, hand: tokens, displaced: 0 };
        state.first_turn = 1;
        self.refill_row();
        Stage::Ghouls
    }

    /// Fills the empty places of the row while there are races.
    pub(crate) fn refill_row(&mut self) {
        while usize::from(self.state.row_len) < ROW {
            let Some(race) = self.draw_race() else { return };
            self.append(race);
        }
    }

    /// Removes an army from the game. Its race goes to the lowest empty place of the row, or under the stack.
    pub(crate) fn lose_army(&mut self, id: ArmyId) {
        let state = &mut *self.state;
        let mut tokens = state.off_map(id);
        for region in state.held(id) {
            tokens += state.vacate(id, region);
        }
        let army = std::mem::replace(state.army_mut(id), Army::EMPTY);
        state.tray[usize::from(army.race)] += tokens;
        if id.slot == slot::SPIRIT {
            state.power_discard |= 1 << army.power;
        }
        if usize::from(state.row_len) < ROW {
            self.append(army.race);
        } else {
            state.returned[usize::from(state.returned_len)] = army.race;
            state.returned_len += 1;
        }
    }

    /// Adds a race with the next power at the end of the row.
    fn append(&mut self, race: u8) {
        let power = self.draw_power();
        let state = &mut *self.state;
        state.row[usize::from(state.row_len)] = Combo { race, power, coins: 0 };
        state.row_len += 1;
    }

    /// The next race of the stack: first a random unseen one, then the returned ones, in their order.
    fn draw_race(&mut self) -> Option<u8> {
        let state = &mut *self.state;
        if state.race_stack != 0 {
            let race = self.draw_bit(u32::from(self.state.race_stack));
            self.state.race_stack &= !(1 << race);
            return Some(race);
        }
        if state.returned_len == 0 {
            return None;
        }
        let race = state.returned[0];
        state.returned.copy_within(1.., 0);
        state.returned_len -= 1;
        state.returned[usize::from(state.returned_len)] = NONE;
        Some(race)
    }

    /// The next power; if the stack is empty, the discarded ones are shuffled.
    fn draw_power(&mut self) -> u8 {
        let state = &mut *self.state;
        if state.power_stack == 0 {
            state.power_stack = std::mem::take(&mut state.power_discard);
        }
        let power = self.draw_bit(self.state.power_stack);
        self.state.power_stack &= !(1 << power);
        power
    }

    /// A random one of the set bits.
    fn draw_bit(&mut self, bits: u32) -> u8 {
        let mut rest = bits;
        for _ in 0..self.chance.uniform(bits.count_ones()) {
            rest &= rest - 1;
        }
        rest.trailing_zeros() as u8
    }
}
