//! The answers of a game in Rust to requests in words. A request has the name of a method of the contract.

use bytemuck::bytes_of;
use ludovec_engine::chance::Chance;
use ludovec_engine::{ActionId, Caption, Error, Game, Result, Step, Theme, View};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The states of a request: the position, and the positions before its steps.
pub(crate) type States<'a, G> = &'a [&'a <G as ludovec_engine::Rules>::State];

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of hexadecimal digits, if they are `length` bytes.
pub(crate) fn from_hex(digits: &str, length: usize) -> Option<Vec<u8>> {
    let pair = |at: usize| u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok();
    (digits.len() == 2 * length).then(|| (0..length).map(pair).collect())?
}

fn read<T: DeserializeOwned>(request: &Value, key: &str) -> Result<T> {
    serde_json::from_value(request[key].clone())
        .map_err(|error| Error::rules(format!("a request in words: {key}: {error}")))
}

/// A step as requests have it: the position before it is among the states.
pub(crate) fn step_json<S>(step: &Step<S>) -> Value {
    json!({ "player": step.player, "action": step.action, "chance": step.chance })
}

fn step<S: Copy>(json: &Value, before: Option<&&S>) -> Result<Step<S>> {
    let before = **before.ok_or_else(|| Error::rules("a request in words: a state is missing"))?;
    let (player, action, chance) = (read(json, "player")?, read(json, "action")?, read(json, "chance")?);
    Ok(Step { before, player, action, chance })
}

/// The answer to a request, or none if it is unknown.
pub(crate) fn answer<G: Game>(
    game: &G,
    states: States<'_, G>,
    chance: &mut dyn Chance,
    request: &Value,
) -> Result<Option<Value>> {
    let first = || states.first().copied().ok_or_else(|| Error::rules("a request in words: no state"));
    let action = || read::<ActionId>(request, "action");
    let seat = || read::<usize>(request, "seat");
    let text = || read::<String>(request, "text");
    let names = || read::<Vec<String>>(request, "names");
    let state_of = |state: Result<G::State>| state.map(|state| hex(bytes_of(&state)).into());
    let last = || match &request["last"] {
        Value::Null => Ok(None),
        last => step(last, states.get(1)).map(Some),
    };
    let view = || read::<View>(request, "view");
    let standing = request["standing"].as_str().unwrap_or_default();
    let running = request["running"] == true;
    let ask = request["ask"].as_str().unwrap_or_default();
    Ok(Some(match ask {
        "action_to_string" => game.action_to_string(first()?, action()?).into(),
        "action_in_words" => game.action_in_words(first()?, action()?, &names()?).into(),
        "seat_name" => game.seat_name(seat()?).into(),
        "string_to_action" => game.string_to_action(first()?, &text()?)?.into(),
        "action_to_json" => game.action_to_json(first()?, action()?),
        "action_from_json" => game.action_from_json(first()?, &request["json"])?.into(),
        "explain_illegal" => return Err(game.explain_illegal(first()?, action()?).into()),
        "explain_places" => game.explain_places(first()?, &read::<Vec<_>>(request, "places")?).into(),
        "state_to_json" => game.state_to_json(first()?),
        "state_from_json" => state_of(game.state_from_json(&request["json"]))?,
        "observation_to_json" => game.observation_to_json(first()?, seat()?),
        "shows_score" => game.shows_score(read(request, "viewer")?, seat()?).into(),
        "turn" => game.turn(first()?).into(),
        "describe_step" => {
            let step = step(&request["step"], states.first())?;
            game.describe_step(&step, read(request, "seat")?, &names()?).into()
        }
        "information_state" => {
            let steps = request["history"].as_array().map_or(&[][..], Vec::as_slice);
            let steps = steps.iter().zip(1..).map(|(json, at)| step(json, states.get(at)));
            game.information_state(first()?, seat()?, &steps.collect::<Result<Vec<_>>>()?)
        }
        "compound_actions" => json!(game.compound_actions(first()?)),
        "to_text" | "to_svg" | "beside" => {
            let (names, view) = (names()?, view()?);
            let caption = Caption { names: &names, standing, running };
            match ask {
                "to_text" => game.to_text(first()?, last()?.as_ref(), view, caption).into(),
                "to_svg" => game.to_svg(first()?, last()?.as_ref(), view, caption).into(),
                _ => json!(game.beside(first()?, view, caption)),
            }
        }
        "title" => game.title().into(),
        "standing" => game.standing(first()?, &names()?).into(),
        "result" => game.result(first()?, &names()?).into(),
        "places" => json!(game.places(first()?, view()?)),
        "footprint" => game.footprint(first()?, action()?).into(),
        "seat_colours" => game.seat_colours(read::<Theme>(request, "theme")?).into(),
        "pass" => game.pass(first()?).into(),
        "bot_action" => {
            let mut mask = vec![0; game.spec().mask_words()];
            game.legal(first()?, &mut mask);
            game.bot_action(read(request, "bot")?, first()?, &mask, chance).into()
        }
        "bot_attempt" => game.bot_attempt(read(request, "bot")?, first()?, chance).into(),
        "symmetries" => json!(game.symmetries()),
        "bot_request" => game.bot_request(first()?, seat()?, chance),
        "state_from_bot_request" => state_of(game.state_from_bot_request(&request["request"]))?,
        "bot_reply" => game.bot_reply(first()?, action()?),
        "action_from_bot_reply" => game.action_from_bot_reply(first()?, &request["reply"])?.into(),
        "uci" => json!(game.uci()),
        "uci_position" => game.uci_position(first()?).into(),
        "state_from_uci" => state_of(game.state_from_uci(&text()?))?,
        "gtp" => json!(game.gtp()),
        "gtp_position" => json!(game.gtp_position(first()?)),
        "action_from_gtp" => game.action_from_gtp(first()?, &text()?)?.into(),
        _ => return Ok(None),
    }))
}
