//! Star Wars Risk in words: actions as text and objects, positions as JSON.

use serde_json::Value;

use super::{StarWarsRisk, observe};
use crate::exchange::{json, notation};
use crate::rules::compound::CardPlay;
use crate::rules::events::SubAction;
use crate::rules::state::State;
use crate::rules::{events, refusals};
use ludovec_engine::{CompoundAction, Refusal, Result, Step, Words};

impl Words for StarWarsRisk {
    fn state_to_json(&self, state: &State) -> Value {
        json::state_to_json(self, state)
    }

    fn state_from_json(&self, json: &Value) -> Result<State> {
        json::state_from_json(self, json)
    }

    fn turn(&self, state: &State) -> Option<u32> {
        Some(state.round.into())
    }

    fn action_to_string(&self, state: &State, action: u32) -> String {
        notation::label(self, state, action)
    }

    fn action_in_words(&self, state: &State, action: u32, _names: &[String]) -> String {
        notation::in_words(self, state, action)
    }

    fn seat_name(&self, seat: usize) -> String {
        ["Rebellion", "Empire"][seat].into()
    }

    fn describe_step(&self, step: &Step<State>, seat: Option<usize>, names: &[String]) -> String {
        events::describe_step(self, step, seat, names)
    }

    fn action_to_json(&self, state: &State, action: u32) -> Value {
        notation::to_json(self, state, action)
    }

    fn action_from_json(&self, state: &State, json: &Value) -> Result<u32> {
        notation::from_json(self, state, json)
    }

    fn explain_illegal(&self, state: &State, action: u32) -> Refusal {
        refusals::explain(self, state, action)
    }

    fn observation_to_json(&self, state: &State, seat: usize) -> Value {
        observe::observation_to_json(self, state, seat)
    }

    fn compound_actions(&self, state: &State) -> Vec<CompoundAction> {
        let named = |play: CardPlay| CompoundAction {
            sub_actions: play.sub_actions.into_iter().map(SubAction::to_json).collect(),
            actions: play.actions,
        };
        self.card_plays(state).into_iter().map(named).collect()
    }

    fn information_state(&self, state: &State, seat: usize, history: &[Step<State>]) -> Value {
        events::information_state(self, state, seat, history)
    }
}
