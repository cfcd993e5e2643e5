//! The options of the environment.

use ludovec_engine::OptionSpec;

pub(super) const SUMMARY: &str =
    "Star Wars Risk: three battles at once, ordered by cards that the opponent does not see";

/// The rules in short, for beginners.
pub(super) const RULES: &str = "\
    Rebels against the Empire, in three battles at once. Each round both players secretly choose 3 of 6 \
    cards and put them in order; then they turn them up one by one and carry out one of a card's icons. \
    Ships move to a neighbouring space and attack with dice. The strike team on Endor runs along the 28 \
    spaces of the shield's track with 5 dice, against stormtroopers. Luke and Vader reduce each other's \
    counter, and the winner of this fight gets bonus cards. When the shield is down, rebel ships next to \
    the Death Star may attack it: one 6 destroys it, and the Rebels win. The Empire wins when no rebel ship \
    is left.";

/// A page with the full rules.
pub(super) const RULES_LINK: &str = "https://en.wikipedia.org/wiki/Risk_(game)";

pub(super) fn list() -> Vec<OptionSpec> {
    vec![OptionSpec::int("max_rounds", 1, 1000, 100, "rounds after which the game is truncated")]
}
