//! Tests of actions as words and objects, and of their errors.

use serde_json::{Value, json};

use super::super::actions::{Action, index};
use super::{PositionBuilder, game};
use ludovec_engine::chance::{Chance, SeededChance};
use ludovec_engine::{RefusalKind, Rules, Status, Words, mask};

#[test]
fn indices_decode_and_encode() {
    for action in 0..index::COUNT {
        assert_eq!(Action::decode(action).encode(), action);
    }
    assert_eq!(index::COUNT, 302);
}

#[test]
fn every_action_has_a_unique_word_an_object_and_a_way_back_in_every_phase() {
    let mut phases = std::collections::BTreeSet::new();
    for players in 2..=5u64 {
        let game = game(&[("players", &players.to_string())]);
        let mut chance = SeededChance::from_seed(players);
        let mut state = game.init(&mut chance);
        let mut row = vec![0; game.spec().mask_words()];
        for _ in 0..3000 {
            if game.status(&state) == Status::Terminated {
                state = game.init(&mut chance);
            }
            phases.insert(state.phase().name());
            game.legal(&state, &mut row);
            let mut words = std::collections::HashSet::new();
            for action in mask::iter(&row) {
                let word = game.action_to_string(&state, action);
                assert!(words.insert(word.clone()), "{word}");
                let object = game.action_to_json(&state, action);
                assert_eq!(game.action_from_json(&state, &object), Ok(action), "{object}");
            }
            for action in (0..index::COUNT + 3).filter(|&a| !mask::contains(&row, a)).step_by(7) {
                assert!(!game.explain_illegal(&state, action).to_string().contains('\n'));
            }
            let pick = chance.uniform(mask::count(&row));
            game.step(&mut state, mask::select(&row, pick).unwrap(), &mut chance);
        }
    }
    // All phases with a decision were seen; SCORE, TURN_END and GAME_OVER have none.
    assert_eq!(phases.len(), 12, "{phases:?}");
}

#[test]
fn an_action_of_another_phase_is_told_apart_from_an_illegal_one() {
    let g = PositionBuilder::new(2).active(0, "Ratmen", "Hill", &[(1, 9)]).start();
    let submit = |object: Value| g.game.action_from_json(&g.state, &object);
    let early = submit(json!({"type": "CONQUER", "region": 2})).unwrap_err();
    assert_eq!(early.refusal_kind(), Some(RefusalKind::InvalidPhase));
    assert_eq!(g.game.explain_illegal(&g.state, index::CONQUER + 2).kind, RefusalKind::InvalidPhase);
    for malformed in [json!(7), json!({}), json!({"type": "FLY"}), json!({"type": 3})] {
        assert_eq!(submit(malformed).unwrap_err().refusal_kind(), Some(RefusalKind::IllegalAction));
    }
}

#[test]
fn refusals_say_why() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Hill", &[(4, 4)])
        .active(1, "Humans", "Heroic", &[(2, 1), (3, 3), (5, 6)])
        .marker(2, "HERO")
        .start();
    g.play("EXPAND");
    for (region, reason) in [
        (4, "held"),
        (2, "immune"),
        (3, "out of reach"),
        (0, "water"),
        (5, "costs 9, 3 are in hand"),
        (40, "0 to 15"),
    ] {
        let text = g.game.explain_illegal(&g.state, index::CONQUER + region).to_string();
        assert!(text.contains(reason), "{text}");
    }
    let object = json!({"type": "FINAL_CONQUEST", "region": 8});
    let error = g.game.action_from_json(&g.state, &object).unwrap_err().to_string();
    assert!(error.contains("it is CONQUER"), "{error}");
    for (object, reason) in [
        (json!({"type": "CONQUER"}), "region"),
        (json!({"type": "CONQUER", "region": 16}), "0 to 15"),
        (json!({"type": "CONQUER", "region": 4, "rest": 1}), "true or false"),
    ] {
        let error = g.game.action_from_json(&g.state, &object).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn a_finished_game_takes_nothing() {
    let mut g = PositionBuilder::new(2).active(1, "Elves", "Swamp", &[(14, 1)]).turn(10, 1).start();
    g.play("DECLINE");
    let error = g.game.action_from_json(&g.state, &json!({"type": "EXPAND"}));
    assert_eq!(error.unwrap_err().refusal_kind(), Some(RefusalKind::GameOver));
    assert_eq!(g.game.explain_illegal(&g.state, index::EXPAND).kind, RefusalKind::GameOver);
}
