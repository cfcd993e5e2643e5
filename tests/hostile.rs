//! External text (options, records, recordings) is accepted or refused with a message, without a panic.

use std::sync::Arc;

use ludovec::engine::escape::is_hidden;
use ludovec::engine::{AnyGame, OptionValue, Record, Status, View};
use ludovec::games::GAMES;
use ludovec::play::trust::Trust;
use ludovec::replay::{parse, replay};
use proptest::prelude::*;
use serde_json::Value;

const NO_OPTIONS: [(&str, OptionValue); 0] = [];

/// The record of a random game, truncated after `steps` decisions.
fn record(game: Arc<dyn AnyGame>, seed: u64, steps: usize) -> Record {
    let mut play = game.single(seed);
    for _ in 0..steps {
        if play.status() != Status::Running {
            break;
        }
        let action = play.bot_action("random").unwrap();
        play.step(action).unwrap();
    }
    play.record()
}

/// All places in a JSON value, as pointers.
fn places(value: &Value, at: String, out: &mut Vec<String>) {
    out.push(at.clone());
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, v)| places(v, format!("{at}/{i}"), out))
        }
        Value::Object(map) => map.iter().for_each(|(k, v)| places(v, format!("{at}/{k}"), out)),
        _ => {}
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-3i64..70).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just(serde_json::json!([])),
        Just(serde_json::json!({})),
        prop::collection::vec(0u32..40, 0..9).prop_map(Value::from),
    ]
}

/// Text with characters that hide or reorder their neighbours, sometimes very long.
fn hostile() -> impl Strategy<Value = String> {
    let hidden =
        prop::sample::select(vec!['\u{202e}', '\u{2066}', '\u{1b}', '\n', '\u{2028}', '\u{feff}', '\0']);
    let letters = prop::collection::vec(prop_oneof![any::<char>(), hidden], 0..40);
    let times = prop_oneof![Just(1usize), Just(1), Just(1000)];
    (letters, times).prop_map(|(letters, times)| letters.into_iter().collect::<String>().repeat(times))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_changed_record_never_panics(
        seed in 0u64..4, steps in 0usize..40, at in any::<prop::sample::Index>(), put in any_json(), which in 0..GAMES.len()
    ) {
        let record = record(GAMES[which].make(NO_OPTIONS).unwrap(), seed, steps);
        let mut json = serde_json::to_value(&record).unwrap();
        let mut pointers = Vec::new();
        places(&json, String::new(), &mut pointers);
        *json.pointer_mut(&pointers[at.index(pointers.len())]).unwrap() = put;
        if let Ok(record) = parse(&json.to_string(), &Trust::default()) {
            // Either result is fine, as long as nothing panics.
            let _ = replay(&record, |_, _| Ok(())).map(|_| ());
        }
    }

    #[test]
    fn a_true_record_replays(seed in 0u64..100, steps in 0usize..200, which in 0..GAMES.len()) {
        let record = record(GAMES[which].make(NO_OPTIONS).unwrap(), seed, steps);
        let text = serde_json::to_string(&record).unwrap();
        prop_assert_eq!(&parse(&text, &Trust::default()).unwrap(), &record);
        let mut positions = 0;
        let end = replay(&record, |_, _| { positions += 1; Ok(()) }).unwrap();
        prop_assert_eq!(positions, record.actions.len() + 1);
        prop_assert_eq!(end.record(), record);
    }

    #[test]
    fn any_option_text_is_accepted_or_refused(key in ".{0,10}", value in ".{0,30}", which in 0..GAMES.len(), real in any::<prop::sample::Index>()) {
        let entry = &GAMES[which];
        prop_assert!(entry.make([(key.as_str(), OptionValue::from(value.as_str()))]).is_err());
        let options = entry.option_list();
        let name = options[real.index(options.len())].name;
        if let Err(error) = entry.make([(name, OptionValue::from(value.as_str()))]) {
            prop_assert!(!error.to_string().contains('\n'));
        }
    }

    #[test]
    fn no_message_hides_anything(text in hostile(), which in 0..GAMES.len(), real in any::<prop::sample::Index>()) {
        let entry = &GAMES[which];
        let options = entry.option_list();
        let option = options[real.index(options.len())].name;
        let game = entry.make(NO_OPTIONS).unwrap();
        let play = game.clone().single(1);
        let mut said = vec![
            ludovec::games::find(&text).err().map(|error| error.to_string()),
            entry.make([(text.as_str(), OptionValue::from(1))]).err().map(|error| error.to_string()),
            entry.make([(option, OptionValue::from(text.as_str()))]).err().map(|error| error.to_string()),
            game.check_bot(&text).err().map(|error| error.to_string()),
            play.string_to_action(&text).err().map(|error| error.to_string()),
            parse(&text, &Trust::default()).err().map(|error| error.to_string()),
        ];
        let mut named = game.clone().single(1);
        let names = vec![text.clone(); game.spec().players];
        match named.set_names(&names) {
            Err(error) => said.push(Some(error.to_string())),
            Ok(()) => {
                for name in named.names() {
                    prop_assert!(!name.contains(is_hidden));
                }
                let svg = named.to_svg(View::default()).unwrap();
                prop_assert!(!svg.contains(|letter| letter != '\n' && is_hidden(letter)), "{}", svg);
            }
        }
        for said in said.into_iter().flatten() {
            prop_assert!(!said.contains(is_hidden) && said.chars().count() < 2200, "{}", said);
        }
    }

    #[test]
    fn any_text_instead_of_a_recording_is_refused(text in ".{0,200}", number in any::<i64>()) {
        for entry in GAMES {
            if let Some(conform) = entry.conform() {
                for line in [text.clone(), format!("{{\"game\":{number}}}"), format!("{{\"players\":{number},\"plies\":[{{}}]}}")] {
                    match conform(&mut line.as_bytes()) {
                        Ok(report) => prop_assert!(line.trim().is_empty() || report.mismatches > 0 || report.games == 0),
                        Err(error) => prop_assert!(!error.to_string().is_empty()),
                    }
                }
            }
        }
    }
}
