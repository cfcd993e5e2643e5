//! Known positions and games: mates that a hint must find, and combinations that a review must not call blunders.
//!
//! In `combinations.pgn` the tag `Combination` names the first move of the winner's combination.

use std::sync::Mutex;
use std::thread;

use super::{GameReview, Grade, ReviewedAction};
use crate::engine::{Interrupt, Record};
use crate::games;
use crate::player::Player;
use crate::replay::replay;

const MATES: &str = include_str!("data/mates.txt");
const COMBINATIONS: &str = include_str!("data/combinations.pgn");
const REVIEWER: &str = "net:champion:64";

/// Calls `task` for all items on as many threads as there are cores.
fn on_all_cores<T: Send>(items: Vec<T>, task: impl Fn(T) + Sync) {
    let items = Mutex::new(items.into_iter());
    let next = || items.lock().unwrap().next();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(item) = next() {
                    task(item);
                }
            });
        }
    });
}

#[test]
fn every_mate_in_one_and_two_is_the_best_action_of_a_hint() {
    let lines: Vec<&str> = MATES.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.len() > 30);
    on_all_cores(lines, |line| {
        let [fen, mate, moves] = line.split("; ").collect::<Vec<_>>()[..] else { panic!("{line}") };
        let game = games::find("chess").unwrap().make([("fen", fen.into())]).unwrap();
        let adviser = Player::parse(&*game, REVIEWER, None).unwrap();
        let play = game.single(0);
        let analysis = adviser.advise(&play, 1, &Interrupt::default()).unwrap();
        let best = ReviewedAction::new(&play, &analysis, analysis.action, 0.0).unwrap();
        assert!(moves.split(' ').any(|known| known == best.label), "{line}: {}", best.label);
        assert_eq!(best.value, Some(1.0), "{line}");
        assert_eq!(analysis.values[play.current_player()], 1.0, "{line}");
        // The line of play ends the game.
        let mut end = play.clone();
        analysis
            .line
            .iter()
            .take(if mate == "1" { 1 } else { 0 })
            .for_each(|&action| end.step(action).unwrap());
        assert_eq!(end.returns().iter().any(|outcome| outcome.abs() == 1.0), mate == "1", "{line}");
        // No action is without a value.
        assert!(analysis.action_values.iter().all(Option::is_some), "{line}: {:?}", analysis.action_values);
    });
}

/// The games, each with the step of the first move of its combination.
fn combinations() -> Vec<(Record, usize)> {
    let texts: Vec<String> =
        COMBINATIONS.split("[Event ").skip(1).map(|text| format!("[Event {text}")).collect();
    let game = |text: &String| {
        let first = text.split("[Combination \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let (number, _) = first.split_once('.').unwrap();
        let step = 2 * (number.parse::<usize>().unwrap() - 1) + usize::from(first.contains("..."));
        let mut found = None;
        for (_, read) in games::find("chess").unwrap().imports() {
            read(&mut text.as_bytes(), &[], &mut |game| {
                found = found.take().or_else(|| Some(game.ok()?.record));
                false
            });
        }
        (found.expect("a game in PGN"), step)
    };
    texts.iter().map(game).collect()
}

#[test]
fn no_move_of_a_known_combination_is_a_blunder() {
    let games = combinations();
    assert_eq!(games.len(), 10);
    let blunders = Mutex::new(Vec::new());
    on_all_cores(games, |(record, from)| {
        let rules = games::find("chess").unwrap().make([]).unwrap();
        let reviewer = Player::parse(&*rules, REVIEWER, None).unwrap();
        let never = Interrupt::default();
        let mut review = GameReview::new(&rules.single(0), &reviewer, &never).unwrap();
        replay(&record, |game, step| {
            let position = step.map_or(0, |step| step + 1);
            if position >= from {
                review.push(game, record.actions.get(position).copied(), &reviewer, &never)?;
            }
            Ok(())
        })
        .unwrap();
        let steps = record.actions.len() - from;
        assert_eq!((review.positions.len(), review.prices.len()), (steps + 1, steps));
        for (step, price) in review.prices.iter().enumerate().step_by(2) {
            let price = price.expect("values of chess compare");
            let played = &review.positions[step].played.as_ref().unwrap().words;
            if price.grade == Grade::Blunder && price.confirmed {
                blunders.lock().unwrap().push(format!("{played}: {price:?}"));
            }
        }
    });
    let blunders = blunders.into_inner().unwrap();
    assert!(blunders.is_empty(), "{blunders:#?}");
}
