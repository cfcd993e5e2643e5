//! External input: texts, objects, positions, bytes.

use ludovec_engine::View;
use ludovec_engine::{Guide, Words, pictures};
use proptest::prelude::*;
use serde_json::Value;
use serde_json::json;

use super::*;

#[test]
fn actions_are_read_back_from_text_and_object() {
    let game = Tilewe::with_players(4).unwrap();
    let state = some_position(&game, 5, 18);
    let mask = legal(&game, &state);
    let mut texts = std::collections::HashSet::new();
    for action in mask::iter(&mask) {
        let text = game.action_to_string(&state, action);
        assert_eq!(game.string_to_action(&state, &text), Ok(action), "{text}");
        let object = game.action_to_json(&state, action);
        assert_eq!(game.action_from_json(&state, &object), Ok(action), "{object}");
        assert!(texts.insert(text));
        // Every rotation that gives the shape spells the same action.
        let m = placement(action).unwrap().moves(game.rules.corners(&state, state.current())).last().unwrap();
        for &rotation in Rotation::ALL {
            if m.piece.shape(rotation) == m.piece.shape(m.rotation) {
                let other = Move { rotation, ..m }.to_string();
                assert_eq!(game.string_to_action(&state, &other), Ok(action), "{other}");
            }
        }
    }
}

#[test]
fn any_action_has_a_text_an_object_and_a_reason() {
    let game = Tilewe::with_players(2).unwrap();
    let state = some_position(&game, 1, 10);
    let mask = legal(&game, &state);
    for action in (0..PLACEMENTS as u32).step_by(7).chain([PLACEMENTS as u32, u32::MAX]) {
        let _ = game.action_to_string(&state, action);
        let _ = game.action_to_json(&state, action);
        let reason = game.explain_illegal(&state, action).to_string();
        assert!(!reason.contains('\n'));
        assert_eq!(reason.ends_with("is legal"), mask::contains(&mask, action), "{reason}");
    }
    assert!(game.explain_illegal(&state, 40_000).to_string().contains("there is no action 40000"));
}

#[test]
fn a_wrong_action_object_is_refused_by_name() {
    let game = Tilewe::with_players(2).unwrap();
    let state = some_position(&game, 1, 4);
    let good = json!({"type": "PLACE", "piece": "F5", "rotation": "e", "contact": "a2", "to_tile": "d4"});
    assert!(game.action_from_json(&state, &good).is_ok());
    for (key, value, reason) in [
        ("type", json!("PASS"), "the only type is PLACE"),
        ("piece", json!("Q5"), "is no piece: use O1, I2"),
        ("piece", json!(5), "\"piece\" must be a text"),
        ("rotation", json!("north"), "is no rotation"),
        ("contact", json!("b2"), "is no contact of F5e"),
        ("to_tile", json!("a21"), "tiles are a1 to t20"),
        ("to_tile", json!("t1"), "sticks out"),
        ("colour", json!("blue"), "unknown key \"colour\""),
    ] {
        let mut bad = good.clone();
        bad[key] = value;
        let error = game.action_from_json(&state, &bad).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    assert!(game.action_from_json(&state, &json!([1])).is_err());
}

#[test]
fn positions_are_read_back_from_objects() {
    for players in 1..=4 {
        let game = Tilewe::with_players(players).unwrap();
        random_game(&game, 2, |state| {
            let json = game.state_to_json(state);
            assert_eq!(game.state_from_json(&json), Ok(*state));
            assert_eq!(game.determinize(state, 0, &mut SeededChance::from_seed(0)), *state);
        });
    }
}

#[test]
fn a_position_may_be_set_up_with_board_and_player_alone() {
    let game = Tilewe::with_players(2).unwrap();
    let state = some_position(&game, 4, 9);
    let whole = game.state_to_json(&state);
    let brief = json!({"board": whole["board"], "current_player": whole["current_player"]});
    assert_eq!(game.state_from_json(&brief), Ok(state));
}

#[test]
fn a_position_that_cannot_be_is_refused_with_the_reason() {
    let game = Tilewe::with_players(2).unwrap();
    let json = |state: &State| game.state_to_json(state);
    let start = game.init(&mut SeededChance::from_seed(0));
    let rows = |bottom: &[&str]| {
        let empty = vec!["."; SIZE].concat();
        let mut rows = vec![empty.clone(); SIZE - bottom.len()];
        rows.extend(bottom.iter().map(|r| format!("{r}{}", &empty[r.len()..])));
        json!({"board": rows, "current_player": "blue"})
    };
    let error = |json: &Value| game.state_from_json(json).unwrap_err().to_string();
    assert!(game.state_from_json(&rows(&["....", "b"])).is_ok());
    for (bottom, reason) in [
        (&[".bb."][..], "blue has no tile in a corner"),
        (&["bb..", "bb.."], ""),
        (&["bbb.", "bbb."], "joined to a1 are no piece"),
        (&[".b..", "b..b"], "blue has placed O1 twice"),
        (&["....", "b.bb"], "the blue piece on c1 touches no other by a corner"),
        (&["....", "r..."], "red does not play in a game of 2"),
        (&["....", "?..."], "a1 is '?'"),
    ] {
        let json = rows(bottom);
        if reason.is_empty() {
            assert!(game.state_from_json(&json).is_ok());
        } else {
            assert!(error(&json).contains(reason), "{}", error(&json));
        }
    }
    for (key, value, reason) in [
        ("current_player", json!("red"), "seat 2 is to move in a game of 2"),
        ("current_player", json!("pink"), "is no colour"),
        ("current_player", json!(1), "must be a colour"),
        ("players", json!(3), "players is 3; the board says 2"),
        ("ply", json!(1), "ply is 1; the board says 0"),
        ("finished", json!(true), "finished is true"),
        ("scores", json!([1, 0]), "scores is [1,0]"),
        ("remaining_pieces", json!({"blue": ["O1"]}), "remaining_pieces is"),
        ("board", json!(["."]), "the board has 1 rows, not 20"),
        ("board", json!(vec![1; 20]), "must be a text of 20 tiles"),
        ("board", json!(7), "must be a list of 20 rows"),
        ("turn", json!(7), "unknown key \"turn\""),
    ] {
        let mut bad = json(&start);
        bad[key] = value;
        assert!(error(&bad).contains(reason), "{}", error(&bad));
    }
    assert!(error(&json!(3)).contains("a position is an object"));
}

#[test]
fn a_player_who_cannot_play_is_not_the_current_player() {
    let game = Tilewe::with_players(4).unwrap();
    let mut seen = 0;
    random_game(&game, 0, |state| {
        for seat in (0..4).filter(|&s| !state.finished() && !state.can_play(s)) {
            let mut json = game.state_to_json(state);
            json["current_player"] = json!(Color::ALL[seat].name());
            let error = game.state_from_json(&json).unwrap_err().to_string();
            assert!(error.contains("cannot play"), "{error}");
            seen += 1;
        }
    });
    assert!(seen > 0);
}

/// Calls every method that takes a state.
fn use_everywhere(game: &Tilewe, state: &State) {
    let mask = legal(game, state);
    if let Some(action) = mask::select(&mask, 0) {
        let mut next = *state;
        game.step(&mut next, action, &mut SeededChance::from_seed(0));
        assert_eq!(game.validate(&next), Ok(()));
        for bot in <Tilewe>::bots() {
            (bot.act)(game, state, &mask, &mut SeededChance::from_seed(0));
        }
    }
    for seat in 0..game.rules.players {
        observation(game, state, seat);
        game.observation_to_json(state, seat);
    }
    game.ranks(state, &mut vec![0; game.rules.players]);
    game.scores(state, &mut vec![0.0; game.rules.players]);
    assert_eq!(game.state_from_json(&game.state_to_json(state)), Ok(*state));
    pictures(game, state, View::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(amount(200) as u32))]

    #[test]
    fn bytes_of_a_state_are_refused_or_usable(
        players in 1usize..=4, seed in 0u64..4, ply in 0usize..84,
        changes in prop::collection::vec((0..size_of::<State>(), any::<u8>()), 0..4),
    ) {
        let game = Tilewe::with_players(players).unwrap();
        let mut state = some_position(&game, seed, ply);
        for (at, byte) in changes {
            bytemuck::bytes_of_mut(&mut state)[at] ^= byte;
        }
        if game.validate(&state).is_ok() {
            use_everywhere(&game, &state);
        }
    }

    #[test]
    fn arbitrary_bytes_are_refused_without_a_panic(bytes in prop::collection::vec(any::<u8>(), size_of::<State>())) {
        let state: State = bytemuck::pod_read_unaligned(&bytes);
        for players in 1..=4 {
            prop_assert!(Tilewe::with_players(players).unwrap().validate(&state).is_err());
        }
    }

    #[test]
    fn a_mutated_position_object_is_refused_or_usable(
        seed in 0u64..4, ply in 0usize..60, row in 0usize..20, column in 0usize..20, letter in "[bryg.é]",
    ) {
        let game = Tilewe::with_players(3).unwrap();
        let json = game.state_to_json(&some_position(&game, seed, ply));
        let mut text: Vec<char> = json["board"][row].as_str().unwrap().chars().collect();
        text[column] = letter.chars().next().unwrap();
        let mut rows = json["board"].clone();
        rows[row] = Value::String(text.into_iter().collect());
        let changed = json!({"board": rows, "current_player": json["current_player"]});
        if let Ok(state) = game.state_from_json(&changed) {
            use_everywhere(&game, &state);
        }
    }
}

#[test]
fn pictures_show_every_tile_and_every_piece_left() {
    let game = Tilewe::with_players(4).unwrap();
    let state = some_position(&game, 6, 30);
    let [text, svg] = pictures(&game, &state, View::default());
    let board: String = text.lines().take(SIZE).map(|line| &line[3..]).collect();
    for (seat, letter) in "bryg".chars().zip([0, 2, 1, 3]).map(|(l, s)| (s, l)) {
        assert_eq!(board.matches(letter).count(), game.rules.score(&state, seat));
    }
    assert_eq!(board.matches('*').count(), game.rules.corners(&state, state.current()).len());
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert_eq!(svg.matches("<circle").count(), game.rules.corners(&state, state.current()).len());
    assert!(!svg.contains("href") && !svg.contains("<script"));
}

#[test]
fn the_spec_declares_the_written_fields() {
    for players in 1..=4 {
        let game = Tilewe::with_players(players).unwrap();
        let spec = game.spec();
        assert_eq!((spec.num_actions as usize, spec.players, spec.actions.len()), (PLACEMENTS, players, 91));
        for (family, shape) in spec.actions.iter().zip(shapes()) {
            let first = placement(family.offset).unwrap();
            assert_eq!((first.shape(), first.tiles().contains(first.tile(shape.tiles()[0]))), (shape, true));
            assert_eq!(family.name, format!("{}{}", shape.piece(), shape.rotation()));
        }
        assert_eq!(spec.max_episode_steps as usize, 21 * players);
    }
    assert!(Tilewe::with_players(0).is_err() && Tilewe::with_players(5).is_err());
    assert!(Board::new(usize::MAX).is_err());
}
