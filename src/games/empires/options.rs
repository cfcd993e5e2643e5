//! The options of the environment.

use crate::rules::map::{MAX_SIDE, MIN_SIDE};
use ludovec_engine::{MAX_PLAYERS, OptionSpec, Paths};

pub(super) const SUMMARY: &str = "Terminal of Empires: farms, forts and castles on a grid, 2 to 8 players";

pub(super) fn list() -> Vec<OptionSpec> {
    let (min, max) = (MIN_SIDE as i64, MAX_SIDE as i64);
    vec![
        OptionSpec::int("players", 2, MAX_PLAYERS as i64, 4, "number of players"),
        OptionSpec::int("width", min, max, 40, "columns of the map"),
        OptionSpec::int("height", min, max, 20, "rows of the map"),
        OptionSpec::int(
            "max_turns",
            2,
            10_000,
            500,
            "the first turn, counted from 1, that is not played: all living players then share the win",
        ),
        OptionSpec::int(
            "tiles_per_castle",
            0,
            max * max,
            50,
            "castle limit: a further castle needs more tiles than this times the castles owned; 0 sets no limit",
        ),
        OptionSpec::text(
            "castles",
            "the players' first castles as cells x:y, as in 3:4,10:7; random by default",
        )
        .with_paths(Paths::Never),
        OptionSpec::text(
            "names",
            "the players' names, as in alice,bob; by default player_0 and so on for bots",
        )
        .with_paths(Paths::Never),
    ]
}
