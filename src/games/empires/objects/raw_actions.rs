//! Raw actions of scripted bots, with arbitrary contents.

use serde_json::Value;

use crate::Empires;
use crate::actions::{Action, TYPES};
use crate::rules::map::{Coordinates, Map};
use crate::rules::refusal::{Deed, Refusal};
use crate::rules::state::State;
use ludovec_engine::chance::Chance;
use ludovec_engine::{Error, Result, Rules};

/// Reads `[type, position]`, an object `{"type", "position"}`, or null for a pass.
pub(crate) fn parse(raw: &Value, map: &Map) -> Result<Action, Refusal> {
    let not_an_action = || Refusal::NotAnAction(raw.to_string());
    let (name, position) = match raw {
        Value::Null => return Ok(Action::Pass),
        Value::Array(pair) if pair.len() == 2 => (&pair[0], &pair[1]),
        Value::Object(object) => {
            let name = object.get("type").ok_or_else(not_an_action)?;
            (name, object.get("position").unwrap_or(&Value::Null))
        }
        _ => return Err(not_an_action()),
    };
    let name = name.as_str().ok_or_else(not_an_action)?;
    if !TYPES.contains(&name) {
        return Err(Refusal::UnknownType(name.into()));
    }
    let cell = serde_json::from_value::<Coordinates>(position.clone()).ok().and_then(|at| map.cell(at));
    Action::from_parts(name, cell).ok_or_else(|| Refusal::OffMap(position.to_string()))
}

impl<const N: usize> Empires<N> {
    /// Plays the raw action of the current player: `["conquer", [3, 4]]`, `["harvest", null]`, null.
    ///
    /// An illegal action is refused with the reason and counts as a pass: it costs the move.
    ///
    /// # Errors
    /// [`Error::Refused`] if the game is over.
    pub fn submit_raw<C: Chance + ?Sized>(
        &self,
        state: &mut State<N>,
        raw: &Value,
        chance: &mut C,
    ) -> Result<Result<Deed, Refusal>> {
        let position = state.with(&self.rules);
        if position.is_over() {
            return Err(Error::game_over(format!("{raw} comes after the end")));
        }
        let map = &self.rules.map;
        let checked = parse(raw, map).and_then(|action| Ok((action, position.effect_of(action)?)));
        let (action, outcome) = match checked {
            Ok((action, deed)) => (action, Ok(deed)),
            Err(refusal) => (Action::Pass, Err(refusal)),
        };
        self.step(state, action.index(map), chance);
        Ok(outcome)
    }
}
