//! GTP engines: whole games of the modes of Blokus, and engines that misbehave.

use std::sync::Arc;
use std::time::Duration;

use ludovec::engine::{AnyGame, OptionValue};
use ludovec::games;

use super::Test;
use super::fake::command;
use super::uci::against_random;

pub const TESTS: &[Test] = &[
    ("a_gtp_engine_plays_the_modes_of_blokus", a_gtp_engine_plays_the_modes_of_blokus),
    ("a_gtp_engine_that_misbehaves_loses_moves", a_gtp_engine_that_misbehaves_loses_moves),
    ("a_gtp_engine_without_the_game_ends_the_call", a_gtp_engine_without_the_game_ends_the_call),
    ("a_gtp_engine_that_never_starts_ends_the_call", a_gtp_engine_that_never_starts_ends_the_call),
];

pub fn blokus(mode: &str) -> Arc<dyn AnyGame> {
    games::find("tilewe").unwrap().make([("mode", OptionValue::from(mode))]).unwrap()
}

fn a_gtp_engine_plays_the_modes_of_blokus() {
    for mode in ["blokus_duo", "blokus_2"] {
        // One game at a time: the fake engine insists on the order of turns, which positions do not have.
        let table =
            against_random(&blokus(mode), &command("gtp", "gtp", ""), Duration::from_secs(60), (1, 1))
                .unwrap();
        assert!(table.faults.is_empty(), "{mode}: {:?}", table.faults);
        assert!(table.games >= 1, "{mode}");
    }
}

fn a_gtp_engine_that_misbehaves_loses_moves() {
    for (mode, word) in [
        ("gtp-pass", "pass, and it can move"),
        ("gtp-resign", "resign, and it can move"),
        ("gtp-illegal", "must cover"),
        ("gtp-garbage", "xyzzy"),
        ("gtp-refuse", "I do not feel like it"),
    ] {
        let game = blokus("blokus_duo");
        let table =
            against_random(&game, &command("gtp", mode, ""), Duration::from_secs(60), (1, 1)).unwrap();
        let faults: Vec<String> = table.faults.iter().map(|fault| fault.to_string()).collect();
        assert!(faults.iter().any(|fault| fault.contains(word)), "{mode}: {faults:?}");
    }
}

fn a_gtp_engine_that_never_starts_ends_the_call() {
    let game = blokus("blokus_duo");
    let played = against_random(&game, &command("gtp", "licence", ""), Duration::from_secs(60), (2, 2));
    let error = played.unwrap_err().to_string();
    assert!(
        error.contains("does not start: at its start: it has ended (exit status: 3): no licence found"),
        "{error}"
    );
}

fn a_gtp_engine_without_the_game_ends_the_call() {
    let game = blokus("blokus_duo");
    let played =
        against_random(&game, &command("gtp", "gtp-chess-only", ""), Duration::from_secs(60), (1, 1));
    let error = played.unwrap_err().to_string();
    assert!(error.contains("unknown game variant") && error.lines().count() == 1, "{error}");
}
