//! Analysis of a game by a player: one position, or the whole game.

use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Path, Query, State};
use serde_json::Value;

use super::listen_scope::ListenScope;
use super::play::{GameSession, Thinking};
use super::reply::{Reply, work_until_it_leaves};
use super::requests::check_player;
use super::sessions::Target;
use ludovec::play::interface::{AnalysisRequest, ReviewRequest};

/// A review is answered after this time, even if it is not complete.
const PATIENCE: Duration = Duration::from_secs(1);

pub(super) async fn analysis(
    (State(games), Path(id), Query(query)): Target<GameSession>,
    State(scope): State<ListenScope>,
    Json(question): Json<AnalysisRequest>,
) -> Reply<Json<Value>> {
    work_until_it_leaves(move |interrupt| {
        let session = games.get(&id)?;
        let (table, _thinking) = Thinking::begin(&session, question.revision)?;
        AnalysisRequest::check(&table, &query)?;
        check_player(&*table.game().game(), &question.player, scope)?;
        Ok(Json(question.answer(&table, &query, interrupt)?))
    })
    .await
}

pub(super) async fn review(
    (State(games), Path(id), _): Target<GameSession>,
    State(scope): State<ListenScope>,
    Json(question): Json<ReviewRequest>,
) -> Reply<Json<Value>> {
    work_until_it_leaves(move |interrupt| {
        let session = games.get(&id)?;
        let (table, _thinking) = Thinking::begin(&session, question.revision)?;
        check_player(&*table.game().game(), &question.player, scope)?;
        let begun = Instant::now();
        Ok(Json(question.answer(&table, interrupt, || begun.elapsed() > PATIENCE)?))
    })
    .await
}
