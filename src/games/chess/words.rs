//! Chess in words: UCI, SAN, moves and positions as JSON.

use serde_json::{Value, json};

use super::rules::{Chess, Shows};
use crate::exchange::json;
use crate::exchange::notation::{san, uci};
use crate::rules::board::position::MoveRules;
use crate::rules::refused_squares;
use crate::rules::state::{State, outcome};
use ludovec_engine::{Error, Result, Words};

impl<R: MoveRules, H: Shows<R>> Words for Chess<R, H> {
    fn state_to_json(&self, state: &State<R, H>) -> Value {
        json::write(&self.tables, state)
    }

    fn state_from_json(&self, value: &Value) -> Result<State<R, H>> {
        let state = json::read(&self.tables, value)?;
        state.validate(&self.tables)?;
        Ok(state)
    }

    fn action_to_string(&self, state: &State<R, H>, action: u32) -> String {
        match self.decode(state, action) {
            Some(mv) => uci::write(&self.tables, &state.position, mv),
            None => format!("nothing ({action})"),
        }
    }

    /// Standard algebraic notation.
    fn action_in_words(&self, state: &State<R, H>, action: u32, _names: &[String]) -> String {
        let asked = self.decode(state, action).filter(|_| state.outcome == outcome::RUNNING);
        let mut legal = None;
        state
            .position
            .visit_moves(&self.tables, &mut |mv| legal = legal.or(asked.filter(|&asked| asked == mv)));
        match legal {
            Some(mv) => san::write(&self.tables, &state.position, mv),
            None => self.action_to_string(state, action),
        }
    }

    fn seat_name(&self, seat: usize) -> String {
        ["White", "Black"][seat].into()
    }

    /// Accepts UCI and standard algebraic notation.
    fn string_to_action(&self, state: &State<R, H>, text: &str) -> Result<u32> {
        if state.outcome != outcome::RUNNING {
            return Err(Error::game_over("there are no legal moves"));
        }
        let mv = uci::parse(&self.tables, &state.position, text)
            .or_else(|_| san::parse(&self.tables, &state.position, text))?;
        Ok(self.actions.encode(&self.tables, &state.position, mv))
    }

    fn action_to_json(&self, state: &State<R, H>, action: u32) -> Value {
        json::action(&self.tables, &state.position, self.decode(state, action))
    }

    fn action_from_json(&self, state: &State<R, H>, value: &Value) -> Result<u32> {
        let mut found = None;
        state.position.visit_moves(&self.tables, &mut |mv| {
            if json::action(&self.tables, &state.position, Some(mv)) == *value {
                found = Some(self.actions.encode(&self.tables, &state.position, mv));
            }
        });
        found.ok_or_else(|| Error::illegal(format!("no legal move is {value}")))
    }

    fn explain_places(&self, state: &State<R, H>, places: &[Vec<(String, Value)>]) -> Option<String> {
        refused_squares::explain(&self.tables, &state.position, places)
    }

    fn observation_to_json(&self, state: &State<R, H>, seat: usize) -> Value {
        let mut position = self.state_to_json(state);
        position["seat"] = json!(seat);
        position
    }
}
