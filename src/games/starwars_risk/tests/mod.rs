//! Tests of the rules, by subject. Tests named after a rule script their dice.

mod cards;
mod dice;
mod hidden;
mod invariants;
mod outside;
mod plays;
mod shield;
mod space;
mod throne;

use std::collections::VecDeque;

use super::{StarWarsRisk, options};
use crate::rules::board::{EMPIRE, REBEL, SIDES, SPACES, Ship, Space};
use crate::rules::cards as piles;
use crate::rules::cards::KINDS;
use crate::rules::legal::WORDS;
use crate::rules::phase::{GameResult, Phase};
use crate::rules::piles::Piles;
use crate::rules::state::State;
use ludovec_engine::chance::{Chance, SeededChance};
use ludovec_engine::{OptionValue, Options, Rules, Status, View, Words, mask, pictures};

/// The rules with default options.
fn rules() -> StarWarsRisk {
    rules_with(100)
}

fn rules_with(max_rounds: i64) -> StarWarsRisk {
    let given = [("max_rounds", OptionValue::Int(max_rounds))];
    StarWarsRisk::new(&Options::parse(&options::list(), given).unwrap())
}

/// The number of games or trials of a test: more under `LUDOVEC_LONG`.
fn amount(trials: u64) -> u64 {
    if std::env::var_os("LUDOVEC_LONG").is_some() { trials * 50 } else { trials }
}

/// Plays random games and passes every decision, with its action, and the final state to `look`.
fn walk(rules: &StarWarsRisk, games: u64, mut look: impl FnMut(&State, &[u64; WORDS], Option<u32>)) {
    for game in 0..games {
        let mut chance = SeededChance::from_seed(game);
        let mut state = rules.init(&mut chance);
        while rules.status(&state) == Status::Running {
            let legal = rules.legal_mask(&state);
            let choices = mask::count(&legal);
            assert!(choices > 0, "{state:?}");
            let action = mask::select(&legal, chance.uniform(choices));
            look(&state, &legal, action);
            rules.step(&mut state, action.unwrap(), &mut chance);
        }
        look(&state, &rules.legal_mask(&state), None);
    }
}

/// Scripted dice, 1 to 6; cards are drawn in the order of the deck.
struct Dice(VecDeque<u8>);

impl Chance for Dice {
    fn uniform(&mut self, n: u32) -> u32 {
        assert_eq!(n, 6, "only dice are rolled");
        u32::from(self.0.pop_front().expect("a die is scripted")) - 1
    }
    fn weighted(&mut self, weights: &[u32]) -> usize {
        weights.iter().position(|&w| w > 0).expect("there is a card")
    }
}

/// A position with `card` of `side` just turned, the last of the round: three cards in every hand, the board empty
/// except for the given ships.
struct Scenario {
    rules: StarWarsRisk,
    state: State,
}

impl Scenario {
    fn new(side: &str, card: &str, ships: &[(u8, &str, u8)]) -> Self {
        let rules = rules();
        let mut state = State::new(&rules.data);
        state.round = 1;
        state.turns = 1;
        state.seat = SIDES.iter().position(|s| *s == side).unwrap() as u8;
        let turned = rules.data.decks[state.seat()].by_name(card).expect("a card of the deck");
        for seat in [REBEL, EMPIRE] {
            let own = &mut state.piles[seat];
            if seat == usize::from(state.seat) {
                own.deck[turned.index()] -= 1;
                own.discard[turned.index()] += 1;
                own.deck_size -= 1;
            }
            while own.hand_size < 3 {
                // The hand takes the last kinds of the deck, because scripted draws take the first ones.
                let kind = (0..KINDS).rev().find(|&k| own.deck[k] > 0).unwrap();
                own.deck[kind] -= 1;
                own.deck_size -= 1;
                own.hand[kind] += 1;
                own.hand_size += 1;
            }
        }
        state.ships = Default::default();
        for &(space, name, count) in ships {
            let ship = Ship::ALL.into_iter().find(|s| s.name() == name).unwrap();
            state.ships[ship as usize][usize::from(space)] = count;
        }
        // Without a rebel ship the empire would have won: a Y-wing is on a space that no scenario uses.
        if (0..SPACES).all(|s| state.ships[..4].iter().all(|plane| plane[s] == 0)) {
            state.ships[Ship::Ywing as usize][5] = 1;
        }
        state.occupied = state.count_occupied();
        state.set_card(Some(turned));
        state.phase = Phase::Icon;
        let scenario = Self { rules, state };
        scenario.check();
        scenario
    }

    /// Changes the position before play.
    fn with(mut self, change: impl FnOnce(&mut State)) -> Self {
        change(&mut self.state);
        self.check();
        self
    }

    fn check(&self) {
        self.rules
            .validate(&self.state)
            .unwrap_or_else(|e| panic!("{e}\n{}", pictures(&self.rules, &self.state, View::default())[0]));
    }

    /// Plays actions by their labels; the dice are rolled in the given order and all are used.
    fn play(&mut self, labels: &[&str], dice: &[u8]) -> &mut Self {
        let mut chance = Dice(dice.iter().copied().collect());
        for label in labels {
            let action = self.rules.string_to_action(&self.state, label).unwrap_or_else(|e| {
                panic!(
                    "{e}; possible are {:?}\n{}",
                    self.choices(),
                    pictures(&self.rules, &self.state, View::default())[0]
                )
            });
            self.rules.step(&mut self.state, action, &mut chance);
            self.check();
        }
        assert!(chance.0.is_empty(), "dice left over: {:?}", chance.0);
        self
    }

    /// The current choices.
    fn choices(&self) -> Vec<String> {
        let legal = self.rules.legal_mask(&self.state);
        mask::iter(&legal).map(|a| self.rules.action_to_string(&self.state, a)).collect()
    }

    fn crew(&self, space: u8) -> String {
        self.rules.crew(&self.state, Space(space))
    }

    /// Cards of a seat still to be turned.
    fn waiting(&self, seat: usize) -> u8 {
        self.state.piles[seat].waiting()
    }

    /// Whether the play of the card is over: the next round has begun, or a bonus card is turned.
    fn is_done(&self) -> bool {
        self.state.round > 1 || self.state.turns > 1 || self.state.outcome != GameResult::None
    }
}
