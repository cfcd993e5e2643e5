//! Analysis of a game in progress by a player.

use axum::Json;
use axum::extract::{Path, Query, State};
use serde_json::Value;

use super::listen_scope::ListenScope;
use super::play::{GameSession, Thinking};
use super::reply::{Reply, work_until_it_leaves};
use super::requests::check_player;
use super::sessions::Target;
use ludovec::play::interface::AnalysisRequest;

pub(super) async fn analysis(
    (State(games), Path(id), Query(query)): Target<GameSession>,
    State(scope): State<ListenScope>,
    Json(question): Json<AnalysisRequest>,
) -> Reply<Json<Value>> {
    work_until_it_leaves(move |interrupt| {
        let session = games.get(&id)?;
        let (table, _thinking) = Thinking::begin(&session, question.revision)?;
        AnalysisRequest::check(&table)?;
        check_player(&*table.game().game(), &question.player, scope)?;
        Ok(Json(question.answer(&table, &query, interrupt)?))
    })
    .await
}
