//! What people and other programs write.

use ludovec::engine::{OptionValue, SingleGame, View};
use ludovec::games::{GAMES, chess, find};
use ludovec::replay;
use serde_json::Value;

use super::bytes::Bytes;
use super::play::play_on;

/// Two bytes for the game and its options, then its position as JSON.
pub fn position(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let game = bytes.game();
    let Some(json) = json(bytes) else { return };
    if let Ok(play) = game.single_from_json(&json, 7) {
        play_on(play, &mut Bytes::new(data));
    }
}

/// A record as JSON.
pub fn record(data: &[u8]) {
    let Some(text) = Bytes::new(data).text() else { return };
    let Ok(record) = replay::parse(text) else { return };
    // Long records are as good as short ones and slower.
    if record.actions.len() > 400 {
        return;
    }
    if let Ok(play) = replay::replay(&record, |_, _| Ok(())) {
        play_on(play, &mut Bytes::new(data));
    }
}

/// A byte for the environment, then `key=value` line by line.
pub fn option(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let entry = bytes.pick(GAMES);
    let Some(text) = bytes.text() else { return };
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    // A file of the machine's is nothing that fuzzing should look for.
    if text.contains('/') {
        return;
    }
    match entry.make(pairs.map(|(key, value)| (key, OptionValue::from(value)))) {
        Ok(game) => play_on(game.single(1), &mut Bytes::new(data)),
        Err(error) => assert!(!error.to_string().contains('\n'), "an error of several lines: {error}"),
    }
}

/// Two bytes for the game and its options, one for how many random decisions are taken, then an action as text or JSON.
pub fn action(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut play = begun(&mut bytes);
    let Some(text) = bytes.text() else { return };
    if let Ok(action) = play.string_to_action(text) {
        assert!(action < play.game().spec().num_actions);
        let _ = play.step(action);
    }
    if let Ok(object) = serde_json::from_str(text) {
        if let Ok(action) = play.action_from_json(&object) {
            let _ = play.check(action);
        }
        let _ = play.submit(0, &object);
    }
    play.to_text(View::default()).expect("everybody may look");
}

/// Two bytes for the game and its options, then what a bot's server is asked, as JSON.
pub fn bot_request(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let game = bytes.game();
    let Some(request) = json(bytes) else { return };
    if let Ok(play) = game.single_from_bot_request(&request, 7) {
        play_on(play, &mut Bytes::new(data));
    }
}

/// Two bytes for the game and its options, one for how many random decisions are taken, then a bot's answer as JSON.
pub fn bot_reply(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut play = begun(&mut bytes);
    let Some(reply) = json(bytes) else { return };
    if let Ok(action) = play.action_from_bot_reply(&reply) {
        let _ = play.step(action);
    }
}

/// A byte for the variant, then a position in Forsyth-Edwards notation.
pub fn fen(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let names: Vec<&str> = chess::variant::variants().collect();
    let name = *bytes.pick(&names);
    let Some(text) = bytes.text() else { return };
    let options = [("variant", OptionValue::from(name)), ("fen", OptionValue::from(text))];
    if let Ok(game) = find("chess").and_then(|entry| entry.make(options)) {
        play_on(game.single(1), &mut Bytes::new(data));
    }
}

/// The text of a variant's file: TOML, with pieces in Betza's notation.
pub fn variant(data: &[u8]) {
    let Some(text) = Bytes::new(data).text() else { return };
    if let Err(error) = chess::variant::from_text("fuzzed", text) {
        assert!(!error.to_string().is_empty());
    }
}

/// A game after some random decisions.
fn begun(bytes: &mut Bytes<'_>) -> Box<dyn SingleGame> {
    let mut play = bytes.game().single(3);
    for _ in 0..bytes.byte() % 32 {
        match play.bot_action("random") {
            Ok(action) => play.step(action).expect("bots play legal actions"),
            Err(_) => break,
        }
    }
    play
}

fn json(bytes: Bytes<'_>) -> Option<Value> {
    serde_json::from_str(bytes.text()?).ok()
}
