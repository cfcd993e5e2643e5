//! Actions as text and as objects.

use serde_json::{Value, json};

use crate::StarWarsRisk;
use crate::actions::{ACTIONS, Action, GROUP};
use crate::rules::board::{SPACES, Ship, Space};
use crate::rules::cards::{CardKind, Icon};
use crate::rules::state::State;
use ludovec_engine::{Error, Result};

/// An action as text.
pub(crate) fn label(rules: &StarWarsRisk, state: &State, action: u32) -> String {
    if action >= ACTIONS {
        return format!("action {action}");
    }
    match Action::decode(action) {
        Action::Order(kind) => match rules.data.decks[state.seat()].names.get(kind.index()) {
            Some(name) => format!("order {name}"),
            None => format!("order card {}", kind.0),
        },
        Action::Pass => "pass".into(),
        Action::Icon(icon) => icon.name().into(),
        Action::From(space) => format!("move from {}", space.0),
        Action::Spawn => "spawn".into(),
        Action::To(space) => format!("move to {}", space.0),
        Action::Count(count) => format!("move {count}"),
        Action::Stop => "stop".into(),
        Action::Attack(space) => format!("attack {}", space.0),
        Action::AttackDeathstar => "attack_deathstar".into(),
        Action::Hold => "hold".into(),
        Action::Fire(space) => format!("fire_deathstar {}", space.0),
        Action::Hit(ship) => format!("hit {}", ship.name()),
    }
}

/// An action as a sentence.
pub(crate) fn in_words(rules: &StarWarsRisk, state: &State, action: u32) -> String {
    if action >= ACTIONS {
        return label(rules, state, action);
    }
    match Action::decode(action) {
        Action::Order(kind) => {
            format!("Order the card: {}", card_in_words(rules, state.seat(), kind))
        }
        Action::Pass => "Play nothing".into(),
        Action::Icon(icon) => format!("Play the card: {}", icon_in_words(icon)),
        Action::From(space) => format!("Move ships from space {}", space.0),
        Action::Spawn => "Launch TIE fighters at the Executor".into(),
        Action::To(space) => format!("Move them to space {}", space.0),
        Action::Count(1) => "Move one ship".into(),
        Action::Count(count) => format!("Move {count} ships"),
        Action::Stop => "Stop there".into(),
        Action::Attack(space) => format!("Attack the ships in space {}", space.0),
        Action::AttackDeathstar => "Attack the Death Star".into(),
        Action::Hold => "Attack nothing".into(),
        Action::Fire(space) => format!("Fire the Death Star at space {}", space.0),
        Action::Hit(ship) => format!("The die hits: {}", ship_in_words(ship)),
    }
}

/// The uses of a card of a side.
pub(crate) fn card_in_words(rules: &StarWarsRisk, seat: usize, kind: CardKind) -> String {
    let icons = rules.data.decks[seat].icons.get(kind.index());
    let icons: Vec<&str> = icons.into_iter().flat_map(|icons| icons.iter()).map(icon_in_words).collect();
    icons.join(", ")
}

fn icon_in_words(icon: Icon) -> &'static str {
    match (icon.ship(), icon) {
        (Some(Ship::Xwing), _) => "move X-wings",
        (Some(Ship::Ywing), _) => "move Y-wings",
        (Some(Ship::Bwing), _) => "move B-wings",
        (Some(Ship::Falcon), _) => "move the Falcon",
        (Some(Ship::Tie), _) => "move TIE fighters",
        (Some(Ship::Executor), _) => "move the Executor",
        (None, Icon::Shield) => "attack the shield generator",
        (None, Icon::Lightsaber) => "strike with the lightsaber",
        (None, Icon::Hat) => "end the duel",
        (None, Icon::Lightning) => "Force lightning",
        (None, Icon::Stormtroopers) => "post stormtroopers",
        (None, _) => "fire the Death Star",
    }
}

fn ship_in_words(ship: Ship) -> &'static str {
    match ship {
        Ship::Xwing => "an X-wing",
        Ship::Ywing => "a Y-wing",
        Ship::Bwing => "a B-wing",
        Ship::Falcon => "the Falcon",
        Ship::Tie => "a TIE fighter",
        Ship::Executor => "the Executor",
    }
}

/// An action as an object.
pub(crate) fn to_json(rules: &StarWarsRisk, state: &State, action: u32) -> Value {
    if action >= ACTIONS {
        return json!({ "type": "unknown", "index": action });
    }
    match Action::decode(action) {
        Action::Order(kind) => match rules.data.decks[state.seat()].names.get(kind.index()) {
            Some(name) => json!({ "type": "order", "card": name }),
            None => json!({ "type": "order", "card": kind.0 }),
        },
        Action::Pass => json!({ "type": "pass" }),
        Action::Icon(icon) => match icon.ship() {
            Some(ship) => json!({ "type": "move", "ship": ship.name() }),
            None => json!({ "type": icon.name() }),
        },
        Action::From(space) => json!({ "type": "move", "from": space.0 }),
        Action::Spawn => json!({ "type": "spawn" }),
        Action::To(space) => json!({ "type": "move", "to": space.0 }),
        Action::Count(count) => json!({ "type": "move", "count": count }),
        Action::Stop => json!({ "type": "stop" }),
        Action::Attack(space) => json!({ "type": "attack", "space": space.0 }),
        Action::AttackDeathstar => json!({ "type": "attack_deathstar" }),
        Action::Hold => json!({ "type": "hold" }),
        Action::Fire(space) => json!({ "type": "fire_deathstar", "space": space.0 }),
        Action::Hit(ship) => json!({ "type": "hit", "ship": ship.name() }),
    }
}

/// Reads an action from an object.
///
/// # Errors
/// [`Error::Refused`] names the missing or wrong key.
pub(crate) fn from_json(rules: &StarWarsRisk, state: &State, json: &Value) -> Result<u32> {
    const TYPES: &str = "order, pass, move, spawn, stop, attack, attack_deathstar, hold, \
                         fire_deathstar, lightsaber, lightning, hat, stormtroopers, shield, hit";
    let kind = json["type"]
        .as_str()
        .ok_or_else(|| Error::illegal(format!("{json} has no \"type\": the types are {TYPES}")))?;
    let number = |key: &str, least: u64, most: usize| {
        json[key].as_u64().filter(|&n| n >= least && n <= most as u64).map(|n| n as u8).ok_or_else(|| {
            Error::illegal(format!("{kind}: {key:?} is {}, allowed is {least} to {most}", json[key]))
        })
    };
    let space = |key: &str| number(key, 0, SPACES - 1).map(Space);
    let ship = || {
        let named = Ship::ALL.into_iter().find(|s| Some(s.name()) == json["ship"].as_str());
        named.ok_or_else(|| {
            let names = Ship::ALL.map(Ship::name).join(", ");
            Error::illegal(format!("{kind}: \"ship\" is {}, allowed is one of {names}", json["ship"]))
        })
    };
    let action = match kind {
        "order" => {
            let deck = &rules.data.decks[state.seat()];
            let named = json["card"].as_str().and_then(|name| deck.by_name(name));
            Action::Order(named.ok_or_else(|| {
                let names = deck.names.join(", ");
                Error::illegal(format!("order: \"card\" is {}, allowed is one of {names}", json["card"]))
            })?)
        }
        "pass" => Action::Pass,
        "move" if json.get("ship").is_some() => Action::Icon(Icon::ALL[ship()? as usize]),
        "move" if json.get("from").is_some() => Action::From(space("from")?),
        "move" if json.get("to").is_some() => Action::To(space("to")?),
        "move" if json.get("count").is_some() => Action::Count(number("count", 1, GROUP)?),
        "move" => return Err(Error::illegal("move: needs one of \"ship\", \"from\", \"to\", \"count\"")),
        "spawn" => Action::Spawn,
        "stop" => Action::Stop,
        "attack" => Action::Attack(space("space")?),
        "attack_deathstar" => Action::AttackDeathstar,
        "hold" => Action::Hold,
        "fire_deathstar" if json.get("space").is_some() => Action::Fire(space("space")?),
        "hit" => Action::Hit(ship()?),
        other => match Icon::ALL.into_iter().find(|i| i.ship().is_none() && i.name() == other) {
            Some(icon) => Action::Icon(icon),
            None => return Err(Error::illegal(format!("no type {other:?}: the types are {TYPES}"))),
        },
    };
    Ok(action.encode())
}
