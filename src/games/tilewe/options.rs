//! The options of the environment.

use super::state::MAX_SEATS;
use crate::engine::OptionSpec;

pub(super) const SUMMARY: &str =
    "Tile-laying for 1 to 4 players on 20x20: pieces of a colour meet at corners, never at sides.";

pub(super) fn list() -> Vec<OptionSpec> {
    vec![OptionSpec::int("players", 1, MAX_SEATS as i64, MAX_SEATS as i64, "number of players")]
}
