//! Validation of states of arbitrary contents.

use crate::StarWarsRisk;
use crate::actions::GROUP;
use crate::rules::board::{EMPIRE, REBEL, SHIELD_RUN, SIDES, Ship, Space, SpaceSet};
use crate::rules::cards::{Counts, KINDS, NO_CARD, total};
use crate::rules::legal::WORDS;
use crate::rules::phase::{GameResult, Phase};
use crate::rules::piles::STACK;
use crate::rules::state::{PartialPlay, State};
use ludovec_engine::{Error, Result};

/// Validates `state` for further play.
///
/// # Errors
/// [`Error::InvalidState`] names the problem.
pub(crate) fn validate(rules: &StarWarsRisk, state: &State) -> Result<()> {
    let rule = |holds: bool, broken: &str| {
        if holds { Ok(()) } else { Err(Error::state(broken.to_string())) }
    };
    rule(state.zero == [0; 2], "bytes that are always 0 are not")?;
    rule(state.seat <= 1, "the seat to move is 0 or 1")?;
    rule((1..=rules.max_rounds).contains(&state.round), "the round is from 1 to max_rounds")?;
    rules.check_board(state)?;
    rule(usize::from(state.shield) <= SHIELD_RUN, "the shield run has 28 spaces")?;
    let ahead = SHIELD_RUN as u8 - state.shield;
    let troopers = rules.data.constants.max_stormtroopers.min(ahead);
    rule(state.stormtroopers <= troopers, "there are at most 9 stormtroopers, on spaces ahead")?;
    let counters = rules.data.constants.throne_counters;
    let counted = state.throne.iter().zip(&counters).all(|(now, start)| now <= start);
    rule(counted, "the throne room counters are at most 12 and 13")?;
    for seat in [REBEL, EMPIRE] {
        rules.check_piles(state, seat)?;
    }
    rules.check_phase(state)
}

impl StarWarsRisk {
    fn check_board(&self, state: &State) -> Result<()> {
        let rule = |holds: bool, broken: String| if holds { Ok(()) } else { Err(Error::state(broken)) };
        rule(state.occupied == state.count_occupied(), "spaces and ships disagree".into())?;
        for ship in Ship::ALL {
            let count: u32 = state.ships[ship as usize].iter().map(|&n| u32::from(n)).sum();
            let most = self.data.most(ship);
            rule(count <= u32::from(most), format!("{count} {}, at most {most}", ship.name()))?;
            let one_place = !ship.is_capital() || state.with(ship).len() <= 1;
            rule(one_place, format!("there is only one {}", ship.name()))?;
        }
        let (rebels, empire) = (state.fleet(REBEL), state.fleet(EMPIRE));
        rule((rebels & empire).is_empty(), "ships of both sides on one space".into())?;
        rule(state.motherships < 1 << 6, "there are 6 motherships".into())?;
        let standing = SpaceSet(state.motherships.into());
        let may_hold = SpaceSet::ALL.without(SpaceSet::MOTHERSHIPS) | standing;
        rule(rebels.without(may_hold).is_empty(), "ships on a destroyed mothership".into())?;
        let never_there = (empire | state.with(Ship::Falcon)) & SpaceSet::MOTHERSHIPS;
        rule(never_there.is_empty(), "only X-, Y- and B-wings can be on motherships".into())
    }

    fn check_piles(&self, state: &State, seat: usize) -> Result<()> {
        let piles = &state.piles[seat];
        let deck = &self.data.decks[seat];
        let side = SIDES[seat];
        let rule = |holds: bool, broken: &str| {
            if holds { Ok(()) } else { Err(Error::state(format!("{side}: {broken}"))) }
        };
        rule(usize::from(piles.ordered) <= STACK, "at most 3 cards are ordered")?;
        let (chosen, free) = piles.stack.split_at(piles.ordered.into());
        rule(chosen.iter().all(|&k| usize::from(k) < deck.kinds), "an ordered card is not in the deck")?;
        rule(free.iter().all(|&k| k == NO_CARD), "a free place of the order stack holds a card")?;
        for k in 0..KINDS {
            let stacked = chosen.iter().filter(|&&c| usize::from(c) == k).count();
            let piled =
                [piles.hand, piles.deck, piles.buried, piles.discard].map(|pile| usize::from(pile[k]));
            let all = piled.iter().sum::<usize>() + stacked;
            rule(all == usize::from(deck.copies[k]), "the piles together are not the deck")?;
        }
        let sizes =
            [(piles.hand, piles.hand_size), (piles.deck, piles.deck_size), (piles.buried, piles.buried_size)];
        rule(sizes.iter().all(|(pile, size)| total(pile) == *size), "a pile's size is wrong")?;
        rule(piles.bonus <= piles.deck_size, "more bonus cards than the deck holds")?;
        let unseen = if piles.buried_size > 0 { &piles.buried } else { &piles.deck };
        let within = |low: &Counts, high: &Counts| low.iter().zip(high).all(|(l, h)| l <= h);
        rule(within(&piles.ceiling, &deck.copies), "a ceiling is higher than the deck's copies")?;
        rule(within(unseen, &piles.ceiling), "more unseen cards of a kind than the ceiling")?;
        let known: Counts = std::array::from_fn(|k| piles.ceiling[k] + piles.kept[k].min(deck.copies[k]));
        rule(within(&piles.unseen(), &known), "more cards of a kind than were kept or can be unseen")?;
        rule(within(&piles.kept, &deck.copies), "more cards kept than the deck's copies")?;
        let hand = usize::from(piles.hand_size + piles.ordered);
        let fits = match state.phase {
            Phase::Order => {
                let ordered = match (seat, state.seat()) {
                    (REBEL, EMPIRE) => piles.ordered == self.data.constants.cards_per_round,
                    (EMPIRE, REBEL) => piles.ordered == 0,
                    _ => piles.ordered < self.data.constants.cards_per_round,
                };
                ordered
                    && hand == usize::from(self.data.constants.hand)
                    && piles.buried_size + piles.bonus == 0
            }
            _ => piles.hand_size == self.data.constants.hand - self.data.constants.cards_per_round,
        };
        rule(fits, "the cards in hand and ordered do not fit the phase")
    }

    fn check_phase(&self, state: &State) -> Result<()> {
        let rule = |holds: bool, broken: &str| {
            if holds { Ok(()) } else { Err(Error::state(format!("{}: {broken}", state.phase.name()))) }
        };
        let over = state.phase == Phase::Over;
        rule(over == (state.outcome != GameResult::None), "phase and outcome disagree")?;
        let no_rebels = state.fleet(REBEL).is_empty();
        rule(
            no_rebels == (state.outcome == GameResult::Empire),
            "the empire wins when no rebel ship is left",
        )?;

        let play = &state.play;
        rule(play.on_board(), "a space of the play is not on the board")?;
        let playing = !matches!(state.phase, Phase::Order | Phase::Over);
        rule(playing == state.card().is_some(), "a card is in play when, and only when, it is played")?;
        if matches!(state.phase, Phase::Order | Phase::Icon | Phase::Fire | Phase::Over) {
            rule(*play == PartialPlay::NONE, "no ships are being played")?;
        }
        if let Some(card) = state.card() {
            let deck = &self.data.decks[state.seat()];
            rule(card.index() < deck.kinds, "the card in play is not in the seat's deck")?;
            let turned = state.piles[state.seat()].discard[card.index()] > 0;
            rule(turned, "the card in play is not on the discard")?;
            let has = |wanted: &str| deck.icons[card.index()].iter().any(|i| i.name() == wanted);
            match state.phase {
                Phase::Icon => {
                    rule(state.playable_icons(&self.data, card) != 0, "the card in play cannot be played")?;
                }
                Phase::Fire => rule(has("fire_deathstar"), "the card in play has no such icon")?,
                _ => {
                    rule(has(&format!("move_{}", play.ship.name())), "the card in play has no such icon")?;
                    self.check_play(state)?;
                }
            }
        }
        rule(over || self.legal_mask(state) != [0; WORDS], "there is nothing to decide")
    }

    /// The play of a move icon.
    fn check_play(&self, state: &State) -> Result<()> {
        let play = &state.play;
        let rule = |holds: bool| {
            let broken = || {
                Error::state(format!("{}: the play does not fit the phase or the board", state.phase.name()))
            };
            if holds { Ok(()) } else { Err(broken()) }
        };
        let capital = play.ship.is_capital();
        let here = |space: Option<Space>| space.map_or(0, |s| state.count(play.ship, s));
        let neighbours = |a: Option<Space>, b: Option<Space>| match (a, b) {
            (Some(a), Some(b)) => self.data.neighbours[a.index()].contains(b),
            _ => false,
        };
        let moved = || {
            let all = if capital { play.count == 1 } else { usize::from(play.count) <= GROUP };
            let spawned = play.from().is_none()
                && play.ship == Ship::Tie
                && play.count == self.data.constants.tie_spawn
                && state.with(Ship::Executor).first() == play.at();
            all && play.count >= 1
                && here(play.at()) >= play.count
                && (spawned || neighbours(play.from(), play.at()))
        };
        rule(play.ship.side() == state.seat())?;
        let dice: u32 = play.dice.iter().map(|&n| u32::from(n)).sum();
        rule((dice > 0) == (state.phase == Phase::Hit))?;
        rule(play.target().is_some() == (state.phase == Phase::Hit))?;
        rule(match state.phase {
            Phase::From => play.from().is_none() && play.at().is_none() && play.count == 0,
            Phase::To => here(play.from()) > 0 && play.at().is_none() && play.count == 0,
            Phase::Count => {
                let goes = |from, to| state.moves_from(&self.data, from).contains(to);
                let way = play.from().zip(play.at()).is_some_and(|(from, to)| goes(from, to));
                !capital && here(play.from()) > 0 && way && play.count == 0
            }
            Phase::Again => capital && moved(),
            Phase::Attack => moved(),
            Phase::Hit => {
                moved()
                    && neighbours(play.at(), play.target())
                    && dice <= u32::from(self.data.dice(play.ship, play.count))
                    && play.target().is_some_and(|t| state.fleet(1 - state.seat()).contains(t))
            }
            Phase::Order | Phase::Icon | Phase::Fire | Phase::Over => true,
        })
    }
}
