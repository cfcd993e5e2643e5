//! The protocol of bots in other programs.

use serde_json::{Value, json};

use crate::contract::chance::Chance;
use crate::contract::error::{Error, Result};
use crate::contract::mask;
use crate::contract::words::Words;

/// The protocol of bots in other programs. The default describes any game with its [`Words`]; a game with its own bot
/// protocol overrides it.
pub trait Dialect: Words {
    /// The request to a bot in another program when `seat` is the current player.
    ///
    /// The default contains the player's observation, its legal actions, and a determinized position, which the
    /// player cannot distinguish from the real one.
    fn bot_request<C: Chance + ?Sized>(&self, state: &Self::State, seat: usize, chance: &mut C) -> Value {
        let mut mask = vec![0; self.spec().mask_words()];
        self.legal(state, &mut mask);
        json!({
            "env": Self::ID,
            "player": seat,
            "observation": self.observation_to_json(state, seat),
            "legal_moves": mask::iter(&mask).map(|a| self.action_to_json(state, a)).collect::<Vec<_>>(),
            "position": self.state_to_json(&self.determinize(state, seat, chance)),
        })
    }
    /// The position in a request, so that a bot of the engine can choose an action.
    ///
    /// # Errors
    /// [`Error::InvalidState`] if the request is malformed.
    fn state_from_bot_request(&self, request: &Value) -> Result<Self::State> {
        self.state_from_json(&request["position"])
    }
    /// The reply of a bot that plays `action`.
    fn bot_reply(&self, state: &Self::State, action: u32) -> Value {
        json!({ "action": self.action_to_json(state, action) })
    }
    /// The action in a reply, legal or not. The default accepts an index, a text or an object.
    ///
    /// # Errors
    /// [`Error::Refused`] if the reply names no action.
    fn action_from_bot_reply(&self, state: &Self::State, reply: &Value) -> Result<u32> {
        match &reply["action"] {
            Value::Number(index) => index
                .as_u64()
                .and_then(|index| u32::try_from(index).ok())
                .ok_or_else(|| Error::illegal(format!("{index} is not an action"))),
            Value::String(text) => self.string_to_action(state, text),
            Value::Null => Err(Error::illegal("the answer has no \"action\"")),
            object => self.action_from_json(state, object),
        }
    }
}
