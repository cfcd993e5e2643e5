//! Actions as text and as objects.

use serde_json::{Map as Object, Value, json};

use super::action_types::ActionType;
use crate::actions::{Action, index};
use crate::rules::conquest_costs::Discounts;
use crate::rules::legal;
use crate::rules::map::RegionId;
use crate::rules::phase::Phase;
use crate::rules::roster::{Power, Race};
use crate::rules::ruleset::Ruleset;
use crate::rules::state::{ROW, State};
use ludovec_engine::{Error, Result, Step, mask};

/// An action as text: its type, then its argument.
pub(crate) fn to_text(rules: &Ruleset, state: &State, action: u32) -> String {
    let action = Action::decode(action);
    let action_type = ActionType::of(rules, state, action);
    let name = action_type.name();
    match action {
        Action::Rest(region) => format!("{name} {} rest", region.0),
        Action::Pick(place) => format!("{name} {place}"),
        Action::Ally(offset) => format!("{name} {}", seat_after(rules, state, offset)),
        Action::Decline if action_type == ActionType::StoutDecline => format!("{name} yes"),
        Action::Done if action_type == ActionType::StoutDecline => format!("{name} no"),
        Action::Done if action_type != ActionType::SkipConquest => format!("{name} none"),
        _ => action.region().map_or(name.into(), |region| format!("{name} {}", region.0)),
    }
}

/// An action as a sentence.
pub(crate) fn in_words(rules: &Ruleset, state: &State, action: u32, names: &[String]) -> String {
    let decoded = Action::decode(action);
    let land = |region: RegionId| format!("the {} {}", state.map.terrain(region).name(), region.0);
    let tokens = |count: u8| if count == 1 { "1 token".to_string() } else { format!("{count} tokens") };
    let done = match state.phase() {
        Phase::ChooseDiplomatAlly => "Make no peace",
        Phase::StoutDecline => "Do not decline",
        Phase::PlaceEncampments | Phase::PlaceFortress | Phase::PlaceHeroes => "Place nothing more",
        _ => "End the conquests",
    };
    let piece = match state.phase() {
        Phase::PlaceEncampments => "a camp",
        Phase::PlaceFortress => "a fortress",
        Phase::PlaceHeroes => "a hero",
        _ => "a token",
    };
    match decoded {
        Action::Pick(place) if place < usize::from(state.row_len) => {
            let combo = &state.row[place];
            let power = Power::ALL[usize::from(combo.power)].name();
            let race = Race::ALL[usize::from(combo.race)].name();
            match place {
                0 => format!("Pick {power} {race} for nothing"),
                1 => format!("Pick {power} {race} for 1 coin"),
                coins => format!("Pick {power} {race} for {coins} coins"),
            }
        }
        Action::Ally(offset) => format!("Make peace with {}", names[seat_after(rules, state, offset)]),
        Action::Expand => "Go on with the active race".into(),
        Action::Decline => "Put the active race into decline".into(),
        Action::Roll => "Roll the die".into(),
        Action::Done => done.into(),
        _ if decoded.region().is_none_or(|region| !state.map.all().contains(region)) => {
            to_text(rules, state, action)
        }
        Action::Conquer(region) if state.phase() == Phase::FinalConquest => {
            format!("Try {} with the die", land(region))
        }
        Action::Conquer(region) => {
            let cost = Discounts::new(rules, state).cost(state, region);
            format!("Conquer {} for {}", land(region), tokens(cost))
        }
        Action::Dragon(region) => format!("Send the dragon to {}", land(region)),
        Action::Sorcerer(region) => format!("Convert the token on {}", land(region)),
        Action::Abandon(region) => format!("Abandon {}", land(region)),
        Action::Place(region) => format!("Put {piece} on {}", land(region)),
        Action::Rest(region) => format!("Put the rest on {}", land(region)),
        Action::Pick(_) => to_text(rules, state, action),
    }
}

/// A step as a sentence, with the result of the die.
pub(crate) fn describe_step(rules: &Ruleset, step: &Step<State>, names: &[String]) -> String {
    let (before, words) = (&step.before, in_words(rules, &step.before, step.action, names));
    let pips =
        step.chance.first().map(|&pips| if pips == 1 { "1 pip".into() } else { format!("{pips} pips") });
    match (Action::decode(step.action), pips) {
        (Action::Roll, Some(pips)) => format!("{words}: {pips}"),
        (Action::Conquer(region), Some(pips)) => {
            let strength = u32::from(before.army(before.acting()).hand) + step.chance[0];
            let holds = u32::from(Discounts::new(rules, before).cost(before, region)) > strength;
            format!("{words}: {pips}, {}", if holds { "in vain" } else { "conquered" })
        }
        _ => words,
    }
}

/// An action as an object.
pub(crate) fn to_json(rules: &Ruleset, state: &State, action: u32) -> Value {
    let action = Action::decode(action);
    let action_type = ActionType::of(rules, state, action);
    let mut object = json!({ "type": action_type.name() });
    match action {
        Action::Pick(place) => object["index"] = json!(place),
        Action::Ally(offset) => object["ally"] = json!(seat_after(rules, state, offset)),
        Action::Decline if action_type == ActionType::StoutDecline => object["decline"] = json!(true),
        Action::Done if action_type == ActionType::StoutDecline => object["decline"] = json!(false),
        Action::Done if action_type == ActionType::ChooseDiplomatAlly => object["ally"] = Value::Null,
        Action::Done if action_type != ActionType::SkipConquest => object["region"] = Value::Null,
        _ => {
            if let Some(region) = action.region() {
                object["region"] = json!(region.0);
            }
        }
    }
    if let Action::Rest(_) = action {
        object["rest"] = json!(true);
    }
    object
}

/// Reads an action from an object.
///
/// # Errors
/// [`Error::Refused`] for a type that is not part of the phase, for an object that is no action, and for a conquest
/// under the wrong one of its two names.
pub(crate) fn from_json(rules: &Ruleset, state: &State, value: &Value) -> Result<u32> {
    let illegal = |what: String| Error::illegal(what);
    let object = value.as_object().ok_or_else(|| illegal("an action is an object with a type".into()))?;
    let name = object.get("type").and_then(Value::as_str);
    let name = name.ok_or_else(|| illegal("the action has no text under \"type\"".into()))?;
    let action_type = ActionType::from_name(&name.to_ascii_uppercase()).ok_or_else(|| {
        let known = ActionType::ALL.map(ActionType::name);
        illegal(format!("unknown type {name:?}: the types are {}", known.join(", ")))
    })?;
    action_type.check_phase(state)?;
    let action = match action_type {
        ActionType::PickCombo => Action::Pick(number(object, "index", ROW)?),
        ActionType::Expand => Action::Expand,
        ActionType::Decline => Action::Decline,
        ActionType::RollDie => Action::Roll,
        ActionType::SkipConquest => Action::Done,
        ActionType::StoutDecline => match object.get("decline").and_then(Value::as_bool) {
            Some(true) => Action::Decline,
            Some(false) => Action::Done,
            None => return Err(illegal("STOUT_DECLINE needs true or false under \"decline\"".into())),
        },
        ActionType::ChooseDiplomatAlly if object.get("ally") == Some(&Value::Null) => Action::Done,
        ActionType::ChooseDiplomatAlly => {
            let ally = number(object, "ally", rules.players)?;
            match (ally + rules.players - usize::from(state.mover)) % rules.players {
                0 => return Err(illegal(format!("seat {ally} cannot make peace with itself"))),
                offset => Action::Ally(offset),
            }
        }
        ActionType::PlaceEncampments | ActionType::PlaceFortress | ActionType::PlaceHeroes
            if object.get("region") == Some(&Value::Null) =>
        {
            Action::Done
        }
        _ => {
            let region = RegionId(number(object, "region", state.map.len())? as u8);
            let rest = match object.get("rest") {
                None => false,
                Some(rest) => rest
                    .as_bool()
                    .ok_or_else(|| illegal(format!("\"rest\" is {rest}, true or false is allowed")))?,
            };
            match action_type {
                ActionType::Abandon => Action::Abandon(region),
                ActionType::Conquer | ActionType::FinalConquest => Action::Conquer(region),
                ActionType::UseDragon => Action::Dragon(region),
                ActionType::UseSorcerer => Action::Sorcerer(region),
                _ if rest => Action::Rest(region),
                _ => Action::Place(region),
            }
        }
    };
    let called = ActionType::of(rules, state, action);
    if called != action_type && is_legal(rules, state, action.encode()) {
        return Err(illegal(format!("{name} is the wrong name for this action: it is {}", called.name())));
    }
    Ok(action.encode())
}

fn is_legal(rules: &Ruleset, state: &State, action: u32) -> bool {
    let mut row = [0; mask::words(index::COUNT as usize)];
    legal::legal(rules, state, &mut row);
    mask::contains(&row, action)
}

fn number(object: &Object<String, Value>, key: &str, below: usize) -> Result<usize> {
    let value = object.get(key).unwrap_or(&Value::Null);
    value.as_u64().map(|n| n as usize).filter(|&n| n < below).ok_or_else(|| {
        Error::illegal(format!("{key:?} is {value}, an integer from 0 to {} is allowed", below - 1))
    })
}

/// The seat `offset` places after the mover; an invalid seat if the game has fewer seats.
fn seat_after(rules: &Ruleset, state: &State, offset: usize) -> usize {
    if offset < rules.players { (usize::from(state.mover) + offset) % rules.players } else { offset }
}
