//! Actions as text and as objects. An action index is the index of a [`Placement`] on the board; see
//! [`Placements`](super::Placements) for the layout.

use serde_json::{Value, json};

use ludovec_engine::{ActionLayout, Error, Result};

use crate::objects::moves::Move;
use crate::rules::pieces::shapes;
use crate::rules::placements::Placement;
use crate::rules::ruleset::Ruleset;
use crate::rules::state::State;

/// One family per shape.
pub(super) fn layout(rules: &Ruleset) -> ActionLayout {
    let mut layout = ActionLayout::default();
    for shape in shapes() {
        let (rows, columns) = (rules.side + 1 - shape.height(), rules.side + 1 - shape.width());
        layout.push(
            &format!("{}{}", shape.piece(), shape.rotation()),
            (rows * columns) as u32,
            &format!(
                "place it with the lower left of its bounding box in row i / {columns}, column i % {columns}"
            ),
        );
        layout.name(&[rows as u32, columns as u32], &["rank", "file"]);
    }
    layout
}

/// The move in which an action is written: by the first contact on an open corner of the current colour, or by the
/// first contact if none is.
fn to_move(rules: &Ruleset, state: &State, placement: Placement) -> Move {
    placement.moves(rules.corners(state, state.current())).next().expect("every shape has a contact")
}

pub(super) fn to_string(rules: &Ruleset, state: &State, action: u32) -> String {
    match rules.placements.get(action) {
        Some(placement) => to_move(rules, state, placement).to_string(),
        None => format!("action {action}"),
    }
}

/// "Place F5 on b2 b3 c3 c4 d3".
pub(super) fn in_words(placement: Placement) -> String {
    let tiles: Vec<String> = placement.tiles().iter().map(|tile| tile.to_string()).collect();
    format!("Place {} on {}", placement.piece(), tiles.join(" "))
}

pub(super) fn to_json(rules: &Ruleset, state: &State, action: u32) -> Value {
    let Some(placement) = rules.placements.get(action) else { return Value::Null };
    let m = to_move(rules, state, placement);
    json!({
        "type": "PLACE",
        "piece": m.piece.name(),
        "rotation": m.rotation.name(),
        "contact": m.contact.to_string(),
        "to_tile": m.to_tile.to_string(),
    })
}

/// Reads a placement from an object:
/// `{"type": "PLACE", "piece": "F5", "rotation": "e", "contact": "a2", "to_tile": "d4"}`.
///
/// # Errors
/// [`Error::Refused`] names the missing or wrong key.
pub(super) fn from_json(rules: &Ruleset, json: &Value) -> Result<Placement> {
    const KEYS: [&str; 5] = ["type", "piece", "rotation", "contact", "to_tile"];
    let object = json
        .as_object()
        .ok_or_else(|| Error::illegal(format!("an action is an object with the keys {}", KEYS.join(", "))))?;
    if let Some(key) = object.keys().find(|k| !KEYS.contains(&k.as_str())) {
        return Err(Error::illegal(format!("unknown key {key:?}: the keys are {}", KEYS.join(", "))));
    }
    let text = |key: &str| {
        let value = object.get(key).and_then(Value::as_str);
        value.ok_or_else(|| Error::illegal(format!("the key {key:?} must be a text")))
    };
    if text("type")? != "PLACE" {
        return Err(Error::illegal(format!("type {:?}: the only type is PLACE", text("type")?)));
    }
    Move {
        piece: text("piece")?.parse()?,
        rotation: text("rotation")?.parse()?,
        contact: text("contact")?.parse()?,
        to_tile: text("to_tile")?.parse()?,
    }
    .placement(rules.placements)
}
