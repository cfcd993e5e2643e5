//! Games with people, against bots or each other: a game is locked only briefly, and a bot thinks about a copy.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::IntoResponse;
use serde_json::Value;

use super::listen_scope::ListenScope;
use super::reply::{HttpError, Reply, work, work_until_it_leaves};
use super::requests::allowed;
use super::sessions::{Session, Sessions, Target, change, lock, quota};
use ludovec::engine::Result;
use ludovec::play::interface::{ActionRequest, AtRevision, BeginRequest, ChosenPlaces, Match, ViewQuery};
use ludovec::play::table::Table;

/// A game in progress.
pub(super) struct GameSession {
    pub(super) game: Match,
    /// Whether a bot is thinking about it.
    thinking: bool,
}

pub(super) fn sessions(scope: ListenScope) -> Sessions<GameSession> {
    Sessions::new("game", [200, quota(scope, 200)], Duration::from_secs(2 * 60 * 60))
}

impl GameSession {
    pub(super) fn new(game: Match) -> Self {
        Self { game, thinking: false }
    }
}

#[cfg(test)]
impl GameSession {
    pub(super) fn thinks(&self) -> bool {
        self.thinking
    }

    pub(super) fn pretend_to_think(&mut self) {
        self.thinking = true;
    }
}

impl Session for GameSession {
    fn begin(request: &BeginRequest) -> Reply<Self> {
        Ok(Self::new(Match::begin(request, request.make(allowed())?)?))
    }

    fn describe(&self, query: &ViewQuery) -> Result<Value> {
        self.game.describe(query)
    }
}

pub(super) async fn action(
    target: Target<GameSession>,
    Json(choice): Json<ActionRequest>,
) -> Reply<Json<Value>> {
    change(target, move |play: &mut GameSession| Ok(play.game.act(&choice)?)).await
}

pub(super) async fn undo(target: Target<GameSession>, Json(turn): Json<AtRevision>) -> Reply<Json<Value>> {
    change(target, move |play: &mut GameSession| Ok(play.game.undo(&turn)?)).await
}

/// Says why chosen places make no action.
pub(super) async fn why(
    (State(games), Path(id), _): Target<GameSession>,
    Json(chosen): Json<ChosenPlaces>,
) -> Reply<Json<Value>> {
    work(move || {
        let session = games.get(&id)?;
        let why = lock(&session).game.why(&chosen);
        Ok(Json(why))
    })
    .await
}

/// A guard for one thinking bot per game.
pub(super) struct Thinking(Arc<Mutex<GameSession>>);

impl Thinking {
    /// A copy of the game at `revision`, for a bot to think about during the life of this guard.
    pub(super) fn begin(session: &Arc<Mutex<GameSession>>, revision: u64) -> Reply<(Table, Self)> {
        let mut play = lock(session);
        let table = play.game.at(revision)?.clone();
        if std::mem::replace(&mut play.thinking, true) {
            return Err(HttpError::conflict("a bot is thinking about this game"));
        }
        Ok((table, Self(session.clone())))
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
        play.game.replace(turn.revision, thought)?;
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
        let record = lock(&play).game.table().record();
        let name = format!("attachment; filename=\"{}-{id}.json\"", record.env);
        Ok(([(header::CONTENT_DISPOSITION, name)], Json(record)))
    })
    .await
}

pub(super) async fn record_text(
    State(games): State<Arc<Sessions<GameSession>>>,
    Path(id): Path<String>,
) -> Reply<Json<Value>> {
    work(move || Ok(Json(lock(&*games.get(&id)?).game.record_text()?))).await
}
