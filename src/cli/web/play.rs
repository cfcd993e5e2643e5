//! Games with people, against bots or each other.
//!
//! Optimistic concurrency: a game is locked only briefly. A bot thinks about a copy, and its move counts only if
//! the game's revision is unchanged afterwards.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::IntoResponse;
use serde::Deserialize;
use serde_json::{Value, json};

use super::listen_scope::ListenScope;
use super::reply::{HttpError, Reply, work, work_until_it_leaves};
use super::requests::{BeginRequest, ViewQuery};
use super::sessions::{Session, Sessions, Target, change, lock, quota};
use ludovec::engine::{Result, Status};
use ludovec::play::player::{Fault, advisers};
use ludovec::play::table::Table;

/// A game in progress.
pub(super) struct GameSession {
    pub(super) table: Table,
    /// The players that can analyse the game, the preferred one first.
    advisers: Vec<&'static str>,
    /// Counts the changes of the game: a request names its revision and is refused on another one.
    revision: u64,
    /// Whether a bot is thinking about it.
    thinking: bool,
}

pub(super) fn sessions(scope: ListenScope) -> Sessions<GameSession> {
    Sessions::new("game", [200, quota(scope, 200)], Duration::from_secs(2 * 60 * 60))
}

impl GameSession {
    fn check(&self, revision: u64) -> Reply<()> {
        if self.revision == revision {
            return Ok(());
        }
        Err(HttpError::conflict(format!("revision {revision}: the game is at revision {}", self.revision)))
    }

    #[cfg(test)]
    pub(super) fn thinks(&self) -> bool {
        self.thinking
    }

    #[cfg(test)]
    pub(super) fn pretend_to_think(&mut self) {
        self.thinking = true;
    }

    /// Applies a change requested at `revision`, as a whole or not at all.
    fn update(&mut self, revision: u64, task: impl FnOnce(&mut Table) -> Reply<()>) -> Reply<()> {
        self.check(revision)?;
        let mut table = self.table.clone();
        task(&mut table)?;
        self.table = table;
        self.revision += 1;
        Ok(())
    }
}

impl Session for GameSession {
    fn begin(request: &BeginRequest, scope: ListenScope) -> Reply<Self> {
        let seats = request.named_seats()?;
        let table = Table::new(request.make(scope)?, request.seed, seats, None)?;
        let advisers = advisers(&*table.game().game());
        Ok(Self { table, advisers, revision: 0, thinking: false })
    }

    /// The game with only the information visible to the person at the screen.
    fn describe(&self, query: &ViewQuery) -> Result<Value> {
        let (table, game) = (&self.table, self.table.game());
        let spec = game.game();
        let view = query.view(table.viewer())?;
        let colours = spec.seat_colours(view.theme);
        let seats: Vec<Value> = table
            .seats()
            .iter()
            .zip(colours)
            .map(|(seat, colour)| json!({ "name": seat.name, "bot": seat.bot, "colour": colour }))
            .collect();
        let log: Vec<Value> = table
            .log(query.from)
            .into_iter()
            .map(|(player, text)| json!({ "player": player, "text": text }))
            .collect();
        let mut legal = Vec::new();
        if table.awaits_person() {
            for (action, object) in game.legal_actions().into_iter().zip(game.legal_moves()) {
                legal.push(json!({
                    "action": action,
                    "label": game.action_to_string(action)?,
                    "words": game.action_in_words(action)?,
                    "move": object,
                }));
            }
        }
        Ok(json!({
            "env": spec.spec().env,
            "revision": self.revision,
            "status": status(game.status()),
            "player": game.current_player(),
            "person": table.awaits_person(),
            "viewer": table.viewer(),
            "seats": seats,
            "scores": table.scores(),
            "returns": (game.status() == Status::Terminated).then(|| game.returns()),
            "result": table.result(),
            "steps": table.steps(),
            "log": { "from": query.from.min(table.steps()), "lines": log },
            "faults": faults(table.faults().len(), table.faults().last()),
            "legal": legal,
            "advisers": self.advisers,
            "places": if table.awaits_person() { game.places(view) } else { Vec::new() },
            "svg": game.to_svg(view)?,
        }))
    }
}

/// The word for a status.
pub(super) fn status(status: Status) -> &'static str {
    match status {
        Status::Running => "running",
        Status::Terminated => "terminated",
        Status::Truncated => "truncated",
    }
}

/// The number of moves that bots lost, and the reason for the last one.
pub(super) fn faults(count: usize, last: Option<&Fault>) -> Value {
    json!({ "count": count, "last": last.map(Fault::to_string) })
}

/// The revision of a requested change.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AtRevision {
    revision: u64,
}

/// An action of a person.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ActionRequest {
    revision: u64,
    action: Action,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Action {
    Index(u32),
    Label(String),
}

pub(super) async fn action(
    target: Target<GameSession>,
    Json(choice): Json<ActionRequest>,
) -> Reply<Json<Value>> {
    change(target, move |play: &mut GameSession| {
        play.update(choice.revision, |table| {
            let action = match choice.action {
                Action::Index(index) => index,
                Action::Label(text) => table.game().string_to_action(&text)?,
            };
            Ok(table.play(action)?)
        })
    })
    .await
}

pub(super) async fn undo(target: Target<GameSession>, Json(turn): Json<AtRevision>) -> Reply<Json<Value>> {
    change(target, move |play: &mut GameSession| {
        play.update(turn.revision, |table| match table.undo() {
            true => Ok(()),
            false => Err(HttpError::conflict("there is nothing to take back")),
        })
    })
    .await
}

/// A guard for one thinking bot per game.
pub(super) struct Thinking(Arc<Mutex<GameSession>>);

impl Thinking {
    /// A copy of the game at `revision`, for a bot to think about during the life of this guard.
    pub(super) fn begin(session: &Arc<Mutex<GameSession>>, revision: u64) -> Reply<(Table, Self)> {
        let mut play = lock(session);
        play.check(revision)?;
        if std::mem::replace(&mut play.thinking, true) {
            return Err(HttpError::conflict("a bot is thinking about this game"));
        }
        Ok((play.table.clone(), Self(session.clone())))
    }
}

impl Drop for Thinking {
    fn drop(&mut self) {
        lock(&self.0).thinking = false;
    }
}

pub(super) async fn bot(
    (State(games), Path(id), Query(query)): Target<GameSession>,
    Json(turn): Json<AtRevision>,
) -> Reply<Json<Value>> {
    work_until_it_leaves(move |interrupt| {
        let session = games.get(&id)?;
        let (mut thought, _thinking) = Thinking::begin(&session, turn.revision)?;
        thought.play_bot_until(interrupt)?;
        let mut play = lock(&session);
        play.update(turn.revision, |table| {
            *table = thought;
            Ok(())
        })?;
        Ok(Json(play.describe(&query)?))
    })
    .await
}

pub(super) async fn record(
    State(games): State<Arc<Sessions<GameSession>>>,
    Path(id): Path<String>,
) -> Reply<impl IntoResponse> {
    work(move || {
        let play = games.get(&id)?;
        let record = lock(&play).table.record();
        let name = format!("attachment; filename=\"{}-{id}.json\"", record.env);
        Ok(([(header::CONTENT_DISPOSITION, name)], Json(record)))
    })
    .await
}
