//! The options of the environment.

use crate::rules::state::MAX_COLORS;
use crate::rules::tiles::{MIN_SIZE, SIZE};
use ludovec_engine::OptionSpec;

pub(super) const SUMMARY: &str =
    "Tile-laying for 1 to 4 players on 20x20: pieces of a colour meet at corners, never at sides.";

pub(super) fn list() -> Vec<OptionSpec> {
    let blokus = || vec![("start", "own".into()), ("bonus", true.into())];
    let with = |more: &[(&'static str, i64)]| {
        blokus().into_iter().chain(more.iter().map(|&(key, value)| (key, value.into()))).collect()
    };
    let duo =
        vec![("players", 2.into()), ("board", 14.into()), ("start", "duo".into()), ("bonus", true.into())];
    vec![
        OptionSpec::int("players", 1, MAX_COLORS as i64, MAX_COLORS as i64, "number of players"),
        OptionSpec::choice(
            "mode",
            &["tilewe", "blokus", "blokus_duo", "blokus_2"],
            "tilewe",
            "sets the options that are not given: tilewe is the original, blokus the classic game, blokus_duo two \
             players on 14x14, blokus_2 two players with two colours each",
        )
        .with_presets(vec![
            ("blokus", blokus()),
            ("blokus_duo", duo),
            ("blokus_2", with(&[("players", 2), ("colors", 2)])),
        ]),
        OptionSpec::int("board", MIN_SIZE as i64, SIZE as i64, SIZE as i64, "rows and columns of the board"),
        OptionSpec::choice(
            "start",
            &["free", "own", "duo"],
            "free",
            "the tile that a colour's first piece covers: free is any corner of the board, own is a corner for each \
             colour, clockwise from the upper left, duo is e10 for the first and j5 for the second colour",
        ),
        OptionSpec::int("colors", 1, 2, 1, "colours of each player; with 2 the players place them in turn"),
        OptionSpec::bool(
            "bonus",
            false,
            "15 points for a colour with all pieces on the board, and 5 more if the single square was the last",
        ),
    ]
}
