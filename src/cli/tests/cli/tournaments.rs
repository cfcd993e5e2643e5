//! Tournaments on the command line: openings, sequential tests, gauntlets, tournaments that grow.

use std::fs;

use super::*;

fn tournament<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&["tournament"], args].concat()
}

fn table(args: &[&str]) -> Value {
    json(&tournament(&[args, &["--json"]].concat()))
}

fn file(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("ludovec-evaluation-{}-{name}", std::process::id()))
}

const CHESS: [&str; 5] = ["chess", "--set", "max_steps=60", "--players", "material,pass"];

#[test]
fn openings_are_random_plies_or_a_file() {
    let random = table(&[&CHESS[..], &["--games", "10", "--openings", "6"]].concat());
    assert_eq!(
        (&random["games"], &random["repeated"], &random["unit"]),
        (&10.into(), &0.into(), &"pair".into())
    );
    let book = file("book.pgn");
    fs::write(&book, "1. e4 e5 2. Nf3 *\n\n1. d4 d5 *\n\n1. c4 *\n").unwrap();
    let name = book.to_str().unwrap();
    let call = [&CHESS[..], &["--games", "6", "--openings", name]].concat();
    assert_eq!(table(&call)["games"], 6);
    assert_eq!(table(&[&call[..], &["--opening-plies", "1"]].concat())["unit"], "pair");
    fs::remove_file(book).unwrap();
}

#[test]
fn a_decided_test_is_said() {
    let bots = ["tilewe", "--set", "players=2", "--players", "greedy,random"];
    let call = [&bots[..], &["--games", "4000", "--openings", "2", "--sprt", "elo0=0,elo1=200"]].concat();
    let table = table(&call);
    let sprt = &table["sprt"];
    assert_eq!((&sprt["accepted"], &table["partial"]), (&"H1".into(), &false.into()));
    assert_eq!(table["games"].as_u64(), sprt["runs"].as_u64().map(|runs| 2 * runs));
    assert!(stdout(&tournament(&call)).contains("H1 accepted"));
}

#[test]
fn games_of_two_have_the_statistics_of_engine_testing() {
    let games = file("games.pgn");
    let name = games.to_str().unwrap();
    let call = [&CHESS[..], &["--games", "12", "--openings", "4", "--out", name]].concat();
    let found = table(&call);
    let pair = &found["pairings"][0];
    let counts: Vec<u64> =
        pair["pentanomial"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).collect();
    assert_eq!((counts.len(), counts.iter().sum::<u64>()), (5, 6));
    let results: u64 = ["wins", "draws", "losses"].iter().map(|key| pair[key].as_u64().unwrap()).sum();
    assert_eq!((results, pair["superiority"].is_number()), (12, true));
    // The games are read again as openings.
    let text = fs::read_to_string(&games).unwrap();
    assert_eq!(
        (text.matches("[White ").count(), text.matches("[White \"material\"]").count()),
        (12, 6),
        "{text}"
    );
    let again = [&CHESS[..], &["--games", "2", "--openings", name, "--opening-plies", "5"]].concat();
    assert_eq!(table(&again)["games"], 2);
    fs::remove_file(games).unwrap();
    let text = stdout(&tournament(&[&CHESS[..], &["--games", "4", "--csv"]].concat()));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() == 3 && lines[0].starts_with("bot,elo,margin,"), "{text}");
    assert!(
        stdout(&tournament(&[&CHESS[..], &["--games", "4"]].concat())).contains("; pairs by points 0 to 2: ")
    );
}

#[test]
fn a_gauntlet_has_a_row_per_opponent() {
    let call = ["tilewe", "--set", "players=2", "--players", "greedy,random,pass", "--games", "12"];
    let call = [&call[..], &["--pairings", "gauntlet"]].concat();
    let table = table(&call);
    let rows = table["opponents"].as_array().unwrap();
    assert!(rows.len() == 2 && rows.iter().all(|row| row["games"] == 6), "{rows:?}");
    let text = stdout(&tournament(&call));
    assert!(text.starts_with("opponents") && text.contains("Elo difference"), "{text}");
}

#[test]
fn a_tournament_takes_further_bots() {
    let state = file("grown.state");
    let name = state.to_str().unwrap();
    let call = |bots, games| {
        table(&["tilewe", "--set", "players=2", "--players", bots, "--games", games, "--state", name])
    };
    let small = call("greedy,random", "10");
    let grown = call("greedy,random,pass", "30");
    let pairings = grown["pairings"].as_array().unwrap();
    assert_eq!(grown["games"], 30);
    assert_eq!(pairings[0], small["pairings"][0], "its games were not played again");
    assert!(pairings.iter().all(|pair| pair["games"] == 10), "{pairings:?}");
    let output = ludovec(&tournament(&[
        "tilewe",
        "--set",
        "players=2",
        "--players",
        "greedy,random",
        "--games",
        "10",
        "--state",
        name,
    ]));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("another tournament"), "{said}");
    fs::remove_file(state).unwrap();
}

#[test]
fn wrong_options_are_refused_in_one_line() {
    for (args, word) in [
        (&["--openings", "0"][..], "openings=0"),
        (&["--openings", "nowhere.pgn"], "nowhere.pgn"),
        (&["--opening-plies", "3"], "--openings"),
        (&["--openings", "4", "--opening-plies", "3"], "file"),
        (&["--sprt", "elo0=0"], "elo1"),
        (&["--sprt", "elo0=5,elo1=0"], "elo0"),
        (&["--sprt", "elo0=0,elo1=5,gamma=1"], "alpha"),
        (&["--sprt", "elo0=0,elo1=300"], "-200 to 200"),
        (&["--out", "games.txt"], "pgn"),
        (&["--out", "games.pgn", "--state", "a.state"], "--state"),
        (&["--pairings", "swiss"], "gauntlet"),
    ] {
        let output = ludovec(&tournament(&[&CHESS[..], args].concat()));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(word), "{args:?}: {said}");
    }
    let three = ludovec(&tournament(&[
        "tilewe",
        "--set",
        "players=2",
        "--players",
        "greedy,random,pass",
        "--sprt",
        "elo0=0,elo1=9",
    ]));
    assert!(String::from_utf8(three.stderr).unwrap().contains("two bots"));
}

#[test]
fn players_of_one_name_are_numbered_and_the_former_name_of_the_option_is_noted() {
    let calls = ["--players", "--bots"].map(|option| {
        let call = ["tilewe", "--set", "players=2", option, "random,greedy,random", "--games", "6", "--json"];
        ludovec(&tournament(&call))
    });
    for output in &calls {
        let table: Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut names: Vec<&str> =
            table["standings"].as_array().unwrap().iter().map(|s| s["bot"].as_str().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names, ["greedy", "random", "random 2"]);
    }
    let notes = calls.map(|output| String::from_utf8(output.stderr).unwrap());
    assert!(
        !notes[0].contains("--players now") && notes[1].contains("--bots is called --players now"),
        "{notes:?}"
    );
}
