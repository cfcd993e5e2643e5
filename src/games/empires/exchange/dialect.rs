//! The dialect of external bots: the original's protocol.
//!
//! ```text
//! request   {"map_size": [w, h], "resources": 12, "world": {"x,y": [structure, owner], ...}}
//! reply     {"action": ["conquer", [x, y]]}
//! ```
//!
//! An owner is null, `"mine"` or a name. `[owner, structure]` is accepted too: only one of the two is the name of a
//! structure.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::Empires;
use crate::objects::raw_actions;
use crate::rules::map::{Cell, Coordinates, Map};
use crate::rules::ruleset::Structure;
use crate::rules::state::State;
use ludovec_engine::chance::Chance;
use ludovec_engine::{Dialect, Error, Result};

/// The request to a bot.
#[derive(Deserialize)]
struct Request {
    map_size: [usize; 2],
    resources: u32,
    world: serde_json::Map<String, Value>,
}

/// The seat of the bot that gets the request: the others follow in the order in which they appear in the world.
const MINE: usize = 0;

impl<const N: usize> Dialect for Empires<N> {
    fn bot_request<C: Chance + ?Sized>(&self, state: &State<N>, seat: usize, _chance: &mut C) -> Value {
        let position = state.with(&self.rules);
        let map = &self.rules.map;
        let terrain = |c| {
            let Coordinates(x, y) = map.coordinates(Cell(c));
            let owner = position.owner(Cell(c)).map(|owner| position.owner_name(owner, seat));
            (format!("{x},{y}"), json!([position.structure(Cell(c)), owner]))
        };
        let world: serde_json::Map<_, _> = (0..map.cells() as u16).map(terrain).collect();
        json!({
            "map_size": [map.width, map.height],
            "resources": position.ledger.resources[seat],
            "world": world,
        })
    }

    /// Reconstructs the position of a request, as far as it can be known: it is the first turn, no seat has acted,
    /// and no other seat has resources.
    fn state_from_bot_request(&self, request: &Value) -> Result<State<N>> {
        let rules = &self.rules;
        let request = Request::deserialize(request).map_err(|e| Error::state(format!("request: {e}")))?;
        let map = &rules.map;
        if request.map_size != [map.width, map.height] {
            let [width, height] = request.map_size;
            return Err(Error::state(format!(
                "map_size: a map of {width}x{height} is shown, one of {}x{} is allowed (the options width, height)",
                map.width, map.height
            )));
        }
        let mut state = State::empty();
        let mut writer = state.with_mut(rules);
        writer.ledger.turn = 1;
        writer.ledger.waiting = (1 << rules.players) - 1;
        writer.ledger.current = MINE as u16;
        writer.ledger.resources[MINE] = request.resources;
        let mut owners = vec!["mine".to_string()];
        for (place, terrain) in &request.world {
            let refuse = || {
                Error::state(format!(
                    "world: {place:?}: {terrain} given, a place \"x,y\" with [structure, owner] allowed"
                ))
            };
            let cell = cell(place, map).ok_or_else(refuse)?;
            let (structure, owner) = cell_parts(terrain).ok_or_else(refuse)?;
            let Some(owner) = owner else { continue };
            let seat = owners.iter().position(|known| *known == owner).unwrap_or(owners.len());
            if seat == owners.len() {
                owners.push(owner);
            }
            if seat >= rules.players {
                return Err(Error::state(format!(
                    "world: more than {} players are named (the option players)",
                    rules.players
                )));
            }
            writer.put(cell, seat, structure);
        }
        state.with(rules).validate()?;
        Ok(state)
    }

    fn bot_reply(&self, _state: &State<N>, action: u32) -> Value {
        let (name, cell) = self.action(action).parts();
        json!({ "action": [name, cell.map(|cell| self.rules.map.coordinates(cell))] })
    }

    fn action_from_bot_reply(&self, _state: &State<N>, reply: &Value) -> Result<u32> {
        let action = reply.get("action").ok_or_else(|| Error::illegal("the answer has no \"action\""))?;
        let action = raw_actions::parse(action, &self.rules.map)
            .map_err(|refusal| Error::illegal(refusal.to_string()))?;
        Ok(action.index(&self.rules.map))
    }
}

/// Structure and owner of a cell, in either order.
fn cell_parts(terrain: &Value) -> Option<(Structure, Option<String>)> {
    serde_json::from_value(terrain.clone()).ok().or_else(|| {
        let (owner, structure) = serde_json::from_value(terrain.clone()).ok()?;
        Some((structure, owner))
    })
}

fn cell(place: &str, map: &Map) -> Option<Cell> {
    let (x, y) = place.split_once(',')?;
    map.cell(Coordinates(x.trim().parse().ok()?, y.trim().parse().ok()?))
}
