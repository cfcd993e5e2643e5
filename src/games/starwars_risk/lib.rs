//! Star Wars Risk: three battles, two decks of cards, hidden orders.
//!
//! The rebellion (seat 0) wants to destroy the Death Star, the empire (seat 1) every rebel ship. Each round both
//! players draw to six cards and secretly order three of them. Then they turn them one by one, the rebellion first,
//! and play at most one icon of each: ships move and attack on the board of 28 spaces, rolls advance the run to the
//! shield generator, the fight in the throne room earns bonus cards, the Death Star fires.
//!
//! The rules are in the `README` of sw-ksirk, the original. Its open points are settled as follows:
//!
//! * A group of ships attacks with all ships that moved, at most five: fewer dice never help.
//! * The Falcon and the Executor go one step or two; the second may lead back.
//! * TIE fighters are spawned four at a time or not at all.
//! * The turned card is discarded before its bonus cards are drawn.
//! * Each of the three cards is ordered by a decision, even if the hand holds one kind of card only: a skipped
//!   decision would reveal this to the opponent. All other single choices are made automatically.
//!
//! | file | holds |
//! |---|---|
//! | `options.rs` | the options |
//! | `board.rs`, `cards.rs`, `tables.rs` | seats, ships, spaces; icons and decks; the numbers of the game, from files |
//! | `state.rs`, `piles.rs` | a game in progress; one seat's cards |
//! | `rules.rs` | the game as the engine's `Rules` |
//! | `phase.rs`, `step.rs` | the kinds of decisions; the effects of an action and its dice |
//! | `rounds.rs` | drawing and turning cards, playable icons, bonus cards, the end of the game |
//! | `ships.rs`, `death_star.rs` | movement, attacks and hits of ships; the fire of the Death Star |
//! | `shield_run.rs`, `throne_room.rs` | the run to the shield generator; the fight in the throne room |
//! | `actions.rs`, `legal.rs`, `notation.rs` | action indices; the action mask; actions as text and objects |
//! | `refusals.rs` | reasons why an action is illegal |
//! | `compound.rs` | every way to play the turned card as one list |
//! | `observe.rs`, `hidden.rs` | the observation of a player; resampling hidden information |
//! | `values.rs` | the names of numbers, and the state as columns |
//! | `events.rs` | the events of a step, as visible to each seat |
//! | `json.rs`, `validate.rs` | states as JSON; whether play can go on from a state |
//! | `words.rs`, `picture.rs`, `guide.rs` | the game in words and in pictures; help for players |
//! | `render.rs`, `svg.rs`, `svg/` | a position as text and as a drawing |
//! | `bots.rs` | the built-in bots |

mod actions;
mod board;
mod bots;
mod cards;
mod compound;
mod death_star;
mod events;
mod guide;
mod hidden;
mod json;
mod legal;
mod notation;
mod observe;
mod options;
mod phase;
mod picture;
mod piles;
mod refusals;
mod render;
mod rounds;
mod rules;
mod shield_run;
mod ships;
mod state;
mod step;
mod svg;
mod tables;
#[cfg(test)]
mod tests;
mod throne_room;
mod validate;
mod values;
mod words;

use std::sync::Arc;

pub use self::rules::StarWarsRisk;
pub use board::{EMPIRE, REBEL, SHIPS, SIDES, SPACES, Ship, Space};
pub use bots::{TestResult, test_agents};
pub use cards::{CardKind, ICONS, Icon, KINDS};
pub use compound::CardPlay;
pub use events::{Event, ShipCounter, SubAction};
pub use phase::Phase;
pub use state::State;
pub use tables::{BOARD, DECKS};

use ludovec_engine::{self as engine, Entry};

const ID: &str = "starwars_risk";

/// The registry's entry.
pub const ENTRY: Entry = Entry::new(ID, "StarWarsRisk", options::SUMMARY, options::list, build)
    .with_rules(options::RULES, Some(options::RULES_LINK))
    .with_champions(ludovec_assets::networks::STARWARS_RISK);

fn build(options: &engine::Options) -> engine::Result<Arc<dyn engine::AnyGame>> {
    Ok(Arc::new(StarWarsRisk::new(options)))
}
