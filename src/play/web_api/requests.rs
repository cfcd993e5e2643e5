//! Requests to begin: environment, options, seats, seed.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::engine::{AnyGame, Entry, Error, OptionValue, Result, Status, Theme, View};
use crate::games;
use crate::levels::levels;
use crate::player::{Player, listed};
use crate::seated_game::Seat;
use crate::trust::Trust;

/// The rules to use.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesRequest {
    /// The environment.
    pub env: String,
    /// Its options.
    #[serde(default)]
    pub options: BTreeMap<String, OptionValue>,
}

impl RulesRequest {
    /// The rules.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for an unknown environment or option, and for a path that is not allowed.
    pub fn make(self, allowed: &Trust) -> Result<Arc<dyn AnyGame>> {
        allowed.make(&self.env, self.options)
    }
}

/// Rules, players and seed.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeginRequest {
    /// The environment.
    pub env: String,
    /// Its options.
    #[serde(default)]
    pub options: BTreeMap<String, OptionValue>,
    /// Players, seat by seat: a bot, or `human` in games with people.
    pub seats: Vec<String>,
    /// The players' names, seat by seat; an empty name, or no names at all, selects the game's own names.
    #[serde(default)]
    pub names: Vec<String>,
    /// The seed.
    #[serde(default)]
    pub seed: u64,
    /// The number of games; for batches.
    pub games: Option<usize>,
    /// Actions that were played before; for games.
    #[serde(default)]
    pub actions: Vec<u32>,
}

impl BeginRequest {
    /// The requested rules, after a check of the bots.
    ///
    /// # Errors
    /// As for [`RulesRequest::make`] and [`Trust::check_player`].
    pub fn make(&self, allowed: &Trust) -> Result<Arc<dyn AnyGame>> {
        let game = allowed.make(&self.env, self.options.clone())?;
        let mut bots = self.seats.iter().filter(|name| *name != Seat::HUMAN);
        bots.try_for_each(|name| allowed.check_player(&*game, name))?;
        Ok(game)
    }

    /// The player in each seat, with its name.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the number of names differs from the number of seats.
    pub fn named_seats(&self) -> Result<Vec<Seat>> {
        let (names, seats) = (self.names.len(), self.seats.len());
        if names != 0 && names != seats {
            return Err(Error::config(format!("{names} names for {seats} seats: one a seat, or none")));
        }
        let name = |i: usize| self.names.get(i).map_or("", |name| name.trim());
        let seat = |(i, player): (usize, &String)| Seat::new(name(i), player);
        Ok(self.seats.iter().enumerate().map(seat).collect())
    }
}

/// The part of a position in a request.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewQuery {
    /// Light or dark drawings.
    pub theme: Option<String>,
    /// First step of the log.
    #[serde(default)]
    pub from: usize,
    /// The position to show: the one after this many steps.
    pub at: Option<usize>,
    /// Whether a board with two sides is drawn from the second side.
    #[serde(default)]
    pub flipped: bool,
    /// Whether the page shows the board alone, with everything beside it as text, because the screen is small.
    #[serde(default)]
    pub narrow: bool,
}

impl ViewQuery {
    /// The view of a seat; `None` shows everything.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for an unknown theme.
    pub fn view(&self, seat: Option<usize>) -> Result<View> {
        let theme = self.theme.as_deref().map_or(Ok(Theme::default()), str::parse)?;
        Ok(View { theme, seat, flipped: self.flipped, ..View::default() })
    }
}

/// Every environment with its options, levels and its rules in short.
///
/// # Errors
/// As for making a game with default options.
pub fn environments() -> Result<Value> {
    let entry = |e: &Entry| {
        let standard = e.make([])?;
        Ok(json!({
            "id": e.id,
            "name": e.name,
            "summary": e.summary,
            "rules": e.rules,
            "rules_link": e.rules_link,
            "seats": standard.clone().single(0).names(),
            "levels": levels(&*standard),
            "options": e.option_list(),
        }))
    };
    games::all().into_iter().map(entry).collect()
}

/// Most steps of the games on the cards of the first screen.
const CARD_STEPS: usize = 4000;

/// A picture of every environment for the first screen, by name: the board late in a game of greedy players.
///
/// # Errors
/// [`Error::InvalidConfig`] for an unknown theme.
pub fn cards(query: &ViewQuery) -> Result<Value> {
    let view = View { board_only: true, ..query.view(None)? };
    let card = |entry: &Entry| {
        let mut game = entry.make([])?.single(7);
        while game.status() == Status::Running && game.steps() < CARD_STEPS {
            game.step(game.bot_action("greedy")?)?;
        }
        // Two thirds of the game: most pieces are on the board, and most players are still in the game.
        for _ in 0..game.steps() / 3 {
            game.undo();
        }
        Ok((entry.id.to_string(), game.to_svg(view)?.into()))
    };
    let cards: Result<serde_json::Map<String, Value>> = games::all().into_iter().map(card).collect();
    Ok(cards?.into())
}

/// The number of seats under these rules, the levels, the bots, and the allowed players that can play.
pub fn rules(game: &Arc<dyn AnyGame>, allowed: &Trust) -> Value {
    let listed = listed(&**game).into_iter().map(|(name, help)| json!({ "name": name, "help": help }));
    let offered = allowed.players().iter().filter(|text| Player::parse(&**game, text, None).is_ok());
    let offered = offered.map(|text| json!({ "name": text, "help": "a player of the command line" }));
    let bots: Vec<Value> = listed.chain(offered).collect();
    json!({
        "players": game.spec().players,
        "seats": game.clone().single(0).names(),
        "levels": levels(&**game),
        "bots": bots,
    })
}
