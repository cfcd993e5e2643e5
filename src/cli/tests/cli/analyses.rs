//! `ludovec analyse`: queries and answers, a line of JSON each.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::json;

use super::*;

/// The program, and the lines that it prints.
struct Analyst {
    program: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Analyst {
    fn start(args: &[&str]) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_ludovec"))
            .arg("analyse")
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = program.stdin.take();
        let output = BufReader::new(program.stdout.take().unwrap());
        Self { program, input, output }
    }

    fn ask(&mut self, query: &Value) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{query}").unwrap();
        input.flush().unwrap();
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }

    /// The answer to a query on its own.
    fn tell(&mut self, query: &Value) -> Value {
        self.ask(query);
        self.answer()
    }

    /// Ends the input; the remaining answers.
    fn end(mut self) -> Vec<Value> {
        drop(self.input.take());
        let lines: Vec<String> = self.output.by_ref().lines().map(Result::unwrap).collect();
        assert!(self.program.wait().unwrap().success());
        lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[test]
fn positions_of_every_game_are_analysed() {
    let mut analyst = Analyst::start(&["--json", "--threads", "2"]);
    for entry in GAMES {
        let query = json!({ "id": entry.id, "env": entry.id, "player": "search:20", "seed": 3 });
        let answer = analyst.tell(&query);
        assert_eq!((&answer["id"], &answer["turnNumber"]), (&entry.id.into(), &0.into()), "{answer}");
        let moves = answer["moveInfos"].as_array().unwrap();
        assert!(!moves.is_empty() && moves[0]["order"] == 0 && moves[0]["pv"][0] == moves[0]["move"]);
        // Every legal action has a value and a loss.
        assert!(
            moves.iter().all(|info| info["value"].is_number() && info["loss"].as_f64() >= Some(0.0)),
            "{answer}"
        );
        assert_eq!(moves[0]["loss"], 0.0);
        let players = answer["rootInfo"]["values"].as_array().unwrap().len();
        assert!(answer["rootInfo"]["currentPlayer"].as_u64().unwrap() < players as u64);
    }
    assert_eq!(analyst.end(), [] as [Value; 0]);
}

#[test]
fn turns_moves_records_and_positions_are_the_same_game() {
    let mut analyst = Analyst::start(&["chess", "--json", "--player", "search:200", "--threads", "1"]);
    let moves = ["f2f3", "e7e5", "g2g4"];
    analyst.ask(&json!({ "id": "a", "moves": moves, "analyzeTurns": [0, 3], "visits": 50, "maxMoves": 2 }));
    let (first, last) = (analyst.answer(), analyst.answer());
    assert_eq!((&first["turnNumber"], &first["played"]["move"]), (&0.into(), &"f2f3".into()));
    assert_eq!(first["moveInfos"].as_array().unwrap().len(), 2);
    assert!(first["played"]["loss"].as_f64().unwrap() >= 0.0);
    assert_eq!((&last["turnNumber"], &last["moveInfos"][0]["move"]), (&3.into(), &"d8h4".into()), "{last}");
    assert_eq!(
        (&last["rootInfo"]["values"], &last["rootInfo"]["currentPlayer"]),
        (&json!([-1.0, 1.0]), &1.into())
    );
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2";
    let pgn = "1. f3 e5 2. g4 *";
    for (key, value) in
        [("position", json!(fen)), ("position", json!({ "fen": fen })), ("record", json!(pgn))]
    {
        let mut query = json!({ "id": "b" });
        query[key] = value;
        let answer = analyst.tell(&query);
        assert_eq!(answer["moveInfos"][0]["move"], "d8h4", "{key}: {answer}");
    }
    let over = analyst.tell(&json!({ "id": "c", "moves": ["f2f3", "e7e5", "g2g4", "d8h4"] }));
    assert_eq!((&over["rootInfo"]["values"], &over["moveInfos"]), (&json!([-1.0, 1.0]), &json!([])));
    let timed = analyst.tell(&json!({ "id": "d", "time": 0.2 }));
    assert!(timed["rootInfo"]["visits"].as_u64().unwrap() >= 32, "{timed}");
    analyst.end();
}

#[test]
fn queries_are_terminated_and_answered_out_of_order() {
    let mut analyst = Analyst::start(&["chess", "--json", "--threads", "2"]);
    analyst.ask(&json!({ "id": "long", "player": "search:10000", "time": 3600 }));
    let quick = analyst.tell(&json!({ "id": "quick", "player": "search:10" }));
    assert_eq!(quick["id"], "quick");
    // The second thread takes one of them, and the others wait.
    analyst.ask(&json!({ "id": "turns", "player": "search:10000", "time": 3600, "analyzeTurns": [0] }));
    analyst.ask(&json!({ "id": "waits", "player": "search:10" }));
    let version = analyst.tell(&json!({ "id": "v", "action": "query_version" }));
    assert_eq!((&version["version"], &version["id"]), (&env!("CARGO_PKG_VERSION").into(), &"v".into()));
    let ended = analyst.tell(&json!({ "id": "t", "action": "terminate", "terminateId": "waits" }));
    assert_eq!(ended["terminateId"], "waits");
    assert_eq!(
        analyst.answer(),
        json!({ "id": "waits", "turnNumber": 0, "isDuringSearch": false, "noResults": true })
    );
    analyst.ask(&json!({ "id": "all", "action": "terminate_all" }));
    let mut found: Vec<String> = (0..3).map(|_| analyst.answer()["id"].as_str().unwrap().into()).collect();
    found.sort();
    assert_eq!(found, ["all", "long", "turns"]);
    assert_eq!(analyst.end(), [] as [Value; 0]);
}

#[test]
fn wrong_queries_name_the_field() {
    let mut analyst = Analyst::start(&["chess", "--json", "--threads", "1"]);
    for (query, field, word) in [
        (json!({}), "id", "text"),
        (json!({ "id": 3 }), "id", "text"),
        (json!({ "id": "a", "turns": [] }), "turns", "analyzeTurns"),
        (json!({ "id": "a", "env": "go" }), "env", "chess"),
        (json!({ "id": "a", "options": { "variant": "x" } }), "options", "variant"),
        (json!({ "id": "a", "options": 3 }), "options", "object"),
        (json!({ "id": "a", "moves": ["e2e5"] }), "moves", "move 0"),
        (json!({ "id": "a", "moves": [{}] }), "moves", "texts or indices"),
        (json!({ "id": "a", "moves": [4_000_000] }), "moves", "move 0"),
        (json!({ "id": "a", "moves": 3 }), "moves", "list"),
        (json!({ "id": "a", "analyzeTurns": [1] }), "analyzeTurns", "0 to 0"),
        (json!({ "id": "a", "analyzeTurns": [-1] }), "analyzeTurns", "integers"),
        (json!({ "id": "a", "visits": 0 }), "visits", "1 to"),
        (json!({ "id": "a", "time": "x" }), "time", "seconds"),
        (json!({ "id": "a", "priority": 1.5 }), "priority", "integer"),
        (json!({ "id": "a", "player": "greedy" }), "player", "only chooses"),
        (json!({ "id": "a", "player": "nobody" }), "player", "nobody"),
        (json!({ "id": "a", "player": "cmd:/bin/true" }), "player", "no command"),
        (json!({ "id": "a", "record": "x" }), "record", "record"),
        (json!({ "id": "a", "record": {} }), "record", "missing"),
        (json!({ "id": "a", "record": {}, "seed": 1 }), "seed", "its own"),
        (json!({ "id": "a", "position": "x" }), "position", "x"),
        (json!({ "id": "a", "position": "{" }), "position", "position"),
        (json!({ "id": "a", "action": "sleep" }), "action", "terminate_all"),
        (json!({ "id": "a", "action": "terminate" }), "terminateId", "text"),
    ] {
        let answer = analyst.tell(&query);
        let error = answer["error"].as_str().unwrap_or_else(|| panic!("{query}: {answer}"));
        assert!(error.contains(word) && !error.contains('\n'), "{query}: {error}");
        assert_eq!(
            (&answer["field"], answer.get("id")),
            (&field.into(), query.get("id")),
            "{query}: {answer}"
        );
    }
    writeln!(analyst.input.as_mut().unwrap(), "hello\n[1]").unwrap();
    assert!(analyst.answer()["error"].as_str().unwrap().contains("JSON"));
    assert!(analyst.answer()["error"].as_str().unwrap().contains("object"));
    analyst.end();
    let (code, said) = failure(&["analyse", "chess", "--player", "greedy"]);
    assert!(code == 2 && said.contains("only chooses"), "{said}");
}
