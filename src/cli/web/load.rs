//! Games from texts: records, and games of other programs.

use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::Deserialize;
use serde_json::Value;

use std::sync::Arc;

use super::client::Client;
use super::listen_scope::ListenScope;
use super::play::GameSession;
use super::reply::{Reply, work};
use super::requests::{RulesRequest, ViewQuery};
use super::sessions::{Session, Sessions};
use ludovec::engine::{Error, Record, Result};
use ludovec::games;
use ludovec::play::player::DEFAULT_TIME_LIMIT;
use ludovec::play::table::{Seat, Table};
use ludovec::replay::parse;

/// The text of a game. All seats are people's, so that the game can be changed from any position on.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LoadRequest {
    text: String,
}

/// The first game of a text: a record, or a format that an environment imports.
fn read(text: &str) -> Result<Record> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::config("the text is empty: a record, PGN, FEN or a Blokus file is needed"));
    }
    if text.starts_with('{') {
        return parse(text)
            .or_else(|error| parse(text.lines().next().unwrap_or_default()).map_err(|_| error));
    }
    let mut refused = None;
    let mut empty = None;
    for entry in games::all() {
        for (format, read) in entry.imports() {
            let mut found = None;
            read(&mut text.as_bytes(), &[], &mut |game| {
                found = Some(game);
                false
            });
            match found {
                // A text of another format may read as a game without moves.
                Some(Ok(game)) if game.record.actions.is_empty() && game.record.position.is_none() => {
                    empty = Some(game.record);
                }
                Some(Ok(game)) => return Ok(game.record),
                Some(Err(error)) => refused = Some(format!("{format}: {error}")),
                None => {}
            }
        }
    }
    empty.ok_or_else(|| {
        let why = refused.unwrap_or_else(|| "it has no game".into());
        Error::config(format!("the text is no record, and no game of another program ({why})"))
    })
}

pub(super) async fn load(
    State(sessions): State<Arc<Sessions<GameSession>>>,
    State(scope): State<ListenScope>,
    client: Client,
    Query(query): Query<ViewQuery>,
    Json(request): Json<LoadRequest>,
) -> Reply<impl IntoResponse> {
    work(move || {
        let record = read(&request.text)?;
        let options: Value = record.options.clone();
        let options = serde_json::from_value(options)
            .map_err(|_| Error::state("record: options is an object of names with values"))?;
        let game = RulesRequest { env: record.env.clone(), options }.make(scope)?;
        let seats = vec![Seat::new("", Seat::HUMAN); game.spec().players];
        let session = GameSession::new(Table::of_record(&record, seats, DEFAULT_TIME_LIMIT)?);
        let mut shown = session.describe(&query)?;
        shown["id"] = sessions.insert(session, client).into();
        Ok((StatusCode::CREATED, Json(shown)))
    })
    .await
}
