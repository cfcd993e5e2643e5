//! Tilewe in words: actions as text and objects, positions as JSON.

use serde_json::Value;

use super::moves::Move;
use super::pieces::Color;
use super::placements::Placement;
use super::state::State;
use super::{Tilewe, actions, json};
use ludovec_engine::{Refusal, Result, Words};

impl Words for Tilewe {
    fn state_to_json(&self, state: &State) -> Value {
        json::state_to_json(self, state)
    }

    fn state_from_json(&self, json: &Value) -> Result<State> {
        json::state_from_json(self, json)
    }

    fn action_to_string(&self, state: &State, action: u32) -> String {
        actions::to_string(state, action)
    }

    fn action_in_words(&self, state: &State, action: u32, _names: &[String]) -> String {
        match Placement::new(action) {
            Some(placement) => actions::in_words(placement),
            None => self.action_to_string(state, action),
        }
    }

    fn seat_name(&self, seat: usize) -> String {
        let name = Color::ALL[seat].name();
        name[..1].to_uppercase() + &name[1..]
    }

    fn string_to_action(&self, state: &State, text: &str) -> Result<u32> {
        let m: Move = text.parse()?;
        let placement = m.placement()?;
        let seat = state.current();
        match self.objection_to_move(state, seat, m, placement) {
            None => Ok(placement.index()),
            Some(refusal) => Err(refusal.into()),
        }
    }

    fn action_to_json(&self, state: &State, action: u32) -> Value {
        actions::to_json(state, action)
    }

    fn action_from_json(&self, _state: &State, json: &Value) -> Result<u32> {
        actions::from_json(json).map(Placement::index)
    }

    fn explain_illegal(&self, state: &State, action: u32) -> Refusal {
        let refuse = |placement| {
            self.objection(state, state.current(), placement).unwrap_or_else(|| {
                Refusal::illegal(format!("{} is legal", self.action_to_string(state, action)))
            })
        };
        actions::placement(action)
            .map_or_else(|_| Refusal::illegal(format!("there is no action {action}")), refuse)
    }

    fn observation_to_json(&self, state: &State, seat: usize) -> Value {
        json::observation_to_json(self, state, seat)
    }
}
