//! Terminal of Empires in words: actions as text and objects, positions as JSON.

use serde_json::Value;

use super::Empires;
use super::actions::Action;
use crate::exchange::json;
use crate::rules::map::Coordinates;
use crate::rules::refusal::Deed;
use crate::rules::ruleset::{self, Structure};
use crate::rules::state::State;
use ludovec_engine::{Refusal, Result, Words};

impl<const N: usize> Words for Empires<N> {
    fn state_to_json(&self, state: &State<N>) -> Value {
        state.with(&self.rules).to_json()
    }

    fn state_from_json(&self, json: &Value) -> Result<State<N>> {
        json::from_json(&self.rules, json)
    }

    fn turn(&self, state: &State<N>) -> Option<u32> {
        Some(state.ledger.turn)
    }

    fn action_to_string(&self, _state: &State<N>, action: u32) -> String {
        self.action(action).label(&self.rules.map)
    }

    fn action_in_words(&self, state: &State<N>, action: u32, names: &[String]) -> String {
        let at = |cell| {
            let Coordinates(x, y) = self.rules.map.coordinates(cell);
            format!("{x},{y}")
        };
        let action = self.action(action);
        let name =
            |structure: Structure| if structure == Structure::Land { "cell" } else { structure.name() };
        match (action, state.with(&self.rules).effect_of(action)) {
            (Action::Conquer(cell), Ok(Deed::Conquered { structure, cost, from, .. })) => {
                let of = from.map_or(String::new(), |seat| format!(" of {}", names[seat]));
                format!("Conquer the {}{of} at {} for {cost} gold", name(structure), at(cell))
            }
            (Action::Build(structure, cell), _) => {
                format!("Build a {} at {} for {} gold", name(structure), at(cell), structure.build_cost())
            }
            (Action::Harvest, Ok(Deed::Harvested { amount })) => format!("Harvest {amount} gold"),
            (Action::Pass, _) => "Pass".into(),
            (action, _) => action.label(&self.rules.map),
        }
    }

    fn seat_name(&self, seat: usize) -> String {
        let name = &self.rules.names[seat];
        if *name == ruleset::seat_name(seat) { format!("Player {}", seat + 1) } else { name.clone() }
    }

    fn action_to_json(&self, _state: &State<N>, action: u32) -> Value {
        self.action(action).to_json(&self.rules.map)
    }

    fn action_from_json(&self, _state: &State<N>, json: &Value) -> Result<u32> {
        Ok(Action::from_json(json, &self.rules.map)?.index(&self.rules.map))
    }

    fn explain_illegal(&self, state: &State<N>, action: u32) -> Refusal {
        let action = self.action(action);
        let reason = match state.with(&self.rules).effect_of(action) {
            Ok(_) => "the game is over".to_string(),
            Err(refusal) => refusal.to_string(),
        };
        Refusal::illegal(format!("{}: {reason}", action.label(&self.rules.map)))
    }

    fn observation_to_json(&self, state: &State<N>, seat: usize) -> Value {
        state.with(&self.rules).observation_to_json(seat)
    }
}
