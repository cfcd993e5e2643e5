//! Terminal of Empires as its bots in other programs are told of it.

use serde_json::Value;

use super::state::State;
use super::{Empires, raw, remote};
use crate::engine::chance::Chance;
use crate::engine::{Dialect, Error, Result};

impl<const N: usize> Dialect for Empires<N> {
    fn bot_request<C: Chance + ?Sized>(&self, state: &State<N>, seat: usize, _chance: &mut C) -> Value {
        state.view(&self.rules).bot_request(seat)
    }

    fn state_from_bot_request(&self, request: &Value) -> Result<State<N>> {
        remote::state_from_request(&self.rules, request)
    }

    fn bot_reply(&self, _state: &State<N>, action: u32) -> Value {
        remote::reply(self.action(action), &self.rules.map)
    }

    fn action_from_bot_reply(&self, _state: &State<N>, reply: &Value) -> Result<u32> {
        let action = reply.get("action").ok_or_else(|| Error::illegal("the answer has no \"action\""))?;
        let action =
            raw::parse(action, &self.rules.map).map_err(|refusal| Error::illegal(refusal.to_string()))?;
        Ok(action.index(&self.rules.map))
    }
}
