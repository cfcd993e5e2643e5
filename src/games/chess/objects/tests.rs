//! Tests of the objects: each of their concepts, and agreement with the underlying rules.

use std::sync::{Arc, Mutex};

use super::{Board, Event, EventKind, Extra, Game, MoveOption, Position, Priority, Rule};
use crate::rules::variant::{flags, load};

fn at(name: &str) -> Position {
    let bytes = name.as_bytes();
    Position::new(i16::from(bytes[0] - b'a'), 8 - i16::from(bytes[1] - b'0'))
}

fn option(game: &mut Game, from: &str, to: &str) -> MoveOption {
    let options = game.board_mut().move_options(at(from));
    options.into_iter().find(|o| o.position == at(to)).unwrap_or_else(|| panic!("{from}{to}"))
}

fn play(game: &mut Game, moves: &str) {
    for text in moves.split_whitespace() {
        let option = option(game, &text[..2], &text[2..]);
        assert!(game.play(at(&text[..2]), &option).unwrap(), "{text}");
    }
}

#[test]
fn positions_count_from_the_top_left() {
    let game = Game::new("chess", &[]).unwrap();
    let board = game.board();
    assert_eq!(board.size(), (8, 8));
    assert_eq!(board.piece(Position::new(0, 0)).unwrap().letter, 'r');
    assert_eq!(board.piece(Position::new(4, 7)).unwrap().name, "king");
    assert_eq!(Position::new(0, 0).offset(1, 2), Position::new(1, 2));
    assert!(board.square(Position::new(8, 0)).is_none() && board.square(Position::new(0, -1)).is_none());
    assert_eq!(board.squares().len(), 64);
    assert_eq!(board.player_pieces(1).len(), 16);
}

#[test]
fn a_board_may_have_holes_and_get_more() {
    let mut game = Game::new("hole", &[]).unwrap();
    let board = game.board_mut();
    assert!(board.square(Position::new(2, 2)).is_none());
    assert_eq!(board.squares().len(), 24);
    board.subscribe(EventKind::BeforeRemoveSquare, Priority::NORMAL, |_, event| {
        if let Event::BeforeRemoveSquare { position, cancelled } = event {
            *cancelled |= position.x == 0;
        }
    });
    assert!(!board.remove_square(Position::new(0, 2)).unwrap());
    assert!(board.remove_square(Position::new(1, 3)).unwrap());
    assert!(board.remove_square(Position::new(1, 4)).is_err(), "a bishop stands there");
    assert_eq!(board.squares().len(), 23);
    // With b2 a hole, the king on c1 has two moves left; with the square back, three.
    let king = board.move_options(Position::new(2, 4));
    assert_eq!(king.len(), 2);
    assert!(board.add_square(Position::new(1, 3)).unwrap());
    assert_eq!(board.move_options(Position::new(2, 4)).len(), 3);
}

#[test]
fn options_list_their_captures_and_side_effects() {
    let mut game = Game::from_fen("chess", &[], "4k3/P7/8/3pP3/8/8/8/R3K2R w KQ d6 0 1").unwrap();
    let passing = option(&mut game, "e5", "d6");
    assert_eq!(passing.captures, [at("d5")]);
    assert_eq!(passing.extra["en_passant"], Extra::Flag(true));
    let castling = option(&mut game, "e1", "g1");
    assert_eq!(castling.extra["castling"], Extra::Position(at("h1")));
    let promotions = game.board_mut().move_options(at("a7"));
    assert_eq!(promotions.len(), 4);
    assert_eq!(promotions[0].extra["promotion"], Extra::Text("queen".into()));
    let mut vaticano = Game::from_fen("chess", &["il_vaticano"], "4k3/8/8/8/8/8/8/BnnB3K w - - 0 1").unwrap();
    for (from, to) in [("a1", "d1"), ("d1", "a1")] {
        assert_eq!(option(&mut vaticano, from, to).captures, [at("b1"), at("c1")]);
    }
}

#[test]
fn a_game_ends_by_its_result_functions() {
    let mut game = Game::new("chess", &[]).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    game.board_mut().subscribe(EventKind::AfterGameEnd, Priority::NORMAL, move |_, event| {
        if let Event::AfterGameEnd { result } = event {
            log.lock().unwrap().push(result.clone());
        }
    });
    play(&mut game, "f2f3 e7e5 g2g4 d8h4");
    assert_eq!(game.result(), Some("checkmate, black wins"));
    assert_eq!(*seen.lock().unwrap(), ["checkmate, black wins"]);
    assert!(game.play(at("e1"), &MoveOption::to(at("f2"))).is_err());

    let mut short = Game::new("chess", &[]).unwrap();
    let mut turns = 0;
    short.add_result(move |_: &Board| {
        turns += 1;
        (turns == 2).then(|| "enough".to_string())
    });
    let mut copy = short.clone();
    play(&mut short, "e2e4 e7e5");
    assert_eq!(short.result(), Some("enough"));
    play(&mut copy, "e2e4");
    assert_eq!(copy.result(), None, "the copy counts for itself");
}

#[test]
fn events_come_in_their_order_and_by_priority() {
    let mut game = Game::from_fen("chess", &[], "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1").unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kinds = [
        EventKind::BeforeMove,
        EventKind::BeforeCaptured,
        EventKind::BeforeRemovePiece,
        EventKind::BeforeAddPiece,
        EventKind::AfterRemovePiece,
        EventKind::AfterAddPiece,
        EventKind::AfterNewPiece,
        EventKind::AfterCaptured,
        EventKind::AfterMove,
        EventKind::BeforeChangeTurn,
        EventKind::AfterChangeTurn,
    ];
    for kind in kinds {
        let log = seen.clone();
        game.board_mut()
            .subscribe(kind, Priority::NORMAL, move |_, event| log.lock().unwrap().push(event.kind()));
    }
    play(&mut game, "e4d5");
    use EventKind as E;
    let expected = [
        E::BeforeMove,
        E::BeforeCaptured,
        E::BeforeRemovePiece,
        E::BeforeRemovePiece,
        E::BeforeAddPiece,
        E::AfterRemovePiece,
        E::AfterRemovePiece,
        E::AfterAddPiece,
        E::AfterCaptured,
        E::AfterMove,
        E::BeforeChangeTurn,
        E::AfterChangeTurn,
    ];
    assert_eq!(*seen.lock().unwrap(), expected);

    let mut game = Game::new("chess", &[]).unwrap();
    let order = Arc::new(Mutex::new(String::new()));
    for (name, priority) in
        [('b', Priority::NORMAL), ('d', Priority::VERY_LOW), ('a', Priority::HIGH), ('c', Priority::NORMAL)]
    {
        let log = order.clone();
        let id = game
            .board_mut()
            .subscribe(EventKind::AfterMove, priority, move |_, _| log.lock().unwrap().push(name));
        if name == 'c' {
            game.board_mut().unsubscribe(id);
        }
    }
    play(&mut game, "e2e4");
    assert_eq!(*order.lock().unwrap(), "abd");
}

#[test]
fn every_before_event_can_cancel_a_move_and_leaves_the_board_alone() {
    for kind in [
        EventKind::BeforeMove,
        EventKind::BeforeCaptured,
        EventKind::BeforeRemovePiece,
        EventKind::BeforeAddPiece,
    ] {
        let mut game = Game::from_fen("chess", &[], "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1").unwrap();
        let fen = game.board().fen();
        game.board_mut().subscribe(kind, Priority::NORMAL, |_, event| match event {
            Event::BeforeMove { cancelled, .. }
            | Event::BeforeCaptured { cancelled, .. }
            | Event::BeforeRemovePiece { cancelled, .. }
            | Event::BeforeAddPiece { cancelled, .. } => *cancelled = true,
            _ => {}
        });
        let capture = option(&mut game, "e4", "d5");
        assert!(!game.play(at("e4"), &capture).unwrap());
        assert_eq!(game.board().fen(), fen);
    }
}

#[test]
fn a_listener_can_change_a_move() {
    let mut game = Game::new("chess", &[]).unwrap();
    game.board_mut().subscribe(EventKind::BeforeMove, Priority::NORMAL, |board, event| {
        if let Event::BeforeMove { piece, option, .. } = event {
            // Every double step is turned into a single step.
            let shorter = option.position.offset(0, 1);
            if option.extra.contains_key("double_step") {
                let options = board.move_options(piece.position);
                *option = options.into_iter().find(|o| o.position == shorter).unwrap();
            }
        }
    });
    play(&mut game, "e2e4");
    assert!(game.board().fen().starts_with("rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b"));
}

#[test]
fn options_that_a_rule_adds_are_played_as_written() {
    let mut game = Game::new("chess", &[]).unwrap();
    game.board_mut().subscribe(EventKind::BeforeGetMoveOptions, Priority::VERY_HIGH, |board, event| {
        if let Event::BeforeGetMoveOptions { piece, options, .. } = event
            && piece.name == "rook"
            && piece.player == Some(board.current_player().seat)
        {
            options.push(MoveOption::capture(Position::new(piece.position.x, 7 - piece.position.y)));
        }
    });
    let swipe = option(&mut game, "a1", "a8");
    assert!(game.play(at("a1"), &swipe).unwrap());
    assert_eq!(game.board().fen(), "Rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR b Kk - 0 1");
    assert!(game.play(at("a7"), &MoveOption::to(at("a3"))).is_err());
}

#[test]
fn a_king_loses_castling_by_an_added_move() {
    let mut game = Game::from_fen("chess", &[], "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
    game.board_mut().subscribe(EventKind::BeforeGetMoveOptions, Priority::NORMAL, |_, event| {
        if let Event::BeforeGetMoveOptions { piece, options, .. } = event
            && piece.name == "king"
        {
            options.push(MoveOption::to(piece.position.offset(-2, -3)));
        }
    });
    let leap = option(&mut game, "e1", "c4");
    assert!(game.play(at("e1"), &leap).unwrap());
    assert_eq!(game.board().fen(), "r3k2r/8/8/8/2K5/8/8/R6R b kq - 1 1");
}

#[test]
fn rules_have_a_state_that_is_cloned_with_the_board() {
    #[derive(Clone)]
    struct OnlyCaptures(u32);
    impl Rule for OnlyCaptures {
        fn listens_to(&self) -> Vec<(EventKind, Priority)> {
            vec![(EventKind::AfterCaptured, Priority::NORMAL), (EventKind::BeforeMove, Priority::NORMAL)]
        }
        fn on_event(&mut self, _: &mut Board, event: &mut Event) {
            match event {
                Event::AfterCaptured { .. } => self.0 += 1,
                Event::BeforeMove { option, cancelled, .. } => {
                    *cancelled |= self.0 > 0 && option.captures.is_empty()
                }
                _ => {}
            }
        }
        fn clone_box(&self) -> Box<dyn Rule> {
            Box::new(self.clone())
        }
    }
    let mut game = Game::new("chess", &[]).unwrap();
    game.board_mut().add_rule(OnlyCaptures(0));
    play(&mut game, "e2e4 d7d5");
    let mut copy = game.clone();
    play(&mut game, "e4d5");
    let quiet = option(&mut game, "e7", "e6");
    assert!(!game.play(at("e7"), &quiet).unwrap());
    play(&mut copy, "a2a3 e7e6");
}

#[test]
fn the_turn_order_is_an_iterator() {
    let mut game = Game::new("chess", &[]).unwrap();
    // White twice, then black twice, and so on.
    game.board_mut().set_turn_iterator([0, 1, 1, 0].into_iter().cycle());
    play(&mut game, "e2e4 d2d4 e7e5 d7d5");
    assert_eq!(game.board().current_player().seat, 0);
    game.board_mut().subscribe(EventKind::BeforeChangeTurn, Priority::NORMAL, |_, event| {
        if let Event::BeforeChangeTurn { cancelled, .. } = event {
            *cancelled = true;
        }
    });
    play(&mut game, "a2a3 b2b3");
}

#[test]
fn pieces_are_set_with_events_and_bad_positions_are_refused() {
    let mut game = Game::new("chess", &[]).unwrap();
    let board = game.board_mut();
    assert!(board.set_piece(at("e4"), Some('N')).unwrap());
    assert_eq!(board.piece(at("e4")).unwrap().name, "knight");
    assert!(board.set_piece(at("h1"), None).unwrap());
    assert!(board.fen().contains(" w Qkq "), "{}", board.fen());
    let fen = board.fen();
    assert!(board.set_piece(at("e1"), None).is_err(), "no king");
    assert!(board.set_piece(at("e4"), Some('x')).is_err());
    assert_eq!(board.fen(), fen);
}

#[test]
fn the_duck_moves_in_its_own_decision() {
    let mut game = Game::new("chess", &["duck_chess"]).unwrap();
    play(&mut game, "e2e4");
    assert_eq!(game.board().current_player().seat, 0);
    assert_eq!(game.board_mut().move_options(at("d2")), []);
    assert_eq!(game.board_mut().move_options(at("h5")).len(), 31);
    play(&mut game, "h5e5");
    assert_eq!(game.board().current_player().seat, 1);
    assert_eq!(game.board().piece(at("e5")).unwrap().player, None);
}

#[test]
fn a_duck_off_the_board_appears_like_a_dropped_piece() {
    let mut game = Game::new("duck", &[]).unwrap();
    play(&mut game, "e2e4");
    let option = game.board_mut().move_options(at("h5")).remove(0);
    assert_eq!(option.extra.get("drop"), Some(&Extra::Text("duck".into())));
    assert_eq!(game.board_mut().move_options(at("e7")), []);
    play(&mut game, "h5h5");
    assert_eq!(game.board().piece(at("h5")).unwrap().player, None);
    assert_eq!(game.board().current_player().seat, 1);
    play(&mut game, "e7e5");
    assert_eq!(game.board_mut().move_options(at("h5")).len(), 31);
}

#[test]
fn objects_and_fast_rules_have_the_same_moves_under_all_options() {
    for flag in flags() {
        let variant = load("chess", &[flag]).unwrap();
        let mut board = Board::new(&variant, &variant.start).unwrap();
        let mut seed = 7usize;
        for _ in 0..30 {
            let mut all = Vec::new();
            for square in board.squares() {
                all.extend(board.move_options(square.position).into_iter().map(|o| (square.position, o)));
            }
            if all.is_empty() {
                break;
            }
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (from, option) = all[(seed >> 33) % all.len()].clone();
            assert!(board.play(from, &option).unwrap(), "{flag}");
        }
    }
}

#[test]
fn own_pieces_offer_the_summon_and_the_enemy_piece_does_not() {
    let fen = "4k3/8/5p2/8/8/2N5/8/4K3 w - - 0 1";
    let mut game = Game::from_fen("chess", &["omnipotent_f6_pawn"], fen).unwrap();
    assert!(game.board_mut().move_options(at("f6")).is_empty());
    let mut offers = 0;
    for name in ["c3", "e1"] {
        let mut options = game.board_mut().move_options(at(name)).into_iter();
        let summon = options.find(|option| option.extra.contains_key("summon")).unwrap();
        assert_eq!((summon.position, summon.captures.as_slice()), (at("f6"), &[at("f6")][..]), "{name}");
        offers += 1;
    }
    assert_eq!(offers, 2);
    let knight = option(&mut game, "c3", "f6");
    assert!(game.play(at("c3"), &knight).unwrap());
    let board = game.board();
    assert_eq!((board.piece(at("f6")).unwrap().letter, board.piece(at("c3")).unwrap().letter), ('P', 'N'));
    assert_eq!(board.current_player().seat, 1);
    assert!(game.board_mut().move_options(at("f6")).is_empty());
}

#[test]
fn a_piece_is_found_wherever_it_has_gone() {
    let mut game = Game::from_fen("chess", &[], "4k3/P7/8/6n1/8/8/8/R3K2R w KQ - 0 1").unwrap();
    let piece = |game: &Game, name: &str| game.board().piece(at(name)).unwrap().id;
    let (king, rook, pawn) = (piece(&game, "e1"), piece(&game, "h1"), piece(&game, "a7"));
    let knight = piece(&game, "g5");
    play(&mut game, "e1e2");
    assert_eq!(game.board().position_of(king), Some(at("e2")));
    play(&mut game, "g5h3");
    play(&mut game, "a7a8");
    assert_eq!(game.board().position_of(pawn), None, "promoted");
    assert_ne!(piece(&game, "a8"), pawn);
    play(&mut game, "e8f7");
    play(&mut game, "h1h3");
    assert_eq!(game.board().position_of(knight), None, "taken");
    assert_eq!(game.board().position_of(rook), Some(at("h3")));
    let mut castling = Game::from_fen("chess", &[], "4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
    let (king, rook) = (piece(&castling, "e1"), piece(&castling, "h1"));
    let copy = castling.clone();
    play(&mut castling, "e1g1");
    assert_eq!([king, rook].map(|id| castling.board().position_of(id)), [Some(at("g1")), Some(at("f1"))]);
    assert_eq!(copy.board().position_of(rook), Some(at("h1")));
}
