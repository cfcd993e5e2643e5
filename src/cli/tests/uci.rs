//! `ludovec uci` through its protocol, and games of the program against itself as an engine.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use ludovec::games;
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ludovec");

/// The program as an engine.
struct Engine {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(PROGRAM);
        let mut process =
            command.arg("uci").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, input, output }
    }

    fn send(&mut self, text: &str) {
        writeln!(self.input.as_mut().unwrap(), "{text}").unwrap();
    }

    /// The lines up to one that begins with `last`.
    fn until(&mut self, last: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "it has ended before {last}: {lines:?}");
            lines.push(line.trim_end().to_string());
            if line.starts_with(last) {
                return lines;
            }
        }
    }

    fn ask(&mut self, text: &str, last: &str) -> Vec<String> {
        self.send(text);
        self.until(last)
    }

    /// The move of `bestmove`.
    fn best(&mut self, text: &str) -> String {
        let last = self.ask(text, "bestmove").pop().unwrap();
        last.split_whitespace().nth(1).unwrap().to_string()
    }

    fn quit(mut self) {
        self.send("quit");
        assert!(self.process.wait().unwrap().success());
    }
}

/// The number behind a word of an `info` line.
fn number(line: &str, key: &str) -> i64 {
    let mut words = line.split_whitespace().skip_while(|word| *word != key);
    words.nth(1).unwrap_or_else(|| panic!("{key}: {line}")).parse().unwrap()
}

fn has_chess() -> bool {
    games::find("chess").is_ok()
}

#[test]
fn an_engine_introduces_itself_and_plays_legal_moves_under_every_limit() {
    if !has_chess() {
        return;
    }
    let mut engine = Engine::start(&["--player", "search:8"]);
    let told = engine.ask("uci", "uciok");
    for option in ["Threads", "Hash", "MultiPV", "UCI_Variant", "UCI_Chess960", "Player", "NetworkFile"] {
        assert!(
            told.iter().any(|line| line.starts_with(&format!("option name {option} type "))),
            "{option}: {told:?}"
        );
    }
    let game = games::find("chess").unwrap().make([]).unwrap();
    let mut played = Vec::new();
    let mut position = game.single(0);
    let limits =
        ["nodes 4", "depth 3", "movetime 20", "wtime 1000 btime 1000 winc 10 binc 10", "wtime 1 btime 1", ""];
    for limit in limits.iter().cycle().take(12) {
        engine.send(&format!("position startpos moves {}", played.join(" ")));
        let best = engine.best(&format!("go {limit}"));
        let action = position.string_to_action(&best).unwrap_or_else(|error| panic!("{limit}: {error}"));
        position.step(action).unwrap();
        played.push(best);
    }
    engine.quit();
}

#[cfg(feature = "networks")]
#[test]
fn a_network_reports_lines_of_play_and_stops_on_request() {
    if !has_chess() {
        return;
    }
    let mut engine = Engine::start(&["--player", "net:champion:30"]);
    engine.send("setoption name MultiPV value 3");
    engine.send("position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    let lines = engine.ask("go nodes 60", "bestmove");
    let info: Vec<&String> = lines.iter().filter(|line| line.starts_with("info depth")).collect();
    let last = &info[info.len() - 3..];
    assert_eq!(last.iter().map(|line| number(line, "multipv")).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(last.iter().all(|line| number(line, "nodes") == 60 && number(line, "nps") > 0));
    assert!(last[0].contains(" score cp ") && last[0].contains(" pv "), "{last:?}");
    // The principal variations are legal.
    let game = games::find("chess").unwrap().make([]).unwrap();
    for line in last {
        let mut position = game.clone().single_from_uci("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        for text in line.split(" pv ").nth(1).unwrap().split_whitespace() {
            let action = position.string_to_action(text).unwrap();
            position.step(action).unwrap();
        }
    }
    assert_eq!(engine.best("go nodes 10 searchmoves e1f1"), "e1f1");
    // A search without an end answers `isready` at once and `stop` with its move.
    engine.send("go infinite");
    assert_eq!(
        engine.ask("isready", "readyok").iter().filter(|line| line.starts_with("bestmove")).count(),
        0
    );
    assert!(engine.best("stop").len() >= 4);
    // A new command ends the search before it is carried out.
    engine.send("go infinite");
    engine.send("position startpos");
    engine.until("bestmove");
    assert_eq!(engine.best("go nodes 3").len(), 4);
    engine.send("go infinite");
    engine.quit();
}

#[test]
fn a_search_on_the_opponents_time_answers_ponderhit_or_stop_and_nothing_before() {
    if !has_chess() {
        return;
    }
    let mut engine = Engine::start(&["--player", "search:8"]);
    engine.send("setoption name Ponder value true");
    engine.send("position startpos moves e2e4 e7e5");
    for limits in
        ["wtime 300 btime 300", "nodes 5", "depth 5", "movetime 40", "nodes 5 movetime 40", "", "wtime 1"]
    {
        for end in ["ponderhit", "stop"] {
            engine.send(&format!("go ponder {limits}"));
            let said = engine.ask("isready", "readyok");
            assert!(!said.iter().any(|line| line.starts_with("bestmove")), "{limits}: {said:?}");
            assert_eq!(engine.best(end).len(), 4, "{limits} {end}");
        }
    }
    // After a hit the search is one like all others: a new command ends it. Hits without a search mean nothing.
    engine.send("go ponder wtime 60000 btime 60000");
    engine.send("ponderhit");
    engine.send("ponderhit");
    assert_eq!(engine.best("stop").len(), 4);
    assert_eq!(engine.ask("ponderhit\nisready", "readyok").len(), 1);
    // `infinite` waits for `stop`, with a hit or without.
    engine.send("go ponder infinite nodes 1");
    engine.send("ponderhit");
    assert!(!engine.ask("isready", "readyok").iter().any(|line| line.starts_with("bestmove")));
    assert_eq!(engine.best("stop").len(), 4);
    engine.quit();
}

#[test]
fn an_engine_plays_on_after_draws_that_nobody_claimed() {
    if !has_chess() {
        return;
    }
    let mut engine = Engine::start(&["--player", "search:8"]);
    let cycle = "g1f3 g8f6 f3g1 f6g8 ";
    let thrice = cycle.repeat(2);
    let rook = "8/8/8/8/8/4k3/8/R3K3";
    for position in [
        format!("startpos moves {thrice}"),
        format!("startpos moves {thrice} e2e4 e7e5"),
        format!("startpos moves {thrice} g1f3"),
        format!("fen {rook} w - - 100 80"),
        format!("fen {rook} w - - 100 80 moves a1a8"),
        format!("fen {rook} w - - 148 99 moves a1a8"),
    ] {
        engine.send(&format!("position {position}"));
        let best = engine.best("go nodes 5");
        assert!(best.len() == 4 && best != "0000", "{position}: {best}");
    }
    // Five occurrences and 75 moves are no claims, nor is mate.
    for position in [
        format!("startpos moves {}", cycle.repeat(4)),
        format!("fen {rook} w - - 150 99"),
        "startpos moves f2f3 e7e5 g2g4 d8h4".into(),
    ] {
        engine.send(&format!("position {position}"));
        assert_eq!(engine.best("go nodes 5"), "0000", "{position}");
    }
    engine.quit();
}

#[test]
fn a_search_ends_with_its_time_and_its_memory_and_says_what_it_has() {
    if !has_chess() {
        return;
    }
    let mut engine = Engine::start(&["--player", "search:100000000"]);
    engine.send("position startpos");
    for limits in ["movetime 60", "wtime 900 btime 900", "movetime 60 nodes 100000000"] {
        let told = engine.ask(&format!("go {limits}"), "bestmove");
        assert!(number(&told[told.len() - 2], "nodes") < 100_000_000, "{limits}: {told:?}");
    }
    // A tree of a MiB has room for some hundred positions.
    engine.send("setoption name Hash value 1");
    for limits in ["", "nodes 50000000", "movetime 600000"] {
        let told = engine.ask(&format!("go {limits}"), "bestmove");
        let info = told.iter().rev().find(|line| line.starts_with("info depth")).unwrap();
        assert!((50..1000).contains(&number(info, "nodes")), "{limits}: {info}");
    }
    engine.send("go infinite");
    assert!(!engine.ask("isready", "readyok").iter().any(|line| line.starts_with("bestmove")));
    assert_eq!(engine.best("stop").len(), 4);
    let said = engine.ask("setoption name Hash value 0\nisready", "readyok");
    assert!(said[0].contains("Hash=0: 1 to 1048576 are allowed"), "{said:?}");
    engine.quit();
}

#[test]
fn variants_are_options() {
    if !has_chess() {
        return;
    }
    let mut engine = Engine::start(&["--player", "random"]);
    let told = engine.ask("uci", "uciok").join("\n");
    assert!(
        told.contains("var atomic") && !told.contains("var duck") && !told.contains("var chess960"),
        "{told}"
    );
    engine.send("setoption name UCI_Variant value crazyhouse");
    engine.send("position fen 4k3/8/8/8/8/8/8/4K3[Q] w - - 0 1 moves Q@a8 e8e7");
    assert!(engine.best("go nodes 1").len() >= 4);
    engine.send("setoption name UCI_Variant value chess");
    engine.send("setoption name UCI_Chess960 value true");
    engine.send("position fen 1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 w GBgb - 0 1 moves e1g1");
    assert!(engine.best("go nodes 1 searchmoves e8b8").starts_with("e8b8"));
    // The command line's variant stays until the GUI sets one.
    let mut given = Engine::start(&["--player", "random", "--set", "variant=atomic"]);
    assert!(
        given.ask("uci", "uciok").iter().any(|line| line.contains("UCI_Variant type combo default atomic"))
    );
    given.quit();
    engine.quit();
}

#[cfg(feature = "networks")]
#[test]
fn a_named_player_is_replaced_in_variants_that_it_does_not_play() {
    if !has_chess() {
        return;
    }
    let mut engine = Engine::start(&["--player", "net:champion:2"]);
    engine.send("setoption name UCI_Variant value antichess");
    let said = engine.ask("isready", "readyok");
    let is_told = |line: &String| line.starts_with("info string") && line.ends_with("; search:400 plays");
    assert!(said.iter().any(is_told), "{said:?}");
    // Captures are forced, though they lose the queen.
    engine.send("position startpos moves e2e4 h7h6 d1g4 g7g6");
    assert!(["g4d7", "g4g6"].contains(&engine.best("go nodes 2").as_str()));
    engine.send("setoption name UCI_Variant value chess");
    assert_eq!(engine.ask("isready", "readyok").len(), 1);
    assert_eq!(engine.best("go nodes 2").len(), 4);
    engine.quit();
}

#[cfg(feature = "networks")]
#[test]
fn a_limited_strength_lasts_until_it_is_taken_back() {
    if !has_chess() {
        return;
    }
    let seeded = ["--player", "net:champion:2", "--seed", "5"];
    let mut engine = Engine::start(&seeded);
    let told = engine.ask("uci", "uciok").join("\n");
    for option in [
        "UCI_LimitStrength type check default false",
        "UCI_Elo type spin default 1500 min ",
        "Level type spin default 0 min 0 max 8",
    ] {
        assert!(told.contains(&format!("option name {option}")), "{option}: {told}");
    }
    let name = |engine: &mut Engine| engine.ask("uci", "uciok")[0].clone();
    for (set, player) in [
        ("UCI_Elo value 1300", "net:champion:2"),
        ("UCI_LimitStrength value true", "net:champion?elo=1300"),
        ("UCI_Elo value 1450", "net:champion?elo=1450"),
        ("Level value 2", "net:champion?elo=1450"),
        ("UCI_LimitStrength value false", "net:champion?level=2"),
        ("Level value 0", "net:champion:2"),
    ] {
        engine.send(&format!("setoption name {set}"));
        assert!(name(&mut engine).ends_with(player), "{set}");
    }
    // Refused values change nothing.
    for wrong in ["UCI_Elo value 5000", "UCI_LimitStrength value maybe", "Level value 9"] {
        let said = engine.ask(&format!("setoption name {wrong}\nisready"), "readyok");
        assert!(said[0].starts_with("info string") && said[0].ends_with("allowed"), "{said:?}");
        assert!(name(&mut engine).ends_with("net:champion:2"), "{wrong}");
    }
    // Equal seeds give equal moves, and every game has another seed.
    let mut twin = Engine::start(&seeded);
    let mut replies = Vec::new();
    for engine in [&mut engine, &mut twin] {
        engine.send("setoption name Level value 1");
        for _ in 0..8 {
            engine.send("ucinewgame\nposition startpos moves e2e4");
            replies.push(engine.best("go movetime 1000"));
        }
    }
    assert_eq!(replies[..8], replies[8..]);
    assert!(replies.iter().any(|reply| *reply != replies[0]), "{replies:?}");
    // No level plays this variant. The limit comes back with one that the network plays.
    engine.send("setoption name UCI_Variant value antichess");
    let said = engine.ask("isready", "readyok");
    assert!(said[0].starts_with("info string") && said[0].ends_with("; search:400 plays"), "{said:?}");
    engine.send("setoption name UCI_Variant value chess");
    assert!(name(&mut engine).ends_with("net:champion?level=1"));
    twin.quit();
    engine.quit();
}

#[test]
fn nonsense_is_answered_or_ignored() {
    if !has_chess() {
        return;
    }
    let mut engine = Engine::start(&["--player", "random"]);
    for text in [
        "",
        "hello",
        "setoption",
        "setoption name UCI_Variant value bridge",
        "setoption name Threads value many",
        "setoption name Player value no-such-player",
        "setoption name NetworkFile value /no/such/file",
        "position",
        "position fen",
        "position fen nonsense",
        "position startpos moves e2e5",
        "stop",
        "ponderhit",
        "debug on",
        "\u{1b}[2J",
    ] {
        engine.send(text);
    }
    let said = engine.ask("isready", "readyok");
    let refused = said.iter().filter(|line| line.starts_with("info string")).count();
    assert_eq!(refused, 9, "{said:?}");
    assert_eq!(engine.best("go nodes").as_str(), "0000");
    assert_eq!(engine.best("go nodes 1").len(), 4);
    // A finished game has no move.
    engine.send("position startpos moves f2f3 e7e5 g2g4 d8h4");
    assert_eq!(engine.best("go nodes 1"), "0000");
    // The end of the input ends the engine, in the middle of a search too.
    engine.send("position startpos");
    engine.send("go infinite");
    engine.input = None;
    assert!(engine.process.wait().unwrap().success());
    let output = Command::new(PROGRAM).args(["uci", "--set", "variant=duck"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1);
}

#[test]
fn the_program_plays_itself_as_an_engine() {
    if !has_chess() {
        return;
    }
    for variant in ["chess", "chess960", "atomic", "crazyhouse", "3check", "janus"] {
        let engine = format!("uci:'{PROGRAM}' uci --player greedy --set variant={variant}?nodes=1");
        let output = Command::new(PROGRAM)
            .args(["tournament", "chess", "--set", &format!("variant={variant}"), "--set", "max_plies=60"])
            .args(["--players", &format!("{engine},random"), "--games", "4", "--threads", "1", "--json"])
            .args(["--bot-timeout", "60"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let table: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(table["games"], 4);
        assert_eq!(table["standings"].as_array().unwrap().len(), 2);
        let faults: u64 =
            table["standings"].as_array().unwrap().iter().map(|s| s["faults"].as_u64().unwrap()).sum();
        assert_eq!(faults, 0, "{variant}: {table}");
    }
}

#[test]
fn pages_of_the_web_name_no_programs() {
    let output = Command::new(PROGRAM).args(["web", "--player", "uci:/no/such/engine"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/no/such/engine"));
}

#[test]
fn games_are_imported_and_replayed() {
    if !has_chess() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("ludovec-import-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (file, out) = (folder.join("games.pgn"), folder.join("games.jsonl"));
    std::fs::write(&file, "[White \"Ada\"]\n\n1. e4 {good} e5 (1... c5) 2. Nf3 1-0\n\n1. d4 d5 *\n").unwrap();
    let import = |more: &[&str]| Command::new(PROGRAM).arg("import").args(more).output().unwrap();
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    assert!(import(&[file, "--out", out]).status.success());
    let lines = std::fs::read_to_string(out).unwrap();
    let records: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 2);
    assert_eq!(records[0]["labels"], serde_json::json!(["e2e4", "e7e5", "g1f3"]));
    assert_eq!(records[0]["tags"]["White"], "Ada");
    assert_eq!(records[0]["comments"], serde_json::json!([[1, "good"]]));
    let single = folder.join("one.json");
    std::fs::write(&single, lines.lines().next().unwrap()).unwrap();
    let replayed =
        Command::new(PROGRAM).arg("replay").arg(&single).args(["--export", "pgn"]).output().unwrap();
    assert!(String::from_utf8_lossy(&replayed.stdout).contains("1. e4 e5 (1... c5) 2. Nf3"), "{replayed:?}");
    // Positions, to standard output; then wrong files.
    let positions = folder.join("p.epd");
    std::fs::write(&positions, "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;\n").unwrap();
    let positions = positions.to_str().unwrap();
    let found: Value = serde_json::from_slice(&import(&[positions]).stdout).unwrap();
    assert_eq!(found["tags"]["bm"], "e4");
    for (arguments, code, word) in [
        (vec![file, "--format", "sgf"], 2, "pgn or epd"),
        (vec!["/no/such/file.pgn"], 2, "/no/such/file.pgn"),
        (vec![positions, "--set", "variant=bridge"], 2, "bridge"),
    ] {
        let output = import(&arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(word) && said.lines().count() == 1, "{arguments:?}: {said}");
    }
    // Every error has its line, and wrong games are kept up to it.
    let wrong = "1. e4 e5 2. Ke3 *\n\n1. d4 (1. e4) *\n\n[Variant \"no such\"]\n\n1. e4 *\n\n1. f3 e5 2. g4 Qh4# 1-0\n\n\
        1. e4 1-0\n";
    std::fs::write(file, wrong).unwrap();
    let output = import(&[file, "--out", out]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let said: Vec<&str> = said.lines().collect();
    assert_eq!(said.len(), 4, "{said:?}");
    assert!(said[0].contains("game 1, from line 1: move 3") && said[0].ends_with("2 moves before are kept"));
    assert!(said[1].contains("game 3") && said[1].contains("no such"), "{said:?}");
    assert!(said[2].contains("game 4") && said[2].contains("the moves end in 0-1"), "{said:?}");
    assert!(said[3].contains("2 of 5 games are wrong"), "{said:?}");
    let lines = std::fs::read_to_string(out).unwrap();
    let records: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 4);
    assert_eq!(records[0]["labels"], serde_json::json!(["e2e4", "e7e5"]));
    assert_eq!(records[1]["variations"][0]["labels"], serde_json::json!(["e2e4"]));
    assert!(records[0]["error"].as_str().unwrap().contains("Ke3"));
    assert_eq!(records[3]["result"], serde_json::json!([1.0, -1.0]));
    std::fs::remove_dir_all(folder).unwrap();
}
