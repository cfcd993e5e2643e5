//! Star Wars Risk: three battles, two decks of cards, hidden orders.
//!
//! The rebellion (seat 0) wants to destroy the Death Star, the empire (seat 1) every rebel ship. Each round
//! both draw to six cards and secretly order three of them; then they turn them one by one, the rebellion
//! first, and play at most one icon of each: ships move and attack on the board of 28 spaces, rolls advance
//! the run to the shield generator, the throne room is fought for bonus cards, the Death Star fires.
//!
//! Rules: `README` of sw-ksirk, the original, with what it leaves open settled thus:
//!
//! * A group of ships attacks with all that moved, with five at most: fewer dice never help.
//! * The Falcon and the Executor go one step or two; the second may lead back.
//! * TIE fighters are spawned four at a time or not at all.
//! * The turned card is discarded before its bonus cards are drawn.
//! * Which cards are ordered is asked three times, even where the hand holds one kind of card only: that
//!   the question was skipped would tell the opponent so. Every other single choice is taken by the rules.

mod actions;
mod board;
mod bots;
mod cards;
mod compound;
mod events;
mod guide;
mod hidden;
mod json;
mod legal;
mod observe;
mod options;
mod picture;
mod render;
mod rules;
mod state;
mod step;
mod svg;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;

pub use self::rules::StarWarsRisk;
pub use board::{EMPIRE, REBEL, SHIPS, SIDES, SPACES, Ship, Space};
pub use bots::{TestResult, test_agents};
pub use cards::{ICONS, Icon, KINDS, Kind};
pub use compound::CardPlay;
pub use events::{Event, ShipCounter, SubAction};
pub use state::{Phase, State};

use crate::engine::{Entry, Rules};

/// The registry's entry.
pub const ENTRY: Entry =
    Entry::new(StarWarsRisk::ID, "StarWarsRisk", options::SUMMARY, options::list, |options| {
        Ok(Arc::new(StarWarsRisk::new(options)))
    });
