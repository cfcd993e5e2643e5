//! Tilewe in words: actions as text and objects, positions as JSON.

use serde_json::Value;

use super::{Tilewe, actions};
use crate::exchange::{json, notation};
use crate::rules::state::State;
use ludovec_engine::{Refusal, Result, Words};

impl<const N: usize, const C: usize> Words for Tilewe<N, C> {
    fn state_to_json(&self, state: &State<N, C>) -> Value {
        json::state_to_json(&self.rules, &state.resized())
    }

    fn state_from_json(&self, json: &Value) -> Result<State<N, C>> {
        Ok(json::state_from_json(&self.rules, json)?.resized())
    }

    fn action_to_string(&self, state: &State<N, C>, action: u32) -> String {
        actions::to_string(&self.rules, &state.resized(), action)
    }

    fn action_in_words(&self, state: &State<N, C>, action: u32, _names: &[String]) -> String {
        match self.rules.placements.get(action) {
            Some(placement) => actions::in_words(placement),
            None => self.action_to_string(state, action),
        }
    }

    fn seat_name(&self, seat: usize) -> String {
        let names: Vec<&str> = self.rules.colors_of(seat).map(|c| self.rules.palette()[c].name()).collect();
        let name = names.join(" and ");
        name[..1].to_uppercase() + &name[1..]
    }

    fn string_to_action(&self, state: &State<N, C>, text: &str) -> Result<u32> {
        notation::read(&self.rules, &state.resized(), text)
    }

    fn action_to_json(&self, state: &State<N, C>, action: u32) -> Value {
        actions::to_json(&self.rules, &state.resized(), action)
    }

    fn action_from_json(&self, _state: &State<N, C>, json: &Value) -> Result<u32> {
        actions::from_json(&self.rules, json).map(|placement| self.rules.placements.index(placement))
    }

    fn explain_illegal(&self, state: &State<N, C>, action: u32) -> Refusal {
        let Some(placement) = self.rules.placements.get(action) else {
            return Refusal::illegal(format!("there is no action {action}"));
        };
        self.rules
            .objection(&state.resized(), state.current(), placement)
            .unwrap_or_else(|| Refusal::illegal(format!("{} is legal", self.action_to_string(state, action))))
    }

    fn observation_to_json(&self, state: &State<N, C>, seat: usize) -> Value {
        json::observation_to_json(&self.rules, &state.resized(), seat)
    }
}
