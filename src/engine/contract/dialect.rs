//! The protocol of bots in other programs.

use serde_json::{Value, json};

use crate::contract::chance::Chance;
use crate::contract::error::{Error, Result};
use crate::contract::mask;
use crate::contract::words::Words;

/// The protocol of bots in other programs. The default speaks of any game in its words; a game whose bots have a
/// protocol of their own overrides it.
pub trait Dialect: Words {
    /// What a bot in another program is told when `seat` is to move.
    ///
    /// The default is the seat's observation, its legal actions, and a determinized position: one that the seat cannot
    /// distinguish from the real one.
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
    /// The position in a request, for a bot of the engine's to choose in.
    ///
    /// # Errors
    /// [`Error::InvalidState`] says what is wrong with the request.
    fn state_from_bot_request(&self, request: &Value) -> Result<Self::State> {
        self.state_from_json(&request["position"])
    }
    /// How a bot answers that it plays `action`.
    fn bot_reply(&self, state: &Self::State, action: u32) -> Value {
        json!({ "action": self.action_to_json(state, action) })
    }
    /// The action in an answer: an index, a text or an object in the default; legal or not.
    ///
    /// # Errors
    /// [`Error::Refused`] when it names none.
    fn action_from_bot_reply(&self, state: &Self::State, reply: &Value) -> Result<u32> {
        match &reply["action"] {
            Value::Number(index) => index
                .as_u64()
                .and_then(|index| u32::try_from(index).ok())
                .ok_or_else(|| Error::illegal(format!("{index} is no action"))),
            Value::String(text) => self.string_to_action(state, text),
            Value::Null => Err(Error::illegal("the answer has no \"action\"")),
            object => self.action_from_json(state, object),
        }
    }
}
