//! The options of the environment.

use ludovec_engine::{OptionSpec, Paths};

pub(super) const SUMMARY: &str =
    "Small World: conquer regions with a race and a power, decline in time, earn the most coins";

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
