//! Star Wars Risk in words: actions as text and objects, positions as JSON.

use serde_json::Value;

use super::StarWarsRisk;
use super::compound::CardPlay;
use super::events::SubAction;
use super::state::State;
use crate::engine::{CompoundAction, Refusal, Result, Step, Words};

impl Words for StarWarsRisk {
    fn state_to_json(&self, state: &State) -> Value {
        self.write_state(state)
    }

    fn state_from_json(&self, json: &Value) -> Result<State> {
        self.read_state(json)
    }

    fn turn(&self, state: &State) -> Option<u32> {
        Some(state.round.into())
    }

    fn action_to_string(&self, state: &State, action: u32) -> String {
        self.label(state, action)
    }

    fn describe_step(&self, step: &Step<State>, seat: Option<usize>) -> String {
        self.tell(step, seat)
    }

    fn action_to_json(&self, state: &State, action: u32) -> Value {
        self.action_json(state, action)
    }

    fn action_from_json(&self, state: &State, json: &Value) -> Result<u32> {
        self.parse_action(state, json)
    }

    fn explain_illegal(&self, state: &State, action: u32) -> Refusal {
        self.refusal(state, action)
    }

    fn observation_to_json(&self, state: &State, seat: usize) -> Value {
        self.seen_json(state, seat)
    }

    fn compound_actions(&self, state: &State) -> Vec<CompoundAction> {
        let named = |play: CardPlay| CompoundAction {
            sub_actions: play.sub_actions.into_iter().map(SubAction::to_json).collect(),
            actions: play.actions,
        };
        self.card_plays(state).into_iter().map(named).collect()
    }

    fn information_state(&self, state: &State, seat: usize, history: &[Step<State>]) -> Value {
        self.remember(state, seat, history)
    }
}
