//! The protocols of bots in other programs: our own, UCI and GTP.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::contract::chance::Chance;
use crate::contract::defaults;
use crate::contract::spec::ActionId;
use crate::contract::support::error::{Error, Result};
use crate::contract::support::kept;
use crate::contract::words::Words;

/// A game of the Universal Chess Interface.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct UciGame {
    /// Its name as a value of the engine option `UCI_Variant`.
    pub variant: String,
    /// Whether castling is written as the king's move onto its rook (`UCI_Chess960`).
    pub chess960: bool,
}

/// A game of the Go Text Protocol, as pentobi-gtp plays it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GtpGame {
    /// The argument of the command `set_game`.
    pub name: String,
    /// The names of the colours in the order of their turns.
    #[serde(deserialize_with = "kept::texts")]
    pub colours: Vec<&'static str>,
}

/// A position in the Go Text Protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GtpPosition {
    /// The moves that lead to the position, in any order that the engine accepts: colour and text.
    pub moves: Vec<(usize, String)>,
    /// The colour to move.
    pub colour: usize,
}

/// The protocol of bots in other programs. The default describes any game with its [`Words`]; a game with its own bot
/// protocol overrides it.
///
/// ```
/// use ludovec_engine::serde_json::{Value, json};
/// use ludovec_engine::{Dialect, Guide, Picture, Words};
/// # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/nim.rs")); }
/// # use nim::*;
///
/// /// Bots answer with the number of matches.
/// impl Dialect for Nim {
///     fn bot_reply(&self, _: &State, action: ActionId) -> Value {
///         json!({ "take": action + 1 })
///     }
///     fn action_from_bot_reply(&self, _: &State, reply: &Value) -> Result<ActionId> {
///         match reply["take"].as_u64() {
///             Some(taken @ 1..=3) => Ok(taken as ActionId - 1),
///             _ => Err(Error::illegal("take: a number from 1 to 3 is needed")),
///         }
///     }
/// }
/// # impl Words for Nim {}
/// # impl Picture for Nim {}
/// # impl Guide for Nim {}
/// # let game: Arc<dyn AnyGame> = Arc::new(Nim::new(&options()));
///
/// let game = game.single(0);
/// assert_eq!(game.action_from_bot_reply(&json!({ "take": 3 }))?, 2);
/// assert!(game.bot_request()["legal_moves"].is_array());
/// # Ok::<(), Error>(())
/// ```
pub trait Dialect: Words {
    /// The request to a bot in another program when `seat` is the current player.
    ///
    /// The default contains the player's observation, its legal actions, and a determinized position, which the
    /// player cannot distinguish from the real one.
    fn bot_request<C: Chance + ?Sized>(&self, state: &Self::State, seat: usize, chance: &mut C) -> Value {
        defaults::bot_request(self, state, seat, chance)
    }
    /// The position in a request, so that a bot of the engine can choose an action.
    ///
    /// # Errors
    /// [`Error::InvalidState`] if the request is malformed.
    fn state_from_bot_request(&self, request: &Value) -> Result<Self::State> {
        self.state_from_json(&request["position"])
    }
    /// The reply of a bot that plays `action`.
    fn bot_reply(&self, state: &Self::State, action: ActionId) -> Value {
        json!({ "action": self.action_to_json(state, action) })
    }
    /// The action in a reply, legal or not. The default accepts an index, a text or an object.
    ///
    /// # Errors
    /// [`Error::Refused`] if the reply names no action.
    fn action_from_bot_reply(&self, state: &Self::State, reply: &Value) -> Result<ActionId> {
        defaults::action_from_bot_reply(self, state, reply)
    }
    /// The game as UCI engines know it; `None` if it has no moves and positions of UCI.
    ///
    /// Moves are written by [`Words::action_to_string`] and read by [`Words::string_to_action`].
    fn uci(&self) -> Option<UciGame> {
        None
    }
    /// The position in Forsyth-Edwards notation, if [`Dialect::uci`] is a game.
    fn uci_position(&self, _state: &Self::State) -> String {
        String::new()
    }
    /// The position of a text in Forsyth-Edwards notation, if [`Dialect::uci`] is a game.
    ///
    /// # Errors
    /// [`Error::InvalidState`] if the text is no position of this game.
    fn state_from_uci(&self, _text: &str) -> Result<Self::State> {
        Err(Error::state(format!("{} has no positions of UCI", self.spec().env)))
    }
    /// The game as GTP engines know it; `None` if there is no such game with the same rules.
    fn gtp(&self) -> Option<GtpGame> {
        None
    }
    /// The position in the terms of GTP, if [`Dialect::gtp`] is a game.
    fn gtp_position(&self, _state: &Self::State) -> GtpPosition {
        GtpPosition { moves: Vec::new(), colour: 0 }
    }
    /// The action of a move of GTP, legal or not.
    ///
    /// # Errors
    /// [`Error::Refused`] if the text names no action.
    fn action_from_gtp(&self, state: &Self::State, text: &str) -> Result<ActionId> {
        self.string_to_action(state, text)
    }
}
