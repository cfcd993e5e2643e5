//! The options of the environment.

use super::state::MAX_SEATS;
use ludovec_engine::OptionSpec;

pub(super) const SUMMARY: &str =
    "Tile-laying for 1 to 4 players on 20x20: pieces of a colour meet at corners, never at sides.";

/// The rules in short, for beginners.
pub(super) const RULES: &str = "\
    Each player has 21 pieces of one to five squares in one colour. A player's first piece covers a corner \
    of the board. Every later one must touch a piece of the same colour at a corner, and never along a \
    side; other colours may be touched in any way. Pieces may be turned and flipped. A player who cannot \
    place a piece is skipped. When no player can, the most squares placed win.";

/// A page with the full rules.
pub(super) const RULES_LINK: &str = "https://en.wikipedia.org/wiki/Blokus";

pub(super) fn list() -> Vec<OptionSpec> {
    vec![OptionSpec::int("players", 1, MAX_SEATS as i64, MAX_SEATS as i64, "number of players")]
}
