//! Requests to begin: environment, options, seats, seed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use super::listen_scope::ListenScope;
use super::reply::{Reply, work};
use ludovec::engine::{AnyGame, Entry, Error, OptionKind, OptionValue, Result, Theme, View};
use ludovec::games;
use ludovec::play::language_model::is_language_model;
use ludovec::play::player::{Player, is_program, listed};
use ludovec::play::table::Seat;

/// The rules to use.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RulesRequest {
    env: String,
    #[serde(default)]
    options: BTreeMap<String, OptionValue>,
}

impl RulesRequest {
    pub(super) fn make(self, scope: ListenScope) -> Result<Arc<dyn AnyGame>> {
        let entry = games::find(&self.env)?;
        if scope == ListenScope::Network {
            for option in entry.option_list().iter().filter(|o| o.kind == OptionKind::Text) {
                let names_a_file = |value: &OptionValue| Path::new(&value.to_string()).exists();
                if self.options.get(option.name).is_some_and(names_a_file) {
                    let name = option.name;
                    return Err(Error::config(format!(
                        "option {name}: files cannot be named over the network"
                    )));
                }
            }
        }
        entry.make(self.options)
    }
}

/// Rules, players and seed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BeginRequest {
    env: String,
    #[serde(default)]
    options: BTreeMap<String, OptionValue>,
    /// Players, seat by seat: a bot, or `human` in games with people.
    pub(super) seats: Vec<String>,
    /// The players' names, seat by seat; an empty name, or no names at all, selects the game's own names.
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    pub(super) seed: u64,
    /// The number of games; for batches.
    pub(super) games: Option<usize>,
}

impl BeginRequest {
    /// The player in each seat, with its name.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the number of names differs from the number of seats.
    pub(super) fn named_seats(&self) -> Result<Vec<Seat>> {
        let (names, seats) = (self.names.len(), self.seats.len());
        if names != 0 && names != seats {
            return Err(Error::config(format!("{names} names for {seats} seats: one a seat, or none")));
        }
        let name = |i: usize| self.names.get(i).map_or("", |name| name.trim());
        let seat = |(i, player): (usize, &String)| Seat::new(name(i), player);
        Ok(self.seats.iter().enumerate().map(seat).collect())
    }

    /// The rules, after a check that the seats are allowed over this connection.
    pub(super) fn make(&self, scope: ListenScope) -> Result<Arc<dyn AnyGame>> {
        let rules = RulesRequest { env: self.env.clone(), options: self.options.clone() };
        let game = rules.make(scope)?;
        let mut players = self.seats.iter().filter(|name| *name != Seat::HUMAN);
        players.try_for_each(|name| check_player(&*game, name, scope))?;
        Ok(game)
    }
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

/// The part of a position in a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ViewQuery {
    /// Light or dark drawings.
    theme: Option<String>,
    /// First step of the log.
    #[serde(default)]
    pub(super) from: usize,
}

impl ViewQuery {
    /// The view of a seat; `None` shows everything.
    pub(super) fn view(&self, seat: Option<usize>) -> Result<View> {
        let theme = self.theme.as_deref().map_or(Ok(Theme::default()), str::parse)?;
        Ok(View { theme, seat, ..View::default() })
    }
}

pub(super) async fn environments() -> Json<Value> {
    let entry = |e: &Entry| {
        json!({
            "id": e.id,
            "name": e.name,
            "summary": e.summary,
            "rules": e.rules,
            "rules_link": e.rules_link,
            "options": e.option_list(),
        })
    };
    Json(games::all().into_iter().map(entry).collect())
}

pub(super) async fn rules(
    State(scope): State<ListenScope>,
    Json(rules): Json<RulesRequest>,
) -> Reply<Json<Value>> {
    work(move || {
        let game = rules.make(scope)?;
        let listed = listed(&*game).into_iter().map(|(name, help)| json!({ "name": name, "help": help }));
        let offered = offered().iter().filter(|text| Player::parse(&*game, text, None).is_ok());
        let offered = offered.map(|text| json!({ "name": text, "help": "a player of the command line" }));
        let bots: Vec<Value> = listed.chain(offered).collect();
        Ok(Json(json!({ "players": game.spec().players, "seats": game.single(0).names(), "bots": bots })))
    })
    .await
}
