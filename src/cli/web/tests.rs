//! The web API, called like by the page.

mod hints;
mod live;
mod refusals;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::*;
use ludovec::games::GAMES;
use ludovec::play::trust::Trust;
use ludovec::play::web_api::lock;
use ludovec::replay::{parse, replay};

/// A bot that thinks for longer than any test.
const LONG_SEARCH: &str = "search:100000000";
/// An address without a server.
const NOBODY: &str = "http://127.0.0.1:1";

/// A server and the means to call it.
struct Client {
    state: ServerState,
    runtime: tokio::runtime::Runtime,
}

impl Client {
    fn new(scope: ListenScope) -> Self {
        // The user of all tests allows a bot that thinks for long, and an address without a server.
        allow(Trust::new([LONG_SEARCH.into(), NOBODY.into()], []));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        Self { state: ServerState::new(scope, None), runtime }
    }

    fn send(&self, request: Request<Body>) -> (StatusCode, String) {
        self.runtime.block_on(async {
            let response = routes(self.state.clone()).oneshot(request).await.unwrap();
            let status = response.status();
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            (status, String::from_utf8(body.to_vec()).unwrap())
        })
    }

    fn text(&self, method: &str, path: &str, body: impl Into<String>) -> (StatusCode, String) {
        let request = Request::builder().method(method).uri(path).header(header::HOST, "localhost:8088");
        let request = request.header(header::CONTENT_TYPE, "application/json");
        self.send(request.body(Body::from(body.into())).unwrap())
    }

    /// The answer to a call that must succeed.
    fn call(&self, method: &str, path: &str, body: Value) -> Value {
        let (status, said) = self.text(method, path, body.to_string());
        assert!(status.is_success(), "{method} {path} {body}: {status} {said}");
        if said.is_empty() { Value::Null } else { serde_json::from_str(&said).unwrap() }
    }

    /// The message of a call that must fail with this status.
    fn refused(&self, method: &str, path: &str, body: impl Into<String>, expected: u16) -> String {
        let (status, said) = self.text(method, path, body);
        assert_eq!(status, expected, "{method} {path}: {said}");
        let answer: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{path}: no JSON: {said}"));
        let line = answer["error"].as_str().unwrap().to_string();
        assert_eq!(line.lines().count(), 1, "{line}");
        line
    }
}

fn seats(client: &Client, env: &str, first: &str) -> Vec<String> {
    let rules = client.call("POST", "/api/rules", json!({ "env": env }));
    let seat = |i| if i == 0 { first.to_string() } else { "random".into() };
    assert_eq!(rules["seats"].as_array().unwrap().len() as u64, rules["players"]);
    (0..rules["players"].as_u64().unwrap()).map(seat).collect()
}

fn begin(client: &Client, env: &str, first: &str) -> Value {
    let setup = json!({ "env": env, "seats": seats(client, env, first), "seed": 5 });
    client.call("POST", "/api/games?theme=dark", setup)
}

#[test]
fn the_page_and_its_files_are_served_with_the_policy() {
    let client = Client::new(ListenScope::Machine);
    for path in [
        "/",
        "/style.css",
        "/common.js",
        "/address.js",
        "/board.js",
        "/curtain.js",
        "/panels.js",
        "/editor.js",
        "/home.js",
        "/play.js",
        "/review.js",
        "/standing.js",
        "/watch.js",
        "/live.js",
    ] {
        let (status, text) = client.text("GET", path, "");
        assert!(status.is_success() && text.len() > 500, "{path}");
        let links = text.matches("http").count() - text.matches("http://www.w3.org/2000/svg").count();
        assert_eq!(links, 0, "{path}: only the name of SVG looks like an address");
    }
    let request = Request::get("/").header(header::HOST, "localhost").body(Body::empty()).unwrap();
    let response = client.runtime.block_on(router(ListenScope::Machine, None).oneshot(request)).unwrap();
    assert!(
        response.headers()[header::CONTENT_SECURITY_POLICY]
            .to_str()
            .unwrap()
            .starts_with("default-src 'self'")
    );
}

fn refers_to_a_place(game: &Value, action: &Value) -> bool {
    let of = |place: &Value| {
        place["means"].as_array().unwrap().iter().any(|m| action["move"][m[0].as_str().unwrap()] == m[1])
    };
    game["places"].as_array().unwrap().iter().any(of)
}

#[test]
fn every_environment_is_played_to_the_end() {
    let client = Client::new(ListenScope::Machine);
    let listed = client.call("GET", "/api/environments", Value::Null);
    assert_eq!(listed.as_array().unwrap().len(), GAMES.len());
    for entry in GAMES {
        let mut game = begin(&client, entry.id, "human");
        let id = game["id"].as_str().unwrap().to_string();
        let mut log = Vec::new();
        let mut pointed = 0;
        for turn in 0.. {
            assert_eq!(game["log"]["from"], log.len());
            log.extend(game["log"]["lines"].as_array().unwrap().clone());
            assert_eq!(game["steps"], log.len());
            assert!(game["svg"].as_str().unwrap().starts_with("<svg"));
            assert_eq!(game["viewer"], 0);
            if game["status"] != "running" {
                break;
            }
            let legal = game["legal"].as_array().unwrap();
            assert_eq!(legal.is_empty(), game["person"] == false);
            pointed += legal.iter().filter(|action| refers_to_a_place(&game, action)).count();
            let revision = &game["revision"];
            let path = |what: &str| format!("/api/games/{id}/{what}?from={}", log.len());
            game = match legal.get(turn * 31 % legal.len().max(1)) {
                // Alternately by index and by name.
                Some(choice) => {
                    let action = &choice[if turn % 2 == 0 { "action" } else { "label" }];
                    client.call("POST", &path("action"), json!({ "action": action, "revision": revision }))
                }
                None => client.call("POST", &path("bot"), json!({ "revision": revision })),
            };
        }
        assert!(pointed > 10, "{}: no action can be pointed at", entry.id);
        let late = json!({ "revision": game["revision"] }).to_string();
        client.refused("POST", &format!("/api/games/{id}/bot"), late, 409);
        assert!(game["scores"].as_array().unwrap().iter().all(Value::is_number), "{}", entry.id);

        let (_, text) = client.text("GET", &format!("/api/games/{id}/record"), "");
        let record = parse(&text, &Trust::default()).unwrap();
        assert_eq!(record.actions.len(), log.len());
        assert_eq!(json!(replay(&record, |_, _| Ok(())).unwrap().scores()), game["scores"]);

        client.call("DELETE", &format!("/api/games/{id}"), Value::Null);
        client.refused("GET", &format!("/api/games/{id}"), "", 404);
    }
}

#[test]
fn undo_goes_back_and_nothing_happens_on_an_old_position() {
    let client = Client::new(ListenScope::Machine);
    for entry in GAMES {
        let mut game = begin(&client, entry.id, "human");
        let path = |game: &Value, what: &str| format!("/api/games/{}{what}", game["id"].as_str().unwrap());
        let (position, id) = (path(&game, ""), game["id"].clone());
        while game["person"] == false {
            game = client.call("POST", &format!("{position}/bot"), json!({ "revision": game["revision"] }));
        }
        let before = game.clone();
        let choice = json!({ "action": game["legal"][0]["action"], "revision": game["revision"] });
        client.call("POST", &format!("{position}/action"), choice.clone());
        // The same request a second time, like by a double click.
        let said = client.refused("POST", &format!("{position}/action"), choice.to_string(), 409);
        assert!(said.contains("revision"), "{said}");
        let now = client.call("GET", &position, Value::Null);
        let back = client.call("POST", &format!("{position}/undo"), json!({ "revision": now["revision"] }));
        for key in ["steps", "player", "legal", "scores", "log"] {
            assert_eq!(back[key], before[key], "{}: {key}", entry.id);
        }
        assert!(id.is_string());
        client.refused(
            "POST",
            &format!("{position}/undo"),
            json!({ "revision": back["revision"] }).to_string(),
            409,
        );
    }
}

#[test]
fn a_person_gets_the_analysis_of_a_player() {
    let client = Client::new(ListenScope::Machine);
    for entry in GAMES {
        let mut game = begin(&client, entry.id, "human");
        let path = format!("/api/games/{}", game["id"].as_str().unwrap());
        while game["person"] == false {
            game = client.call("POST", &format!("{path}/bot"), json!({ "revision": game["revision"] }));
        }
        let (ask, revision) = (format!("{path}/analysis?theme=dark"), game["revision"].clone());
        let question = |player: &str| json!({ "player": player, "revision": revision });
        let said = client.call("POST", &ask, question("search:20"));
        let best = said["best"].as_array().unwrap();
        assert_eq!(best.len(), game["legal"].as_array().unwrap().len(), "{}", entry.id);
        for action in best {
            let legal = game["legal"].as_array().unwrap();
            let of = legal.iter().find(|legal| legal["action"] == action["action"]).unwrap();
            for key in ["words", "label", "move", "footprint"] {
                assert_eq!(of[key], action[key], "{}: {key}", entry.id);
            }
            assert!(action["value"].is_number(), "{}: every action has a value: {action}", entry.id);
            assert!((0.0..=1.0).contains(&action["share"].as_f64().unwrap()), "{action}");
        }
        assert_eq!(said["values"].as_array().unwrap().len(), game["seats"].as_array().unwrap().len());
        let marked = said["svg"].as_str().unwrap();
        assert!(marked.starts_with("<svg") && marked != game["svg"], "{}", entry.id);
        // The offered advisers give an analysis, and the game has not changed.
        let adviser = game["advisers"][0].as_str().unwrap();
        assert!(!client.call("POST", &ask, question(adviser))["best"].as_array().unwrap().is_empty());
        assert_eq!(client.call("GET", &path, Value::Null)["revision"], revision);

        let refused =
            |player: &str, status| client.refused("POST", &ask, question(player).to_string(), status);
        assert!(refused("greedy", 400).contains("search:N"));
        assert!(refused("net:/no/file", 400).contains("names no command, address or path"));
        assert!(refused("cmd:sh", 400).contains("names no command"));
        assert!(refused("llm:model@http://127.0.0.1:1", 400).contains("names no command"));
        let old = json!({ "player": "search:4", "revision": 999 }).to_string();
        assert!(client.refused("POST", &ask, old, 409).contains("revision"));
        let network = begin(&Client::new(ListenScope::Network), entry.id, "human");
        assert_eq!(network["advisers"], game["advisers"]);
    }
    // While a bot is the current player, an analysis would reveal that bot's information to the person.
    let mut game = begin(&client, GAMES[0].id, "human");
    let path = format!("/api/games/{}", game["id"].as_str().unwrap());
    while game["person"] == true {
        let choice = json!({ "action": game["legal"][0]["action"], "revision": game["revision"] });
        game = client.call("POST", &format!("{path}/action"), choice);
    }
    let question = json!({ "player": "search:4", "revision": game["revision"] });
    let said = client.refused("POST", &format!("{path}/analysis"), question.to_string(), 409);
    assert!(said.contains("your turn"), "{said}");
    let network = Client::new(ListenScope::Network);
    let game = begin(&network, GAMES[0].id, "random");
    let path = format!("/api/games/{}/analysis", game["id"].as_str().unwrap());
    network.call("POST", &path, json!({ "player": "search", "revision": 0 }));
    let question = json!({ "player": "search:99999999", "revision": 0 });
    assert!(network.refused("POST", &path, question.to_string(), 400).contains("at most 10000 simulations"));
}

#[test]
fn the_past_is_shown_reviewed_and_priced() {
    let client = Client::new(ListenScope::Machine);
    let text = "1. f3 e5 2. g4 Qh4# 0-1";
    let game = client.call("POST", "/api/load", json!({ "text": text }));
    let path = format!("/api/games/{}", game["id"].as_str().unwrap());
    assert_eq!((&game["steps"], &game["status"]), (&json!(4), &json!("terminated")));
    let drawings: Vec<Value> = (0..=4)
        .map(|at| client.call("GET", &format!("{path}?at={at}"), Value::Null))
        .map(|shown| {
            assert_eq!((&shown["legal"], &shown["steps"]), (&json!([]), &json!(4)));
            // The page draws the marks of a review there.
            assert_eq!(shown["places"].as_array().unwrap().len(), if shown["at"] == 4 { 0 } else { 64 });
            shown["svg"].clone()
        })
        .collect();
    assert!(drawings.windows(2).all(|pair| pair[0] != pair[1]));
    assert!(client.refused("GET", &format!("{path}?at=5"), "", 400).contains("4 steps"));
    let ask = json!({ "player": "search:300", "revision": 0 });
    let hint = client.call("POST", &format!("{path}/analysis?at=3"), ask);
    assert_eq!((&hint["best"][0]["words"], &hint["mover"]), (&json!("Qh4#"), &json!(1)));
    assert_eq!(hint["line"][0], "Qh4#");
    let visits: u64 =
        hint["best"].as_array().unwrap().iter().map(|best| best["visits"].as_u64().unwrap()).sum();
    assert!(
        visits <= hint["simulations"].as_u64().unwrap() && hint["best"][0]["value"].as_f64().unwrap() > 0.5
    );
    // Parts of a review join at their last positions.
    let (mut positions, mut prices) = (Vec::new(), Vec::new());
    while positions.len() <= 4 {
        let from = positions.len().saturating_sub(1);
        let question = json!({ "player": "net:champion:16", "revision": 0, "from": from });
        let part = client.call("POST", &format!("{path}/review"), question);
        positions.truncate(from);
        positions.extend(part["positions"].as_array().unwrap().clone());
        prices.extend(part["prices"].as_array().unwrap().clone());
    }
    assert_eq!((positions.len(), prices.len()), (5, 4));
    assert_eq!(positions[4]["values"], json!([-1.0, 1.0]));
    assert_eq!((&prices[2]["mark"], &prices[2]["confirmed"]), (&json!("??"), &json!(true)), "{prices:?}");
    let best = &positions[3]["best"];
    assert_eq!(
        (&best["label"], &best["move"]["to"], &best["value"]),
        (&json!("d8h4"), &json!("h4"), &json!(1.0))
    );
    assert!(positions[3]["action_values"].as_array().unwrap().len() > 20, "{}", positions[3]);
    let hidden = begin(&client, "starwars_risk", "random");
    let path = format!("/api/games/{}", hidden["id"].as_str().unwrap());
    let question = json!({ "player": "search:4", "revision": 0, "from": 0 });
    assert!(
        client.call("POST", &format!("{path}/review"), question)["positions"].as_array().unwrap().len() == 1
    );
}

#[test]
fn a_game_is_played_on_from_an_earlier_position_and_keeps_what_was_played() {
    let client = Client::new(ListenScope::Machine);
    let text = "1. f3 e5 (1... d5 2. d4) 2. g4 Qh4# 0-1";
    let game = client.call("POST", "/api/load", json!({ "text": text }));
    let path = format!("/api/games/{}", game["id"].as_str().unwrap());
    assert_eq!(game["variations"], json!([{ "from": 1, "words": ["d5", "d4"] }]));
    // Black to move after 2. g4: a person against a bot.
    let fork = |revision: u64, at: u64, seats: Value| {
        json!({ "revision": revision, "at": at, "seats": seats }).to_string()
    };
    let on: Value = serde_json::from_str(&fork(0, 3, json!(["greedy", "human"]))).unwrap();
    let game = client.call("POST", &format!("{path}/fork"), on);
    assert_eq!(
        (&game["steps"], &game["person"], &game["seats"][0]["bot"]),
        (&json!(3), &json!(true), &json!("greedy"))
    );
    let game = client.call("POST", &format!("{path}/action"), json!({ "revision": 1, "action": "d7d6" }));
    let game = client.call("POST", &format!("{path}/bot"), json!({ "revision": game["revision"] }));
    assert_eq!((game["steps"].as_u64(), game["variations"].as_array().unwrap().len()), (Some(5), 2));
    // The record and PGN have the tree, and both are read again with it.
    let kept = client.call("GET", &format!("{path}/record/text"), Value::Null);
    for text in [&kept["text"], &kept["pgn"]] {
        let again = client.call("POST", "/api/load", json!({ "text": text }));
        assert_eq!(again["variations"], game["variations"], "{text}");
        assert_eq!(again["log"], game["log"], "{text}");
    }
    // The mate is a variation: it becomes the game again, and the other line a variation.
    let mate =
        game["variations"].as_array().unwrap().iter().position(|line| line["words"][0] == "Qh4#").unwrap();
    let back = json!({ "revision": game["revision"], "variation": mate });
    let game = client.call("POST", &format!("{path}/switch"), back);
    assert_eq!((&game["status"], game["variations"].as_array().unwrap().len()), (&json!("terminated"), 2));
    let revision = game["revision"].as_u64().unwrap();
    for (what, body, word) in [
        ("fork", fork(revision, 9, Value::Null), "4 steps"),
        ("fork", fork(revision, 1, json!(["cmd:sh", "human"])), "names no command"),
        ("fork", fork(revision, 1, json!(["human"])), "players"),
        ("switch", json!({ "revision": revision, "variation": 2 }).to_string(), "the game has 2"),
    ] {
        assert!(client.refused("POST", &format!("{path}/{what}"), body, 400).contains(word), "{word}");
    }
}

#[test]
fn refused_places_say_why_in_every_game() {
    let client = Client::new(ListenScope::Machine);
    for entry in GAMES {
        let mut game = begin(&client, entry.id, "human");
        let path = format!("/api/games/{}", game["id"].as_str().unwrap());
        let mut refused = 0;
        for turn in 0..40 {
            if game["status"] != "running" {
                break;
            }
            if game["person"] == false {
                let why = client.call("POST", &format!("{path}/why"), json!({ "places": [] }));
                assert!(why["why"].as_str().unwrap().contains("is to move"), "{why}");
                game = client.call("POST", &format!("{path}/bot"), json!({ "revision": game["revision"] }));
                continue;
            }
            let live = |place: &Value| {
                let means = place["means"].as_array().unwrap();
                let legal = game["legal"].as_array().unwrap();
                legal
                    .iter()
                    .any(|action| means.iter().any(|m| action["move"][m[0].as_str().unwrap()] == m[1]))
            };
            let places = game["places"].as_array().unwrap();
            for place in places.iter().filter(|place| !live(place)).step_by(1 + places.len() / 3) {
                let asked = json!({ "places": [place["means"]] });
                let why =
                    client.call("POST", &format!("{path}/why"), asked)["why"].as_str().unwrap().to_string();
                let is_code =
                    |word: &str| word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
                assert!(why.len() > 8 && !why.contains("illegal action:"), "{}: {why}", entry.id);
                assert!(!why.split_whitespace().any(is_code), "{}: {why}", entry.id);
                refused += 1;
            }
            let legal = game["legal"].as_array().unwrap();
            let action = &legal[turn * 7 % legal.len()]["action"];
            let choice = json!({ "action": action, "revision": game["revision"] });
            game = client.call("POST", &format!("{path}/action"), choice);
        }
        assert!(refused > 0, "{}: every place is always live", entry.id);
    }
    let said = |places: Value| {
        let game = begin(&client, "chess", "human");
        let path = format!("/api/games/{}/why", game["id"].as_str().unwrap());
        client.call("POST", &path, json!({ "places": places }))["why"].as_str().unwrap().to_string()
    };
    let square = |name: &str| json!([["from", name], ["to", name]]);
    assert_eq!(said(json!([square("e4")])), "e4 is empty: choose a piece of white");
    assert_eq!(said(json!([square("e7")])), "the pawn on e7 belongs to black, and white is to move");
    assert_eq!(said(json!([square("a1")])), "the rook on a1 has no legal move");
    assert_eq!(said(json!([square("b1"), square("b3")])), "the knight on b1 cannot go to b3, but to a3, c3");
}

#[test]
fn games_are_begun_again_from_their_actions_and_texts() {
    let client = Client::new(ListenScope::Machine);
    for entry in GAMES {
        let mut game = begin(&client, entry.id, "human");
        let path = format!("/api/games/{}", game["id"].as_str().unwrap());
        for _ in 0..12 {
            game = match game["person"] == true {
                true => {
                    let choice =
                        json!({ "action": game["legal"][0]["action"], "revision": game["revision"] });
                    client.call("POST", &format!("{path}/action"), choice)
                }
                false => client.call("POST", &format!("{path}/bot"), json!({ "revision": game["revision"] })),
            };
        }
        let shown = client.call("GET", &path, Value::Null);
        let lines = shown["log"]["lines"].as_array().unwrap();
        let actions: Vec<Value> = lines.iter().map(|line| line["action"].clone()).collect();
        let setup = json!({ "env": entry.id, "seats": seats(&client, entry.id, "human"), "seed": 5, "actions": actions });
        let again = client.call("POST", "/api/games", setup);
        for key in ["svg", "legal", "log", "scores", "player"] {
            assert_eq!(again[key], shown[key], "{}: {key}", entry.id);
        }
        // Undo knows whose decisions were whose.
        let undo = format!("/api/games/{}/undo", again["id"].as_str().unwrap());
        assert!(client.call("POST", &undo, json!({ "revision": 0 }))["person"] == true);
        let wrong = json!({ "env": entry.id, "seats": seats(&client, entry.id, "human"), "actions": [4_000_000_000_u32] });
        assert!(
            client.refused("POST", "/api/games", wrong.to_string(), 400).contains("action 0 of the game")
        );
        let (_, record) = client.text("GET", &format!("{path}/record"), "");
        let loaded = client.call("POST", "/api/load", json!({ "text": record }));
        assert_eq!(loaded["steps"], shown["steps"], "{}", entry.id);
        assert!(loaded["seats"].as_array().unwrap().iter().all(|seat| seat["bot"].is_null()));
    }
    let fen = "8/P6k/8/8/8/8/8/K7 w - - 0 1";
    let game = client.call("POST", "/api/load", json!({ "text": fen }));
    assert_eq!((&game["env"], &game["steps"]), (&json!("chess"), &json!(0)));
    // As a text, a record keeps its large numbers in JavaScript.
    let path = format!("/api/games/{}/record", game["id"].as_str().unwrap());
    let (_, record) = client.text("GET", &path, "");
    let (_, text) = client.text("GET", &format!("{path}/text"), "");
    assert!(record.contains(&u64::MAX.to_string()), "{record}");
    let text: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(text["text"], record);
    assert!(text["pgn"].as_str().unwrap().contains(fen), "{text}");
    assert_eq!(
        game["legal"].as_array().unwrap().iter().filter(|a| a["move"]["type"] == "PROMOTE").count(),
        4
    );
    for (text, word) in
        [("", "empty"), ("hello", "no record"), ("{", "not a record"), ("{\"env\":\"go\"}", "not a record")]
    {
        let said = client.refused("POST", "/api/load", json!({ "text": text }).to_string(), 400);
        assert!(said.contains(word), "{text:?}: {said}");
    }
}

#[test]
fn the_first_screen_has_levels_and_pictures() {
    let client = Client::new(ListenScope::Machine);
    let listed = client.call("GET", "/api/environments", Value::Null);
    let cards = client.call("GET", "/api/cards?theme=dark", Value::Null);
    for entry in listed.as_array().unwrap() {
        let id = entry["id"].as_str().unwrap();
        assert!(cards[id].as_str().unwrap().starts_with("<svg"), "{id}");
        let names: Vec<&str> =
            entry["levels"].as_array().unwrap().iter().map(|l| l["name"].as_str().unwrap()).collect();
        assert_eq!(names, (1..=8).map(|level| format!("level {level}")).collect::<Vec<_>>());
        let rules = client.call("POST", "/api/rules", json!({ "env": id }));
        assert_eq!((&rules["levels"], &rules["seats"]), (&entry["levels"], &entry["seats"]));
    }
}

#[test]
fn answers_are_compressed_for_clients_that_can_read_them() {
    let client = Client::new(ListenScope::Machine);
    let length = |encoding: Option<&str>| {
        let mut request = Request::get("/api/environments").header(header::HOST, "localhost");
        if let Some(encoding) = encoding {
            request = request.header(header::ACCEPT_ENCODING, encoding);
        }
        client.runtime.block_on(async {
            let request = request.body(Body::empty()).unwrap();
            let response = routes(client.state.clone()).oneshot(request).await.unwrap();
            let encoding = response.headers().get(header::CONTENT_ENCODING).cloned();
            (encoding, to_bytes(response.into_body(), usize::MAX).await.unwrap().len())
        })
    };
    let (plain, packed) = (length(None), length(Some("gzip")));
    assert_eq!((plain.0, packed.0.unwrap().to_str().unwrap()), (None, "gzip"));
    assert!(packed.1 * 2 < plain.1, "{} of {} bytes", packed.1, plain.1);
}

#[test]
fn players_are_called_as_they_were_named() {
    let client = Client::new(ListenScope::Machine);
    let players = seats(&client, GAMES[0].id, "human");
    let mut names = vec![" ".to_string(); players.len()];
    names[0] = " Ann ".into();
    let game =
        client.call("POST", "/api/games", json!({ "env": GAMES[0].id, "seats": players, "names": names }));
    assert_eq!(game["seats"][0]["name"], "Ann");
    let nobody = GAMES[0].make([]).unwrap().single(0).names();
    assert_eq!(game["seats"][1]["name"], nobody[1].as_str());
}

#[test]
fn a_batch_is_stepped_by_one_request_at_a_time() {
    let client = Client::new(ListenScope::Machine);
    let setup = json!({ "env": GAMES[0].id, "seats": seats(&client, GAMES[0].id, "random"), "games": 2 });
    let batch = client.call("POST", "/api/batches", setup);
    let id = batch["id"].as_str().unwrap();
    let held = client.state.batches.get(id).unwrap();
    let _held = lock(&held);
    client.refused("POST", &format!("/api/batches/{id}/step"), r#"{"count":1}"#, 409);
    client.refused("GET", &format!("/api/batches/{id}"), "", 409);
}

#[test]
fn a_bot_stops_thinking_when_its_page_is_closed() {
    let client = Client::new(ListenScope::Machine);
    let game = begin(&client, GAMES[0].id, LONG_SEARCH);
    let id = game["id"].as_str().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    listener.set_nonblocking(true).unwrap();
    let state = client.state.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let serve = async {
            http::serve(tokio::net::TcpListener::from_std(listener).unwrap(), routes(state), http::TIME_LIMIT)
                .await
        };
        runtime.block_on(serve)
    });
    for (path, body) in
        [("bot", r#"{"revision":0}"#), ("analysis", r#"{"revision":0,"player":"search:100000000"}"#)]
    {
        let mut page = std::net::TcpStream::connect(address).unwrap();
        let length = body.len();
        let head = format!(
            "POST /api/games/{id}/{path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        io::Write::write_all(&mut page, head.as_bytes()).unwrap();
        let shared = client.state.games.get(id).unwrap();
        let thinks = |expected: bool| {
            let start = std::time::Instant::now();
            while lock(&shared).is_thinking() != expected {
                assert!(start.elapsed().as_secs() < 60, "{path}: thinking is not {expected}");
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        };
        thinks(true);
        // Another request for the same is refused, any other one is answered.
        let said = client.refused("POST", &format!("/api/games/{id}/bot"), r#"{"revision":0}"#, 409);
        assert!(said.contains("thinking"), "{said}");
        client.call("GET", &format!("/api/games/{id}"), Value::Null);
        drop(page);
        thinks(false);
    }
    assert_eq!(client.call("GET", &format!("/api/games/{id}"), Value::Null)["revision"], 0);
}

#[test]
fn a_client_loses_only_its_own_games() {
    let client = Client::new(ListenScope::Network);
    let setup = json!({ "env": GAMES[0].id, "seats": seats(&client, GAMES[0].id, "random") }).to_string();
    let begin = |address: [u8; 4]| {
        let request = Request::post("/api/games").header(header::HOST, "games.example");
        let request = request.header(header::CONTENT_TYPE, "application/json");
        let mut request = request.body(Body::from(setup.clone())).unwrap();
        request.extensions_mut().insert(client::Client::at(address.into()));
        let (status, said) = client.send(request);
        assert_eq!(status, StatusCode::CREATED, "{said}");
        serde_json::from_str::<Value>(&said).unwrap()["id"].as_str().unwrap().to_string()
    };
    let other = begin([10, 0, 0, 1]);
    let many: Vec<String> = (0..22).map(|_| begin([10, 0, 0, 2])).collect();
    let kept = |id: &String| client.state.games.get(id).is_ok();
    assert!(kept(&other));
    assert_eq!(many.iter().map(kept).collect::<Vec<_>>(), [[false; 2].as_slice(), &[true; 20]].concat());
}

#[test]
fn every_environment_is_watched() {
    let client = Client::new(ListenScope::Machine);
    for entry in GAMES {
        let seats = seats(&client, entry.id, "greedy");
        let options = json!({ "max_steps": 8 });
        let setup = json!({ "env": entry.id, "seats": seats, "games": 3, "options": options, "seed": 1 });
        let batch = client.call("POST", "/api/batches", setup);
        let path = format!("/api/batches/{}", batch["id"].as_str().unwrap());
        let mut ends = 0;
        for round in 1..=20 {
            let now = client.call("POST", &format!("{path}/step?theme=dark"), json!({ "count": 1 }));
            let games = now["games"].as_array().unwrap();
            assert_eq!(games.len(), 3);
            assert_eq!(now["seats"], json!(entry.make([]).unwrap().single(0).names()));
            assert!(games.iter().all(|g| g["svg"].as_str().unwrap().starts_with("<svg")));
            // Eight decisions, then one picture of the end, then a new game.
            let over = games.iter().filter(|g| g["status"] != "running").count();
            assert_eq!(over, if round % 9 == 8 { 3 } else { 0 }, "{} {round}", entry.id);
            assert!(games.iter().all(|g| g["last"].is_null() == (round % 9 == 0)));
            ends += over;
            assert_eq!(now["finished"], ends);
        }
        client.call("DELETE", &path, Value::Null);
    }
}

#[test]
fn a_failing_bot_is_named_and_the_game_continues() {
    let client = Client::new(ListenScope::Machine);
    // A page starts no programs: neither a game nor a batch begins.
    let programs = vec!["cmd:sh"; seats(&client, GAMES[0].id, "random").len()];
    for path in ["/api/games", "/api/batches"] {
        let setup = json!({ "env": GAMES[0].id, "seats": programs });
        assert!(client.refused("POST", path, setup.to_string(), 400).contains("names no command"));
    }
    let players = vec![NOBODY; seats(&client, GAMES[0].id, "random").len()];
    let setup = json!({ "env": GAMES[0].id, "seats": players, "games": 2 });
    let game = client.call("POST", "/api/games", json!({ "env": GAMES[0].id, "seats": players }));
    assert_eq!(game["faults"], json!({ "count": 0, "last": null }));
    let path = format!("/api/games/{}/bot", game["id"].as_str().unwrap());
    let game = client.call("POST", &path, json!({ "revision": 0 }));
    let batch = client.call("POST", "/api/batches", setup);
    let path = format!("/api/batches/{}/step", batch["id"].as_str().unwrap());
    let batch = client.call("POST", &path, json!({ "count": 1 }));
    for (shown, lost) in [(&game, 1), (&batch, 2)] {
        assert_eq!(shown["steps"], lost);
        assert_eq!(shown["faults"]["count"], lost);
        assert!(shown["faults"]["last"].as_str().unwrap().contains(NOBODY), "{shown}");
    }
}
