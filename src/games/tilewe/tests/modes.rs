//! The modes of Blokus: options, starts, bonuses, two colours for each player, and the two sizes of the state.

use ludovec_engine::{PackedLayout, Words};
use serde_json::json;

use super::*;
use crate::rules::VERSION;
use crate::rules::state::SINGLE_LAST;

#[test]
fn modes_set_the_options_that_are_not_given() {
    let options = |given: &[(&'static str, &str)]| {
        let options = parsed(given).unwrap();
        let start = options.text("start").unwrap().to_string();
        (options.int("players"), options.int("board"), start, options.int("colors"), options.bool("bonus"))
    };
    assert_eq!(options(&[]), (4, 20, "free".into(), 1, false));
    assert_eq!(options(&[("mode", "tilewe")]), options(&[]));
    assert_eq!(options(&[("mode", "blokus")]), (4, 20, "own".into(), 1, true));
    assert_eq!(options(&[("mode", "blokus_duo")]), (2, 14, "duo".into(), 1, true));
    assert_eq!(options(&[("mode", "blokus_2")]), (2, 20, "own".into(), 2, true));
    assert_eq!(options(&[("mode", "blokus_duo"), ("bonus", "false")]), (2, 14, "duo".into(), 1, false));
}

#[test]
fn options_that_contradict_one_another_are_refused_in_one_line() {
    for (given, reason) in [
        (&[("colors", "2")][..], "option colors=2 with players=4: only two players"),
        (&[("mode", "blokus_2"), ("players", "1")], "option colors=2 with players=1: only two players"),
        (
            &[("start", "duo"), ("players", "2")],
            "start=duo, board=20, players=2, colors=1: duo has two points, on board=14",
        ),
        (
            &[("mode", "blokus_duo"), ("players", "3")],
            "start=duo, board=14, players=3, colors=1: duo has two",
        ),
        (&[("mode", "blokus_duo"), ("colors", "2")], "start=duo, board=14, players=2, colors=2: duo has two"),
    ] {
        let error = <Tilewe>::new(&parsed(given).unwrap()).err().unwrap().to_string();
        assert!(error.contains(reason) && !error.contains('\n'), "{error}");
    }
    for (given, reason) in [
        (("board", "7"), "from 8 to 20"),
        (("board", "21"), "from 8 to 20"),
        (("start", "corner"), "free, own, duo"),
        (("colors", "3"), "from 1 to 2"),
        (("mode", "duo"), "tilewe, blokus, blokus_duo, blokus_2"),
    ] {
        let error = parsed(&[given]).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

/// Both sizes of the state play every small game alike, decision by decision.
#[test]
fn small_states_are_the_large_ones() {
    let mut games = 0;
    for setting in settings() {
        if setting.side > 14 || setting.colors() > 2 {
            continue;
        }
        games += 1;
        let large = &setting.game;
        let small = SmallTilewe::new(&large.spec().options).unwrap();
        assert_eq!((small.spec().state_bytes, large.spec().state_bytes), (128, 348));
        assert_eq!(small.spec().observation, large.spec().observation);
        let mut chance = SeededChance::from_seed(1);
        for _ in 0..amount(4) {
            let mut narrow: SmallState = small.init(&mut chance);
            let mut wide = large.init(&mut chance);
            loop {
                assert_eq!(wide, narrow.resized());
                assert_eq!(narrow, wide.resized());
                let mut mask = vec![u64::MAX; small.spec().mask_words()];
                small.legal(&narrow, &mut mask);
                assert_eq!(mask, legal(large, &wide));
                assert_eq!(small.validate(&narrow), Ok(()));
                assert_eq!(small.state_to_json(&narrow), large.state_to_json(&wide));
                let layout = PackedLayout::new(&small.spec().observation);
                for seat in 0..setting.players {
                    let mut row = vec![0xaa; small.spec().observation_len()];
                    small.observe(&narrow, seat, &mut row);
                    assert_eq!(row, observation(large, &wide, seat));
                    let mut packed = [vec![0xaa; layout.row_bytes], vec![0x55; layout.row_bytes]];
                    small.observe_packed(&narrow, seat, &layout, &mut packed[0]);
                    large.observe_packed(&wide, seat, &layout, &mut packed[1]);
                    assert_eq!(packed[0], packed[1]);
                }
                if mask::count(&mask) == 0 {
                    break;
                }
                let action = mask::select(&mask, chance.uniform(mask::count(&mask))).unwrap();
                small.step(&mut narrow, action, &mut chance);
                large.step(&mut wide, action, &mut chance);
            }
        }
    }
    assert!(games > 2);
}

#[test]
fn packed_rows_are_the_packed_rows_of_bytes() {
    for setting in settings() {
        let game = &setting.game;
        let layout = PackedLayout::new(&game.spec().observation);
        random_game(game, 2, |state| {
            for seat in 0..setting.players {
                let (mut expected, mut packed) = (vec![0; layout.row_bytes], vec![0xaa; layout.row_bytes]);
                layout.pack(&observation(game, state, seat), &mut expected);
                game.observe_packed(state, seat, &layout, &mut packed);
                assert_eq!(packed, expected);
            }
        });
    }
}

#[test]
fn a_smaller_board_has_fewer_actions_and_shorter_rows() {
    let sizes = |given: &[(&'static str, &str)]| {
        let game = game(given);
        (game.spec().num_actions, game.spec().observation_len())
    };
    assert_eq!(sizes(&[("players", "2")]), (30_433, 4 * 400 + 2 * 23));
    assert_eq!(sizes(&[("mode", "blokus_duo")]), (13_729, 4 * 196 + 2 * 23));
    assert_eq!(sizes(&[("mode", "blokus_2")]), (30_433, 6 * 400 + 4 * 23));
    assert_eq!(sizes(&[("board", "8"), ("players", "2")]), (3_577, 4 * 64 + 2 * 23));
}

#[test]
fn each_colour_starts_in_its_own_corner_in_classic() {
    let game = game(&[("mode", "blokus")]);
    let mut board = Board::with_options([("mode", "blokus".into())]).unwrap();
    for (color, start) in Color::ALL.iter().zip(["a20", "t20", "t1", "a1"]) {
        assert_eq!((board.current_player(), board.player_corners(*color)), (*color, tiles(start)));
        assert_eq!(board.n_legal_moves(None), 58);
        let elsewhere: Move =
            format!("O1n-a1{}", if start == "a20" { "t20" } else { "a20" }).parse().unwrap();
        let error = board.push(elsewhere).unwrap_err().to_string();
        assert!(error.contains(&format!("must cover {start}")) || error.contains("is taken"), "{error}");
        board.push(format!("O1n-a1{start}").parse().unwrap()).unwrap();
    }
    assert_eq!(game.validate(board.state()), Ok(()));
    let swapped = json!({
        "board": game.state_to_json(board.state())["board"].as_array().unwrap().iter().map(|row| {
            row.as_str().unwrap().replace('b', "?").replace('y', "b").replace('?', "y")
        }).collect::<Vec<_>>(),
        "current_player": "blue",
    });
    let error = game.state_from_json(&swapped).unwrap_err().to_string();
    assert!(error.contains("blue does not cover its start, a20"), "{error}");
}

#[test]
fn a_first_piece_of_duo_covers_its_point_with_any_tile() {
    let mut board = Board::with_options([("mode", "blokus_duo".into())]).unwrap();
    let game = game(&[("mode", "blokus_duo")]);
    assert_eq!(board.player_corners(Color::Blue), tiles("e10"));
    // One placement for each tile of each shape.
    let all: usize = shapes().iter().map(|shape| shape.tiles().len()).sum();
    assert_eq!(game.rules.placements_for(board.state(), 0).len(), all);
    assert_eq!((board.generate_legal_moves(None).len(), board.n_legal_moves(None)), (all, all));
    // The centre of X5 is no contact: any of its contacts spells the move.
    for text in ["X5n-b1e9", "X5n-a2d10", "X5s-b3e11"] {
        assert!(board.is_legal(text.parse().unwrap()), "{text}");
    }
    // The end of I2 is on the point; the other end does not spell the move.
    assert!(board.is_legal("I2n-a1e10".parse().unwrap()) && !board.is_legal("I2n-a2e11".parse().unwrap()));
    let centre = game.string_to_action(board.state(), "e9,d10,e10,f10,e11").unwrap();
    assert_eq!(game.action_to_string(board.state(), centre), "X5n-b1e9");
    board.push("X5n-b1e9".parse().unwrap()).unwrap();
    // Yellow starts on j5 and nowhere else.
    let error = board.push("O1n-a1e5".parse().unwrap()).unwrap_err().to_string();
    assert!(error.contains("must cover j5"), "{error}");
    board.push("O1n-a1j5".parse().unwrap()).unwrap();
    assert_eq!(board.player_corners(Color::Blue).len(), 8);
}

#[test]
fn two_colours_of_a_player_are_placed_in_turn_and_counted_together() {
    let game = game(&[("mode", "blokus_2")]);
    let mut board = Board::with_options([("mode", "blokus_2".into())]).unwrap();
    assert_eq!((board.n_players(), board.colors()), (2, Color::ALL));
    let moves = ["I5n-a5a20", "O1n-a1t20", "I2n-a1t1", "I3n-a1a1"];
    for (ply, text) in moves.into_iter().enumerate() {
        assert_eq!(board.current_player(), Color::ALL[ply]);
        assert_eq!(game.current_player(board.state()), ply % 2);
        board.push(text.parse().unwrap()).unwrap();
    }
    assert_eq!((board.scores(), board.color_scores()), (vec![7, 4], vec![5, 1, 2, 3]));
    assert_eq!(board.winners(), [Color::Blue]);
    assert_eq!((game.seat_name(0), game.seat_name(1)), ("Blue and red".into(), "Yellow and green".into()));
    let json = game.state_to_json(board.state());
    assert_eq!((&json["scores"], &json["color_scores"]), (&json!([7, 4]), &json!([5, 1, 2, 3])));
}

/// A position in which blue has all pieces but some on the board, and yellow has placed none.
fn nearly_all(bonus: &str, last: &str) -> (Tilewe, Board) {
    let line = include_str!("../../../../tests/data/tilewe/recorded.jsonl").lines().next().unwrap();
    let recording: serde_json::Value = serde_json::from_str(line).unwrap();
    let played: Vec<&str> =
        recording["plies"].as_array().unwrap().iter().map(|p| p["played"].as_str().unwrap()).collect();
    let options = [("players", "1"), ("bonus", bonus)];
    let values = options.map(|(key, value)| (key, ludovec_engine::OptionValue::from(value)));
    let mut board = Board::with_options(values).unwrap();
    // The named piece goes last, if the others do not need it.
    let (end, rest): (Vec<&str>, Vec<&str>) = played.iter().partition(|m| m.starts_with(last));
    for text in rest.into_iter().chain(end) {
        let m: Move = text.parse().unwrap();
        let placement = m.placement(board.placements()).unwrap();
        let corners = board.rules().corners(board.state(), 0);
        board.push(placement.moves(corners).next().unwrap()).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
    (game(&options), board)
}

#[test]
fn bonuses_are_for_all_pieces_and_for_the_single_square_as_the_last() {
    // The recorded game places all pieces.
    let line = include_str!("../../../../tests/data/tilewe/recorded.jsonl").lines().next().unwrap();
    let recording: serde_json::Value = serde_json::from_str(line).unwrap();
    let last = recording["plies"].as_array().unwrap().last().unwrap()["played"].as_str().unwrap();
    let (_, plain) = nearly_all("false", &last[..2]);
    assert_eq!((plain.finished(), plain.scores()), (true, vec![89]));
    assert_eq!(plain.state().left[0], 0);
    let (_, other) = nearly_all("true", &last[..2]);
    let is_single = &last[..2] == "O1";
    assert_eq!(other.scores(), vec![if is_single { 109 } else { 104 }]);
    let (game, single) = nearly_all("true", "O1");
    assert_eq!((single.finished(), single.scores(), single.state().left[0]), (true, vec![109], SINGLE_LAST));
    // The order of pieces is part of the position.
    let json = game.state_to_json(single.state());
    assert_eq!((&json["single_square_last"], &json["scores"]), (&json!(["blue"]), &json!([109])));
    assert_eq!(game.state_from_json(&json).as_ref(), Ok(single.state()));
    let brief = json!({"board": json["board"], "current_player": "blue"});
    let read = game.state_from_json(&brief).unwrap();
    assert_eq!(game.rules.score(&read, 0), 104);
    // A colour with pieces left has no bonus to claim.
    let start = game.state_to_json(&game.init(&mut SeededChance::from_seed(0)));
    for wrong in [json!(["blue"]), json!("blue"), json!(["pink"]), json!([1])] {
        let mut json = start.clone();
        json["single_square_last"] = wrong;
        assert!(game.state_from_json(&json).unwrap_err().to_string().contains("single_square_last"));
    }
    let mut state = *single.state();
    state.left[0] |= 1 << 22;
    assert!(game.validate(&state).is_err());
    let plain = self::game(&[("players", "1")]);
    assert!(plain.validate(single.state()).is_err());
}

#[test]
fn moves_are_read_as_lists_of_tiles() {
    let game = game(&[("mode", "blokus_duo")]);
    let state = some_position(&game, 3, 8);
    for action in mask::iter(&legal(&game, &state)) {
        let placement = game.rules.placements.get(action).unwrap();
        let text = notation::tiles_text(placement);
        assert_eq!(game.string_to_action(&state, &text), Ok(action), "{text}");
        let mut reversed: Vec<&str> = text.split(',').collect();
        reversed.reverse();
        assert_eq!(game.string_to_action(&state, &reversed.join(", ").to_uppercase()), Ok(action));
    }
    let start = game.init(&mut SeededChance::from_seed(0));
    for (text, reason) in [
        ("e10,e11,e13", "are no piece"),
        ("e10,e10", "names e10 twice"),
        ("e10,o10", "o10 is not on the board, which has 14x14"),
        ("e10,e21", "no tile"),
        ("a1,a2", "must cover e10"),
        ("e10,", "no tile"),
        ("pass", "no move"),
        ("", "no move"),
        ("I2n-a1e14", "sticks out of the board"),
    ] {
        let error = game.string_to_action(&start, text).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

#[test]
fn random_games_of_the_modes_are_pinned() {
    // These values change only together with `VERSION`.
    let pinned = |given: &[(&'static str, &str)]| {
        let game = game(given);
        let mut hash = xxhash_rust::xxh3::Xxh3Default::new();
        for seed in 0..3 {
            random_game(&game, seed, |state| {
                legal(&game, state).iter().for_each(|word| hash.update(&word.to_le_bytes()));
                hash.update(&observation(&game, state, game.current_player(state)));
            });
        }
        format!("{:016x}", hash.digest())
    };
    for (given, hash) in [
        ([("mode", "blokus")], "2f342f25bac81f90"),
        ([("mode", "blokus_duo")], "e44f9e8ea341361e"),
        ([("mode", "blokus_2")], "2f342f25bac81f90"),
        ([("board", "11")], "3ae662249fc79943"),
    ] {
        assert_eq!((VERSION, pinned(&given)), (1, hash.into()), "{given:?}");
    }
}
