//! States as JSON and back, and the check that a state is playable.

use serde_json::{Map, Value, json};

use ludovec_engine::{Error, Result};

use super::notation::fen;
use super::notation::square_names::{square_name, square_named};
use super::setup::Setup;
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::moves::{Move, MoveKind};
use crate::rules::board::position::{MoveRules, NOWHERE, Position, phase};
use crate::rules::history::History;
use crate::rules::state::{REMEMBERED, Reason, State};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::{Square, Variant};

/// The names of [`outcome`]s, in order.
pub(crate) const OUTCOMES: [&str; 5] = ["running", "white", "black", "draw", "truncated"];
/// Names of the phases of a turn, in order.
pub(crate) const PHASES: [&str; 3] = ["move", "place", "boost"];

fn names(variant: &Variant, squares: impl Iterator<Item = Square>) -> Value {
    squares.map(|c| square_name(variant, c)).collect()
}

pub(crate) fn write<R: MoveRules, H: History>(tables: &Tables<R::Bits>, state: &State<R, H>) -> Value {
    let v = &tables.variant;
    let p = &state.position;
    let held = usize::from(state.remembered).min(REMEMBERED);
    let keys: Vec<String> = state.keys[..held]
        .iter()
        .zip(&state.keys_high)
        .map(|(low, high)| format!("{high:04x}{low:08x}"))
        .collect();
    let mut object = json!({
        "fen": fen::write(v, &Setup::of(tables, p)),
        "plies": p.plies,
        "outcome": OUTCOMES[usize::from(state.outcome) % OUTCOMES.len()],
        "reason": Reason::NAMES[usize::from(state.reason) % Reason::NAMES.len()],
        "occurrences": state.occurrences,
        "keys": keys,
    });
    if tables.tracks_unmoved {
        object["unmoved"] = names(v, p.unmoved.squares());
    }
    if p.phase != phase::MOVE {
        object["phase"] = json!(PHASES[usize::from(p.phase) % PHASES.len()]);
    }
    if p.phase_square != NOWHERE {
        object["phase_cell"] = json!(square_name(v, p.phase_square));
    }
    if p.fallen != 0 {
        object["fallen"] = json!(p.fallen);
    }
    if p.memory != [0; 3] {
        object["memory"] = json!(p.memory);
    }
    if let Some(history) = state.history.to_json() {
        object["history"] = history;
    }
    object
}

fn wrong(key: &str, value: &Value, allowed: &str) -> Error {
    Error::state(format!("{key}: {value} given, {allowed} is allowed"))
}

/// The number under a key, or `default` without the key.
fn number(object: &Map<String, Value>, key: &str, default: u64, max: u64) -> Result<u64> {
    match object.get(key) {
        None => Ok(default),
        Some(value) => value
            .as_u64()
            .filter(|n| *n <= max)
            .ok_or_else(|| wrong(key, value, &format!("a number from 0 to {max}"))),
    }
}

/// The position in `words` of the word under a key, or 0 without the key.
fn word(object: &Map<String, Value>, key: &str, words: &[&str]) -> Result<u8> {
    let Some(value) = object.get(key) else { return Ok(0) };
    let place = value.as_str().and_then(|text| words.iter().position(|w| *w == text));
    place.map(|i| i as u8).ok_or_else(|| wrong(key, value, &format!("one of {}", words.join(", "))))
}

pub(crate) fn read<R: MoveRules, H: History>(tables: &Tables<R::Bits>, value: &Value) -> Result<State<R, H>> {
    let v = &tables.variant;
    let object = value.as_object().ok_or_else(|| wrong("state", value, "an object"))?;
    const KEYS: [&str; 12] = [
        "fen",
        "plies",
        "outcome",
        "reason",
        "occurrences",
        "keys",
        "unmoved",
        "phase",
        "phase_cell",
        "fallen",
        "history",
        "memory",
    ];
    if let Some(unknown) = object.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(Error::state(format!("unknown key {unknown}: the keys are {}", KEYS.join(", "))));
    }
    let square = |key: &str, value: &Value| {
        value
            .as_str()
            .and_then(|name| square_named(v, name))
            .ok_or_else(|| wrong(key, value, "the name of a cell"))
    };
    let text = object.get("fen").unwrap_or(&Value::Null);
    let mut setup = fen::parse(v, text.as_str().ok_or_else(|| wrong("fen", text, "a FEN"))?)
        .map_err(|error| Error::state(format!("fen: {error}")))?;
    if let Some(value) = object.get("unmoved") {
        let list = value.as_array().ok_or_else(|| wrong("unmoved", value, "a list of cells"))?;
        setup.unmoved = Some(list.iter().map(|c| square("unmoved", c)).collect::<Result<_>>()?);
    }
    let mut position: Position<R> = setup.assemble(tables);
    position.plies = number(object, "plies", 0, u64::from(u16::MAX))? as u16;
    position.phase = word(object, "phase", &PHASES)?;
    if let Some(value) = object.get("phase_cell") {
        position.phase_square = square("phase_cell", value)?;
    }
    position.fallen = number(object, "fallen", 0, 3)? as u8;
    if let Some(value) = object.get("memory") {
        position.memory =
            serde_json::from_value(value.clone()).map_err(|_| wrong("memory", value, "three bytes"))?;
    }
    position.key = position.compute_key();
    position.refresh(tables);
    position.validate(tables)?;
    let mut state = State::new(position);
    state.outcome = word(object, "outcome", &OUTCOMES)?;
    state.reason = word(object, "reason", &Reason::NAMES)?;
    state.occurrences = number(object, "occurrences", 1, 255)? as u8;
    if let Some(value) = object.get("keys") {
        let list = value.as_array().filter(|l| l.len() <= REMEMBERED);
        let list = list.ok_or_else(|| wrong("keys", value, "a list of at most 100 hexadecimal words"))?;
        for (i, key) in list.iter().enumerate() {
            let word = key.as_str().and_then(|k| u64::from_str_radix(k, 16).ok()).filter(|k| k >> 48 == 0);
            let word = word.ok_or_else(|| wrong("keys", key, "a hexadecimal word of 48 bits"))?;
            (state.keys[i], state.keys_high[i]) = (word as u32, (word >> 32) as u16);
        }
        state.remembered = list.len() as u8;
    }
    if let Some(value) = object.get("history") {
        state.history =
            H::from_json(value).ok_or_else(|| wrong("history", value, "what a state of chess holds"))?;
    }
    Ok(state)
}

/// A move as an object.
pub(crate) fn action<R: MoveRules>(
    tables: &Tables<R::Bits>,
    position: &Position<R>,
    mv: Option<Move>,
) -> Value {
    let v = &tables.variant;
    let Some(mv) = mv else { return json!({ "type": "NOTHING" }) };
    let name = |square| square_name(v, square);
    let letter = |kind: u8| v.pieces[usize::from(kind)].letter.to_string();
    let (from, to) = (name(mv.from), name(mv.to));
    match mv.what {
        MoveKind::Promote(kind) => {
            json!({ "type": "PROMOTE", "from": from, "to": to, "piece": letter(kind) })
        }
        MoveKind::Drop(kind) => json!({ "type": "DROP", "to": to, "piece": letter(kind) }),
        MoveKind::Place => json!({ "type": "PLACE", "to": to }),
        MoveKind::Summon => json!({ "type": "SUMMON", "to": to }),
        MoveKind::Pass => json!({ "type": "PASS" }),
        MoveKind::Castle => {
            let landing = position.castle_squares(tables, mv).map_or(mv.to, |squares| squares.0);
            json!({ "type": "CASTLE", "from": from, "to": name(landing), "rook": to })
        }
        MoveKind::Split(_) => json!({ "type": "SPLIT", "from": from, "to": to }),
        MoveKind::Merge => json!({ "type": "MERGE", "from": from, "to": to }),
        MoveKind::Swap => json!({ "type": "SWAP", "from": from, "to": to }),
        _ => json!({ "type": "MOVE", "from": from, "to": to }),
    }
}
