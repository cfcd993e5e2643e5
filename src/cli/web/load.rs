//! Games from texts, over HTTP.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;

use super::client::Client;
use super::play::GameSession;
use super::reply::{Reply, work};
use super::requests::allowed;
use super::sessions::{Session, Sessions};
use ludovec::play::interface::{LoadRequest, ViewQuery};

pub(super) async fn load(
    State(sessions): State<Arc<Sessions<GameSession>>>,
    client: Client,
    Query(query): Query<ViewQuery>,
    Json(request): Json<LoadRequest>,
) -> Reply<impl IntoResponse> {
    work(move || {
        let record = request.record(allowed())?;
        let session = GameSession::new(LoadRequest::begin(&record, allowed())?);
        let mut shown = session.describe(&query)?;
        shown["id"] = sessions.insert(session, client).into();
        Ok((StatusCode::CREATED, Json(shown)))
    })
    .await
}
