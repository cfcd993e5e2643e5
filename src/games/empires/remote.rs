//! Bots in other programs, in the original's words.
//!
//! ```text
//! asked     {"map_size": [w, h], "resources": 12, "world": {"x,y": [structure, owner], ...}}
//! answered  {"action": ["conquer", [x, y]]}
//! ```
//!
//! An owner is null, `"mine"` or a name. `[owner, structure]` is understood too: only one of the two is a structure.

use serde::Deserialize;
use serde_json::{Value, json};

use super::actions::Action;
use super::map::{Cell, Coordinates, Map};
use super::ruleset::{Ruleset, Structure};
use super::state::{State, View};
use crate::engine::{Error, Result};

/// What a bot is told.
#[derive(Deserialize)]
struct Request {
    map_size: [usize; 2],
    resources: u32,
    world: serde_json::Map<String, Value>,
}

/// The seat that a bot's request becomes: the others follow in the order in which the world names them.
const MINE: usize = 0;

impl View<'_> {
    pub(super) fn bot_request(self, seat: usize) -> Value {
        let map = &self.rules.map;
        let terrain = |c| {
            let Coordinates(x, y) = map.coordinates(Cell(c));
            let owner = self.owner(Cell(c)).map(|owner| self.owner_name(owner, seat));
            (format!("{x},{y}"), json!([self.structure(Cell(c)), owner]))
        };
        let world: serde_json::Map<_, _> = (0..map.cells() as u16).map(terrain).collect();
        json!({
            "map_size": [map.width, map.height],
            "resources": self.ledger.resources[seat],
            "world": world,
        })
    }
}

/// The position in a request, as far as it can be known: the first turn, nobody has acted, nobody else has
/// resources.
pub(super) fn state_from_request<const N: usize>(rules: &Ruleset, request: &Value) -> Result<State<N>> {
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
    let mut view = state.view_mut(rules);
    view.ledger.turn = 1;
    view.ledger.waiting = (1 << rules.players) - 1;
    view.ledger.current = MINE as u16;
    view.ledger.resources[MINE] = request.resources;
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
        view.put(cell, seat, structure);
    }
    state.view(rules).validate()?;
    Ok(state)
}

/// Structure and owner of a cell, in the original's order or the other.
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

/// How a bot answers that it plays `action`.
pub(super) fn reply(action: Action, map: &Map) -> Value {
    let (name, cell) = action.parts();
    json!({ "action": [name, cell.map(|cell| map.coordinates(cell))] })
}
