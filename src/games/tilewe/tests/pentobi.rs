//! Other Blokus engines: recorded games, and positions for engines of GTP.

use ludovec_engine::{Dialect, OptionValue};

use super::*;

/// Moves and results of pentobi-gtp and blokus-rl, one game a line.
const RECORDED: &str = include_str!("../../../../tests/data/tilewe/blokus.jsonl");

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
