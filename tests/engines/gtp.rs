//! GTP engines, in the games of Pentobi.

use std::time::Duration;

use ludovec::engine::OptionValue;
use ludovec::games;

use super::Test;
use super::fake::command;
use super::uci::against_random;

pub const TESTS: &[Test] = &[("a_gtp_engine_plays_blokus_duo", a_gtp_engine_plays_blokus_duo)];

fn a_gtp_engine_plays_blokus_duo() {
    let options = [("mode", OptionValue::from("blokus_duo")), ("max_steps", 16.into())];
    let Some(game) = games::find("tilewe").ok().and_then(|entry| entry.make(options).ok()) else {
        println!("this build has no game of GTP engines: the test is left out");
        return;
    };
    assert!(game.gtp().is_some());
    let table = against_random(&game, &command("gtp", "gtp", ""), Duration::from_secs(60), (4, 1)).unwrap();
    assert_eq!((table.games, &table.faults), (4, &Vec::new()));
    let table =
        against_random(&game, &command("gtp", "gtp-illegal", ""), Duration::from_secs(60), (2, 1)).unwrap();
    assert_eq!(table.games, 2);
    assert!(!table.faults.is_empty() && table.faults.iter().all(|fault| fault.reason.starts_with("a1")));
}
