//! Bit-plane code against slow recomputations, along random games on maps of all shapes.

use serde_json::json;

use super::*;
use crate::{Action, Cell, Structure};
use ludovec_engine::{self as engine, Guide, Rules, Status, Words};

/// Maps with many cells at word boundaries, with few and many players.
const SHAPES: [(&str, &str, &str); 8] = [
    ("4", "4", "2"),
    ("4", "4", "8"),
    ("64", "4", "3"),
    ("4", "64", "5"),
    ("9", "7", "3"),
    ("16", "8", "4"),
    ("40", "20", "4"),
    ("13", "33", "7"),
];

fn games() -> impl Iterator<Item = TestGame> {
    SHAPES.into_iter().map(|(width, height, players)| {
        let limit = if players == "3" { "4" } else { "0" };
        game(&[
            ("width", width),
            ("height", height),
            ("players", players),
            ("max_turns", "60"),
            ("tiles_per_castle", limit),
        ])
    })
}

#[test]
fn the_mask_has_exactly_the_actions_the_rules_accept_one_by_one() {
    for (seed, game) in games().enumerate() {
        let mut accepted = [0; 6];
        play_randomly(&game, seed as u64, amount(400), |state, _| {
            let position = state.with(&game.rules);
            let mask = legal(&game, state);
            for index in 0..mask.len() as u32 * 64 {
                let exists = index < game.spec.num_actions && game.status(state) == Status::Running;
                let expected =
                    exists && position.effect_of(Action::from_index(index, &game.rules.map)).is_ok();
                assert_eq!(
                    mask::contains(&mask, index),
                    expected,
                    "{index} in\n{}",
                    engine::pictures(&game, state, engine::View::default())[0]
                );
                if expected {
                    let family = game.spec.actions.iter().rposition(|f| f.offset <= index).unwrap();
                    accepted[family] += 1;
                }
            }
        });
        assert!(accepted.iter().all(|&n| n > 0), "every family is met: {accepted:?}");
    }
}

#[test]
fn the_observation_matches_the_world() {
    for (seed, game) in games().enumerate() {
        let (players, cells) = (game.rules.players, game.rules.map.cells());
        let offset = |name: &str| game.spec.observation.iter().find(|f| f.name == name).unwrap().offset;
        play_randomly(&game, seed as u64, amount(200), |state, chance| {
            let position = state.with(&game.rules);
            let seat = chance.uniform(players as u32) as usize;
            let mut out = vec![0xaa; game.spec.observation_len()];
            game.observe(state, seat, &mut out);
            for c in 0..cells {
                let cell = Cell(c as u16);
                let owner = position.owner(cell).map_or(0, |o| (o + players - seat) % players + 1);
                assert_eq!(usize::from(out[c]), owner);
                assert_eq!(out[cells + c], position.structure(cell) as u8);
            }
            for i in 0..players {
                let other = (seat + i) % players;
                let digits = &out[offset("resources") + 4 * i..][..4];
                let value = digits.iter().rev().fold(0u32, |value, &d| value * 256 + u32::from(d));
                assert_eq!(value, state.ledger.resources[other]);
                assert_eq!(u32::from(out[offset("wealth") + i]), value.min(255));
                assert_eq!(out[offset("alive") + i] == 1, position.is_alive(other));
                assert_eq!(out[offset("waiting") + i] == 1, state.ledger.waiting >> other & 1 == 1);
                let acts = game.status(state) == Status::Running && position.current() == other;
                assert_eq!(out[offset("acting") + i] == 1, acts);
            }
            let turn = &out[offset("turn")..];
            assert_eq!(u32::from(turn[0]) + 256 * u32::from(turn[1]), state.ledger.turn);
            assert_eq!(turn.len(), 2);
        });
    }
}

#[test]
fn every_position_of_play_is_valid_and_survives_json() {
    for (seed, game) in games().enumerate() {
        let mut over = 0;
        play_randomly(&game, seed as u64, amount(300), |state, _| {
            game.validate(state).unwrap();
            assert_eq!(game.state_from_json(&game.state_to_json(state)).unwrap(), *state);
            over += u64::from(game.status(state) == Status::Terminated);
        });
        assert!(over > 0 || game.rules.players > 4, "games end");
    }
}

#[test]
fn counts_and_scores_match_the_cells() {
    let game = game(&[("width", "12"), ("height", "9"), ("players", "3"), ("tiles_per_castle", "0")]);
    play_randomly(&game, 5, amount(500), |state, _| {
        let position = state.with(&game.rules);
        let cells = || (0..game.rules.map.cells() as u16).map(Cell);
        let mut scores = [0.0; 3];
        game.scores(state, &mut scores);
        for (seat, &score) in scores.iter().enumerate() {
            let owned = cells().filter(|&c| position.owner(c) == Some(seat));
            assert_eq!(score, owned.clone().count() as f32);
            for structure in Structure::BUILDABLE {
                let built = owned.clone().filter(|&c| position.structure(c) == structure).count();
                assert_eq!(position.count(seat, structure), built as u32);
            }
        }
    });
}

#[test]
fn every_action_has_one_label_and_one_object() {
    let game = game(&[("width", "9"), ("height", "5")]);
    let state = game.init(&mut SeededChance::from_seed(1));
    let mut labels = std::collections::HashSet::new();
    for index in 0..game.spec.num_actions {
        assert!(labels.insert(game.action_to_string(&state, index)));
        let object = game.action_to_json(&state, index);
        assert_eq!(game.action_from_json(&state, &object).unwrap(), index);
        let (family, _) = game.spec.family(index).unwrap();
        assert_eq!(object["type"], family.name);
        assert_eq!(game.action(index).index(&game.rules.map), index);
    }
    for index in mask::iter(&legal(&game, &state)) {
        assert_eq!(game.string_to_action(&state, &game.action_to_string(&state, index)).unwrap(), index);
    }
}

#[test]
fn a_size_class_does_not_change_the_game() {
    let large = game(&[("width", "40"), ("height", "20")]);
    let small = Empires::<100>::new(&large.spec.options).unwrap();
    let mut chance = SeededChance::from_seed(3);
    let mut other = small.init(&mut chance.clone());
    let mut state = large.init(&mut chance);
    while large.status(&state) == Status::Running {
        assert_eq!(large.state_to_json(&state), small.state_to_json(&other));
        let mask = legal(&large, &state);
        let action = mask::select(&mask, chance.uniform(mask::count(&mask))).unwrap();
        small.step(&mut other, action, &mut chance.clone());
        large.step(&mut state, action, &mut chance);
    }
    assert!(Empires::<64>::new(&large.spec.options).is_err());
}

#[test]
fn bots_play_legally_and_as_their_names_say() {
    let game = game(&[("width", "12"), ("height", "8"), ("max_turns", "120")]);
    for bot in Empires::bots() {
        let mut played = std::collections::BTreeSet::new();
        let mut chance = SeededChance::from_seed(11);
        for _ in 0..amount(4) {
            let mut state = game.init(&mut chance);
            while game.status(&state) == Status::Running {
                let mask = legal(&game, &state);
                let action = (bot.act)(&game, &state, &mask, &mut chance);
                assert!(mask::contains(&mask, action), "{} plays {action}", bot.name);
                let name = game.action(action).parts().0;
                let attacks = match game.action(action) {
                    Action::Conquer(cell) => state.with(&game.rules).owner(cell).is_some(),
                    _ => false,
                };
                played.insert(if attacks { "attack" } else { name });
                game.step(&mut state, action, &mut chance);
            }
        }
        let played: Vec<_> = played.into_iter().collect();
        let expected: &[&str] = match bot.name {
            "passive" => &["pass"],
            "pacifist" => &["conquer", "farm", "harvest"],
            "aggressive" => &["attack", "conquer", "harvest"],
            "defensive" => &["attack", "conquer", "fort", "harvest"],
            _ => {
                assert!(played.contains(&"pass") && played.contains(&"harvest"), "{played:?}");
                continue;
            }
        };
        assert_eq!(played, expected, "{}", bot.name);
    }
}

#[test]
fn recorded_games_replay_exactly() {
    let recordings = include_str!("../../../../tests/data/empires/recorded_games.jsonl");
    let report = crate::exchange::conform::conform(&mut recordings.as_bytes()).unwrap();
    assert_eq!((report.games, report.mismatches, report.first), (8, 0, None));
    assert!(report.positions > 1000);
}

#[test]
fn a_wrong_recording_is_told_apart() {
    let recordings = include_str!("../../../../tests/data/empires/recorded_games.jsonl");
    let first: Value = serde_json::from_str(recordings.lines().next().unwrap()).unwrap();
    let last = first["turns"].as_array().unwrap().len() - 1;
    for (pointer, wrong) in [
        ("/turns/0/actions/0/3".to_string(), json!(true)),
        ("/turns/1/actions/0/4".to_string(), json!(77)),
        (format!("/turns/{last}/alive"), json!([true, true, true])),
        ("/turns/2/alive".to_string(), json!(vec![true; 20])),
        ("/turns/24/world/0".to_string(), json!("")),
        ("/final_world/2".to_string(), json!("")),
        ("/winners".to_string(), json!([0])),
        ("/max_turns".to_string(), json!(20)),
        ("/turns/3/order".to_string(), json!([])),
    ] {
        let mut changed = first.clone();
        *changed.pointer_mut(&pointer).unwrap() = wrong;
        let report = crate::exchange::conform::conform(&mut changed.to_string().as_bytes()).unwrap();
        assert_eq!((report.games, report.mismatches), (1, 1), "{pointer}");
    }
    let broken = crate::exchange::conform::conform(&mut "\n{}".as_bytes()).unwrap_err().to_string();
    assert!(broken.contains("line 2"), "{broken}");
}
