//! The entry of the registry from outside: games for any options, read and written.

mod read;
mod written;

use std::collections::BTreeSet;

use ludovec_chess::objects::{Board, Extra, Game, Position, StandardResult};
use ludovec_chess::{ENTRY, variant};
use ludovec_engine::{OptionValue, Record, Result, SingleGame, Tool, View};

fn exported(format: &str, record: &Record) -> Result<String> {
    ENTRY.export(record, format)
}

#[test]
fn a_board_restores_all_fields_of_a_state() {
    let at = |name: &str| {
        let bytes = name.as_bytes();
        Position::new(i16::from(bytes[0] - b'a'), 8 - i16::from(bytes[1] - b'0'))
    };
    for (name, moves) in [
        ("chess", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1"),
        ("crazyhouse", "e2e4 d7d5 e4d5 d8d5"),
        ("duck", "e2e4 D@h5 e7e5"),
    ] {
        let mut game = ENTRY.make([("variant", OptionValue::from(name))]).unwrap().single(0);
        for text in moves.split_whitespace() {
            game.step(game.string_to_action(text).unwrap()).unwrap();
        }
        let board = Board::from_state(&variant::load::<&str>(name, &[]).unwrap(), &game.position()).unwrap();
        assert_eq!(board.fen(), game.position()["fen"].as_str().unwrap());
        assert_eq!(board.current_player().seat, game.current_player());
        let mut objects = Game::on(board, [Box::new(StandardResult) as Box<_>]);
        match name {
            "chess" => {
                let options = objects.board_mut().move_options(at("f6"));
                let back = options.into_iter().find(|option| option.position == at("g8")).unwrap();
                assert!(objects.play(at("f6"), &back).unwrap());
                assert_eq!(objects.result(), Some("repetition, draw"));
            }
            "crazyhouse" => {
                let drop = objects.board_mut().move_options(at("e4")).remove(0);
                assert_eq!(drop.extra.get("drop"), Some(&Extra::Text("pawn".into())));
            }
            _ => assert!(!objects.board_mut().move_options(at("h5")).is_empty()),
        }
    }
}

#[test]
fn the_last_move_is_marked_until_it_is_taken_back() {
    let mut game = ENTRY.make([]).unwrap().single(0);
    let ansi = View { ansi: true, ..View::default() };
    let marks = |game: &SingleGame| {
        let svg = game.to_svg(View::default()).unwrap();
        let squares: usize = ["#f3e38a", "#cdb349"].iter().map(|colour| svg.matches(colour).count()).sum();
        (squares, game.to_text(ansi).unwrap().matches("\x1b[48;5;65;").count())
    };
    assert_eq!(marks(&game), (0, 0));
    for text in ["e4", "e5", "Nf3"] {
        game.step(game.string_to_action(text).unwrap()).unwrap();
        assert_eq!(marks(&game), (2, 2), "{text}");
    }
    assert!(!game.to_text(View::default()).unwrap().contains('\x1b'));
    while game.undo() {}
    assert_eq!(marks(&game), (0, 0));
}

#[test]
fn positions_in_which_the_king_could_be_taken_are_refused() {
    for (name, fen) in [
        ("chess", "8/8/8/3kK3/8/8/8/8 w - - 0 1"),
        ("chess960", "8/8/3k4/4K3/8/8/8/8 b - - 0 1"),
        ("chess", "4k3/8/8/8/8/8/8/K3R3 w - - 0 1"),
        ("chess", "4k3/3P4/8/8/8/8/8/K7 w - - 0 1"),
        ("crazyhouse", "8/8/8/3kK3/8/8/8/8[] w - - 0 1"),
        ("capablanca", "10/10/10/4kK4/10/10/10/10 w - - 0 1"),
        ("knightmate", "8/8/3k4/8/2K5/8/8/8 w - - 0 1"),
    ] {
        let error = ENTRY
            .make([("variant", name.into()), ("fen", fen.into())])
            .map(|_| ())
            .expect_err(fen)
            .to_string();
        assert!(error.contains("could take the king"), "{name} {fen}: {error}");
    }
    // Kings may touch in variants with exploding captures; with ordinary captures, all may be attacked.
    for (name, fen) in
        [("atomic", "8/8/8/3kK3/8/8/8/7Q w - - 0 1"), ("antichess", "8/8/8/3kK3/8/8/8/7Q w - - 0 1")]
    {
        ENTRY.make([("variant", name.into()), ("fen", fen.into())]).unwrap();
    }
}

/// Compares the starting position of each shipped variant with Fairy-Stockfish (`starts.jsonl`, from its `variant.cpp`
/// of July 2026). The file gives a reason for variants that Fairy-Stockfish does not have.
#[test]
fn games_start_as_in_an_independent_engine() {
    let mut names = BTreeSet::new();
    let mut alone = 0;
    for line in include_str!("../../../../../tests/data/chess/starts.jsonl").lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = row["variant"].as_str().unwrap();
        names.insert(name.to_string());
        let Some(start) = row["start"].as_str() else {
            assert!(row["why"].is_string(), "{name}");
            alone += 1;
            continue;
        };
        // A FEN of a variant without castling and en passant may omit these fields.
        let start = start.replace(" w 0 1", " w - - 0 1");
        assert_eq!(variant::load::<&str>(name, &[]).unwrap().start, start, "{name}");
        let game = ENTRY.make([("variant", name.into())]).unwrap();
        let placement = start.split([' ', '[']).next().unwrap();
        let shown = game.single(0).position().to_string();
        // Games of Chess960 start from a shuffled first rank.
        assert!(name == "chess960" || shown.contains(placement), "{name}: {shown}");
    }
    assert_eq!((names, alone), (variant::variants().map(String::from).collect(), 1));
}

#[test]
fn options_for_standard_chess_are_refused_by_what_is_allowed() {
    for (option, value) in [("action_view", "az73"), ("observation", "az119")] {
        let given = [("variant", OptionValue::from("atomic")), (option, value.into())];
        let said = ENTRY.make(given).unwrap_err().to_string();
        let expected = format!("option {option}={value}: this is for variants chess and chess960, ");
        assert!(said.contains(&expected) && said.contains("allowed here"), "{said}");
    }
}

#[test]
fn draws_that_must_be_claimed_leave_the_observation_as_it_is() {
    let game = ENTRY.make([("draws", "claimed".into())]).unwrap();
    assert_eq!(game.spec().observation_shape, ENTRY.make([]).unwrap().spec().observation_shape);
}

#[test]
fn checking_a_file_prints_a_summary_or_the_error() {
    let check = ENTRY.tools.iter().find_map(|tool| match tool {
        Tool::CheckVariant(check) => Some(check),
        _ => None,
    });
    let check = check.unwrap();
    let path = std::env::temp_dir().join(format!("ludovec-check-{}.toml", std::process::id()));
    let path = path.to_str().unwrap();
    std::fs::write(path, "extends = \"gardner\"\nname = \"tiny\"\n").unwrap();
    let said = check(path).unwrap();
    assert!(said.starts_with("tiny: 5 x 5 cells, 6 kinds of pieces"), "{said}");
    std::fs::write(path, "extends = \"gardner\"\ncolour = 1\n").unwrap();
    assert!(check(path).unwrap_err().to_string().contains("line 2: unknown key colour"));
    std::fs::remove_file(path).unwrap();
    assert!(check("no_such_file").unwrap_err().to_string().contains("no_such_file"));
    if cfg!(unix) {
        for name in ["/dev/zero".to_string(), format!("{}/", std::env::temp_dir().display())] {
            let said = check(&name).unwrap_err().to_string();
            assert!(said.contains("a regular file is needed"), "{name}: {said}");
        }
    }
}
