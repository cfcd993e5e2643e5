//! The legal actions.

use super::board::{SHIPS, Ship};
use super::phase::Phase;
use super::state::State;
use crate::StarWarsRisk;
use crate::actions::{
    ACTIONS, ATTACK, ATTACK_DEATHSTAR, COUNT, FIRE, FROM, HIT, HOLD, ICON, ORDER, PASS, SPAWN, STOP, TO,
};
use ludovec_engine::mask;

/// Words of a mask row.
pub(crate) const WORDS: usize = mask::words(ACTIONS as usize);

impl StarWarsRisk {
    /// The legal actions of `state`.
    #[inline(always)]
    pub(crate) fn legal_mask(&self, state: &State) -> [u64; WORDS] {
        let data = &self.data;
        let mut mask = [0; WORDS];
        let mut put = |offset: u32, bits: u64| mask::or_at(&mut mask, offset as usize, bits);
        match state.phase {
            Phase::Order => {
                let hand = state.piles[state.seat()].hand;
                put(ORDER, (0..hand.len()).map(|k| u64::from(hand[k] > 0) << k).sum());
            }
            Phase::Icon => {
                put(PASS, 1);
                if let Some(card) = state.card() {
                    put(ICON, u64::from(state.playable_icons(data, card)));
                }
            }
            Phase::From => {
                put(FROM, u64::from(state.sources(data, state.play.ship).0));
                let spawns = state.play.ship == Ship::Tie && state.can_spawn(data);
                put(SPAWN, u64::from(spawns));
            }
            Phase::To => {
                if let Some(from) = state.play.from() {
                    put(TO, u64::from(state.moves_from(data, from).0));
                }
            }
            Phase::Count => {
                if let Some(from) = state.play.from() {
                    put(COUNT, (1 << state.count(state.play.ship, from)) - 1);
                }
            }
            Phase::Again => {
                put(STOP, 1);
                if let Some(at) = state.play.at() {
                    put(TO, u64::from(state.moves_from(data, at).0));
                }
            }
            Phase::Attack => {
                put(HOLD, 1);
                if let Some(at) = state.play.at() {
                    put(ATTACK, u64::from(state.attacks_from(data, at).0));
                    put(ATTACK_DEATHSTAR, u64::from(state.deathstar_open(at)));
                }
            }
            Phase::Fire => put(FIRE, u64::from(state.fire_targets().0)),
            Phase::Hit => put(HIT, u64::from(self.hit_options(state))),
            Phase::Over => {}
        }
        mask
    }

    /// The kinds of ships that the highest remaining die can hit: bit `s` for ship `s`.
    #[inline]
    pub(crate) fn hit_options(&self, state: &State) -> u8 {
        match (state.play.highest(), state.play.target()) {
            (Some(face), Some(target)) => self.data.hits[face] & state.kinds_on(target),
            _ => 0,
        }
    }

    /// The only legal action, if there is exactly one: it is taken without a decision.
    ///
    /// Ordering a card and choosing an icon are always decisions. A skipped order would reveal to the other seat
    /// that the hand has only one kind of card left.
    #[inline]
    pub(crate) fn forced(&self, state: &State) -> Option<u32> {
        if matches!(state.phase, Phase::Order | Phase::Icon) {
            return None;
        }
        let mask = self.legal_mask(state);
        if mask::count(&mask) == 1 { mask::select(&mask, 0) } else { None }
    }
}

const _: () = assert!(SHIPS <= 8 && super::board::SPACES <= 32, "sets of ships and spaces fit their words");
