//! Requests that the server refuses, and requests that fail.

use super::*;
use ludovec::engine::Paths;
use ludovec::play::trust::REFUSED_PLAYERS;

#[test]
fn bad_requests_get_one_line() {
    let client = Client::new(ListenScope::Machine);
    let id = GAMES[0].id;
    let game = begin(&client, id, "human");
    let path = format!("/api/games/{}", game["id"].as_str().unwrap());
    let action = format!("{path}/action");
    let two = json!({ "env": id, "seats": ["human"], "options": { "players": 2 } }).to_string();
    let batch = |games: Value| {
        json!({ "env": id, "seats": seats(&client, id, "random"), "games": games }).to_string()
    };
    for (method, path, body, status, word) in [
        ("GET", "/api/nothing", String::new(), 404, "Not Found"),
        ("PUT", "/api/games", String::new(), 405, "Method Not Allowed"),
        ("GET", "/api/games/%ff", String::new(), 400, "UTF-8"),
        ("GET", "/api/games/0", String::new(), 404, "no game"),
        ("GET", "/api/batches/0", String::new(), 404, "no batch"),
        ("POST", "/api/games", "{".into(), 400, "JSON"),
        ("POST", "/api/games", "[]".into(), 422, "struct BeginRequest"),
        ("POST", "/api/games", r#"{"env":"go","seats":[]}"#.into(), 400, "smallworld"),
        ("POST", "/api/games", r#"{"env":"go","seats":[],"colour":1}"#.into(), 422, "colour"),
        ("POST", "/api/games", two, 400, "2 seats"),
        (
            "POST",
            "/api/games",
            json!({ "env": id, "seats": ["a", "b", "c"] }).to_string(),
            400,
            "unknown bot",
        ),
        ("POST", "/api/games?theme=pink", batch(1.into()), 400, "pink"),
        ("POST", "/api/games?from=-1", batch(1.into()), 400, "from"),
        (
            "POST",
            "/api/rules",
            json!({ "env": id, "options": { "players": 99 } }).to_string(),
            400,
            "players=99",
        ),
        (
            "POST",
            "/api/rules",
            json!({ "env": id, "options": { "players": {} } }).to_string(),
            422,
            "options",
        ),
        ("POST", "/api/rules", json!({ "env": id, "options": { "colour": 1 } }).to_string(), 400, "colour"),
        ("POST", &action, r#"{"action":-1,"revision":0}"#.into(), 422, "action"),
        ("POST", &action, r#"{"action":4294967295,"revision":0}"#.into(), 400, "actions are 0 to"),
        ("POST", &action, r#"{"action":"dance","revision":0}"#.into(), 400, "dance"),
        ("POST", &action, r#"{"action":0,"revision":0}"#.into(), 400, ""),
        ("POST", &action, r#"{"action":0}"#.into(), 422, "revision"),
        ("POST", &format!("{path}/bot"), r#"{"revision":0}"#.into(), 400, "is to move"),
        ("POST", &format!("{path}/undo"), r#"{"revision":0}"#.into(), 409, "nothing"),
        (
            "POST",
            "/api/games",
            json!({ "env": id, "seats": seats(&client, id, "random"), "names": ["Ann"] }).to_string(),
            400,
            "1 names",
        ),
        (
            "POST",
            "/api/games",
            json!({ "env": id, "seats": seats(&client, id, "human"), "names": vec!["x".repeat(61); seats(&client, id, "human").len()] }).to_string(),
            400,
            "60 characters",
        ),
        ("POST", "/api/batches", batch(0.into()), 400, "1 to 64"),
        ("POST", "/api/batches", batch(65.into()), 400, "1 to 64"),
        ("POST", "/api/batches", json!({ "env": id, "seats": ["human"] }).to_string(), 400, "seats"),
        ("POST", "/api/games", " ".repeat(BODY_LIMIT + 1), 413, "limit"),
    ] {
        let said = client.refused(method, path, body, status);
        assert!(said.contains(word), "{method} {path}: {said}");
    }
    assert_eq!(client.call("GET", &path, Value::Null)["steps"], 0);
}

#[test]
fn pages_name_no_files_and_no_players_outside_the_closed_list() {
    for scope in [ListenScope::Machine, ListenScope::Network] {
        let client = Client::new(scope);
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let mut tried = 0;
        for entry in GAMES {
            let game = begin(&client, entry.id, "human");
            let path = format!("/api/games/{}", game["id"].as_str().unwrap());
            for option in entry.option_list().iter().filter(|o| matches!(o.paths, Paths::AllBut { .. })) {
                let refused = |path: &str, body: Value| {
                    let said = client.refused("POST", path, body.to_string(), 400);
                    assert!(said.contains("only taken from the user"), "{path}: {said}");
                };
                let options = json!({ option.name: file });
                let seats = seats(&client, entry.id, "random");
                refused("/api/rules", json!({ "env": entry.id, "options": options }));
                for path in ["/api/games", "/api/batches"] {
                    refused(path, json!({ "env": entry.id, "options": options, "seats": seats }));
                }
                let mut record = client.call("GET", &format!("{path}/record"), Value::Null);
                record["options"][option.name] = file.into();
                refused("/api/load", json!({ "text": record.to_string() }));
                tried += 1;
            }
            for text in REFUSED_PLAYERS {
                let setup = json!({ "env": entry.id, "seats": seats(&client, entry.id, text) });
                for path in ["/api/games", "/api/batches"] {
                    client.refused("POST", path, setup.to_string(), 400);
                }
                let asked = json!({ "player": text, "revision": 0 });
                client.refused("POST", &format!("{path}/analysis"), asked.to_string(), 400);
                let asked = json!({ "player": text, "revision": 0, "from": 0 });
                client.refused("POST", &format!("{path}/review"), asked.to_string(), 400);
            }
        }
        assert!(tried > 0);
    }
    let client = Client::new(ListenScope::Machine);
    let pgn = format!("[Variant \"{}\"]\n\n1. e4 *", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    let said = client.refused("POST", "/api/load", json!({ "text": pgn }).to_string(), 400);
    assert!(said.contains("only taken from the user"), "{said}");
}

#[test]
fn a_panic_is_one_failed_request() {
    let client = Client::new(ListenScope::Machine);
    let failed = client.runtime.block_on(reply::work::<()>(|| panic!("on purpose")));
    assert!(failed.is_err());
}
