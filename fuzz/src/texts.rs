//! Text from users and other programs.

use ludovec::engine::{OptionValue, Result, SingleGame, View};
use ludovec::games::{GAMES, chess, find};
use ludovec::play::trust::Trust;
use ludovec::replay;
use serde_json::Value;

use super::bytes::Bytes;
use super::play::play_on;

/// Three bytes for the game and its options, then its position as JSON.
pub fn position(data: &[u8]) -> bool {
    let mut bytes = Bytes::new(data);
    let game = bytes.game();
    accepted(data, || Some(game.single_from_position(&json(bytes)?, 7)))
}

/// A record as JSON.
pub fn record(data: &[u8]) -> bool {
    accepted(data, || {
        let record = replay::parse(Bytes::new(data).text()?, &Trust::default()).ok()?;
        // Long records are left out: they test the same code as short ones, and are slower.
        (record.actions.len() <= 400).then(|| replay::replay(&record, |_, _| Ok(())))
    })
}

/// A byte for the environment, then `key=value` line by line.
pub fn option(data: &[u8]) -> bool {
    let mut bytes = Bytes::new(data);
    let entry = bytes.pick(GAMES);
    accepted(data, || {
        // Fuzzing must not open files of the machine: texts with a `/` are left out.
        let text = bytes.text().filter(|text| !text.contains('/'))?;
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        let given: Vec<_> = pairs.map(|(key, value)| (key, OptionValue::from(value))).collect();
        Some(entry.make(given).map(|game| game.single(1)))
    })
}

/// Four bytes for the game, its options and the number of random decisions, then an action as text or JSON.
pub fn action(data: &[u8]) -> bool {
    let mut bytes = Bytes::new(data);
    let mut play = bytes.begun();
    let Some(text) = bytes.text() else { return false };
    let mut accepted = false;
    if let Ok(action) = play.string_to_action(text) {
        assert!(action < play.game().spec().num_actions);
        accepted = play.step(action).is_ok();
    }
    if let Ok(object) = serde_json::from_str(text) {
        if let Ok(action) = play.action_from_json(&object) {
            accepted |= play.check(action).is_ok();
        }
        accepted |= play.submit(0, &object).is_ok();
    }
    if accepted {
        play.to_text(View::default()).expect("the position is readable");
    }
    accepted
}

/// Three bytes for the game and its options, then a request to a bot server, as JSON.
pub fn bot_request(data: &[u8]) -> bool {
    let mut bytes = Bytes::new(data);
    let game = bytes.game();
    accepted(data, || Some(game.single_from_bot_request(&json(bytes)?, 7)))
}

/// Four bytes for the game, its options and the number of random decisions, then a bot's answer as JSON.
pub fn bot_reply(data: &[u8]) -> bool {
    let mut bytes = Bytes::new(data);
    let mut play = bytes.begun();
    let Some(reply) = json(bytes) else { return false };
    play.action_from_bot_reply(&reply).is_ok_and(|action| play.step(action).is_ok())
}

/// A byte for the variant, then a position in Forsyth-Edwards notation.
pub fn fen(data: &[u8]) -> bool {
    let mut bytes = Bytes::new(data);
    let names: Vec<&str> = chess::variant::variants().collect();
    let name = *bytes.pick(&names);
    accepted(data, || {
        let options = [("variant", OptionValue::from(name)), ("fen", OptionValue::from(bytes.text()?))];
        Some(find("chess").and_then(|entry| entry.make(options)).map(|game| game.single(1)))
    })
}

/// The text of a variant file: TOML, with pieces in Betza notation.
pub fn variant(data: &[u8]) -> bool {
    let Some(text) = Bytes::new(data).text() else { return false };
    let read = chess::variant::from_text("fuzzed", text);
    if let Err(error) = &read {
        assert!(!error.to_string().is_empty());
    }
    read.is_ok()
}

/// The text of a Small World map: JSON.
pub fn map(data: &[u8]) -> bool {
    accepted(data, || {
        // Text without a brace at its start is the name of a file, which fuzzing must not open.
        let text = Bytes::new(data).text().filter(|text| text.trim_start().starts_with('{'))?;
        let options = [("map", OptionValue::from(text))];
        Some(find("smallworld").and_then(|entry| entry.make(options)).map(|game| game.single(1)))
    })
}

/// Plays on from the position returned by `read`; checks that an error is one line. `None` for bytes that are not
/// text or not JSON.
fn accepted(data: &[u8], read: impl FnOnce() -> Option<Result<SingleGame>>) -> bool {
    match read() {
        Some(Ok(play)) => {
            play_on(play, data);
            true
        }
        Some(Err(error)) => {
            assert!(!error.to_string().contains('\n'), "an error of several lines: {error}");
            false
        }
        None => false,
    }
}

fn json(bytes: Bytes<'_>) -> Option<Value> {
    serde_json::from_str(bytes.text()?).ok()
}
