//! The defaults of the contract that are more than an expression: functions, so that a game that overrides a method can
//! still call its default.

use serde_json::{Map, Value, json};

use crate::contract::chance::Chance;
use crate::contract::dialect::Dialect;
use crate::contract::mask;
use crate::contract::observation::ObservationField;
use crate::contract::picture::Picture;
use crate::contract::rules::{Rules, Status};
use crate::contract::spec::{ActionId, Spec};
use crate::contract::support::error::{Error, Result};
use crate::contract::words::Words;

/// [`Words::action_to_string`]
#[must_use]
pub fn action_to_string(spec: &Spec, action: ActionId) -> String {
    match spec.family(action) {
        Some((family, _)) if family.count == 1 => family.name.clone(),
        Some((family, index)) => format!("{} {index}", family.name),
        None => format!("action {action}"),
    }
}

/// [`Words::string_to_action`]
pub fn string_to_action<G: Words>(game: &G, state: &G::State, text: &str) -> Result<ActionId> {
    let mut mask = vec![0; game.spec().mask_words()];
    game.legal(state, &mut mask);
    mask::iter(&mask)
        .find(|&a| game.action_to_string(state, a) == text.trim())
        .ok_or_else(|| Error::illegal(format!("no legal action is written {:?}", text.trim())))
}

/// [`Words::action_to_json`]
#[must_use]
pub fn action_to_json(spec: &Spec, action: ActionId) -> Value {
    match spec.family(action) {
        Some((family, index)) => json!({ "type": family.name, "index": index }),
        None => json!({ "type": null, "index": action }),
    }
}

/// [`Words::action_from_json`]
pub fn action_from_json(spec: &Spec, json: &Value) -> Result<ActionId> {
    let families = &spec.actions;
    let family = families.iter().find(|family| json["type"] == family.name).ok_or_else(|| {
        let names: Vec<_> = families.iter().map(|family| family.name.as_str()).collect();
        Error::illegal(format!("type {}: the types are {}", json["type"], names.join(", ")))
    })?;
    match json["index"].as_u64() {
        Some(index) if index < family.count.into() => Ok(family.offset + index as u32),
        _ => Err(Error::illegal(format!(
            "index {} of {}: 0 to {} are allowed",
            json["index"],
            family.name,
            family.count - 1
        ))),
    }
}

/// [`Words::observation_to_json`]
pub fn observation_to_json<G: Rules>(game: &G, state: &G::State, seat: usize) -> Value {
    let mut observation = vec![0; game.spec().observation_len()];
    game.observe(state, seat, &mut observation);
    let field =
        |field: &ObservationField| (field.name.clone(), field.indices().map(|i| observation[i]).collect());
    Value::Object(game.spec().observation.iter().map(field).collect::<Map<_, _>>())
}

/// [`Picture::standing`]
pub fn standing<G: Picture>(game: &G, state: &G::State, names: &[String]) -> String {
    match game.status(state) {
        Status::Running => format!("{} to move", names[game.current_player(state)]),
        Status::Truncated => "stopped without a result".into(),
        Status::Terminated => game.result(state, names),
    }
}

/// [`Picture::result`]
pub fn result<G: Rules>(game: &G, state: &G::State, names: &[String]) -> String {
    let players = game.spec().players;
    let (mut ranks, mut scores) = (vec![0; players], vec![0.0; players]);
    game.ranks(state, &mut ranks);
    game.scores(state, &mut scores);
    let mut seats: Vec<usize> = (0..players).collect();
    seats.sort_by_key(|&seat| ranks[seat]);
    let winners: Vec<&str> = seats
        .iter()
        .filter(|&&seat| ranks[seat] == ranks[seats[0]])
        .map(|&seat| names[seat].as_str())
        .collect();
    let scores: Vec<String> = seats.iter().map(|&seat| scores[seat].to_string()).collect();
    match winners[..] {
        [winner] => format!("{winner} won, {}", scores.join(" to ")),
        _ => format!("{} share the first place, {}", all_of(&winners), scores.join(" to ")),
    }
}

/// "Ann", "Ann and Ben", "Ann, Ben and Cem".
fn all_of(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// [`Dialect::bot_request`]
pub fn bot_request<G: Words, C: Chance + ?Sized>(
    game: &G,
    state: &G::State,
    seat: usize,
    chance: &mut C,
) -> Value {
    let mut mask = vec![0; game.spec().mask_words()];
    game.legal(state, &mut mask);
    json!({
        "env": game.spec().env,
        "player": seat,
        "observation": game.observation_to_json(state, seat),
        "legal_moves": mask::iter(&mask).map(|a| game.action_to_json(state, a)).collect::<Vec<_>>(),
        "position": game.state_to_json(&game.determinize(state, seat, chance)),
    })
}

/// [`Dialect::action_from_bot_reply`]
pub fn action_from_bot_reply<G: Dialect>(game: &G, state: &G::State, reply: &Value) -> Result<ActionId> {
    match &reply["action"] {
        Value::Number(index) => index
            .as_u64()
            .and_then(|index| u32::try_from(index).ok())
            .ok_or_else(|| Error::illegal(format!("{index} is not an action"))),
        Value::String(text) => game.string_to_action(state, text),
        Value::Null => Err(Error::illegal("the answer has no \"action\"")),
        object => game.action_from_json(state, object),
    }
}
