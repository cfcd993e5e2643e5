//! Games from texts, over HTTP.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;

use super::client::Client;
use super::listen_scope::ListenScope;
use super::play::GameSession;
use super::reply::{Reply, work};
use super::requests::make_rules;
use super::sessions::{Session, Sessions};
use ludovec::play::interface::{LoadRequest, ViewQuery};

pub(super) async fn load(
    State(sessions): State<Arc<Sessions<GameSession>>>,
    State(scope): State<ListenScope>,
    client: Client,
    Query(query): Query<ViewQuery>,
    Json(request): Json<LoadRequest>,
) -> Reply<impl IntoResponse> {
    work(move || {
        let record = request.record()?;
        let players = make_rules(LoadRequest::rules(&record)?, scope)?.spec().players;
        let session = GameSession::new(LoadRequest::begin(&record, players)?);
        let mut shown = session.describe(&query)?;
        shown["id"] = sessions.insert(session, client).into();
        Ok((StatusCode::CREATED, Json(shown)))
    })
    .await
}
