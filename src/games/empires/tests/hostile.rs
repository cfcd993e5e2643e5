//! All external input is accepted or refused, without a panic.

use bytemuck::bytes_of_mut;
use proptest::prelude::*;

use super::*;
use crate::RawGame;
use ludovec_engine::{self as engine, Rules, Status, Words};

/// Calls all methods on a state, and plays on for a while.
fn exercise(game: &TestGame, mut state: TestState) {
    let mut chance = SeededChance::from_seed(1);
    let mut observation = vec![0; game.spec.observation_len()];
    for _ in 0..40 {
        for seat in 0..game.rules.players {
            game.observe(&state, seat, &mut observation);
        }
        let (mut scores, mut ranks) = ([0.0; 8], [0; 8]);
        game.scores(&state, &mut scores[..game.rules.players]);
        game.ranks(&state, &mut ranks[..game.rules.players]);
        let mask = legal(game, &state);
        if game.status(&state) != Status::Running {
            assert_eq!(mask::count(&mask), 0);
            break;
        }
        let action = mask::select(&mask, chance.uniform(mask::count(&mask))).unwrap();
        game.step(&mut state, action, &mut chance);
        game.validate(&state).unwrap();
    }
    engine::pictures(game, &state, engine::View::default());
    game.observation_to_json(&state, 0);
    for action in 0..game.spec.num_actions {
        game.explain_illegal(&state, action);
    }
    assert_eq!(game.state_from_json(&game.state_to_json(&state)).unwrap(), state);
}

fn small_game() -> TestGame {
    game(&[("width", "6"), ("height", "5"), ("players", "3"), ("max_turns", "300")])
}

fn some_state(game: &TestGame, seed: u64, steps: u64) -> TestState {
    let mut last = None;
    play_randomly(game, seed, steps, |state, _| last = Some(*state));
    last.unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(amount(400) as u32))]

    #[test]
    fn changed_bytes_are_refused_or_playable(
        seed in 0u64..50,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let game = small_game();
        let mut state = some_state(&game, seed, 60);
        let used = game.rules.state_words() * 8;
        let (planes, ledger) = (LARGEST * 8, size_of::<TestState>() - LARGEST * 8);
        for (at, byte) in changes {
            // Changes hit the planes in use and the ledger, not the unused words of the size class.
            let at = at.index(used + ledger);
            bytes_of_mut(&mut state)[if at < used { at } else { planes + at - used }] = byte;
        }
        if game.validate(&state).is_ok() {
            exercise(&game, state);
        }
    }

    #[test]
    fn random_bytes_are_refused_or_playable(bytes in prop::collection::vec(any::<u8>(), 400)) {
        let game = small_game();
        let mut state = TestState::empty();
        let end = size_of::<TestState>();
        bytes_of_mut(&mut state)[..200].copy_from_slice(&bytes[..200]);
        bytes_of_mut(&mut state)[end - 56..].copy_from_slice(&bytes[200..256]);
        if game.validate(&state).is_ok() {
            exercise(&game, state);
        }
    }

    #[test]
    fn changed_json_is_refused_or_playable(
        seed in 0u64..50,
        at in any::<prop::sample::Index>(),
        with in prop::sample::select(vec!["0", "7", "-1", "null", "[", "\"", ".", "<", "99999999999", ":", "é"]),
    ) {
        let game = small_game();
        let mut text = game.state_to_json(&some_state(&game, seed, 80)).to_string();
        let at = at.index(text.len());
        text.replace_range(at..at + 1, with);
        if let Ok(json) = serde_json::from_str::<Value>(&text)
            && let Ok(state) = game.state_from_json(&json)
        {
            exercise(&game, state);
        }
    }

    #[test]
    fn any_text_for_castles_is_read_or_refused(text in "[0-9:, x-]{0,12}|.{0,12}") {
        let given = [("players", OptionValue::from(2i64)), ("castles", text.as_str().into())];
        if let Ok(options) = Options::parse(&crate::options::list(), given) {
            let _ = TestGame::new(&options);
        }
    }

    #[test]
    fn any_raw_action_is_played_or_refused(
        name in "conquer|farm|fort|castle|harvest|pass|[a-z]{0,3}",
        x in prop_oneof![0i64..7, any::<i64>()],
        y in prop_oneof![0i64..7, any::<i64>()],
        form in 0usize..8,
    ) {
        let game = small_game();
        let mut played = RawGame::new(&game.spec.options, 3).unwrap();
        let raw = [
            json!([name, [x, y]]),
            json!([name, null]),
            json!([name, [x]]),
            json!([name, {"x": x}]),
            json!({"type": name, "position": [x, y]}),
            json!({"type": x}),
            json!([name]),
            json!(x),
        ][form].clone();
        let entry = played.submit_raw(&raw).unwrap();
        prop_assert_eq!(&entry.requested, &raw.to_string());
        prop_assert_eq!(played.journal().len(), 1);
    }
}

#[test]
fn a_refused_position_names_the_allowed_values() {
    let game = small_game();
    let good = game.state_to_json(&some_state(&game, 1, 50));
    game.state_from_json(&good).unwrap();
    for (pointer, wrong, message) in [
        ("/turn", json!(0), "turn 0: 1 to 300 is allowed"),
        ("/turn", json!(301), "1 to 300"),
        ("/current_player", json!(3), "0 to 2 allowed"),
        ("/current_player", json!(null), "one of the waiting players"),
        ("/waiting", json!([8]), "0 to 2 allowed"),
        ("/players", json!([]), "0 given, 3 allowed"),
        ("/players/0/eliminated", json!(300), "is allowed"),
        ("/players/0/eliminated", json!(0), "turns count from 1"),
        ("/players/0/resources", json!(-1), "position: invalid value"),
        ("/world", json!([]), "0 rows given, 5 allowed"),
        ("/world/1", json!("x"), "12 characters allowed"),
        ("/world/1", json!(".:.:.:.:.:.["), "cell 5,1 is \".[\""),
        ("/world/1", json!(".:.:.:.:.:3:"), "cell 5,1 is \"3:\""),
    ] {
        let mut json = good.clone();
        *json.pointer_mut(pointer).unwrap() = wrong;
        let error = game.state_from_json(&json).unwrap_err().to_string();
        assert!(error.contains(message), "{pointer}: {error}");
        assert!(!error.contains('\n'));
    }
}

#[test]
fn refused_castles_are_named() {
    for (text, message) in [
        ("1:1", "1 cells for 2 players"),
        ("1:1,1:1", "1:1 is given twice"),
        ("1:1,40:0", "40:0 is outside the map of 40x20 cells"),
        ("1:1,a", "\"a\" is not a cell x:y"),
        ("1:1,-1:3", "outside the map"),
    ] {
        let given = [("players", OptionValue::from(2i64)), ("castles", text.into())];
        let options = Options::parse(&crate::options::list(), given).unwrap();
        let error = TestGame::new(&options).unwrap_err().to_string();
        assert!(error.contains(message) && error.contains(text), "{error}");
    }
}
