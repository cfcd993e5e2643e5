//! Games with people, against bots or each other.
//!
//! Optimistic concurrency: a request names the revision that it knows. A bot thinks about a copy, and its move counts
//! only if the revision is unchanged afterwards.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::openings::opening;
use super::refused::{Answer, Refused};
use super::requests::{BeginRequest, ViewQuery};
use crate::engine::{AnyGame, Record, Result, SingleGame, Status, View};
use crate::games;
use crate::player::Fault;
use crate::seated_game::{Seat, SeatedGame};
use crate::trust::Trust;

/// Maximum number of moves of a known opening.
const LONGEST_OPENING: usize = 24;
/// The standard start of chess in FEN, without its counts.
const STANDARD_START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

/// A game in progress, as a page follows it.
#[derive(Debug)]
pub struct Match {
    seated: SeatedGame,
    /// The players that can analyse the game, the preferred one first.
    advisers: Vec<String>,
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

/// An earlier position to play on from.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForkRequest {
    revision: u64,
    at: usize,
    /// A bot or `human` in every seat, if the players change.
    seats: Option<Vec<String>>,
}

/// A variation to show instead of the game.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SwitchRequest {
    revision: u64,
    variation: usize,
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
fn without_label(game: &SingleGame, reason: String) -> String {
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
    pub fn begin(request: &BeginRequest, rules: Arc<dyn AnyGame>, allowed: &Trust) -> Answer<Self> {
        let mut seated = SeatedGame::new(rules, request.seed, request.named_seats()?, None)?;
        seated.play_again(&request.actions)?;
        Ok(Self::new(seated, allowed))
    }

    /// A game at revision 0.
    #[must_use]
    pub fn new(seated: SeatedGame, allowed: &Trust) -> Self {
        let game = seated.game();
        let advisers = allowed.advisers(&*game.game());
        let has_sides =
            game.places(View::default()) != game.places(View { flipped: true, ..View::default() });
        Self { seated, advisers, has_sides, revision: 0 }
    }

    /// The game and its players.
    #[must_use]
    pub fn seated(&self) -> &SeatedGame {
        &self.seated
    }

    /// The record. The people in the seats `away` are at other screens.
    ///
    /// # Errors
    /// [`Refused`] for a running game with hidden information of people at other screens.
    pub fn record(&self, away: &[usize]) -> Answer<Record> {
        let hidden = self.seated.game().game().spec().hidden_information;
        match hidden && self.seated.is_running() && !away.is_empty() {
            true => Err(Refused::conflict("the record has what the others hide: it is shown after the game")),
            false => Ok(self.seated.record()),
        }
    }

    /// The record as a text in JSON: readers of JSON with less than 64 bits for integers would change it. Of chess also as
    /// PGN, with its variations.
    ///
    /// # Errors
    /// As for [`Match::record`].
    pub fn record_text(&self, away: &[usize]) -> Answer<Value> {
        let record = self.record(away)?;
        let pgn = games::find(&record.env)?.export(&record, "pgn").ok();
        let text = serde_json::to_string(&record);
        text.map(|text| json!({ "text": text, "pgn": pgn }))
            .map_err(|error| Refused::new(500, error.to_string()))
    }

    /// The number of changes of the game.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
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

    /// Plays an action of a person, but not of those in the seats `away`, who are at other screens.
    ///
    /// # Errors
    /// [`Refused`] for an illegal action or another revision.
    pub fn act(&mut self, request: &ActionRequest, away: &[usize]) -> Answer<()> {
        let seat = self.seated.game().current_player();
        if self.seated.is_running() && away.contains(&seat) {
            return Err(Refused::conflict(format!("{} is to move", self.seated.seats()[seat].name)));
        }
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

    /// Plays on from an earlier position; what was played from there stays as a variation.
    ///
    /// # Errors
    /// [`Refused`] for a player that is not allowed, a position that the game has not, or another revision.
    pub fn fork(&mut self, request: &ForkRequest, allowed: &Trust) -> Answer<()> {
        let rules = self.seated.game().game();
        let mut bots = request.seats.iter().flatten().filter(|player| *player != Seat::HUMAN);
        bots.try_for_each(|bot| allowed.check_player(&*rules, bot))?;
        self.update(request.revision, |seated| Ok(seated.fork(request.at, request.seats.as_deref())?))
    }

    /// Shows a variation instead of the game, which becomes a variation.
    ///
    /// # Errors
    /// [`Refused`] if there is no such variation, or for another revision.
    pub fn switch(&mut self, request: &SwitchRequest) -> Answer<()> {
        self.update(request.revision, |seated| Ok(seated.switch(request.variation)?))
    }

    /// Says why chosen places of the board make no action: `{"why": "one sentence"}`.
    #[must_use]
    pub fn why(&self, chosen: &ChosenPlaces, away: &[usize]) -> Value {
        let (seated, game) = (self.seated.at_screen(away), self.seated.game());
        let why = match seated.is_running() && !seated.awaits_person() {
            true => format!("{} is to move", seated.seats()[game.current_player()].name),
            false => without_label(game, game.explain_places(&chosen.places)),
        };
        json!({ "why": why })
    }

    /// The name of the opening of a game of chess from the standard start.
    fn opening(&self) -> Option<String> {
        let game = self.seated.game();
        let is_known = game.game().spec().env == "chess" && game.game().uci()?.variant == "chess";
        let labels: Vec<String> =
            game.log().into_iter().map(|step| step.label).take(LONGEST_OPENING).collect();
        let is_standard = self.seated.at(0).ok()?.uci_position()?.starts_with(STANDARD_START);
        (is_known && is_standard).then(|| opening(&labels)).flatten()
    }

    /// The game with only the information visible to the person at the screen. The people in the seats `away` are at
    /// other screens.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::engine::Error::InvalidConfig) for an unknown theme.
    pub fn describe(&self, query: &ViewQuery, away: &[usize]) -> Result<Value> {
        let (seated, game) = (&*self.seated.at_screen(away), self.seated.game());
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
        let variations: Vec<Value> = seated
            .variations()
            .iter()
            .map(|line| json!({ "from": line.from, "words": seated.variation_in_words(line) }))
            .collect();
        let mut legal = Vec::new();
        let at = query.at.filter(|&at| at != seated.steps());
        let past = at.map(|at| seated.at(at)).transpose()?;
        let is_now = past.is_none();
        let shown = past.as_ref().unwrap_or(game);
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
            "shared": !away.is_empty(),
            "viewer": seated.viewer(),
            "seats": seats,
            "scores": seated.scores(),
            "returns": (game.status() == Status::Terminated).then(|| game.returns()),
            "result": seated.result(),
            "steps": seated.steps(),
            "log": { "from": query.from.min(seated.steps()), "lines": log },
            "variations": variations,
            "opening": self.opening(),
            "faults": faults(seated.faults().len(), seated.faults().last()),
            "legal": legal,
            "advisers": self.advisers,
            "at": at.unwrap_or(seated.steps()),
            "hidden": spec.spec().hidden_information,
            "sides": self.has_sides,
            "analyses": seated.may_analyse(at.unwrap_or(seated.steps()))?,
            "places": if seated.awaits_person() || !is_now { shown.places(placed) } else { Vec::new() },
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
