//! The options of the environment.

use crate::engine::OptionSpec;

pub(super) const SUMMARY: &str =
    "Star Wars Risk: three battles at once, ordered by cards that the opponent does not see";

pub(super) fn list() -> Vec<OptionSpec> {
    vec![OptionSpec::int("max_rounds", 1, 1000, 100, "rounds after which the game is truncated")]
}
