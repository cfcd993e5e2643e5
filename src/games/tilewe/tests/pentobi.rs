//! Other Blokus engines: recorded games, and the files of Pentobi.

use ludovec_engine::{Dialect, ImportedGame, OptionValue, Record};
use serde_json::json;

use super::*;

/// Moves and results of pentobi-gtp and blokus-rl, one game a line.
const RECORDED: &str = include_str!("../../../../tests/data/tilewe/blokus.jsonl");
const DUO: &str = include_str!("../../../../tests/data/tilewe/pentobi_duo.blksgf");
const CLASSIC: &str = include_str!("../../../../tests/data/tilewe/pentobi_classic.blksgf");
const TWO_PLAYER: &str = include_str!("../../../../tests/data/tilewe/pentobi_two_player.blksgf");

#[test]
fn games_of_other_engines_agree_in_moves_and_results() {
    let report = conform::conform(&mut RECORDED.as_bytes()).unwrap();
    assert_eq!((report.games, report.mismatches, report.first), (190, 0, None));
    assert!(report.positions > 9_000, "{}", report.positions);
    for (word, games) in [
        ("\"pentobi-gtp ", 145),
        ("\"blokus-rl ", 45),
        ("\"mode\":\"blokus\"", 90),
        ("\"mode\":\"blokus_2\"", 20),
        ("\"mode\":\"blokus_duo\"", 80),
    ] {
        assert_eq!(RECORDED.lines().filter(|line| line.contains(word)).count(), games, "{word}");
    }
    // Bonuses are among them: a colour has 89 tiles.
    let scores = RECORDED.lines().filter_map(|line| {
        let game: serde_json::Value = serde_json::from_str(line).unwrap();
        game["scores"].as_array().map(|scores| scores.iter().map(|s| s.as_u64().unwrap()).max().unwrap())
    });
    assert!(scores.filter(|&best| best >= 104).count() > 9);
}

#[test]
fn a_recording_of_another_engine_that_differs_is_told_apart() {
    let line =
        |mode: &str| RECORDED.lines().find(|line| line.contains(&format!("\"mode\":\"{mode}\""))).unwrap();
    let differs = |line: &str, from: &str, to: &str| {
        assert!(line.contains(from), "{from}");
        let changed = line.replacen(from, to, 1);
        conform::conform(&mut changed.as_bytes()).map(|report| report.first.unwrap_or_default())
    };
    let (classic, duo) = (line("blokus"), line("blokus_duo"));
    for (line, from, to, first) in [
        (classic, "\"legal\":[58", "\"legal\":[59", "line 1, ply 0: legal is 58, recorded is 59"),
        (classic, "\"legal\":[58,", "\"legal\":[58,58,", "the number of lists"),
        (duo, "\"legal\":[414", "\"legal\":[413", "line 1, ply 0: legal is 414"),
        (duo, "\"mode\":\"blokus_duo\"", "\"mode\":\"blokus\"", "legal is 58"),
        (duo, "\"digest\":\"", "\"digest\":\"0", "digest is"),
        (duo, "\"lead\":", "\"lead\":1", "lead is"),
        (classic, "\"scores\":[", "\"scores\":[1", "scores is"),
        (classic, "\"scores\":[", "\"lead\":3,\"other\":[", "either scores or"),
        (classic, "\"played\":[\"", "\"played\":[\"?", "no tile"),
    ] {
        let found = differs(line, from, to).unwrap();
        assert!(found.contains(first), "{to}: {found}");
    }
    for (from, to) in [("\"mode\":\"blokus_duo\"", "\"mode\":\"trio\""), ("\"legal\"", "\"illegal\"")] {
        let error = differs(duo, from, to).unwrap_err().to_string();
        assert!(error.contains("line 1") && !error.contains('\n'), "{error}");
    }
}

/// Every game of a file, or the first error.
fn read(text: &str, given: &[(String, OptionValue)]) -> ludovec_engine::Result<Vec<ImportedGame>> {
    let mut games = Vec::new();
    sgf::import(&mut text.as_bytes(), given, &mut |game| {
        games.push(game);
        true
    });
    games.into_iter().collect()
}

fn import(text: &str) -> Record {
    let mut games = read(text, &[]).unwrap();
    assert_eq!(games.len(), 1);
    games.remove(0).record
}

/// Moves in a file, in their order.
fn moves(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with(';') && !line.starts_with(";GM")).collect()
}

#[test]
fn files_of_pentobi_are_read_and_written_as_they_were() {
    for (text, mode, scores) in [
        (DUO, "blokus_duo", vec![-8.0]),
        (CLASSIC, "blokus", vec![77.0, 85.0, 70.0, 75.0]),
        (TWO_PLAYER, "blokus_2", vec![-16.0]),
    ] {
        let record = import(text);
        assert_eq!(record.options["mode"], mode);
        assert!(record.returns.is_some(), "the game is played to its end");
        let found = match &record.scores[..] {
            [first, second] => vec![first - second],
            all => all.to_vec(),
        };
        assert_eq!(found, scores, "{mode}");
        let written = sgf::export(&record).unwrap();
        assert_eq!(moves(&written), moves(text), "{mode}");
        assert_eq!(import(&written), record);
    }
}

#[test]
fn names_results_and_set_up_pieces_are_read() {
    let text = "\u{feff}(\n;GM[Blokus Duo] CA [UTF-8] PB[A\\]d\\\\a] PW[Grace]\n AB[e8,e9,f9,d10,e10][g6,f7,g7,h7,g8]\n\
                AW[i4,h5,i5,j5,i6]PL[W]\n(;W[j7,j8,j9,k9,j10]C[good (or not;)](;B[h9])(;B[h9,i9]))(;W[k7]))";
    let record = import(text);
    assert_eq!(record.names, ["A]d\\a", "Grace"]);
    assert_eq!((record.actions.len(), record.players.clone()), (2, vec![1, 0]));
    assert_eq!(record.scores, [11.0, 10.0]);
    let game = &read(text, &[("reward".into(), "score".into())]).unwrap()[0];
    assert_eq!(
        (game.comments.clone(), &game.record.options["reward"]),
        (vec![(1, "good (or not;)".into())], &json!("score"))
    );
    assert!(
        game.tags.contains(&("PW".into(), "Grace".into())) && game.tags.iter().all(|(name, _)| name != "AB")
    );
    // Positions are not written.
    assert!(sgf::export(&record).unwrap_err().to_string().contains("from the start only"));
    // The names and values of old files.
    let old =
        &read("(;GM[Blokus];BLUE[a20][b20];2[t20];RED[t1];4[a1])(;GM[Blokus Duo])", &[]).unwrap()[0].record;
    assert_eq!(old.scores, [2.0, 1.0, 1.0, 1.0]);
}

#[test]
fn wrong_files_are_refused_in_one_line() {
    for (text, reason) in [
        ("", "has no game"),
        ("hello", "hello has no value"),
        ("(;GM[Blokus Duo]", "\")\" is missing"),
        ("(;GM[Blokus Duo", "\"]\" is missing"),
        (";GM[Blokus]", "outside of a game"),
        (")", "\")\" without"),
        ("()", "game 1: it has no nodes"),
        ("(GM[Blokus])", "GM is outside of a node"),
        ("(;B[e10])", "GM is missing"),
        ("(;GM[Blokus Trigon])", "GM[Blokus Trigon]: the games are Blokus, Blokus Two-Player, Blokus Duo"),
        ("(;GM[Blokus Three-Player])", "the games are"),
        ("(;GM[Blokus Duo];B[e10];B[j5])", "move 2: blue plays, and yellow is to move"),
        ("(;GM[Blokus Duo];W[j5])", "move 1: yellow plays, and blue is to move"),
        ("(;GM[Blokus Duo];B[a1])", "move 1: the first piece of blue must cover e10"),
        ("(;GM[Blokus Duo];B[e10,f11])", "are no piece"),
        ("(;GM[Blokus Duo];B[pass])", "no tile"),
        ("(;GM[Blokus Duo];B[e10];AW[j5])", "AW after the first node"),
        ("(;GM[Blokus Duo]AB[e10]AW[e10])", "AW[e10]: e10 is taken"),
        ("(;GM[Blokus Duo]AB[a1])", "blue does not cover its start"),
        ("(;GM[Blokus Duo]PL[3])", "PL[3]: the colours are B, W"),
        ("(;GM[Blokus Duo])\n(;GM[Go])", "game 2: GM[Go]"),
        ("(;GM[Blokus Duo]\n\n!)", "line 3: '!'"),
    ] {
        let error = read(text, &[]).unwrap_err().to_string();
        assert!(error.contains(reason) && !error.contains('\n'), "{text}: {error}");
    }
    let deep = "(".repeat(100_000) + ";" + &")".repeat(100_000);
    assert!(read(&deep, &[]).is_err());
}

#[test]
fn games_without_a_name_in_pentobi_are_not_written() {
    let record = |given: &[(&'static str, &str)]| {
        let game = build(&parsed(given).unwrap()).unwrap();
        game.single(0).record()
    };
    for given in [
        &[][..],
        &[("mode", "blokus"), ("players", "3")],
        &[("mode", "blokus_duo"), ("players", "1")],
        &[("mode", "blokus_duo"), ("bonus", "false")],
        &[("mode", "blokus_2"), ("board", "19")],
    ] {
        let error = sgf::export(&record(given)).unwrap_err().to_string();
        assert!(error.contains("blokus, blokus_2, blokus_duo"), "{error}");
    }
    let mut wrong = record(&[("mode", "blokus_duo")]);
    assert_eq!(sgf::export(&wrong).unwrap(), "(\n;GM[Blokus Duo]CA[UTF-8]\n)\n");
    wrong.actions = vec![0];
    assert!(sgf::export(&wrong).unwrap_err().to_string().contains("cannot be replayed"));
    wrong.options = json!({ "mode": "chess" });
    assert!(sgf::export(&wrong).unwrap_err().to_string().contains("mode=chess"));
    wrong.env = "chess".into();
    assert!(sgf::export(&wrong).unwrap_err().to_string().contains("one of \"chess\""));
}

#[test]
fn placements_of_a_position_lead_to_it() {
    for mode in ["blokus", "blokus_2", "blokus_duo"] {
        let game = game(&[("mode", mode)]);
        let last = |seed| {
            let mut last = None;
            random_game(&game, seed, |state| last = Some(*state));
            last.unwrap()
        };
        for seed in 0..5 {
            let end = last(seed);
            let mut board = Board::with_options([("mode", OptionValue::from(mode))]).unwrap();
            let rules = board.rules().clone();
            let mut state: State = rules.init();
            let found = notation::placements(&rules, &end);
            assert_eq!(found.len(), rules.ply(&end));
            for (color, placement) in found {
                // Out of turn, as engines accept it.
                assert!(rules.placements_for(&state, color).contains(&placement));
                state.current = color as u32;
                rules.place(&mut state, placement);
            }
            assert_eq!((state.tiles, state.left, state.live), (end.tiles, end.left, end.live));
            assert!(board.pop().is_err());
        }
    }
}

#[test]
fn engines_of_gtp_know_the_modes_and_get_positions_of_any_size() {
    for (given, name, colours) in [
        (&[("mode", "blokus_duo")][..], "Blokus Duo", &["B", "W"][..]),
        (&[("mode", "blokus")], "Blokus", &["1", "2", "3", "4"]),
        (&[("mode", "blokus_2")], "Blokus Two-Player", &["1", "2", "3", "4"]),
    ] {
        let game = game(given);
        let known = game.gtp().unwrap();
        assert_eq!((&*known.name, &known.colours[..]), (name, colours));
        let state = some_position(&game, 4, 11);
        let position = game.gtp_position(&state);
        assert_eq!((position.moves.len(), position.colour), (11, state.current()));
        for (color, text) in &position.moves {
            let tiles = notation::from_tiles(&game.rules, text).unwrap().tiles();
            assert_eq!(tiles & state.tiles[*color], tiles);
        }
        let action = mask::select(&legal(&game, &state), 3).unwrap();
        let text = notation::tiles_text(game.rules.placements.get(action).unwrap());
        assert_eq!(game.action_from_gtp(&state, &text), Ok(action));
    }
    for given in [&[][..], &[("players", "2")], &[("mode", "blokus"), ("players", "3")]] {
        assert_eq!(game(given).gtp(), None);
    }
    let small = SmallTilewe::new(&parsed(&[("mode", "blokus_duo")]).unwrap()).unwrap();
    let large = game(&[("mode", "blokus_duo")]);
    let state = some_position(&large, 4, 11);
    assert_eq!(small.gtp_position(&state.resized()), large.gtp_position(&state));
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused_as_a_file(
        text in "(\\(|\\)|;|GM\\[Blokus Duo\\]|B\\[e10\\]|W\\[j5,j6\\]|A[BW]\\[[ej]10?\\]|PL\\[.\\]|[a-z\\[\\]\\\\ \n]){0,20}",
    ) {
        for game in read(&text, &[]).unwrap_or_default() {
            let _ = sgf::export(&game.record);
        }
    }
}
