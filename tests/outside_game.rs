//! A game of another crate: `examples/connect_four` works without a line in this one.

#[path = "../examples/connect_four/rules.rs"]
mod rules;
#[path = "../examples/connect_four/words.rs"]
mod words;

use ludovec::engine::{BatchConfig, Effort, OptionValue, RefusalKind, SingleGame, Status};
use ludovec::{games, replay};

const NO_OPTIONS: [(&str, OptionValue); 0] = [];

/// Registered once for all tests of this process.
fn entry() -> &'static ludovec::engine::Entry {
    let _ = games::register(rules::ENTRY);
    games::find("connect_four").unwrap()
}

fn play(moves: &str) -> SingleGame {
    let mut game = entry().make(NO_OPTIONS).unwrap().single(0);
    for letter in moves.chars() {
        let action = game.string_to_action(&letter.to_string()).unwrap();
        game.step(action).unwrap();
    }
    game
}

#[test]
fn the_game_conforms() {
    for (key, value) in [("reward", "outcome"), ("reward", "score"), ("on_illegal", "lose")] {
        let game = entry().make([(key, value.into())]).unwrap();
        game.check_conformance(Effort { games: 20, ..Effort::default() }).unwrap();
    }
}

#[test]
fn four_in_a_row_win_along_columns_rows_and_both_diagonals() {
    for (moves, returns) in [
        ("abababa", [1.0, -1.0]),
        ("agbgagbg", [-1.0, 1.0]),
        ("aabbccd", [1.0, -1.0]),
        ("abbccdcddgd", [1.0, -1.0]),
        ("gffeededdad", [1.0, -1.0]),
    ] {
        let (before, _) = moves.split_at(moves.len() - 1);
        assert_eq!(play(before).status(), Status::Running, "{before}");
        assert_eq!(
            (play(moves).status(), &play(moves).returns()[..]),
            (Status::Terminated, &returns[..]),
            "{moves}"
        );
    }
}

#[test]
fn a_full_column_takes_no_more_discs() {
    let mut game = play("aaaaaa");
    assert_eq!(game.legal_actions(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(game.step(0).unwrap_err().refusal_kind(), Some(RefusalKind::IllegalAction));
}

#[test]
fn batches_records_and_documents_work_as_for_any_game() {
    let game = entry().make(NO_OPTIONS).unwrap();
    let mut env = game.clone().vector(BatchConfig { num_envs: 64, ..BatchConfig::default() }).unwrap();
    let ended: usize = (0..200)
        .map(|_| {
            env.step_sampled().unwrap();
            env.columns().terminated.iter().filter(|&&ended| ended == 1).count()
        })
        .sum();
    assert!(ended > 64);
    let record = play("dcdcdcd").record();
    assert_eq!(replay::replay(&record, |_, _| Ok(())).unwrap().returns(), [1.0, -1.0]);
    let document = games::document(&*game).unwrap();
    assert_eq!((&document["env"], &document["num_actions"]), (&"connect_four".into(), &7.into()));
}
