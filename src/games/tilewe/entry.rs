//! The entry of the registry: the game for any options, behind [`AnyGame`], with its tools and networks.
//!
//! Batches, searches and checks are compiled for both sizes of the state, which takes most of the time. Unit tests play
//! the typed rules and leave this file out, and the files of Pentobi, which are read into games of the registry.

use std::sync::Arc;

use ludovec_engine::{AnyGame, Entry, OptionSet, Options, Result, Tool};

use crate::rules::ruleset::Ruleset;
use crate::rules::state::{SMALL_COLORS, SMALL_SIZE};
use crate::{ID, SmallTilewe, Tilewe, exchange, options};

/// The rules in short, for beginners.
const RULES: &str = "\
    Each player has 21 pieces of one to five squares in one colour. A player's first piece covers a corner \
    of the board. Every later one must touch a piece of the same colour at a corner, and never along a \
    side; other colours may be touched in any way. Pieces may be turned and flipped. A player who cannot \
    place a piece is skipped. When no player can, the most squares placed win.";

/// A page with the full rules.
const RULES_LINK: &str = "https://en.wikipedia.org/wiki/Blokus";

/// The registry's entry.
pub const ENTRY: Entry = Entry::new(ID, "Tilewe", options::SUMMARY, options::list, build)
    .with_rules(RULES, Some(RULES_LINK))
    .with_combinations(combinations)
    .with_tools(&[
        Tool::Conform(exchange::conform::conform),
        Tool::Export("blksgf", exchange::sgf::export),
        Tool::Import("blksgf", exchange::sgf::import),
    ])
    .with_champions(ludovec_assets::networks::TILEWE);

/// The game in the smallest state that holds it.
pub(crate) fn build(options: &Options) -> Result<Arc<dyn AnyGame>> {
    let rules = Ruleset::compile(options)?;
    if rules.side <= SMALL_SIZE && rules.colors <= SMALL_COLORS {
        return Ok(Arc::new(SmallTilewe::new(options)?));
    }
    Ok(Arc::new(<Tilewe>::new(options)?))
}

/// Sets of options that interact.
fn combinations() -> Vec<OptionSet> {
    let mode = |mode: &str| ("mode", mode.into());
    vec![
        vec![mode("blokus_duo"), ("reward", "score".into())],
        vec![mode("blokus_2"), ("reward", "score".into())],
        vec![mode("blokus_2"), ("board", 14.into())],
        vec![mode("blokus"), ("players", 3.into())],
        vec![mode("blokus_duo"), ("players", 1.into())],
        vec![mode("blokus_duo"), ("bonus", false.into())],
        vec![mode("blokus_duo"), ("start", "free".into()), ("board", 8.into())],
        vec![mode("blokus_duo"), ("start", "own".into()), ("players", 4.into())],
        vec![("players", 2.into()), ("colors", 2.into()), ("board", 9.into())],
        // Refused: five and more colours, two points for three colours, points on another board.
        vec![("players", 3.into()), ("colors", 2.into())],
        vec![mode("blokus_duo"), ("players", 3.into())],
        vec![mode("blokus_duo"), ("board", 15.into())],
    ]
}
