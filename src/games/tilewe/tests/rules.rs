//! One scenario for each rule of the original and each further ruling.

use super::*;
use ludovec_engine::{RefusalKind, Words};
use serde_json::Value;

#[test]
fn the_first_piece_covers_a_corner_of_the_board() {
    let board = board(4, "");
    let moves = board.generate_legal_moves(None);
    assert_eq!(moves.len(), 232);
    for corner in tiles("a1 t1 a20 t20") {
        assert_eq!(moves.iter().filter(|m| m.to_tile == corner).count(), 58, "{corner}");
    }
    assert_eq!(board.player_corners(Color::Blue), tiles("a1 t1 a20 t20"));
    assert!(!board.is_legal("O1n-a1b2".parse().unwrap()));
    assert!(board.is_legal("O1n-a1t20".parse().unwrap()));
}

#[test]
fn a_taken_corner_of_the_board_is_closed_to_the_others() {
    let board = board(4, "O1n-a1a1 O1n-a1t1 O1n-a1a20");
    assert_eq!(board.player_corners(Color::Green), tiles("t20"));
    assert_eq!(board.generate_legal_moves(None).len(), 58);
}

#[test]
fn a_later_piece_touches_an_own_one_by_a_corner_and_none_by_a_side() {
    // The original's two examples.
    let mut board = board(1, "W5n-a1a1");
    assert_eq!(board.player_corners(Color::Blue), tiles("d1 a3 b4 d4"));
    for (m, reason) in [
        ("I2e-a1c4", "c4 is beside another blue tile"),
        ("I2n-a1b3", "b3 is beside another blue tile"),
        ("I2e-a1k10", "no tile of the piece is on an open corner of blue"),
        ("I2e-b1c3", "c3 is taken"),
    ] {
        let error = board.push(m.parse().unwrap()).unwrap_err().to_string();
        assert!(error.contains(reason), "{m}: {error}");
    }
    board.push("F5e-a2d4".parse().unwrap()).unwrap();
    for name in ["d4", "e4", "f4", "e5", "f3"] {
        assert_eq!(board.color_at(tile(name)), Some(Color::Blue), "{name}");
    }
    assert_eq!(board.color_at(tile("d3")), None);
}

#[test]
fn pieces_of_other_colours_may_touch_by_sides() {
    let board = board(2, "I5e-a1a1 I5e-e1t1 I4e-a1f2 I4n-a1o2 I3e-a1j1 O1n-a1n6 O4n-a1m2");
    assert_eq!(board.color_at(tile("n2")), Some(Color::Blue));
    assert_eq!(board.color_at(tile("o2")), Some(Color::Yellow));
}

#[test]
fn tiles_of_all_players_do_not_overlap() {
    let board = board(2, "O1n-a1a1");
    let error = board.clone().push("O1n-a1a1".parse().unwrap()).unwrap_err().to_string();
    assert!(error.contains("a1 is taken"), "{error}");
}

#[test]
fn each_piece_is_placed_once() {
    let mut board = board(1, "O1n-a1a1");
    let error = board.push("O1n-a1b2".parse().unwrap()).unwrap_err().to_string();
    assert!(error.contains("blue has placed O1 already"), "{error}");
    assert_eq!(board.n_remaining_pieces(Color::Blue), 20);
    assert!(!board.remaining_pieces(Color::Blue).contains(&Piece::O1));
    assert!(board.generate_legal_moves(None).iter().all(|m| m.piece != Piece::O1));
}

#[test]
fn the_contact_must_be_on_an_open_corner() {
    let board = board(1, "W5n-a1a1");
    // Two spellings of one placement: legal by the contact on d4, an open corner; illegal by the contact on e4.
    let (good, bad): (Move, Move) = ("I2e-a1d4".parse().unwrap(), "I2e-b1e4".parse().unwrap());
    assert_eq!(good.placement(board.placements()), bad.placement(board.placements()));
    assert!(board.is_legal(good) && !board.is_legal(bad));
    let error = board.clone().push(bad).unwrap_err().to_string();
    assert!(error.contains("e4 is not an open corner of blue"), "{error}");
}

#[test]
fn every_spelling_of_a_legal_placement_is_a_legal_move() {
    let board = board(1, "W5n-a1a1");
    // I3 turned east and west is the same shape.
    for m in ["I3e-a1d4", "I3w-a1d4", "I3ef-a1d4", "I3wf-a1d4"] {
        assert!(board.is_legal(m.parse().unwrap()), "{m}");
    }
    let listed: Vec<_> = board.generate_legal_moves(None).iter().map(Move::to_string).collect();
    assert!(listed.contains(&"I3e-a1d4".to_string()) && !listed.contains(&"I3w-a1d4".to_string()));
    assert_eq!(listed.len(), board.n_legal_moves(None));
}

#[test]
fn a_piece_that_covers_two_open_corners_has_two_spellings_and_one_index() {
    let board = board(1, "O1n-a1a1 I2e-a1b2");
    assert_eq!(board.player_corners(Color::Blue), tiles("d1 a3 d3"));
    let moves = board.generate_legal_moves(None);
    let mut placements: Vec<_> = moves.iter().map(|m| m.placement(Placements::on(SIZE)).unwrap()).collect();
    placements.sort();
    placements.dedup();
    assert!(placements.len() < moves.len());
    let game = Tilewe::with_players(1).unwrap();
    let mask = legal(&game, board.state());
    assert_eq!(
        mask::iter(&mask).collect::<Vec<_>>(),
        placements.iter().map(|p| board.placements().index(*p)).collect::<Vec<_>>()
    );
}

#[test]
fn legal_moves_can_be_asked_for_any_player() {
    let board = board(4, "W5n-a1a1");
    assert_eq!(board.current_player(), Color::Yellow);
    assert_eq!(board.generate_legal_moves(Some(Color::Green)).len(), 3 * 58);
    assert!(board.generate_legal_moves(Some(Color::Blue)).iter().all(|m| m.piece != Piece::W5));
    assert_eq!(board.n_legal_moves(Some(Color::Blue)), board.generate_legal_moves(Some(Color::Blue)).len());
    let small = self::board(2, "");
    assert!(small.generate_legal_moves(Some(Color::Green)).is_empty());
    assert!(small.player_corners(Color::Green).is_empty() && small.remaining_pieces(Color::Red).is_empty());
    assert!(!small.can_play(Color::Red));
}

#[test]
fn colours_move_in_turn_and_moves_are_taken_back() {
    let mut board = board(4, "O1n-a1a1 O1n-a1t1 O1n-a1a20");
    assert_eq!((board.ply(), board.current_player()), (3, Color::Green));
    let before = *board.state();
    board.push("L3n-b1t20".parse().unwrap()).unwrap_err();
    assert_eq!(board.state(), &before);
    board.push("V5w-c3t20".parse().unwrap()).unwrap();
    assert_eq!((board.ply(), board.current_player(), board.scores()), (4, Color::Blue, vec![1, 1, 1, 5]));
    assert_eq!(board.winners(), [Color::Green]);
    assert_eq!(board.pop().unwrap().to_string(), "V5w-c3t20");
    assert_eq!((board.state(), board.ply()), (&before, 3));
    (0..3).for_each(|_| _ = board.pop().unwrap());
    assert!(board.pop().unwrap_err().to_string().contains("no move to take back"));
    assert_eq!(board.winners(), Color::ALL);
}

#[test]
fn players_without_moves_are_skipped_and_ply_does_not_count_them() {
    let game = Tilewe::with_players(4).unwrap();
    let mut skipped = 0;
    for seed in 0..5 {
        let mut last: Option<State> = None;
        random_game(&game, seed, |state| {
            if let Some(last) = last {
                assert_eq!(game.rules.ply(state), game.rules.ply(&last) + 1);
                let between = (1..4).map(|i| (last.current() + i) % 4).take_while(|s| *s != state.current());
                for seat in between {
                    assert!(game.rules.placements_for(state, seat).is_empty());
                    skipped += 1;
                }
            }
            last = Some(*state);
        });
    }
    assert!(skipped > 5);
}

#[test]
fn the_game_ends_when_no_player_can_move_and_the_most_tiles_win() {
    for players in 1..=4 {
        let game = Tilewe::with_players(players).unwrap();
        let mut last = None;
        random_game(&game, 7, |state| last = Some(*state));
        let state = last.unwrap();
        let (mut scores, mut ranks) = (vec![0.0; players], vec![9; players]);
        game.scores(&state, &mut scores);
        game.ranks(&state, &mut ranks);
        for seat in 0..players {
            assert!(game.rules.placements_for(&state, seat).is_empty());
            assert_eq!(
                scores[seat],
                Tile::all().filter(|t| state.owner(*t) == Some(Color::ALL[seat])).count() as f32
            );
            for other in 0..players {
                assert_eq!(ranks[seat].cmp(&ranks[other]), scores[other].total_cmp(&scores[seat]));
            }
        }
        assert_eq!(mask::count(&legal(&game, &state)), 0);
        let error = game.explain_illegal(&state, 0);
        assert_eq!(error.kind, RefusalKind::GameOver, "{error}");
    }
}

#[test]
fn equal_scores_share_the_win() {
    let board = board(4, "L4n-a1a1 I3n-a1t1 T4n-c2t20 I2n-a2a20");
    assert_eq!(board.winners(), [Color::Blue, Color::Red]);
    let mut ranks = [9; 4];
    Tilewe::with_players(4).unwrap().ranks(board.state(), &mut ranks);
    assert_eq!(ranks, [0, 2, 0, 3]);
}

#[test]
fn one_player_alone_can_place_all_89_tiles() {
    // The first recorded game does so.
    let line = include_str!("../../../../tests/data/tilewe/recorded.jsonl").lines().next().unwrap();
    let recording: Value = serde_json::from_str(line).unwrap();
    let moves: Vec<_> =
        recording["plies"].as_array().unwrap().iter().map(|p| p["played"].as_str().unwrap()).collect();
    let board = board(1, &moves.join(" "));
    assert!(board.finished() && !board.can_play(Color::Blue));
    assert_eq!((board.scores(), board.n_remaining_pieces(Color::Blue), board.ply()), (vec![89], 0, 21));
    assert_eq!((board.winners(), board.n_player_corners(Color::Blue)), (vec![Color::Blue], 0));
}

#[test]
fn recorded_games_agree_in_every_figure() {
    let data = include_bytes!("../../../../tests/data/tilewe/recorded.jsonl");
    let report = conform::conform(&mut &data[..]).unwrap();
    assert_eq!((report.games, report.mismatches, report.first), (17, 0, None));
    assert!(report.positions > 700);
}

#[test]
fn a_recording_that_differs_is_told_apart() {
    let line = include_str!("../../../../tests/data/tilewe/recorded.jsonl").lines().nth(3).unwrap();
    let differs = |from: &str, to: &str| {
        assert!(line.contains(from), "{from}");
        let changed = line.replacen(from, to, 1);
        conform::conform(&mut changed.as_bytes()).map(|report| report.first.unwrap_or_default())
    };
    for (from, to, first) in [
        ("\"legal\":232", "\"legal\":231", "line 1, ply 0: legal is 232"),
        ("\"fnv1a\":\"a2132c", "\"fnv1a\":\"b2132c", "line 1, ply 0: fnv1a is"),
        ("\"corners\":4", "\"corners\":3", "ply 0: corners is 4"),
        ("\"pieces\":21", "\"pieces\":20", "ply 0: pieces is 21"),
        ("\"player\":1", "\"player\":2", "ply 1: player is 1"),
        ("\"scores\":[", "\"scores\":[7,", "scores is"),
        ("\"moves\":[\"", "\"moves\":[\"O1n-a1a1\",\"", "O1n-a1a1 is recorded as legal"),
        ("\"played\":\"", "\"played\":\"?", "no piece"),
    ] {
        let found = differs(from, to).unwrap();
        assert!(found.contains(first), "{to}: {found}");
    }
    for (from, to) in [("\"players\":4", "\"players\":5"), ("\"plies\"", "\"flies\"")] {
        let error = differs(from, to).unwrap_err().to_string();
        assert!(error.contains("line 1") && !error.contains('\n'), "{error}");
    }
}
