//! Games with people, against bots or each other.
//!
//! Optimistic concurrency: a request names the revision that it knows. A bot thinks about a copy, and its move counts
//! only if the revision is unchanged afterwards.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::refused::{Answer, Refused};
use super::requests::{BeginRequest, ViewQuery};
use crate::engine::{AnyGame, Result, SingleGame, Status, View};
use crate::player::{Fault, advisers};
use crate::seated_game::SeatedGame;

/// A game in progress, as a page follows it.
#[derive(Debug)]
pub struct Match {
    seated: SeatedGame,
    /// The players that can analyse the game, the preferred one first.
    advisers: Vec<&'static str>,
    /// Whether the board can be drawn from the second side.
    has_sides: bool,
    /// Counts the changes of the game: a request names its revision and is refused on another one.
    revision: u64,
}

/// The revision of a requested change.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtRevision {
    /// The revision.
    pub revision: u64,
}

/// An action of a person.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionRequest {
    revision: u64,
    action: Action,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Action {
    Index(u32),
    Label(String),
}

/// A reason without the label of its action, which only programs need: people have clicked on the place.
fn without_label(game: &dyn SingleGame, reason: String) -> String {
    let is_label = |text: &str| {
        let mut actions = 0..game.game().spec().num_actions;
        actions.any(|action| game.action_to_string(action).is_ok_and(|label| label == text))
    };
    match reason.split_once(": ") {
        Some((label, rest)) if is_label(label) => rest.into(),
        _ => reason,
    }
}

/// Places of the board that a person has chosen, each by its keys and values.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChosenPlaces {
    places: Vec<Vec<(String, Value)>>,
}

impl Match {
    /// Begins a game by the rules of the request.
    ///
    /// # Errors
    /// [`Refused`] for the wrong number of seats or names, or an unknown bot.
    pub fn begin(request: &BeginRequest, rules: Arc<dyn AnyGame>) -> Answer<Self> {
        let mut seated = SeatedGame::new(rules, request.seed, request.named_seats()?, None)?;
        seated.play_again(&request.actions)?;
        Ok(Self::new(seated))
    }

    /// A game at revision 0.
    #[must_use]
    pub fn new(seated: SeatedGame) -> Self {
        let game = seated.game();
        let advisers = advisers(&*game.game());
        let has_sides =
            game.places(View::default()) != game.places(View { flipped: true, ..View::default() });
        Self { seated, advisers, has_sides, revision: 0 }
    }

    /// The game and its players.
    #[must_use]
    pub fn seated(&self) -> &SeatedGame {
        &self.seated
    }

    /// The record as a text in JSON: readers of JSON with less than 64 bits for integers would change it.
    ///
    /// # Errors
    /// [`Refused`] if it cannot be written.
    pub fn record_text(&self) -> Answer<Value> {
        let text = serde_json::to_string(&self.seated.record());
        text.map(|text| json!({ "text": text })).map_err(|error| Refused::new(500, error.to_string()))
    }

    /// The game at `revision`.
    ///
    /// # Errors
    /// [`Refused`] if the game has changed since.
    pub fn at(&self, revision: u64) -> Answer<&SeatedGame> {
        if self.revision == revision {
            return Ok(&self.seated);
        }
        Err(Refused::conflict(format!("revision {revision}: the game is at revision {}", self.revision)))
    }

    /// Applies a change requested at `revision`, as a whole or not at all.
    fn update(&mut self, revision: u64, task: impl FnOnce(&mut SeatedGame) -> Answer<()>) -> Answer<()> {
        let mut seated = self.at(revision)?.clone();
        task(&mut seated)?;
        self.replace(revision, seated)
    }

    /// Replaces the game at `revision` by a copy that has been played on.
    ///
    /// # Errors
    /// [`Refused`] if the game has changed since.
    pub fn replace(&mut self, revision: u64, seated: SeatedGame) -> Answer<()> {
        self.at(revision)?;
        self.seated = seated;
        self.revision += 1;
        Ok(())
    }

    /// Plays an action of a person.
    ///
    /// # Errors
    /// [`Refused`] for an illegal action or another revision.
    pub fn act(&mut self, request: &ActionRequest) -> Answer<()> {
        self.update(request.revision, |seated| {
            let action = match &request.action {
                Action::Index(index) => *index,
                Action::Label(text) => seated.game().string_to_action(text)?,
            };
            Ok(seated.play(action)?)
        })
    }

    /// Back to the last decision of a person.
    ///
    /// # Errors
    /// [`Refused`] if there is none, or for another revision.
    pub fn undo(&mut self, request: &AtRevision) -> Answer<()> {
        self.update(request.revision, |seated| match seated.undo() {
            true => Ok(()),
            false => Err(Refused::conflict("there is nothing to take back")),
        })
    }

    /// Says why chosen places of the board make no action: `{"why": "one sentence"}`.
    #[must_use]
    pub fn why(&self, chosen: &ChosenPlaces) -> Value {
        let (seated, game) = (&self.seated, self.seated.game());
        let why = match seated.is_running() && !seated.awaits_person() {
            true => format!("{} is to move", seated.seats()[game.current_player()].name),
            false => without_label(game, game.explain_places(&chosen.places)),
        };
        json!({ "why": why })
    }

    /// The game with only the information visible to the person at the screen.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::engine::Error::InvalidConfig) for an unknown theme.
    pub fn describe(&self, query: &ViewQuery) -> Result<Value> {
        let (seated, game) = (&self.seated, self.seated.game());
        let spec = game.game();
        let view = query.view(seated.observer())?;
        let colours = spec.seat_colours(view.theme);
        let seats: Vec<Value> = seated
            .seats()
            .iter()
            .zip(colours)
            .map(|(seat, colour)| json!({ "name": seat.name, "bot": seat.bot, "colour": colour }))
            .collect();
        let log: Vec<Value> = seated
            .log(query.from)
            .into_iter()
            .zip(query.from..)
            .map(|((player, text), step)| {
                json!({ "player": player, "text": text, "action": seated.played_at(step) })
            })
            .collect();
        let mut legal = Vec::new();
        let at = query.at.filter(|&at| at != seated.steps());
        let past = at.map(|at| seated.at(at)).transpose()?;
        let is_now = past.is_none();
        let shown = past.as_deref().unwrap_or(game);
        let placed = View { board_only: query.narrow, ..view };
        if seated.awaits_person() && is_now {
            for (action, object) in game.legal_actions().into_iter().zip(game.legal_moves()) {
                legal.push(json!({
                    "action": action,
                    "label": game.action_to_string(action)?,
                    "words": game.action_in_words(action)?,
                    "move": object,
                    "footprint": game.footprint(action),
                }));
            }
        }
        Ok(json!({
            "env": spec.spec().env,
            "revision": self.revision,
            "status": status(game.status()),
            "player": game.current_player(),
            "person": seated.awaits_person(),
            "viewer": seated.viewer(),
            "seats": seats,
            "scores": seated.scores(),
            "returns": (game.status() == Status::Terminated).then(|| game.returns()),
            "result": seated.result(),
            "steps": seated.steps(),
            "log": { "from": query.from.min(seated.steps()), "lines": log },
            "faults": faults(seated.faults().len(), seated.faults().last()),
            "legal": legal,
            "advisers": self.advisers,
            "at": at.unwrap_or(seated.steps()),
            "hidden": spec.spec().hidden_information,
            "sides": self.has_sides,
            "analyses": seated.may_analyse(at.unwrap_or(seated.steps()))?,
            "places": if seated.awaits_person() && is_now { game.places(placed) } else { Vec::new() },
            "beside": shown.beside(view),
            "standing": shown.standing(),
            "svg": shown.to_svg(view)?,
        }))
    }
}

/// The word for a status.
#[must_use]
pub fn status(status: Status) -> &'static str {
    match status {
        Status::Running => "running",
        Status::Terminated => "terminated",
        Status::Truncated => "truncated",
    }
}

/// The number of moves that bots lost, and the reason for the last one.
pub(super) fn faults(count: usize, last: Option<&Fault>) -> Value {
    json!({ "count": count, "last": last.map(Fault::to_string) })
}
