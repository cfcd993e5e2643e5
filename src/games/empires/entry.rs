//! The entry of the registry: the game for any options, behind [`AnyGame`], with its tools and networks.
//!
//! Batches, searches and checks are compiled for each size class, which takes minutes. Unit tests play the typed rules
//! and leave this file out.

use std::sync::Arc;

use crate::rules::ruleset::Ruleset;
use crate::{Empires, ID, LARGEST, exchange, options};
use ludovec_engine::{AnyGame, Entry, Options, Result, Tool};

/// The rules in short, for beginners.
const RULES: &str = "\
    Each player begins with one castle on a grid of land. In a turn each player acts once, in a new random \
    order: harvest (5 resources from every farm and castle), conquer a cell beside one's own, or build on a \
    cell of one's own: a farm for 5, a fort for 25, a castle for 75 resources. Conquering costs 1 resource \
    for land and 2 for a farm, or 25 for either beside a fort or castle of its owner; a fort costs 50, a \
    castle 100. A player without castles is eliminated. The last player left wins; players still alive \
    after the last turn share the win.";

/// The registry's entry.
pub const ENTRY: Entry = Entry::new(ID, "Empires", options::SUMMARY, options::list, build)
    .with_rules(RULES, None)
    .with_tools(&[Tool::Conform(exchange::conform::conform)])
    .with_champions(ludovec_assets::networks::EMPIRES);

/// The size classes double, so that no state takes much more than twice the size its game needs; 100 is the class
/// of the default game.
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
