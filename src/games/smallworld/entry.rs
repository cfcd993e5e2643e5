//! The entry of the registry: the game for any options, behind [`AnyGame`], with its networks.
//!
//! Batches, searches and checks are compiled here, which takes most of the time. Unit tests play the typed rules and
//! leave this file out.

use std::sync::Arc;

use ludovec_engine::{AnyGame, Entry, Options, Result};

use crate::{ID, SmallWorld, options};

/// The rules in short, for beginners.
const RULES: &str = "\
    Players take turns for 8 to 10 turns; most victory coins win. Pick a race with its special power from \
    the row: the first costs nothing, and you put a coin on every one that you pass over. Its tokens \
    conquer regions, from the edge of the map inwards: a region costs 2 tokens, 1 more if it is a mountain, \
    and 1 more for every token, encampment, fortress or lair in it. If tokens are missing, the last \
    conquest of a turn may be tried with the die. A player loses one token with every conquered region and \
    places the others again. Then spread your tokens over your regions, and collect a coin for each of \
    them, plus the income of race and power. When a race is worn out, a whole turn puts it into decline: it \
    still earns coins for its regions, and the next turn begins with a new race.";

/// A page with the full rules.
const RULES_LINK: &str = "https://en.wikipedia.org/wiki/Small_World_(board_game)";

/// The environment's entry in the registry.
pub const ENTRY: Entry = Entry::new(ID, "SmallWorld", options::SUMMARY, options::list, build)
    .with_rules(RULES, Some(RULES_LINK))
    .with_champions(ludovec_assets::networks::SMALLWORLD);

fn build(options: &Options) -> Result<Arc<dyn AnyGame>> {
    Ok(Arc::new(SmallWorld::new(options)?))
}
