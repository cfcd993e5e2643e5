//! Which requests to begin are allowed over a connection.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use axum::Json;
use axum::extract::{Query, State};
use serde_json::Value;

use super::listen_scope::ListenScope;
use super::reply::{Reply, work};
use ludovec::engine::{AnyGame, Error, OptionKind, OptionValue, Result};
use ludovec::games;
use ludovec::play::interface::{self, BeginRequest, RulesRequest, ViewQuery};
use ludovec::play::language_model::is_language_model;
use ludovec::play::player::{is_program, listed};

/// The rules, after a check that the options are allowed over this connection.
pub(super) fn make_rules(request: RulesRequest, scope: ListenScope) -> Result<Arc<dyn AnyGame>> {
    if scope == ListenScope::Network {
        for option in games::find(&request.env)?.option_list().iter().filter(|o| o.kind == OptionKind::Text) {
            let names_a_file = |value: &OptionValue| Path::new(&value.to_string()).exists();
            if request.options.get(option.name).is_some_and(names_a_file) {
                let name = option.name;
                return Err(Error::config(format!("option {name}: files cannot be named over the network")));
            }
        }
    }
    request.make()
}

/// The rules, after a check that options and seats are allowed over this connection.
pub(super) fn make(request: &BeginRequest, scope: ListenScope) -> Result<Arc<dyn AnyGame>> {
    let game = make_rules(request.rules(), scope)?;
    request.bots().try_for_each(|name| check_player(&*game, name, scope))?;
    Ok(game)
}

/// The players of the command line: pages name no other programs, because a program runs with the rights of this
/// one, and no other language models, because requests to them carry a key.
static OFFERED: OnceLock<Vec<String>> = OnceLock::new();

/// Offers players to all pages of this process; only the first call has an effect.
pub fn offer(players: Vec<String>) {
    let _ = OFFERED.set(players);
}

fn offered() -> &'static [String] {
    OFFERED.get().map_or(&[], Vec::as_slice)
}

/// Refuses programs and language models that the command line does not name, and players that are not allowed over the
/// network.
pub(super) fn check_player(game: &dyn AnyGame, name: &str, scope: ListenScope) -> Result<()> {
    let is_listed =
        || offered().iter().any(|text| text == name) || listed(game).iter().any(|(bot, _)| *bot == name);
    if (is_program(name) || is_language_model(name)) && !is_listed() {
        return Err(Error::config(format!(
            "bot {name:?}: programs and language models are named on the command line, as in `ludovec web --player \
             uci:stockfish`"
        )));
    }
    if scope == ListenScope::Machine || is_listed() {
        return Ok(());
    }
    Err(Error::config(format!("bot {name:?}: only listed bots play over the network")))
}

pub(super) async fn environments() -> Reply<Json<Value>> {
    work(|| Ok(Json(interface::environments()?))).await
}

pub(super) async fn cards(Query(query): Query<ViewQuery>) -> Reply<Json<Value>> {
    work(move || Ok(Json(interface::cards(&query)?))).await
}

pub(super) async fn rules(
    State(scope): State<ListenScope>,
    Json(rules): Json<RulesRequest>,
) -> Reply<Json<Value>> {
    work(move || Ok(Json(interface::rules(&make_rules(rules, scope)?, offered())))).await
}
