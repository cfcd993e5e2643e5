//! Events of a game: the log, and the information state of each seat.

use serde_json::{Map, Value, json};

use super::board::{SHIPS, SIDES, Ship, Space};
use super::cards::CardKind;
use super::state::State;
use crate::StarWarsRisk;
use crate::exchange::notation;
use ludovec_engine::chance::ScriptedChance;
use ludovec_engine::{Step, Words};

/// A count of each kind of ship, capital ships in hit points: the original's `ShipCounter`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShipCounter(pub [u8; SHIPS]);

impl ShipCounter {
    /// Ships of one kind.
    #[must_use]
    pub fn of(ship: Ship, count: u8) -> Self {
        let mut counts = [0; SHIPS];
        counts[ship as usize] = count;
        Self(counts)
    }
    /// As an object with all six names.
    #[must_use]
    pub fn to_json(self) -> Value {
        let counts = Ship::ALL.iter().map(|&s| (s.name().to_string(), self.0[s as usize].into()));
        Value::Object(counts.collect::<Map<_, _>>())
    }
}

/// A part of the play of a card, in the original's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubAction {
    /// Ships move from one space to a neighbour.
    Move {
        /// The origin.
        from: Space,
        /// The ships.
        ships: ShipCounter,
        /// The destination.
        to: Space,
    },
    /// TIE fighters appear at the Executor.
    Spawn {
        /// Its space.
        space: Space,
    },
    /// Ships attack a space.
    Attack {
        /// The attacking ships: all that moved, of which at most 5 have dice.
        ships: ShipCounter,
        /// The target.
        space: Space,
    },
    /// Ships attack the Death Star.
    AttackDeathstar {
        /// The attacking ships.
        ships: ShipCounter,
    },
    /// The Death Star fires at a space.
    FireDeathstar {
        /// The target.
        space: Space,
    },
    /// A roll in the throne room.
    Lightsaber,
    /// Two hits in the throne room.
    Lightning,
    /// The end of the throne room.
    Hat,
    /// Stormtroopers are placed on the shield run.
    Stormtroopers,
    /// A roll for the shield run.
    Shield,
}

impl SubAction {
    /// The original's tuple as an array: the name, then its arguments, e.g. `["move", 11, {"xwing": 0, ...}, 12]`.
    #[must_use]
    pub fn to_json(self) -> Value {
        match self {
            Self::Move { from, ships, to } => json!(["move", from.0, ships.to_json(), to.0]),
            Self::Spawn { space } => json!(["spawn", space.0]),
            Self::Attack { ships, space } => json!(["attack", ships.to_json(), space.0]),
            Self::AttackDeathstar { ships } => json!(["attack_deathstar", ships.to_json()]),
            Self::FireDeathstar { space } => json!(["fire_deathstar", space.0]),
            Self::Lightsaber => json!(["lightsaber"]),
            Self::Lightning => json!(["lightning"]),
            Self::Hat => json!(["hat"]),
            Self::Stormtroopers => json!(["stormtroopers"]),
            Self::Shield => json!(["shield"]),
        }
    }
}

/// An event of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A seat draws a card; only this seat sees the card.
    Drew {
        /// The seat.
        seat: usize,
        /// The card.
        card: CardKind,
    },
    /// A seat puts a card onto its order stack; only this seat sees the card.
    Ordered {
        /// The seat.
        seat: usize,
        /// The card.
        card: CardKind,
    },
    /// A seat turns the next card of its order stack.
    Turned {
        /// The seat.
        seat: usize,
        /// The card.
        card: CardKind,
    },
    /// A part of the play of the turned card.
    Sub(SubAction),
    /// Dice are rolled.
    Rolled {
        /// Their faces, 1 to 6.
        dice: Vec<u8>,
    },
    /// A die hits a ship.
    Hit {
        /// The kind of ship.
        ship: Ship,
    },
    /// Bonus cards go under a seat's order stack, unseen.
    Bonus {
        /// The seat.
        seat: usize,
        /// The number of cards.
        cards: u8,
    },
    /// A seat's discard is shuffled into its deck.
    Shuffled {
        /// The seat.
        seat: usize,
    },
}

impl From<SubAction> for Event {
    fn from(sub: SubAction) -> Self {
        Self::Sub(sub)
    }
}

impl Event {
    /// The event as an array that begins with a name; hidden parts are null for `viewer`.
    fn to_json(&self, rules: &StarWarsRisk, viewer: usize) -> Value {
        let own = |seat: usize, card: CardKind| (seat == viewer).then(|| rules.data.card_name(seat, card));
        match self {
            Self::Drew { seat, card } => json!(["drew", SIDES[*seat], own(*seat, *card)]),
            Self::Ordered { seat, card } => json!(["ordered", SIDES[*seat], own(*seat, *card)]),
            Self::Turned { seat, card } => {
                json!(["turned", SIDES[*seat], rules.data.card_name(*seat, *card)])
            }
            Self::Sub(sub) => sub.to_json(),
            Self::Rolled { dice } => json!(["rolled", dice]),
            Self::Hit { ship } => json!(["hit", ship.name()]),
            Self::Bonus { seat, cards } => json!(["bonus", SIDES[*seat], cards]),
            Self::Shuffled { seat } => json!(["shuffled", SIDES[*seat]]),
        }
    }
}

/// Observer of the events of play. The rules are compiled for each implementation. `()` observes nothing, so that
/// no event is ever built and ordinary play pays nothing.
pub(crate) trait Witness {
    fn see(&mut self, event: impl FnOnce() -> Event);
}

impl Witness for () {
    #[inline]
    fn see(&mut self, _: impl FnOnce() -> Event) {}
}

impl Witness for Vec<Event> {
    fn see(&mut self, event: impl FnOnce() -> Event) {
        self.push(event());
    }
}

impl StarWarsRisk {
    /// All events of a recorded step.
    #[must_use]
    pub fn events(&self, step: &Step<State>) -> Vec<Event> {
        let mut events = Vec::new();
        let mut state = step.before;
        self.play(&mut state, step.action, &mut ScriptedChance::new(&step.chance), &mut events);
        events
    }
}

/// The action of a step with the cards turned and the dice rolled after it, as observed by `viewer`.
pub(crate) fn describe_step(
    rules: &StarWarsRisk,
    step: &Step<State>,
    viewer: Option<usize>,
    names: &[String],
) -> String {
    let mut line = notation::in_words(rules, &step.before, step.action);
    for event in rules.events(step) {
        match event {
            Event::Ordered { seat, .. } if viewer.is_some_and(|viewer| viewer != seat) => {
                line = "Order a card".into();
            }
            Event::Turned { seat, card } => {
                line += &format!("; {} turns: {}", names[seat], notation::card_in_words(rules, seat, card));
            }
            Event::Rolled { dice } => {
                let dice: Vec<String> = dice.iter().map(u8::to_string).collect();
                line += &format!("; rolled {}", dice.join(" "));
            }
            _ => {}
        }
    }
    line
}

/// The information state of a seat (perfect recall): all its observations since the first decision.
pub(crate) fn information_state(
    rules: &StarWarsRisk,
    state: &State,
    seat: usize,
    history: &[Step<State>],
) -> Value {
    let first = history.first().map_or(state, |step| &step.before);
    let events = history.iter().flat_map(|step| rules.events(step));
    json!({
        "first_hand": rules.hand_json(first, seat),
        "events": events.map(|e| e.to_json(rules, seat)).collect::<Vec<_>>(),
        "observation": rules.observation_to_json(state, seat),
    })
}
