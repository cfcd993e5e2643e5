//! Requests to begin: environment, options, seats, seed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use axum::Json;
use axum::extract::{Query, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::listen_scope::ListenScope;
use super::reply::{Reply, work};
use ludovec::engine::{AnyGame, Entry, Error, OptionKind, OptionValue, Result, Theme, View};
use ludovec::games;
use ludovec::play::levels::levels;
use ludovec::play::player::{DEFAULT_TIME_LIMIT, Player, is_program, listed};
use ludovec::play::table::Seat;

/// The rules to use.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RulesRequest {
    pub(super) env: String,
    #[serde(default)]
    pub(super) options: BTreeMap<String, OptionValue>,
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
    /// Actions that were played before; for games.
    #[serde(default)]
    pub(super) actions: Vec<u32>,
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

/// The players of the command line: pages name no other programs, because a program runs with the rights of this one.
static OFFERED: OnceLock<Vec<String>> = OnceLock::new();

/// Offers players to all pages of this process; only the first call has an effect.
pub fn offer(players: Vec<String>) {
    let _ = OFFERED.set(players);
}

fn offered() -> &'static [String] {
    OFFERED.get().map_or(&[], Vec::as_slice)
}

/// Refuses programs that the command line does not name, and players that are not allowed over the network.
pub(super) fn check_player(game: &dyn AnyGame, name: &str, scope: ListenScope) -> Result<()> {
    let is_listed =
        || offered().iter().any(|text| text == name) || listed(game).iter().any(|(bot, _)| *bot == name);
    if is_program(name) && !is_listed() {
        return Err(Error::config(format!(
            "bot {name:?}: programs are named on the command line, as in `ludovec web --player uci:stockfish`"
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
    /// The position to show: the one after this many steps.
    pub(super) at: Option<usize>,
    /// Whether a board with two sides is drawn from the second side.
    #[serde(default)]
    flipped: bool,
}

impl ViewQuery {
    /// The view of a seat; `None` shows everything.
    pub(super) fn view(&self, seat: Option<usize>) -> Result<View> {
        let theme = self.theme.as_deref().map_or(Ok(Theme::default()), str::parse)?;
        Ok(View { theme, seat, flipped: self.flipped, ..View::default() })
    }
}

pub(super) async fn environments() -> Reply<Json<Value>> {
    work(|| Ok(Json(environment_list()?))).await
}

fn environment_list() -> Result<Value> {
    let entry = |e: &Entry| {
        let standard = e.make::<&str>([])?;
        Ok(json!({
            "seats": standard.clone().single(0).names(),
            "levels": levels(&*standard),
            "id": e.id,
            "name": e.name,
            "summary": e.summary,
            "rules": e.rules,
            "rules_link": e.rules_link,
            "options": e.option_list(),
        }))
    };
    games::all().into_iter().map(entry).collect()
}

/// Steps of the games on the cards of the first screen.
const CARD_STEPS: usize = 40;

/// A picture of every game for the first screen: the board after some greedy moves, by environment.
pub(super) async fn cards(Query(query): Query<ViewQuery>) -> Reply<Json<Value>> {
    work(move || {
        let view = View { board_only: true, ..query.view(None)? };
        let card = |entry: &Entry| {
            let mut game = entry.make::<&str>([])?.single(7);
            for _ in 0..CARD_STEPS {
                game.step(game.bot_action("greedy")?)?;
            }
            Ok((entry.id.to_string(), game.to_svg(view)?.into()))
        };
        let cards: Result<serde_json::Map<String, Value>> = games::all().into_iter().map(card).collect();
        Ok(Json(cards?.into()))
    })
    .await
}

pub(super) async fn rules(
    State(scope): State<ListenScope>,
    Json(rules): Json<RulesRequest>,
) -> Reply<Json<Value>> {
    work(move || {
        let game = rules.make(scope)?;
        let listed = listed(&*game).into_iter().map(|(name, help)| json!({ "name": name, "help": help }));
        let offered = offered().iter().filter(|text| Player::parse(&*game, text, DEFAULT_TIME_LIMIT).is_ok());
        let offered = offered.map(|text| json!({ "name": text, "help": "a player of the command line" }));
        let bots: Vec<Value> = listed.chain(offered).collect();
        Ok(Json(json!({ "players": game.spec().players, "levels": levels(&*game), "seats": game.single(0).names(), "bots": bots })))
    })
    .await
}
