//! Coins and the final ranking.

use super::map::RegionSet;
use super::state::{ArmyId, State, slot};
use super::step::{Stage, TurnContext};
use ludovec_engine::chance::Chance;

/// Coins of a player at the start.
pub(crate) const START: u16 = 5;
/// Players rarely earn more coins than this per turn.
const MOST_PER_TURN: u16 = 12;

impl State {
    /// The least and the most coins that other players assume `seat` to have: all of them before its first race, and
    /// afterwards up to the income of rich turns.
    pub(crate) fn assumed_coins(&self, seat: usize) -> (u16, u16) {
        if self.armies[seat].iter().all(|army| !army.exists()) {
            return (START, START);
        }
        let turns = u16::from(self.turn).saturating_sub(u16::from(seat > usize::from(self.seat)));
        (0, START + MOST_PER_TURN * turns)
    }
    /// The income of `seat` if its turn ends now: a coin for every region, plus the pay of its races and powers.
    pub(crate) fn income(&self, seat: usize) -> u16 {
        let count = |set: RegionSet| set.len() as u16;
        let active = self.active(seat);
        let mut coins: u16 = self.held[seat].iter().map(|&held| count(held)).sum();
        for ability in self.abilities(ArmyId { seat, slot: slot::ACTIVE }) {
            coins += count(active & ability.pays.regions(&self.map))
                + u16::from(ability.pays_flat)
                + u16::from(ability.pays_battle) * u16::from(self.battles)
                + u16::from(ability.pays_once) * u16::from(self.first_turn);
            if ability.pays_markers != 0 {
                coins += count(active & self.marked(ability.pays_markers));
            }
        }
        for slot in [slot::DECLINED, slot::SPIRIT] {
            if let Some(race) = self.armies[seat][slot].race() {
                coins += count(self.held[seat][slot] & race.ability().pays_declined.regions(&self.map));
            }
        }
        coins
    }

    /// The rank of each of the first `out.len()` seats: by coins, then by race tokens on the map; tied seats share
    /// a rank.
    pub(crate) fn ranks(&self, out: &mut [u8]) {
        let standing = |seat: usize| (self.coins[seat], self.tokens_on_map(seat));
        for seat in 0..out.len() {
            out[seat] = (0..out.len()).filter(|&other| standing(other) > standing(seat)).count() as u8;
        }
    }
}

impl<C: Chance + ?Sized> TurnContext<'_, C> {
    /// Pays the turn owner; a stout race may decline next.
    pub(crate) fn score(&mut self) -> Option<Stage> {
        let seat = usize::from(self.state.seat);
        self.state.coins[seat] += self.state.income(seat);
        Some(if self.may_decline_after_scoring() { Stage::Stout } else { Stage::Opponents })
    }
}
