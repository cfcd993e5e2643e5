use super::*;
use ludovec::games::{GAMES, find};
use ludovec::play::player::DEFAULT_TIME_LIMIT;
use ludovec::play::seated_game::Seat;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

fn screen(id: &str, players: &[&str]) -> Screen {
    let game = find(id).unwrap().make([]).unwrap();
    let seats = (0..game.spec().players).map(|s| Seat::new(format!("p{s}"), players[s % players.len()]));
    let seated = SeatedGame::new(game.clone(), 1, seats.collect(), DEFAULT_TIME_LIMIT).unwrap();
    let adviser = Player::parse(&*game, "search:20", DEFAULT_TIME_LIMIT).unwrap();
    Screen::new(seated, adviser, Duration::ZERO, true)
}

/// The contents of a terminal of this size.
fn shown(screen: &mut Screen, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| screen.draw(frame)).unwrap();
    terminal.backend().to_string()
}

fn press(screen: &mut Screen, code: KeyCode) -> Flow {
    screen.press(KeyEvent::new(code, KeyModifiers::NONE))
}

fn control(screen: &mut Screen, letter: char) -> Flow {
    screen.press(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL))
}

fn type_text(screen: &mut Screen, text: &str) {
    for letter in text.chars() {
        press(screen, KeyCode::Char(letter));
    }
}

/// Lets bots move until the current player is a person or the game is over.
fn wait_for_bots(screen: &mut Screen) {
    while screen.bots_move() {
        screen.let_bots_move();
        thread::yield_now();
    }
}

#[test]
fn every_game_fits_any_terminal() {
    for entry in GAMES {
        for players in [&["human"][..], &["random"]] {
            let mut screen = screen(entry.id, players);
            for (width, height) in [(120, 40), (80, 24), (200, 60), (30, 8), (3, 3), (1, 1)] {
                let text = shown(&mut screen, width, height);
                if width >= 80 {
                    assert!(
                        text.contains("board")
                            && text.contains("log")
                            && text.contains(&screen.seated.game().title()),
                        "{text}"
                    );
                    assert!(!text.contains("\u{1b}"), "colours became text: {text}");
                }
                press(&mut screen, KeyCode::F(1));
                shown(&mut screen, width, height);
                press(&mut screen, KeyCode::Esc);
            }
        }
    }
}

#[test]
fn a_person_plays_by_number_by_name_and_by_marking() {
    for entry in GAMES {
        let mut screen = screen(entry.id, &["human"]);
        for way in 0..9 {
            if screen.choices.is_empty() {
                break;
            }
            let choice = &screen.choices[screen.choices.len() / 2];
            let (action, label) = (choice.action, choice.label.clone());
            match way % 3 {
                0 => type_text(&mut screen, &action.to_string()),
                1 => type_text(&mut screen, &label),
                _ => {
                    for _ in 0..screen.choices.len() / 2 {
                        press(&mut screen, KeyCode::Down);
                    }
                }
            }
            // A long filter is shown by its end.
            let end = screen.filter.chars().count().saturating_sub(20);
            let end: String = screen.filter.chars().skip(end).collect();
            assert!(way % 3 == 2 || shown(&mut screen, 120, 40).contains(&end));
            assert_eq!(screen.matching()[screen.marked].action, action, "{}", entry.id);
            press(&mut screen, KeyCode::Enter);
            assert_eq!(screen.seated.steps(), way + 1);
            assert!(screen.filter.is_empty());
        }
        let steps = screen.seated.steps();
        control(&mut screen, 'z');
        assert_eq!(screen.seated.steps(), steps - 1);
    }
}

#[test]
fn typing_without_matches_is_announced() {
    let mut screen = screen(GAMES[0].id, &["human"]);
    type_text(&mut screen, "no such action");
    assert!(shown(&mut screen, 120, 40).contains("actions 0 of"));
    press(&mut screen, KeyCode::Enter);
    assert!(shown(&mut screen, 120, 40).contains("no action is called"));
    press(&mut screen, KeyCode::Esc);
    assert_eq!(screen.matching().len(), screen.choices.len());
    control(&mut screen, 'z');
    assert!(shown(&mut screen, 120, 40).contains("nothing to take back"));
    assert_eq!(control(&mut screen, 'c'), Flow::Leave);
}

#[test]
fn bots_move_pause_and_are_taken_back() {
    for entry in GAMES {
        let mut screen = screen(entry.id, &["human", "random"]);
        wait_for_bots(&mut screen);
        let steps = screen.seated.steps();
        press(&mut screen, KeyCode::Enter);
        wait_for_bots(&mut screen);
        assert!(screen.seated.steps() > steps);
        control(&mut screen, 'z');
        assert_eq!(screen.seated.steps(), steps, "{}", entry.id);
    }
    let mut screen = screen(GAMES[0].id, &["random"]);
    press(&mut screen, KeyCode::Char(' '));
    assert!(!screen.bots_move() && shown(&mut screen, 120, 40).contains("paused"));
    press(&mut screen, KeyCode::Char(' '));
    wait_for_bots(&mut screen);
    assert!(shown(&mut screen, 120, 40).contains("over"));
    press(&mut screen, KeyCode::Char('u'));
    assert!(screen.seated.is_running());
    assert_eq!(press(&mut screen, KeyCode::Char('q')), Flow::Leave);
}

#[test]
fn panes_scroll_and_stop_at_their_ends() {
    let mut screen = screen(GAMES[0].id, &["random"]);
    wait_for_bots(&mut screen);
    let last = shown(&mut screen, 80, 24);
    press(&mut screen, KeyCode::Tab);
    for _ in 0..50 {
        press(&mut screen, KeyCode::PageDown);
    }
    assert_ne!(shown(&mut screen, 80, 24), last);
    let (line, _) = screen.board_offset;
    assert!(line < 200, "{line}");
    for _ in 0..50 {
        press(&mut screen, KeyCode::PageUp);
    }
    press(&mut screen, KeyCode::Tab);
    for _ in 0..200 {
        press(&mut screen, KeyCode::PageUp);
    }
    assert!(shown(&mut screen, 80, 24).contains("1. p0"));
}

#[test]
fn overflow_is_announced_and_scores_are_always_visible() {
    for entry in GAMES {
        let mut screen = screen(entry.id, &["human"]);
        screen.colours = false;
        let board = screen.seated.game().to_text(screen.view()).unwrap();
        for (width, height) in [(80, 24), (120, 40)] {
            let text = shown(&mut screen, width, height);
            for seat in screen.seated.seats() {
                assert!(
                    text.contains(&format!("{}: ", seat.name)),
                    "{}: no score of {}\n{text}",
                    entry.id,
                    seat.name
                );
            }
            let fits = board.lines().all(|line| text.contains(line.trim_end()));
            assert_eq!(text.contains(" more "), !fits, "{} at {width}x{height}\n{text}", entry.id);
        }
    }
}

#[test]
fn truncation_is_always_marked() {
    for entry in GAMES {
        let mut screen = screen(entry.id, &["human"]);
        screen.delay = Duration::from_millis(12_300);
        for width in [80, 40] {
            let text = shown(&mut screen, width, 40);
            for word in ["F1 help", "Enter play", "Tab pane", "^Z undo", "12300 ms", "^C leave"] {
                let mut parts = word.split(' ');
                assert!(parts.all(|part| text.contains(part)), "{word} at {width}: {text}");
            }
        }
        let text = shown(&mut screen, 80, 24);
        let all_seen = screen.choices.iter().all(|choice| {
            let mut words = choice.words.split(' ');
            words.all(|word| text.contains(word)) && screen.choices.len() <= 6
        });
        assert!(all_seen || text.contains("the others"), "{}: {text}", entry.id);
        type_text(&mut screen, &"nothing of that name ".repeat(9));
        press(&mut screen, KeyCode::Enter);
        let text = shown(&mut screen, 80, 24);
        let message: Vec<&str> = text.lines().rev().take_while(|line| !line.contains('┘')).collect();
        let told: usize = message.iter().map(|line| line.matches("nothing").count()).sum();
        assert_eq!(told, 9, "{text}");
    }
}

#[cfg(feature = "game-tilewe")]
#[test]
fn the_board_scrolls_to_the_marked_action() {
    let mut screen = screen("tilewe", &["human"]);
    for (words, row) in [("O1 on t1", 1), ("O1 on t20", 20), ("I2 on a1 a2", 2), ("O1 on a20", 20)] {
        type_text(&mut screen, words);
        let text = shown(&mut screen, 80, 24);
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("bb")).collect();
        assert!(lines.iter().any(|line| line.contains(&format!("{row:2} "))), "{words}: {text}");
        press(&mut screen, KeyCode::Esc);
    }
}

#[cfg(feature = "game-chess")]
#[test]
fn the_marked_action_is_seen_on_the_board_before_it_is_played() {
    let mut screen = screen("chess", &["human"]);
    assert!(shown(&mut screen, 80, 24).contains("board──"));
    type_text(&mut screen, "e2e4");
    let text = shown(&mut screen, 80, 24);
    assert!(text.contains("board after ") && text.contains("p1 to move"), "{text}");
    assert_eq!(screen.seated.steps(), 0);
    press(&mut screen, KeyCode::Esc);
    assert!(shown(&mut screen, 80, 24).contains("p0 to move"));
}

#[test]
fn a_person_changes_the_delay_in_their_own_turn() {
    let mut screen = screen(GAMES[0].id, &["human"]);
    press(&mut screen, KeyCode::Char('+'));
    assert_eq!(screen.delay, DELAY_STEP);
    press(&mut screen, KeyCode::Char('-'));
    press(&mut screen, KeyCode::Char('-'));
    assert_eq!(screen.delay, Duration::ZERO);
    type_text(&mut screen, "x-");
    assert_eq!(screen.filter, "x-");
}

#[test]
fn the_end_is_told() {
    for entry in GAMES {
        let mut screen = screen(entry.id, &["random"]);
        wait_for_bots(&mut screen);
        let result = screen.seated.result().unwrap();
        let head: String = result.chars().take(20).collect();
        assert!(shown(&mut screen, 120, 40).contains(&head), "{}: {result}", entry.id);
    }
}

#[test]
fn boards_of_cells_grow_with_the_terminal() {
    // The lines of the board that have the name of its first row.
    let rows = |text: &str, label: &str| {
        let lines: Vec<&str> = text.lines().filter_map(|line| line.split('│').nth(1)).collect();
        let first = lines.iter().position(|line| line.trim_start().starts_with(label)).unwrap();
        let next = lines[first + 1..].iter().position(|line| {
            let word = line.split_whitespace().next().unwrap_or_default();
            word.parse::<u32>().is_ok()
        });
        next.unwrap() + 1
    };
    for (env, label, sizes) in [
        ("chess", "8 ", [[80, 24, 1], [120, 40, 3], [200, 60, 3]]),
        ("tilewe", "20 ", [[80, 24, 1], [120, 40, 1], [200, 60, 2]]),
        ("empires", "0 :", [[80, 24, 1], [120, 40, 1], [200, 60, 2]]),
    ] {
        let mut screen = screen(env, &["human"]);
        for [width, height, lines] in sizes {
            let text = shown(&mut screen, width, height);
            assert_eq!(rows(&text, label), usize::from(lines), "{env}, {width}x{height}: {text}");
        }
    }
}

#[test]
fn no_columns_are_hidden_at_120_by_40() {
    for entry in GAMES {
        let mut screen = screen(entry.id, &["random"]);
        for step in 0..300 {
            if step % 3 == 0 {
                let text = shown(&mut screen, 120, 40);
                let hidden = text.lines().any(|line| line.contains("more ") && line.contains("right"));
                assert!(!hidden, "{}: {text}", entry.id);
            }
            let steps = screen.seated.steps();
            while screen.bots_move() && screen.seated.steps() == steps {
                screen.let_bots_move();
                thread::yield_now();
            }
        }
    }
}

#[test]
fn a_hint_tells_the_best_actions_and_marks_them() {
    for entry in GAMES {
        let mut screen = screen(entry.id, &["human"]);
        press(&mut screen, KeyCode::Char('?'));
        assert!(screen.hints.is_asked() && shown(&mut screen, 120, 40).contains("thinks..."));
        while screen.hints.is_asked() {
            screen.take_hint();
            thread::yield_now();
        }
        let best = screen.hints.best.clone();
        assert_eq!(best.len(), screen.choices.len().min(3), "{}", entry.id);
        let first: Vec<u32> = screen.matching().iter().take(best.len()).map(|choice| choice.action).collect();
        assert_eq!(first, best.iter().map(|best| best.0).collect::<Vec<_>>(), "{}", entry.id);
        for colours in [true, false] {
            screen.colours = colours;
            let mut terminal = Terminal::new(TestBackend::new(120, 40)).unwrap();
            terminal.draw(|frame| screen.draw(frame)).unwrap();
            let text = terminal.backend().to_string();
            assert!(!best[0].1.is_empty() && text.contains(&*best[0].1), "{text}");
            assert!(text.contains("search:20 expects p0"), "{text}");
            // The cells of the board, on the left, with the mark of the first action.
            let mark = screen.hints.style(best[0].0, colours).unwrap();
            let cells =
                terminal.backend().buffer().content().iter().enumerate().filter(|(i, _)| i % 120 < 70);
            let marked = cells.filter(|(_, cell)| match mark.bg {
                Some(colour) => cell.bg == colour,
                None => cell.modifier.contains(mark.add_modifier),
            });
            let is_seen = screen.seated.preview(best[0].0).is_some();
            assert!(!is_seen || marked.count() > 0, "{}, colours {colours}: {text}", entry.id);
            assert_eq!(is_seen || text.contains("best actions marked"), text.contains("best actions marked"));
        }
        press(&mut screen, KeyCode::Enter);
        let played = screen.seated.game().log().remove(0).action;
        assert_eq!((played, screen.hints.best.len()), (best[0].0, 0), "{}", entry.id);
    }
    let mut bots = screen(GAMES[0].id, &["random"]);
    press(&mut bots, KeyCode::Char('?'));
    assert!(!bots.hints.is_asked() && shown(&mut bots, 120, 40).contains("your own turn"));
}
