//! Analysis of a game by a player: one position, or the whole game.

use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Path, Query, State};
use serde_json::Value;

use super::play::{GameSession, Thinking};
use super::reply::{Reply, work_until_it_leaves};
use super::requests::allowed;
use super::sessions::Target;
use ludovec::play::interface::{AnalysisRequest, ReviewRequest};

/// A review is answered after this time, even if it is not complete.
const PATIENCE: Duration = Duration::from_secs(1);

pub(super) async fn analysis(
    (State(games), Path(id), Query(query)): Target<GameSession>,
    Json(question): Json<AnalysisRequest>,
) -> Reply<Json<Value>> {
    work_until_it_leaves(move |interrupt| {
        let session = games.get(&id)?;
        let (table, _thinking) = Thinking::begin(&session, question.revision)?;
        AnalysisRequest::check(&table, &query)?;
        Ok(Json(question.answer(&table, &query, allowed(), interrupt)?))
    })
    .await
}

pub(super) async fn review(
    (State(games), Path(id), _): Target<GameSession>,
    Json(question): Json<ReviewRequest>,
) -> Reply<Json<Value>> {
    work_until_it_leaves(move |interrupt| {
        let session = games.get(&id)?;
        let (table, _thinking) = Thinking::begin(&session, question.revision)?;
        let begun = Instant::now();
        Ok(Json(question.answer(&table, allowed(), interrupt, || begun.elapsed() > PATIENCE)?))
    })
    .await
}
