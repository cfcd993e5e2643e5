//! Moves that a game takes, and games that are written: PGN, FEN and EPD.

use ludovec_chess::ENTRY;
use ludovec_chess::notation::pgn;
use ludovec_engine::{OptionValue, Record};

use super::exported;

/// Plays moves given as UCI through the engine's single game, and returns its record.
fn recorded_game(options: &[(&str, &str)], moves: &str) -> Record {
    let given: Vec<_> = options.iter().map(|(k, v)| (*k, OptionValue::from(*v))).collect();
    let mut game = ENTRY.make(given).unwrap().single(1);
    for text in moves.split_whitespace() {
        let action = game.string_to_action(text).unwrap();
        game.step(action).unwrap();
    }
    game.record()
}

#[test]
fn games_take_moves_in_either_notation() {
    let game = ENTRY.make([]).unwrap().single(1);
    let action = |text: &str| game.string_to_action(text);
    assert_eq!(action("g1f3").unwrap(), action("Nf3").unwrap());
    assert_eq!(action("e2e4").unwrap(), action("e4").unwrap());
    for wrong in ["", "e5", "g1g3", "Nd2", "O-O", "\u{0}", "a2a4q"] {
        assert!(action(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn a_finished_game_is_written_as_pgn() {
    let record = recorded_game(&[], "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7");
    let text = pgn::from_record(&record, &[("White", "a \"b\""), ("Annotator", "c")]).unwrap();
    let expected = r#"[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "a \"b\""]
[Black "?"]
[Result "1-0"]
[Annotator "c"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0
"#;
    assert_eq!(text, expected);
}

#[test]
fn the_last_position_is_written_as_fen_and_epd() {
    for (options, moves, board, counts) in [
        (&[][..], "g1f3 g8f6", "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq -", "2 2"),
        (&[], "", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "0 1"),
        (
            &[("variant", "3check"), ("fen", "4k3/8/8/8/8/8/8/R3K3 w Q - 2+3 7 9")],
            "a1a8",
            "R3k3/8/8/8/8/8/8/4K3 b - - 1+3",
            "8 9",
        ),
        (
            &[("variant", "duck")],
            "e2e4 D@e5",
            "rnbqkbnr/pppppppp/8/4d3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -",
            "0 1",
        ),
    ] {
        let record = recorded_game(options, moves);
        assert_eq!(exported("fen", &record).unwrap(), format!("{board} {counts}\n"));
        let [halfmoves, fullmoves] = counts.split(' ').collect::<Vec<_>>()[..] else { panic!("{counts}") };
        let epd = exported("epd", &record).unwrap();
        assert_eq!(epd, format!("{board} hmvc {halfmoves}; fmvn {fullmoves};\n"));
    }
    let said = exported("fen", &recorded_game(&[("variant", "duck")], "e2e4")).unwrap_err().to_string();
    assert!(said.contains("the last turn is not over"), "{said}");
}

#[test]
fn games_from_elsewhere_carry_their_position_and_variant() {
    let fen = "4k3/8/8/8/8/8/4p3/K7 b - - 3 40";
    let text = pgn::from_record(&recorded_game(&[("fen", fen)], "e2e1q a1b2"), &[]).unwrap();
    assert!(text.contains(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]")), "{text}");
    assert!(text.ends_with("\n40... e1=Q+ 41. Kb2 *\n"), "{text}");
    let duck = recorded_game(&[("flags", "duck_chess")], "e2e4 D@a6 e7e5 D@a5");
    let text = pgn::from_record(&duck, &[]).unwrap();
    assert!(text.contains("[Variant \"chess duck_chess\"]"), "{text}");
    assert!(text.ends_with("\n1. e4 D@a6 e5 D@a5 *\n"), "{text}");
    let drawn = recorded_game(&[("variant", "chess960")], "");
    assert!(pgn::from_record(&drawn, &[]).unwrap().contains("[Variant \"chess960\"]\n[SetUp \"1\"]\n[FEN "));
}

#[test]
fn long_games_are_wrapped() {
    let moves =
        "g1f3 g8f6 b1c3 b8c6 a2a3 a7a6 b2b3 b7b6 c1b2 c8b7 e2e3 e7e6 f1e2 f8e7 e1g1 e8g8 d2d3 d7d6 d1d2 d8d7";
    let text = pgn::from_record(&recorded_game(&[], moves), &[]).unwrap();
    assert!(text.lines().all(|line| line.len() <= 79), "{text}");
    let words: Vec<_> = text.split_whitespace().collect();
    assert!(words.ends_with(&["10.", "Qd2", "Qd7", "*"]), "{text}");
}

#[test]
fn records_that_are_no_games_of_chess_are_refused() {
    let mut record = recorded_game(&[], "e2e4");
    record.labels[0] = "e2e5".into();
    assert!(pgn::from_record(&record, &[]).unwrap_err().to_string().contains("step 0"));
    record.env = "tilewe".into();
    assert!(pgn::from_record(&record, &[]).unwrap_err().to_string().contains("\"tilewe\""));
}
