use super::*;
use ludovec::games::{GAMES, find};
use ludovec::play::player::DEFAULT_TIME_LIMIT;
use ludovec::play::seated_game::Seat;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

fn seated(id: &str, players: &[&str]) -> SeatedGame {
    let game = find(id).unwrap().make([]).unwrap();
    let seats = (0..game.spec().players).map(|s| Seat::new(format!("p{s}"), players[s % players.len()]));
    SeatedGame::new(game.clone(), 1, seats.collect(), DEFAULT_TIME_LIMIT).unwrap()
}

fn reviewer(seated: &SeatedGame, name: &str) -> Player {
    Player::parse(&*seated.game().game(), name, DEFAULT_TIME_LIMIT).unwrap()
}

/// A review of the game so far, once it is complete.
fn reviewed(seated: SeatedGame, name: &str) -> Review {
    let reviewer = reviewer(&seated, name);
    let mut review = Review::new(seated, Some(&reviewer), 0, true).unwrap();
    while review.is_waiting() {
        review.take();
        thread::yield_now();
    }
    review
}

fn shown(review: &mut Review, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| review.draw(frame)).unwrap();
    terminal.backend().to_string()
}

fn press(review: &mut Review, code: KeyCode) -> bool {
    review.press(KeyEvent::new(code, KeyModifiers::NONE))
}

#[test]
fn the_fools_mate_is_a_blunder_with_a_better_line() {
    let mut game = seated("chess", &["human"]);
    for text in ["f2f3", "e7e5", "g2g4", "d8h4"] {
        let action = game.game().string_to_action(text).unwrap();
        game.play(action).unwrap();
    }
    let mut review = reviewed(game, "net:champion:64");
    assert_eq!(review.positions.len(), 5);
    assert_eq!(review.verdict(2).map(|price| price.grade), Some(Grade::Blunder));
    let text = shown(&mut review, 120, 40);
    assert!(text.contains("position 0 of 4") && text.contains("best line: "), "{text}");
    assert!(text.contains("g4 ?? costs"), "{text}");
    while review.at < 3 {
        let at = review.at;
        press(&mut review, KeyCode::Char('n'));
        assert!(review.at > at, "{text}");
    }
    let text = shown(&mut review, 120, 40);
    assert!(text.contains("position 3 of 4") && text.contains("?? the last move cost"), "{text}");
    press(&mut review, KeyCode::End);
    let text = shown(&mut review, 120, 40);
    assert!(text.contains("p0: 1 ??, ") && text.contains("p1: 0 ??, "), "{text}");
    assert!(text.contains("p0 -1.00, p1 +1.00"), "{text}");
    press(&mut review, KeyCode::Char('p'));
    assert_eq!(review.at, 3);
    press(&mut review, KeyCode::Char('n'));
    assert_eq!((review.at, &*review.message), (3, "there is no other mistake"));
}

#[test]
fn keys_lead_through_all_positions_of_every_game() {
    for entry in GAMES {
        let mut game = seated(entry.id, &["random"]);
        let mut boards = vec![game.game().to_json()];
        for _ in 0..12 {
            game.play_bot().unwrap();
            boards.push(game.game().to_json());
        }
        let mut review = reviewed(game, "net:champion");
        assert_eq!((review.positions.len(), review.prices.len()), (13, 12), "{}", entry.id);
        for (i, board) in boards.iter().enumerate() {
            assert_eq!(&review.game.to_json(), board, "{}: {i}", entry.id);
            for (width, height) in [(120, 40), (80, 24), (30, 8), (1, 1)] {
                let text = shown(&mut review, width, height);
                let all = ["board", "moves", "values", &format!("position {i} of 12")];
                assert!(width < 80 || all.iter().all(|part| text.contains(part)), "{}: {text}", entry.id);
            }
            press(&mut review, KeyCode::Right);
        }
        assert_eq!(review.at, 12, "the end stays the end");
        for (key, at) in [
            (KeyCode::Left, 11),
            (KeyCode::PageUp, 1),
            (KeyCode::PageUp, 0),
            (KeyCode::PageDown, 10),
            (KeyCode::Home, 0),
            (KeyCode::End, 12),
        ] {
            assert!(press(&mut review, key));
            assert_eq!(review.at, at, "{}: {key:?}", entry.id);
        }
        assert!(!press(&mut review, KeyCode::Esc));
    }
}

#[test]
fn values_stay_hidden_while_others_hide_something() {
    let mut game = seated("smallworld", &["human", "random"]);
    while game.steps() < 40 {
        match game.awaits_person() {
            true => game.play(game.game().legal_actions()[0]).unwrap(),
            false => game.play_bot().unwrap(),
        }
    }
    let reviewer = reviewer(&game, "net:champion");
    let mut review = Review::new(game, Some(&reviewer), 5, true).unwrap();
    assert!(!review.is_waiting());
    let text = shown(&mut review, 120, 40);
    assert!(text.contains("hidden") && !text.contains("values +"), "{text}");
    assert!(text.contains("position 5 of 40"), "{text}");
}
