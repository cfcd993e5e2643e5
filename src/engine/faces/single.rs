//! The dynamic face of one game with its history: for people, notebooks, tests, records.

use std::sync::Arc;

use serde_json::Value;

use crate::engine::contract::chance::{ChanceOutcome, StreamId};
use crate::engine::contract::error::Result;
use crate::engine::contract::rules::Status;
use crate::engine::contract::view::{Marks, Place, View};
use crate::engine::contract::words::CompoundAction;
use crate::engine::faces::analysis::Analysis;
use crate::engine::faces::any_game::AnyGame;
use crate::engine::faces::interrupt::Interrupt;
use crate::engine::faces::record::{LogEntry, Record};

/// The possible outcomes of an action, made lazily, one by one.
pub type Outcomes = Box<dyn Iterator<Item = ChanceOutcome<Box<dyn SingleGame>>> + Send>;

/// Most characters of a player's name.
pub const MAX_NAME: usize = 60;

/// One game of some kind, with its history.
///
/// Methods that return an error have changed nothing.
pub trait SingleGame: Send {
    /// The rules.
    fn game(&self) -> Arc<dyn AnyGame>;
    /// Whether the game goes on.
    fn status(&self) -> Status;
    /// The seat to move; any seat when the game is over.
    fn current_player(&self) -> usize;
    /// Legal action indices in increasing order.
    fn legal_actions(&self) -> Vec<u32>;
    /// Legal actions as bits.
    fn mask(&self) -> Vec<u64>;
    /// Legal actions as objects, in the order of [`SingleGame::legal_actions`].
    fn legal_moves(&self) -> Vec<Value>;
    /// Plays an action; chance comes from the game's seed.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::engine::Error::Refused).
    fn step(&mut self, action: u32) -> Result<()>;
    /// Plays an action under given chance outcomes, all of which must be drawn.
    ///
    /// # Errors
    /// As for [`SingleGame::step`], and [`Error::InvalidState`](crate::engine::Error::InvalidState) when the outcomes do not fit.
    fn step_scripted(&mut self, action: u32, outcomes: &[u32]) -> Result<()>;
    /// Plays several actions as one call: all of them, or none when one is refused.
    ///
    /// # Errors
    /// As for [`SingleGame::step`].
    fn step_all(&mut self, actions: &[u32]) -> Result<()>;
    /// Every whole action in the game's own terms that takes several decisions here, for
    /// [`SingleGame::step_all`]; see [`Words::compound_actions`](crate::engine::Words::compound_actions).
    fn compound_actions(&self) -> Vec<CompoundAction>;
    /// Plays an action given as an object, for the seat whose turn it must be.
    ///
    /// # Errors
    /// As for [`SingleGame::step`].
    fn submit(&mut self, player: usize, object: &Value) -> Result<()>;
    /// Takes the last step back; false at the beginning. Chance goes on from where it is.
    fn undo(&mut self) -> bool;
    /// Every way `action` can turn out: probability, chance script, and the game after it. Each is made when it is
    /// asked for; [`at_most`](crate::engine::contract::chance::at_most) lists them.
    ///
    /// # Errors
    /// As for [`SingleGame::step`].
    fn outcomes(&self, action: u32) -> Result<Outcomes>;
    /// What the bot called `name` would play. Asking changes nothing: the same position gives the same answer.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::engine::Error::InvalidConfig) for an unknown bot, [`Error::Refused`](crate::engine::Error::Refused) when nobody is to move.
    fn bot_action(&self, name: &str) -> Result<u32> {
        self.bot_action_until(name, &Interrupt::default())
    }
    /// The same until `interrupt` is raised.
    ///
    /// # Errors
    /// As for [`SingleGame::bot_action`], and [`Error::Interrupted`](crate::engine::Error::Interrupted).
    fn bot_action_until(&self, name: &str, interrupt: &Interrupt) -> Result<u32>;
    /// What the bot called `name` tries first here, where that is not legal, and why it is refused; it then plays
    /// [`SingleGame::bot_action`].
    ///
    /// # Errors
    /// As for [`SingleGame::bot_action`].
    fn bot_attempt(&self, name: &str) -> Result<Option<String>>;
    /// What the bot called `name` thinks of the position, by the search with which it chooses; `None` of a bot that does
    /// not search.
    ///
    /// # Errors
    /// As for [`SingleGame::bot_action_until`].
    fn bot_analysis(&self, name: &str, interrupt: &Interrupt) -> Result<Option<Analysis>>;
    /// What a bot in another program is told to choose here; see [`Dialect::bot_request`](crate::engine::Dialect::bot_request).
    fn bot_request(&self) -> Value;
    /// The answer to such a request.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::engine::Error::Refused) for an index past the last.
    fn bot_reply(&self, action: u32) -> Result<Value>;
    /// The legal action in an answer.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::engine::Error::Refused) says why there is none.
    fn action_from_bot_reply(&self, reply: &Value) -> Result<u32>;
    /// Whether an action may be played now.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::engine::Error::Refused) says why not.
    fn check(&self, action: u32) -> Result<()>;
    /// An action as text.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::engine::Error::Refused) for an index past the last.
    fn action_to_string(&self, action: u32) -> Result<String>;
    /// The legal action that a text names.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::engine::Error::Refused) when there is none.
    fn string_to_action(&self, text: &str) -> Result<u32>;
    /// An action in a sentence for people; see [`Words::action_in_words`](crate::engine::Words::action_in_words).
    ///
    /// # Errors
    /// [`Error::Refused`](crate::engine::Error::Refused) for an index past the last.
    fn action_in_words(&self, action: u32) -> Result<String>;
    /// An action as an object.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::engine::Error::Refused) for an index past the last.
    fn action_to_json(&self, action: u32) -> Result<Value>;
    /// The action that an object describes.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::engine::Error::Refused) when it describes none.
    fn action_from_json(&self, object: &Value) -> Result<u32>;
    /// Outcome by seat in [-1, 1]; all 0 unless the game has terminated.
    fn returns(&self) -> Vec<f32>;
    /// Scores by seat.
    fn scores(&self) -> Vec<f32>;
    /// What each seat's position is worth by the game's own [`Guide::estimate`](crate::engine::Guide::estimate); the
    /// scores, once the game is over.
    fn estimates(&self) -> Vec<f32>;
    /// What `seat` sees, as the batch writes it.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::engine::Error::InvalidConfig) when there is no such seat.
    fn observation(&self, seat: usize) -> Result<Vec<u8>>;
    /// What `seat` sees, as an object.
    ///
    /// # Errors
    /// As for [`SingleGame::observation`].
    fn observation_to_json(&self, seat: usize) -> Result<Value>;
    /// The information state of `seat` (perfect recall), as an object.
    ///
    /// # Errors
    /// As for [`SingleGame::observation`].
    fn information_state(&self, seat: usize) -> Result<Value>;
    /// A game that `seat` cannot tell from this one: what it does not know is redrawn. Its history is the true one, up to
    /// which no step is taken back; records of it begin at the redrawn position.
    ///
    /// # Errors
    /// As for [`SingleGame::observation`].
    fn determinize(&self, seat: usize, seed: u64) -> Result<Box<dyn SingleGame>>;
    /// The whole position as JSON.
    fn to_json(&self) -> Value;
    /// The position as bytes: equal for equal positions of the same environment, version and options.
    fn position_bytes(&self) -> Vec<u8>;
    /// The same game: position, history, chance.
    fn clone_box(&self) -> Box<dyn SingleGame>;
    /// The random stream of the game and how far it was drawn.
    fn stream(&self) -> (StreamId, u64);
    /// Lets chance go on from another place: of the same stream or another one.
    fn set_stream(&mut self, id: StreamId, position: u64);
    /// How many steps have been played.
    fn steps(&self) -> usize;
    /// The turn or round that is being played, from 1, where the game counts them.
    fn turn(&self) -> Option<u32>;
    /// The steps so far, in words.
    fn log(&self) -> Vec<LogEntry>;
    /// The record so far.
    fn record(&self) -> Record;
    /// Who acted in each step from step `first` on and what it did, as `seat` witnessed it (`None`: everything);
    /// see [`Words::describe_step`](crate::engine::Words::describe_step).
    fn narrate(&self, first: usize, seat: Option<usize>) -> Vec<(usize, String)>;
    /// The position as lines of text.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::engine::Error::InvalidConfig) when there is no such seat as the view names.
    fn to_text(&self, view: View) -> Result<String>;
    /// The position as an SVG document with size, title and description.
    ///
    /// # Errors
    /// As for [`SingleGame::to_text`], and for a size that is not allowed.
    fn to_svg(&self, view: View) -> Result<String> {
        self.to_marked_svg(view, &Marks::default())
    }
    /// The same with marks on it.
    ///
    /// # Errors
    /// As for [`SingleGame::to_svg`], and [`Error::Refused`](crate::engine::Error::Refused) for an action that is not
    /// legal, [`Error::InvalidConfig`](crate::engine::Error::InvalidConfig) for weights that are not one for every
    /// action index, finite and at least 0.
    fn to_marked_svg(&self, view: View, marks: &Marks) -> Result<String>;
    /// The parts of the drawing that actions refer to; see [`Picture::places`](crate::engine::Picture::places).
    fn places(&self, view: View) -> Vec<Place>;
    /// What is played; see [`Picture::title`](crate::engine::Picture::title).
    fn title(&self) -> String;
    /// Whose turn it is, or who won; see [`Picture::standing`](crate::engine::Picture::standing).
    fn standing(&self) -> String;
    /// What the players are called, by seat.
    fn names(&self) -> Vec<String>;
    /// Gives the players names, which drawings and records show; empty ones take a name away.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::engine::Error::InvalidConfig) when there is not one for every seat, or one has
    /// more than [`MAX_NAME`] characters.
    fn set_names(&mut self, names: &[String]) -> Result<()>;
}
