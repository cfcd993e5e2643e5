//! The dynamic trait of one game with its history: for people, notebooks, tests, records.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::contract::chance::{ChanceOutcome, StreamId};
use crate::contract::dialect::GtpPosition;
use crate::contract::rules::Status;
use crate::contract::show::beside::Beside;
use crate::contract::show::view::{Marks, Place, View};
use crate::contract::spec::ActionId;
use crate::contract::support::error::Result;
use crate::contract::words::CompoundAction;
use crate::dynamic::analysis::Analysis;
use crate::dynamic::any_game::AnyGame;
use crate::dynamic::interrupt::Interrupt;
use crate::dynamic::record::{LogEntry, Record};

/// Iterator over the possible outcomes of an action, evaluated lazily.
pub type Outcomes = Box<dyn Iterator<Item = ChanceOutcome<Box<dyn SingleGame>>> + Send>;

/// Maximum number of characters in a player's name.
pub const MAX_NAME: usize = 60;

/// One game with its history.
///
/// Methods that return an error have changed nothing.
///
/// ```
/// use ludovec_engine::SingleGame;
/// # use ludovec_engine::{Dialect, Guide, Picture, Words};
/// # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/nim.rs")); }
/// # use nim::*;
/// # impl Words for Nim {}
/// # impl Picture for Nim {}
/// # impl Guide for Nim {}
/// # impl Dialect for Nim {}
/// # let nim: Arc<dyn AnyGame> = Arc::new(Nim::new(&options()));
///
/// let mut game = nim.single(0);
/// game.step_all(&[2, 0])?;
/// assert_eq!((game.current_player(), game.observation(0)?), (0, vec![17]));
/// assert!(game.undo() && game.steps() == 1);
/// while game.status() == Status::Running {
///     game.step(game.bot_action("random")?)?;
/// }
/// assert_eq!(game.returns().iter().sum::<f32>(), 0.0);
/// # Ok::<(), Error>(())
/// ```
pub trait SingleGame: Send {
    /// The rules.
    fn game(&self) -> Arc<dyn AnyGame>;
    /// The status of the game.
    fn status(&self) -> Status;
    /// The seat of the current player; any seat if the game is over.
    fn current_player(&self) -> usize;
    /// Legal action indices in increasing order.
    fn legal_actions(&self) -> Vec<ActionId>;
    /// Action mask as bits.
    fn mask(&self) -> Vec<u64>;
    /// Legal actions as objects, in the order of [`SingleGame::legal_actions`].
    fn legal_moves(&self) -> Vec<Value>;
    /// Plays an action; chance comes from the game's seed.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused).
    fn step(&mut self, action: ActionId) -> Result<()>;
    /// Plays an action with given chance outcomes, all of which must be drawn.
    ///
    /// # Errors
    /// As for [`SingleGame::step`], and [`Error::InvalidState`](crate::Error::InvalidState) if the outcomes do not
    /// match the draws.
    fn step_scripted(&mut self, action: ActionId, outcomes: &[u32]) -> Result<()>;
    /// Plays several actions in one call: all of them, or none if one is refused.
    ///
    /// # Errors
    /// As for [`SingleGame::step`].
    fn step_all(&mut self, actions: &[ActionId]) -> Result<()>;
    /// All compound actions: actions in the game's own terms that take several decisions, for
    /// [`SingleGame::step_all`]; see [`Words::compound_actions`](crate::Words::compound_actions).
    fn compound_actions(&self) -> Vec<CompoundAction>;
    /// Plays an action given as an object; `player` must be the current player.
    ///
    /// # Errors
    /// As for [`SingleGame::step`].
    fn submit(&mut self, player: usize, object: &Value) -> Result<()>;
    /// Undoes the last step; false at the start of the game. The random stream is not rewound.
    fn undo(&mut self) -> bool;
    /// Every outcome of `action`: probability, chance script, and resulting game. Evaluated lazily;
    /// [`at_most`](crate::contract::chance::at_most) collects them.
    ///
    /// # Errors
    /// As for [`SingleGame::step`].
    fn outcomes(&self, action: ActionId) -> Result<Outcomes>;
    /// The weights of the draw of chance that follows the outcomes of `script` after `action` (`None`: in the set-up of
    /// a new game); `None` if no draw follows.
    ///
    /// # Errors
    /// As for [`SingleGame::step`], and [`Error::InvalidState`](crate::Error::InvalidState) for a script that does not
    /// fit.
    fn next_draw(&self, action: Option<ActionId>, script: &[u32]) -> Result<Option<Vec<u32>>>;
    /// The action of the bot called `name`. The call changes nothing: equal positions give equal answers.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for an unknown bot,
    /// [`Error::Refused`](crate::Error::Refused) if the game is over.
    fn bot_action(&self, name: &str) -> Result<ActionId> {
        self.bot_action_until(name, &Interrupt::default())
    }
    /// The same, interruptible by `interrupt`.
    ///
    /// # Errors
    /// As for [`SingleGame::bot_action`], and [`Error::Interrupted`](crate::Error::Interrupted).
    fn bot_action_until(&self, name: &str, interrupt: &Interrupt) -> Result<ActionId>;
    /// The first attempt of the bot `name` with the reason of its refusal, or `None` if the attempt is legal. After a
    /// refusal the bot plays [`SingleGame::bot_action`].
    ///
    /// # Errors
    /// As for [`SingleGame::bot_action`].
    fn bot_attempt(&self, name: &str) -> Result<Option<String>>;
    /// The analysis of the position by the search of the bot called `name`; `None` if the bot does not search.
    ///
    /// # Errors
    /// As for [`SingleGame::bot_action_until`].
    fn bot_analysis(&self, name: &str, interrupt: &Interrupt) -> Result<Option<Analysis>>;
    /// The request to a bot in another program; see [`Dialect::bot_request`](crate::Dialect::bot_request).
    fn bot_request(&self) -> Value;
    /// The reply to such a request.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) for an index out of range.
    fn bot_reply(&self, action: ActionId) -> Result<Value>;
    /// The legal action in a reply.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) if the reply names no legal action.
    fn action_from_bot_reply(&self, reply: &Value) -> Result<ActionId>;
    /// The position in Forsyth-Edwards notation, if the game is one of UCI engines.
    fn uci_position(&self) -> Option<String>;
    /// The position in the terms of GTP, if the game is one of GTP engines.
    fn gtp_position(&self) -> Option<GtpPosition>;
    /// The legal action of a move of GTP.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) if the text names no legal action.
    fn action_from_gtp(&self, text: &str) -> Result<ActionId>;
    /// Checks that an action is legal now.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) with the reason.
    fn check(&self, action: ActionId) -> Result<()>;
    /// An action as text.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) for an index out of range.
    fn action_to_string(&self, action: ActionId) -> Result<String>;
    /// The legal action with this text.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) if there is none.
    fn string_to_action(&self, text: &str) -> Result<ActionId>;
    /// An action as a sentence for people; see [`Words::action_in_words`](crate::Words::action_in_words).
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) for an index out of range.
    fn action_in_words(&self, action: ActionId) -> Result<String>;
    /// An action as an object.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) for an index out of range.
    fn action_to_json(&self, action: ActionId) -> Result<Value>;
    /// The action described by an object.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) if the object describes no action.
    fn action_from_json(&self, object: &Value) -> Result<ActionId>;
    /// Outcome by seat in [-1, 1]; all 0 unless the game has terminated.
    fn returns(&self) -> Vec<f32>;
    /// Scores by seat.
    fn scores(&self) -> Vec<f32>;
    /// Scores by seat as far as `viewer` may know them: all at the end of the game, and before as
    /// [`Words::shows_score`](crate::Words::shows_score) says. Without a viewer, all scores.
    fn shown_scores(&self, viewer: Option<usize>) -> Vec<Option<f32>>;
    /// Estimate of each player's position by the game's own [`Guide::estimate`](crate::Guide::estimate); the scores,
    /// if the game is over.
    fn estimates(&self) -> Vec<f32>;
    /// The observation of `seat`, in the batch's byte format.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) if the seat does not exist.
    fn observation(&self, seat: usize) -> Result<Vec<u8>>;
    /// The observation of `seat`, as an object.
    ///
    /// # Errors
    /// As for [`SingleGame::observation`].
    fn observation_to_json(&self, seat: usize) -> Result<Value>;
    /// The information state of `seat` (perfect recall), as an object.
    ///
    /// # Errors
    /// As for [`SingleGame::observation`].
    fn information_state(&self, seat: usize) -> Result<Value>;
    /// Determinization: a game that `seat` cannot distinguish from this one, with all hidden information redrawn. The
    /// history is the true one, but its steps cannot be undone, and records begin at the redrawn position.
    ///
    /// # Errors
    /// As for [`SingleGame::observation`].
    fn determinize(&self, seat: usize, seed: u64) -> Result<Box<dyn SingleGame>>;
    /// The whole position as JSON, which [`single_from_position`](trait.AnyGame.html#method.single_from_position) reads.
    fn position(&self) -> Value;
    /// The environment, its version, its options and the position as JSON, without history; `games::from_json` of the
    /// crate `ludovec` reads it. Python's `Game.to_json` returns the same as text.
    fn to_json(&self) -> Value {
        let game = self.game();
        let spec = game.spec();
        json!({
            "env": spec.env,
            "version": spec.version,
            "options": spec.options,
            "position": self.position(),
        })
    }
    /// The position as bytes: equal for equal positions of the same environment, version and options.
    fn position_bytes(&self) -> Vec<u8>;
    /// A copy: position, history, random stream.
    fn clone_box(&self) -> Box<dyn SingleGame>;
    /// The random stream of the game and its position.
    fn stream(&self) -> (StreamId, u64);
    /// Continues chance from another position, of the same stream or another one.
    fn set_stream(&mut self, id: StreamId, position: u64);
    /// Number of steps played.
    fn steps(&self) -> usize;
    /// The current turn or round, from 1, if the game counts them.
    fn turn(&self) -> Option<u32>;
    /// The steps so far, in words.
    fn log(&self) -> Vec<LogEntry>;
    /// The record of the game so far.
    fn record(&self) -> Record;
    /// The acting seat and a description of each step from step `first` on, as observed by `seat` (`None`:
    /// everything); see [`Words::describe_step`](crate::Words::describe_step).
    fn narrate(&self, first: usize, seat: Option<usize>) -> Vec<(usize, String)>;
    /// The position as lines of text.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) if the view's seat does not exist.
    fn to_text(&self, view: View) -> Result<String>;
    /// The position as an SVG document with size, title and description.
    ///
    /// # Errors
    /// As for [`SingleGame::to_text`], and for a size out of range.
    fn to_svg(&self, view: View) -> Result<String> {
        self.to_marked_svg(view, &Marks::default())
    }
    /// The same with marks.
    ///
    /// # Errors
    /// As for [`SingleGame::to_svg`]; [`Error::Refused`](crate::Error::Refused) for an illegal action;
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) unless there is one weight for every action index,
    /// finite and at least 0.
    fn to_marked_svg(&self, view: View, marks: &Marks) -> Result<String>;
    /// The reason why no legal action refers to all of these places, each given by the keys and values of its
    /// [`Place`]: one sentence for the user who chose them.
    fn explain_places(&self, places: &[Vec<(String, Value)>]) -> String;
    /// The clickable parts of the drawing, which actions refer to; see [`Picture::places`](crate::Picture::places).
    fn places(&self, view: View) -> Vec<Place>;
    /// The board within the drawing, and what is beside it as text; see [`Picture::beside`](crate::Picture::beside).
    fn beside(&self, view: View) -> Option<Beside>;
    /// The outline of what a legal action would put on the drawing; see
    /// [`Picture::footprint`](crate::Picture::footprint).
    fn footprint(&self, action: ActionId) -> Option<String>;
    /// The title of the game; see [`Picture::title`](crate::Picture::title).
    fn title(&self) -> String;
    /// The current player or the winner; see [`Picture::standing`](crate::Picture::standing).
    fn standing(&self) -> String;
    /// The players' names, by seat.
    fn names(&self) -> Vec<String>;
    /// Sets the players' names, shown in drawings and records; an empty name removes one.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) unless there is one name per seat, each of at most
    /// [`MAX_NAME`] characters.
    fn set_names(&mut self, names: &[String]) -> Result<()>;
    /// Sets the outcome, by seat in [-1, 1], that ends the game here without the rules: resignation, agreement,
    /// adjudication. The game stays in progress; [`Record::result`](crate::Record) has it until the next step.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) if the game is over;
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) unless there is one number in [-1, 1] per seat.
    fn set_result(&mut self, returns: &[f32]) -> Result<()>;
}
