//! The requests of the page, as bytes: `ludovec::play::web_api` answers them.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::recent_store::RecentStore;
use ludovec::engine::{Entry, Interrupt};
use ludovec::games;
use ludovec::play::trust::Trust;
use ludovec::play::web_api::{Answer, Batch, Host, Refused, Reply, Request, Screen, Store, answer};

/// Most games of a page; a game with its undo steps takes up to a few megabytes.
const MOST_GAMES: usize = 20;
/// Most batches of a page.
const MOST_BATCHES: usize = 4;
/// Requests that may take long are answered after this time, even if they are not complete.
const TIME_LIMIT_MS: f64 = 500.0;

/// The games of this file.
static GAMES: &[Entry] = &[
    #[cfg(feature = "game-smallworld")]
    ludovec_smallworld::ENTRY,
    #[cfg(feature = "game-tilewe")]
    ludovec_tilewe::ENTRY,
    #[cfg(feature = "game-chess")]
    ludovec_chess::ENTRY,
    #[cfg(feature = "game-starwars_risk")]
    ludovec_starwars_risk::ENTRY,
    #[cfg(feature = "game-empires")]
    ludovec_empires::ENTRY,
];

/// A request of the page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    method: String,
    path: String,
    #[serde(default)]
    body: Value,
}

impl Asked {
    /// The path, and the query after it.
    fn parts(&self) -> (&str, &str) {
        self.path.split_once('?').unwrap_or((&self.path, ""))
    }
}

impl Request for Asked {
    fn query<T: DeserializeOwned>(&self) -> Answer<T> {
        serde_urlencoded::from_str(self.parts().1).map_err(|error| Refused::new(400, error.to_string()))
    }

    fn body<T: DeserializeOwned>(&self) -> Answer<T> {
        T::deserialize(&self.body).map_err(|error| Refused::new(422, error.to_string()))
    }
}

/// The games and batches of one page.
#[derive(Debug)]
pub struct Pages {
    games: RecentStore<Screen>,
    batches: RecentStore<Batch>,
    /// Milliseconds since any fixed time.
    clock: fn() -> f64,
    /// A page has no command line that allows more.
    trust: Trust,
}

impl Pages {
    /// No games yet; `clock` returns milliseconds since any fixed time. Games are numbered after `made`.
    pub fn new(clock: fn() -> f64, made: u64) -> Self {
        for &entry in GAMES {
            // Refused if it is registered already, by other pages or by the library itself.
            let _ = games::register(entry);
        }
        Self {
            games: RecentStore::new("game", MOST_GAMES, made),
            batches: RecentStore::new("batch", MOST_BATCHES, made),
            clock,
            trust: Trust::default(),
        }
    }

    /// Answers `{"method", "path", "body"}` with `{"status", "body"}`, as `ludovec web` would.
    pub fn answer_text(&mut self, request: &[u8]) -> String {
        let answer = serde_json::from_slice(request)
            .map_err(|error| Refused::new(400, error.to_string()))
            .and_then(|asked: Asked| {
                answer(self, &asked.method, asked.parts().0, &asked, &Interrupt::default())
            })
            .and_then(written);
        let (status, body) = answer.unwrap_or_else(|refused| (refused.status, refused.to_json()));
        json!({ "status": status, "body": body }).to_string()
    }
}

/// The status and the body of a reply.
fn written(reply: Reply) -> Answer<(u16, Value)> {
    Ok(match reply {
        Reply::Shown(shown) => (200, shown),
        Reply::Begun(shown) => (201, shown),
        Reply::Recorded(_, record) => {
            (200, serde_json::to_value(record).map_err(|error| Refused::new(500, error.to_string()))?)
        }
        Reply::Forgotten => (204, Value::Null),
    })
}

impl Host for Pages {
    const LONGEST_REVIEW: f64 = TIME_LIMIT_MS;
    const LONGEST_STEP: f64 = TIME_LIMIT_MS;

    fn allowed(&self) -> &Trust {
        &self.trust
    }

    fn games(&self) -> impl Store<Screen> {
        &self.games
    }

    fn batches(&self) -> impl Store<Batch> {
        &self.batches
    }

    /// Pages have no live view.
    fn live(&self, _: &impl Request) -> Answer<Value> {
        Ok(Value::Null)
    }

    fn clock(&self) -> f64 {
        (self.clock)()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludovec::engine::Paths;
    use ludovec::play::trust::REFUSED_PLAYERS;

    /// Asks for an answer with this status.
    fn ask(pages: &mut Pages, method: &str, path: &str, body: Value, status: u16) -> Value {
        let request = json!({ "method": method, "path": path, "body": body }).to_string();
        let answer: Value = serde_json::from_str(&pages.answer_text(request.as_bytes())).unwrap();
        assert_eq!(answer["status"], status, "{method} {path}: {answer}");
        answer["body"].clone()
    }

    #[test]
    fn pages_name_no_files_and_no_players_outside_the_closed_list() {
        let mut pages = Pages::new(|| 0.0, 0);
        for entry in GAMES {
            let game = entry.make([]).unwrap();
            let seats = |text: &str| vec![text.to_string(); game.spec().players];
            let begun = json!({ "env": entry.id, "seats": seats("human") });
            let id = ask(&mut pages, "POST", "/api/games", begun, 201)["id"].as_str().unwrap().to_string();
            for text in REFUSED_PLAYERS {
                let asked = json!({ "env": entry.id, "seats": seats(text) });
                ask(&mut pages, "POST", "/api/games", asked.clone(), 400);
                ask(&mut pages, "POST", "/api/batches", asked, 400);
                let asked = json!({ "player": text, "revision": 0 });
                ask(&mut pages, "POST", &format!("/api/games/{id}/analysis"), asked, 400);
                let asked = json!({ "player": text, "revision": 0, "from": 0 });
                ask(&mut pages, "POST", &format!("/api/games/{id}/review"), asked, 400);
            }
            for option in entry.option_list() {
                let Paths::AllBut { .. } = option.paths else { continue };
                let set = json!({ option.name: "/etc/passwd" });
                let asked = json!({ "env": entry.id, "options": set, "seats": seats("random") });
                ask(&mut pages, "POST", "/api/rules", json!({ "env": entry.id, "options": set }), 400);
                ask(&mut pages, "POST", "/api/games", asked.clone(), 400);
                ask(&mut pages, "POST", "/api/batches", asked, 400);
                let mut record = serde_json::to_value(game.clone().single(0).record()).unwrap();
                record["options"] = set;
                ask(&mut pages, "POST", "/api/load", json!({ "text": record.to_string() }), 400);
            }
            ask(&mut pages, "DELETE", &format!("/api/games/{id}"), Value::Null, 204);
        }
    }

    #[test]
    fn games_are_begun_played_analysed_taken_back_and_recorded() {
        let mut pages = Pages::new(|| 0.0, 0);
        assert_eq!(
            ask(&mut pages, "GET", "/api/environments", Value::Null, 200).as_array().unwrap().len(),
            GAMES.len()
        );
        for entry in GAMES {
            let env = entry.id;
            let rules = ask(&mut pages, "POST", "/api/rules", json!({ "env": env }), 200);
            let mut seats = vec!["random"; rules["players"].as_u64().unwrap() as usize];
            seats[0] = "human";
            let game =
                ask(&mut pages, "POST", "/api/games", json!({ "env": env, "seats": seats, "seed": 3 }), 201);
            let path = |rest: &str| format!("/api/games/{}{rest}", game["id"].as_str().unwrap());
            let mut now = game.clone();
            while now["person"] == false {
                now = ask(&mut pages, "POST", &path("/bot"), json!({ "revision": now["revision"] }), 200);
            }
            let revision = now["revision"].as_u64().unwrap();
            let asked = json!({ "player": "search:4", "revision": revision });
            let hint = ask(&mut pages, "POST", &path("/analysis"), asked, 200);
            let action = json!({ "revision": revision, "action": hint["best"][0]["label"] });
            let played = ask(&mut pages, "POST", &path("/action?from=0&theme=dark"), action.clone(), 200);
            assert_eq!(played["steps"].as_u64(), now["steps"].as_u64().map(|steps| steps + 1));
            // A request about an older revision changes nothing.
            ask(&mut pages, "POST", &path("/action"), action, 409);
            let record = ask(&mut pages, "GET", &path("/record"), Value::Null, 200);
            assert_eq!(record["actions"].as_array().unwrap().len() as u64, played["steps"].as_u64().unwrap());
            let text = ask(&mut pages, "GET", &path("/record/text"), Value::Null, 200);
            assert_eq!(serde_json::from_str::<Value>(text["text"].as_str().unwrap()).unwrap(), record);
            let undone = ask(&mut pages, "POST", &path("/undo"), json!({ "revision": revision + 1 }), 200);
            assert_eq!((&undone["steps"], &undone["svg"]), (&now["steps"], &now["svg"]));
            ask(&mut pages, "DELETE", &path(""), Value::Null, 204);
            ask(&mut pages, "GET", &path(""), Value::Null, 404);
        }
    }

    #[test]
    fn refused_requests_are_one_line_and_change_nothing() {
        let mut pages = Pages::new(|| 0.0, 0);
        let env = GAMES[0].id;
        for (method, path, body, status) in [
            ("GET", "/api/nothing", Value::Null, 404),
            ("POST", "/api/rules", json!({ "env": "go" }), 400),
            ("POST", "/api/rules", json!({ "env": env, "options": { "no": 1 } }), 400),
            ("POST", "/api/rules", json!({ "env": env, "more": 1 }), 422),
            ("POST", "/api/rules", Value::Null, 422),
            ("POST", "/api/games", json!({ "env": env, "seats": [] }), 400),
            (
                "POST",
                "/api/games?theme=blue",
                json!({ "env": env, "seats": ["human", "random", "random"] }),
                400,
            ),
            ("GET", "/api/games?from=x", Value::Null, 405),
            ("GET", "/api/games/1?from=x", Value::Null, 400),
            ("POST", "/api/games/1/bot", json!({ "revision": 0 }), 404),
            ("POST", "/api/batches", json!({ "env": env, "seats": ["random"], "games": 65 }), 400),
        ] {
            let said = ask(&mut pages, method, path, body, status);
            let error = said["error"].as_str().unwrap();
            assert!(!error.is_empty() && !error.contains('\n'), "{method} {path}: {error}");
        }
        let said: Value = serde_json::from_str(&pages.answer_text(b"{")).unwrap();
        assert_eq!(said["status"], 400);
    }

    #[test]
    fn the_oldest_game_gives_way() {
        let mut pages = Pages::new(|| 0.0, 0);
        let env = GAMES[0].id;
        let seats = vec!["random"; GAMES[0].make([]).unwrap().spec().players];
        let begin = json!({ "env": env, "seats": seats });
        let first = ask(&mut pages, "POST", "/api/games", begin.clone(), 201)["id"].clone();
        let path = format!("/api/games/{}", first.as_str().unwrap());
        for _ in 1..MOST_GAMES {
            ask(&mut pages, "POST", "/api/games", begin.clone(), 201);
        }
        ask(&mut pages, "GET", &path, Value::Null, 200);
        ask(&mut pages, "POST", "/api/games", begin, 201);
        ask(&mut pages, "GET", &path, Value::Null, 404);
    }

    #[test]
    fn a_batch_is_stepped_for_a_while_at_most() {
        let begin = || {
            let players = GAMES[0].make([]).unwrap().spec().players;
            json!({ "env": GAMES[0].id, "seats": vec!["random"; players], "games": 2 })
        };
        for (clock, expected) in [((|| 0.0) as fn() -> f64, 7), (ever_later, 1)] {
            let mut pages = Pages::new(clock, 0);
            let id = ask(&mut pages, "POST", "/api/batches", begin(), 201)["id"].clone();
            let path = format!("/api/batches/{}", id.as_str().unwrap());
            let batch = ask(&mut pages, "POST", &format!("{path}/step"), json!({ "count": 7 }), 200);
            assert_eq!(batch["steps"], 2 * expected);
            ask(&mut pages, "DELETE", &path, Value::Null, 204);
            ask(&mut pages, "GET", &path, Value::Null, 404);
        }
    }

    /// A clock that is a second later at every look.
    fn ever_later() -> f64 {
        use std::sync::atomic::{AtomicU32, Ordering};
        static LOOKS: AtomicU32 = AtomicU32::new(0);
        f64::from(LOOKS.fetch_add(1, Ordering::Relaxed)) * 1000.0
    }
}
