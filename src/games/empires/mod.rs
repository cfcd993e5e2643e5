//! Terminal of Empires: empires grow over a grid of cells, turn by turn, until one has castles left.

use std::sync::Arc;

mod actions;
mod bots;
mod conform;
mod dialect;
mod guide;
mod json;
mod legal;
mod map;
mod picture;
mod rules;
mod words;

mod observe;
mod options;
mod raw;
mod referee;
mod remote;
mod render;
mod ruleset;
mod state;
mod step;
mod svg;
#[cfg(test)]
mod tests;

pub use actions::Action;
pub use map::{Cell, Coordinates};

pub use self::rules::Empires;
pub use raw::{Deed, Objection};
pub use referee::{JournalEntry, Referee};
pub use ruleset::Structure;
pub use state::{Ledger, State};

use crate::engine::{AnyGame, Entry, Options, Result, Tool};
use ruleset::Ruleset;

const ID: &str = "empires";

/// The registry's entry.
pub const ENTRY: Entry = Entry::new(ID, "Empires", options::SUMMARY, options::list, build)
    .with_tools(&[Tool::Conform(conform::conform)]);

/// Words for planes that the largest game, 64x64 cells with 8 players, takes.
const LARGEST: usize = 716;

/// The size classes double, so that no state takes much more than twice what its game needs; 100 is the class of
/// the default game.
fn build(options: &Options) -> Result<Arc<dyn AnyGame>> {
    let words = Ruleset::compile(options)?.state_words();
    macro_rules! smallest_class {
        ($($n:expr),+) => {{
            $(if words <= $n { return Ok(Arc::new(Empires::<{ $n }>::new(options)?)); })+
            unreachable!("the last class holds the largest game")
        }};
    }
    smallest_class!(48, 100, 200, 400, LARGEST)
}
