//! The options of the environment.

use ludovec_engine::{OptionSpec, Paths};

pub(super) const SUMMARY: &str =
    "Small World: conquer regions with a race and a power, decline in time, earn the most coins";

/// The rules in short, for beginners.
pub(super) const RULES: &str = "\
    Players take turns for 8 to 10 turns; most victory coins win. Pick a race with its special power from \
    the row: the first costs nothing, and you put a coin on every one that you pass over. Its tokens \
    conquer regions, from the edge of the map inwards: a region costs 2 tokens, 1 more if it is a mountain, \
    and 1 more for every token, encampment, fortress or lair in it. If tokens are missing, the last \
    conquest of a turn may be tried with the die. A player loses one token with every conquered region and \
    places the others again. Then spread your tokens over your regions, and collect a coin for each of \
    them, plus the income of race and power. When a race is worn out, a whole turn puts it into decline: it \
    still earns coins for its regions, and the next turn begins with a new race.";

/// A page with the full rules.
pub(super) const RULES_LINK: &str = "https://en.wikipedia.org/wiki/Small_World_(board_game)";

pub(super) fn list() -> Vec<OptionSpec> {
    vec![
        OptionSpec::int("players", 2, 5, 3, "seats"),
        OptionSpec::choice(
            "rules",
            &["original", "official"],
            "original",
            "the rules to use if the original engine and the published rule book differ",
        ),
        OptionSpec::bool("seafaring_discount", false, "seas and lakes cost a Seafaring race one token less"),
        OptionSpec::bool("public_coins", false, "observations show the coins of all seats"),
        OptionSpec::text(
            "map",
            "procedural (a new one each game), board (the published one; for 5 players one of our own), a map file or the text of one",
        )
        .with_paths(Paths::AllBut { words: vec!["procedural".into(), "board".into()], content: true }),
        OptionSpec::optional_int("map_seed", 0, i64::MAX, "all games on the procedural map of this seed"),
    ]
}
