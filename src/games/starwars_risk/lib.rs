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
//! | folder or file | holds |
//! |---|---|
//! | `options.rs` | the options |
//! | `actions.rs` | action indices |
//! | `observe.rs`, `values.rs` | the observation of a player; the names of numbers, and the state as columns |
//! | `words.rs` | the game in words |
//! | `rules/mod.rs` | the game as the engine's `Rules` |
//! | `rules/`: `board`, `cards` | seats, ships, spaces; icons and decks |
//! | `rules/`: `game_data` | the numbers of the game, from files |
//! | `rules/`: `state`, `piles` | a game in progress; one seat's cards |
//! | `rules/`: `hidden` | resampling hidden information |
//! | `rules/`: `legal`, `refusals` | the action mask; reasons why an action is illegal |
//! | `rules/`: `compound` | every way to play the turned card as one list |
//! | `rules/`: `phase`, `step` | the kinds of decisions; the effects of an action and its dice |
//! | `rules/`: `events` | the events of a step, as visible to each seat |
//! | `rules/`: `rounds` | drawing and turning cards, playable icons, bonus cards, the end of the game |
//! | `rules/`: `ships`, `death_star` | movement, attacks and hits of ships; the fire of the Death Star |
//! | `rules/`: `shield_run`, `throne_room` | the run to the shield generator; the fight in the throne room |
//! | `show/`: `picture`, `render`, `svg` | the game in pictures; a position as text and as a drawing |
//! | `exchange/`: `notation` | actions as text and objects |
//! | `exchange/`: `json`, `validate` | states as JSON; whether play can go on from a state |
//! | `play/`: `bots`, `guide` | the built-in bots; help for players |

mod actions;
mod exchange;
mod observe;
mod options;
mod play;
mod rules;
mod show;
#[cfg(test)]
mod tests;
mod values;
mod words;

use std::sync::Arc;

pub use play::bots::{TestResult, test_agents};
pub use rules::StarWarsRisk;
pub use rules::board::{EMPIRE, REBEL, SHIPS, SIDES, SPACES, Ship, Space};
pub use rules::cards::{CardKind, ICONS, Icon, KINDS};
pub use rules::compound::CardPlay;
pub use rules::events::{Event, ShipCounter, SubAction};
pub use rules::game_data::{BOARD, DECKS};
pub use rules::phase::Phase;
pub use rules::state::State;

use ludovec_engine::{self as engine, Entry};

const ID: &str = "starwars_risk";

/// The registry's entry.
pub const ENTRY: Entry = Entry::new(ID, "StarWarsRisk", options::SUMMARY, options::list, build)
    .with_rules(options::RULES, Some(options::RULES_LINK))
    .with_champions(ludovec_assets::networks::STARWARS_RISK);

fn build(options: &engine::Options) -> engine::Result<Arc<dyn engine::AnyGame>> {
    Ok(Arc::new(StarWarsRisk::new(options)))
}
