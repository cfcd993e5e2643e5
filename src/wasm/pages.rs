//! The requests of the page, by method and path.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::kept::Kept;
use ludovec::engine::Interrupt;
use ludovec::play::interface::{
    ActionRequest, AnalysisRequest, Answer, AtRevision, Batch, BeginRequest, Match, Refused, RulesRequest,
    StepRequest, ViewQuery, environments, rules,
};

/// Most games of a page; a game with its undo steps takes up to a few megabytes.
const MOST_GAMES: usize = 20;
/// Most batches of a page.
const MOST_BATCHES: usize = 4;
/// A request to step a batch is answered after this time in milliseconds, even if it asked for more decisions.
const PATIENCE: f64 = 500.0;

/// A request of the page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    method: String,
    path: String,
    #[serde(default)]
    body: Value,
}

/// The games and batches of one page.
#[derive(Debug)]
pub struct Pages {
    games: Kept<Match>,
    batches: Kept<Batch>,
    /// Milliseconds since any fixed time.
    clock: fn() -> f64,
}

impl Pages {
    /// No games yet; `clock` returns milliseconds since any fixed time.
    pub fn new(clock: fn() -> f64) -> Self {
        let (games, batches) = (Kept::new("game", MOST_GAMES), Kept::new("batch", MOST_BATCHES));
        Self { games, batches, clock }
    }

    /// Answers `{"method", "path", "body"}` with `{"status", "body"}`.
    pub fn answer_text(&mut self, request: &[u8]) -> String {
        let answer = serde_json::from_slice(request)
            .map_err(|error| Refused::new(400, error.to_string()))
            .and_then(|Request { method, path, body }| self.answer(&method, &path, body));
        let (status, body) = answer.unwrap_or_else(|refused| (refused.status, refused.to_json()));
        json!({ "status": status, "body": body }).to_string()
    }

    /// The status and the answer to a request of `ludovec web`'s interface.
    ///
    /// # Errors
    /// [`Refused`] as by `ludovec web`; 404 for an unknown path.
    pub fn answer(&mut self, method: &str, path: &str, body: Value) -> Answer<(u16, Value)> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let query: ViewQuery =
            serde_urlencoded::from_str(query).map_err(|error| Refused::new(400, error.to_string()))?;
        let parts: Vec<&str> = path.split('/').skip(1).collect();
        let answer = match (method, &parts[..]) {
            ("GET", ["api", "environments"]) => environments(),
            ("POST", ["api", "rules"]) => rules(&read::<RulesRequest>(body)?.make()?, &[]),
            ("GET", ["api", "live"]) => Value::Null,
            ("POST", ["api", "games"]) => {
                let request: BeginRequest = read(body)?;
                let game = Match::begin(&request, request.rules().make()?)?;
                let mut shown = game.describe(&query)?;
                shown["id"] = self.games.insert(&request.env, game).into();
                return Ok((201, shown));
            }
            ("POST", ["api", "batches"]) => {
                let request: BeginRequest = read(body)?;
                let batch = Batch::begin(&request, request.rules().make()?)?;
                let mut shown = batch.describe(&query)?;
                shown["id"] = self.batches.insert(&request.env, batch).into();
                return Ok((201, shown));
            }
            (method, ["api", "games", id, rest @ ..]) => {
                if let ("DELETE", []) = (method, rest) {
                    self.games.remove(id)?;
                    return Ok((204, Value::Null));
                }
                answer_game(self.games.get(id)?, method, rest, body, &query)?
            }
            ("DELETE", ["api", "batches", id]) => {
                self.batches.remove(id)?;
                return Ok((204, Value::Null));
            }
            ("GET", ["api", "batches", id]) => self.batches.get(id)?.describe(&query)?,
            ("POST", ["api", "batches", id, "step"]) => {
                let (clock, begun) = (self.clock, (self.clock)());
                let batch = self.batches.get(id)?;
                batch.advance(&read::<StepRequest>(body)?, &Interrupt::default(), || clock() - begun > PATIENCE)?;
                batch.describe(&query)?
            }
            _ => return Err(Refused::new(404, format!("{method} {path}: there is no such request"))),
        };
        Ok((200, answer))
    }
}

/// The answer to a request about a game.
fn answer_game(
    game: &mut Match,
    method: &str,
    rest: &[&str],
    body: Value,
    query: &ViewQuery,
) -> Answer<Value> {
    match (method, rest) {
        ("GET", []) => {}
        ("POST", ["action"]) => game.act(&read::<ActionRequest>(body)?)?,
        ("POST", ["undo"]) => game.undo(&read::<AtRevision>(body)?)?,
        ("POST", ["bot"]) => {
            let AtRevision { revision } = read(body)?;
            let mut played = game.at(revision)?.clone();
            played.play_bot()?;
            game.replace(revision, played)?;
        }
        ("POST", ["analysis"]) => {
            let request: AnalysisRequest = read(body)?;
            return request.answer(game.at(request.revision)?, query, &Interrupt::default());
        }
        ("GET", ["record"]) => {
            let record = serde_json::to_value(game.table().record());
            return record.map_err(|error| Refused::new(500, error.to_string()));
        }
        _ => {
            let what = rest.join("/");
            return Err(Refused::new(404, format!("{method} {what}: there is no such request about a game")));
        }
    }
    Ok(game.describe(query)?)
}

fn read<T: DeserializeOwned>(body: Value) -> Answer<T> {
    serde_json::from_value(body).map_err(|error| Refused::new(422, error.to_string()))
}
