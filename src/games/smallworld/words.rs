//! Small World in words: actions as text and objects, positions as JSON.

use serde_json::Value;

use super::SmallWorld;
use crate::exchange::{json, notation};
use crate::rules::refusals;
use crate::rules::state::State;
use ludovec_engine::{Refusal, Result, Step, Words};

impl Words for SmallWorld {
    fn state_to_json(&self, state: &State) -> Value {
        json::state_to_json(&self.rules, state)
    }

    fn state_from_json(&self, json: &Value) -> Result<State> {
        json::state_from_json(&self.rules, json)
    }

    fn shows_score(&self, viewer: usize, seat: usize) -> bool {
        self.rules.public_coins || viewer == seat
    }

    fn turn(&self, state: &State) -> Option<u32> {
        Some(state.turn.into())
    }

    fn action_to_string(&self, state: &State, action: u32) -> String {
        notation::to_text(&self.rules, state, action)
    }

    fn action_in_words(&self, state: &State, action: u32, names: &[String]) -> String {
        notation::in_words(&self.rules, state, action, names)
    }

    fn describe_step(&self, step: &Step<State>, _seat: Option<usize>, names: &[String]) -> String {
        notation::describe_step(&self.rules, step, names)
    }

    fn action_to_json(&self, state: &State, action: u32) -> Value {
        notation::to_json(&self.rules, state, action)
    }

    fn action_from_json(&self, state: &State, json: &Value) -> Result<u32> {
        notation::from_json(&self.rules, state, json)
    }

    fn explain_illegal(&self, state: &State, action: u32) -> Refusal {
        refusals::explain(&self.rules, state, action)
    }

    fn observation_to_json(&self, state: &State, seat: usize) -> Value {
        json::observation(&self.rules, state, seat)
    }
}
