//! Rounds: both seats draw, order and turn cards; bonus cards; the end of the game.

use super::board::{EMPIRE, REBEL, Ship};
use super::cards::{CardKind, Icon};
use super::events::{Event, Witness};
use super::game_data::GameData;
use super::phase::{GameResult, Next, Phase};
use super::state::{PartialPlay, State};
use crate::StarWarsRisk;
use ludovec_engine::chance::Chance;

impl State {
    /// Whether the icon has any legal use.
    #[inline]
    pub(crate) fn playable(&self, data: &GameData, icon: Icon) -> bool {
        let throne_open = self.throne_room_is_open();
        match icon {
            Icon::MoveXwing | Icon::MoveYwing | Icon::MoveBwing | Icon::MoveFalcon | Icon::MoveExecutor => {
                !self.sources(data, Ship::ALL[icon as usize]).is_empty()
            }
            Icon::MoveTie => self.can_spawn(data) || !self.sources(data, Ship::Tie).is_empty(),
            Icon::Shield => !self.shield_is_down(),
            Icon::Lightsaber | Icon::Lightning => throne_open,
            Icon::Hat => throne_open && self.throne[EMPIRE] <= data.constants.hat_threshold,
            Icon::Stormtroopers => self.stormtrooper_room(data) > 0,
            Icon::FireDeathstar => !self.fire_targets().is_empty(),
        }
    }
    /// The playable icons of the turned card, one bit each.
    #[inline(always)]
    pub(crate) fn playable_icons(&self, data: &GameData, card: CardKind) -> u16 {
        let icons = data.decks[self.seat()].icons[card.index()];
        icons.iter().filter(|&i| self.playable(data, i)).map(|i| 1 << i as u16).sum()
    }
}

impl StarWarsRisk {
    /// Ends the play of a card: turns cards until one is playable.
    pub(crate) fn turn_card<C: Chance + ?Sized, W: Witness>(
        &self,
        state: &mut State,
        chance: &mut C,
        witness: &mut W,
    ) -> Next {
        state.play = PartialPlay::NONE;
        state.set_card(None);
        if state.fleet(REBEL).is_empty() {
            return end(state, GameResult::Empire);
        }
        loop {
            let waiting = |seat: u8| state.piles[usize::from(seat)].waiting() > 0;
            if waiting(1 - state.seat) {
                state.seat = 1 - state.seat;
            } else if !waiting(state.seat) {
                return self.begin_round(state, chance, witness);
            }
            let seat = state.seat();
            let card = state.piles[seat].turn(chance);
            state.turns = state.turns.saturating_add(1);
            witness.see(|| Event::Turned { seat, card });
            if state.playable_icons(&self.data, card) != 0 {
                state.set_card(Some(card));
                state.phase = Phase::Icon;
                return Next::Decide;
            }
        }
    }

    /// Both seats draw; the rebellion orders first. After the last round the game ends.
    pub(crate) fn begin_round<C: Chance + ?Sized, W: Witness>(
        &self,
        state: &mut State,
        chance: &mut C,
        witness: &mut W,
    ) -> Next {
        if state.round >= self.max_rounds {
            return end(state, GameResult::Rounds);
        }
        state.round += 1;
        for seat in [REBEL, EMPIRE] {
            while state.piles[seat].hand_size < self.data.constants.hand {
                let mut shuffled = false;
                let drawn = state.piles[seat].deal(&mut shuffled, chance);
                if shuffled {
                    witness.see(|| Event::Shuffled { seat });
                }
                let Some(card) = drawn else { break };
                witness.see(|| Event::Drew { seat, card });
            }
        }
        state.phase = Phase::Order;
        state.seat = REBEL as u8;
        Next::Decide
    }

    /// Bonus cards for the current player.
    pub(crate) fn award<W: Witness>(&self, state: &mut State, cards: u8, witness: &mut W) {
        let seat = state.seat();
        let mut shuffled = false;
        let cards = state.piles[seat].award(cards, &mut shuffled);
        if shuffled {
            witness.see(|| Event::Shuffled { seat });
        }
        witness.see(|| Event::Bonus { seat, cards });
    }
}

/// Ends the game.
#[inline]
pub(crate) fn end(state: &mut State, outcome: GameResult) -> Next {
    state.phase = Phase::Over;
    state.outcome = outcome;
    state.play = PartialPlay::NONE;
    state.set_card(None);
    Next::End
}
