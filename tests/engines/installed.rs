//! The engines of the system: Debian's stockfish, fairy-stockfish and gnuchess, and Pentobi's pentobi-gtp.

use std::time::Duration;

use super::Test;
use super::uci::{against_random, chess};

pub const TESTS: &[Test] = &[
    ("stockfish_plays_chess_and_chess960", stockfish_plays_chess_and_chess960),
    ("fairy_stockfish_plays_variants", fairy_stockfish_plays_variants),
    ("gnuchess_plays_chess", gnuchess_plays_chess),
    #[cfg(feature = "game-tilewe")]
    ("pentobi_plays_the_modes_of_blokus", pentobi_plays_the_modes_of_blokus),
];

/// The variants that Fairy-Stockfish 11 and this engine share.
const VARIANTS: [&str; 22] = [
    "3check",
    "5check",
    "almost",
    "amazon",
    "antichess",
    "breakthrough",
    "capablanca",
    "chancellor",
    "chess",
    "chess960",
    "chigorin",
    "crazyhouse",
    "embassy",
    "extinction",
    "gardner",
    "giveaway",
    "gothic",
    "horde",
    "janus",
    "kinglet",
    "kingofthehill",
    "racingkings",
];

/// The path of an engine; says so if there is none.
fn installed(name: &str) -> Option<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/games".into(), "/usr/local/bin".into()]);
    let found = folders.map(|folder| folder.join(name)).find(|file| file.is_file());
    if found.is_none() {
        println!("{name} is not installed: its tests are left out");
    }
    found.map(|file| file.display().to_string())
}

/// Games without a lost move.
fn plays(engine: &str, arguments: &str, variant: &str, (games, plies): (u64, i64)) {
    let game = chess(&[("variant", variant.into()), ("max_plies", plies.into())]);
    let text = format!("uci:{engine}{arguments}");
    let table = against_random(&game, &text, Duration::from_secs(60), (games, 1)).unwrap();
    assert!(table.faults.is_empty(), "{variant}: {:?}", table.faults);
    assert_eq!(table.games, games, "{variant}");
}

fn stockfish_plays_chess_and_chess960() {
    let Some(engine) = installed("stockfish") else { return };
    for variant in ["chess", "chess960"] {
        plays(&engine, "?nodes=200,elo=1350,option.Hash=1", variant, (2, 120));
    }
}

fn fairy_stockfish_plays_variants() {
    let Some(engine) = installed("fairy-stockfish") else { return };
    for variant in VARIANTS {
        plays(&engine, "?nodes=100,option.Hash=1", variant, (2, 60));
    }
}

fn gnuchess_plays_chess() {
    let Some(engine) = installed("gnuchess") else { return };
    plays(&engine, " --uci?depth=1", "chess", (1, 40));
}

#[cfg(feature = "game-tilewe")]
fn pentobi_plays_the_modes_of_blokus() {
    let Some(engine) = installed("pentobi-gtp") else { return };
    for mode in ["blokus_duo", "blokus_2", "blokus"] {
        let text = format!("gtp:{engine} --quiet --noresign --level 1");
        let table =
            against_random(&super::gtp::blokus(mode), &text, Duration::from_secs(60), (2, 1)).unwrap();
        assert!(table.faults.is_empty(), "{mode}: {:?}", table.faults);
        let pentobi = table.standings.iter().find(|standing| standing.bot.starts_with("gtp:")).unwrap();
        // Of its two seats among four, only one can win; the other one draws with the losers.
        let most = if mode == "blokus" { 0.75 } else { 1.0 };
        assert!(pentobi.points >= pentobi.comparisons as f64 * 0.9 * most, "{mode}");
    }
}
