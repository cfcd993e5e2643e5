//! External input: states and actions as JSON and bytes, good and bad.

use ludovec_engine::RefusalKind;
use ludovec_engine::{Rules, Words, pictures};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::actions::ACTIONS;
use super::super::observe;
use super::*;
use ludovec_engine::Error;

/// A state in the middle of a random game.
fn somewhere(rules: &StarWarsRisk, seed: u64, steps: u32) -> State {
    let mut chance = SeededChance::from_seed(seed);
    let mut state = rules.init(&mut chance);
    for _ in 0..steps {
        if rules.status(&state) != Status::Running {
            break;
        }
        let legal = rules.legal_mask(&state);
        let action = mask::select(&legal, chance.uniform(mask::count(&legal))).unwrap();
        rules.step(&mut state, action, &mut chance);
    }
    state
}

/// Calls every method on an accepted state, and plays on from it.
fn exercise(rules: &StarWarsRisk, mut state: State, seed: u64) {
    let mut chance = SeededChance::from_seed(seed);
    let mut row = vec![0; observe::LEN];
    assert_eq!(rules.state_from_json(&rules.state_to_json(&state)).as_ref(), Ok(&state));
    for step in 0..40 {
        for seat in [REBEL, EMPIRE] {
            rules.observe(&state, seat, &mut row);
            if step == 0 {
                rules.observation_to_json(&state, seat);
                let drawn = rules.determinize(&state, seat, &mut chance);
                rules.validate(&drawn).unwrap();
            }
        }
        if step == 0 {
            assert!(pictures(rules, &state, View::default()).iter().all(|picture| !picture.is_empty()));
            drop(rules.card_plays(&state));
        }
        let legal = rules.legal_mask(&state);
        let Some(last) = mask::count(&legal).checked_sub(1) else {
            assert_ne!(rules.status(&state), Status::Running);
            return;
        };
        let action = mask::select(&legal, chance.uniform(last + 1)).unwrap();
        rules.step(&mut state, action, &mut chance);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(amount(300) as u32))]

    #[test]
    fn changed_bytes_are_refused_or_playable(
        seed in 0u64..50,
        steps in 0u32..900,
        changes in prop::collection::vec((0usize..size_of::<State>(), any::<u8>(), any::<bool>()), 1..4),
    ) {
        let rules = rules();
        let mut bytes = bytemuck::bytes_of(&somewhere(&rules, seed, steps)).to_vec();
        for (at, value, small) in changes {
            // Small changes are more likely to be accepted.
            bytes[at] = if small { bytes[at].wrapping_add(value % 3).wrapping_sub(1) } else { value };
        }
        if let Ok(state) = bytemuck::checked::try_pod_read_unaligned::<State>(&bytes)
            && rules.validate(&state).is_ok()
        {
            exercise(&rules, state, seed);
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), size_of::<State>())) {
        if let Ok(state) = bytemuck::checked::try_pod_read_unaligned::<State>(&bytes) {
            prop_assert!(rules().validate(&state).is_err());
        }
    }

    #[test]
    fn changed_json_is_refused_with_the_place_or_playable(
        seed in 0u64..50,
        steps in 0u32..900,
        place in any::<prop::sample::Index>(),
        value in prop_oneof![
            Just(json!(null)), Just(json!([])), Just(json!({})), Just(json!("rebel")), Just(json!(-1)),
            Just(json!(1.5)), any::<u8>().prop_map(|n| json!(n)), (0u8..3).prop_map(|n| json!(n)),
            Just(json!(true)), Just(json!(["x"])), Just(json!({"xwing": 1})),
        ],
    ) {
        fn places(value: &Value, path: String, all: &mut Vec<String>) {
            match value {
                Value::Object(map) => map.iter().for_each(|(k, v)| places(v, format!("{path}/{k}"), all)),
                Value::Array(list) => list.iter().enumerate().for_each(|(i, v)| places(v, format!("{path}/{i}"), all)),
                _ => {}
            }
            all.push(path);
        }
        let rules = rules();
        let mut json = rules.state_to_json(&somewhere(&rules, seed, steps));
        let mut all = Vec::new();
        places(&json, String::new(), &mut all);
        let place: &String = place.get(&all);
        *json.pointer_mut(place).unwrap() = value;
        match rules.state_from_json(&json) {
            Ok(state) => exercise(&rules, state, seed),
            Err(error) => {
                let text = error.to_string();
                prop_assert!(matches!(error, Error::InvalidState(_)) && !text.contains('\n'), "{}", text);
            }
        }
    }

    #[test]
    fn any_object_is_an_action_or_refused(
        kind in prop_oneof!["[a-z_]{0,16}", Just("move".to_string()), Just("attack".into()), Just("hit".into()), Just("order".into())],
        key in prop_oneof![Just("from"), Just("to"), Just("count"), Just("space"), Just("ship"), Just("card")],
        value in prop_oneof![any::<i64>().prop_map(|n| json!(n)), "[a-z]{0,8}".prop_map(|s| json!(s)), (0u8..60).prop_map(|n| json!(n))],
    ) {
        let rules = rules();
        let state = somewhere(&rules, 1, 20);
        match rules.action_from_json(&state, &json!({ "type": kind, key: value })) {
            Ok(action) => prop_assert!(action < ACTIONS),
            Err(error) => prop_assert!(error.refusal_kind() == Some(RefusalKind::IllegalAction), "{}", error),
        }
    }
}

#[test]
fn errors_name_the_problem_and_the_allowed_values() {
    let rules = rules();
    let good = rules.state_to_json(&somewhere(&rules, 1, 50));
    for (place, value, said) in [
        ("/shield", json!(29), "state.shield: 29 is not a number from 0 to 28"),
        ("/phase", json!("dance"), "one of order, icon"),
        ("/spaces/3", json!({ "zwing": 1 }), "state.spaces[3].zwing: no such name"),
        ("/spaces/15", json!({ "xwing": 1, "tie": 1 }), "ships of both sides"),
        (
            "/cards/rebel/hand",
            json!({ "hat+shield": 2 }),
            "state.cards.rebel.hand.hat+shield: 2 is not a number from 0 to 1",
        ),
        ("/throne", json!({ "rebel": 12 }), "the key \"empire\" is missing"),
        ("/round", json!(0), "the round is from 1"),
    ] {
        let mut json = good.clone();
        *json.pointer_mut(place).unwrap() = value;
        let error = rules.state_from_json(&json).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    let mut json = good;
    json.as_object_mut().unwrap().remove("motherships");
    assert!(rules.state_from_json(&json).unwrap_err().to_string().contains("motherships"));
}

#[test]
fn an_illegal_action_is_explained() {
    let s = Scenario::new("rebel", "shield+lightsaber", &[]);
    let explain = |label: Value| {
        let action = s.rules.action_from_json(&s.state, &label).unwrap();
        s.rules.explain_illegal(&s.state, action)
    };
    let error = explain(json!({ "type": "hat" }));
    assert!(
        error.kind == RefusalKind::IllegalAction && error.reason == "hat: the turned card does not have it",
        "{error}"
    );
    let error = explain(json!({ "type": "hold" }));
    assert_eq!(error.kind, RefusalKind::InvalidPhase);
    assert!(error.reason.contains("the decision now is \"icon\""), "{error}");
    assert!(s.rules.explain_illegal(&s.state, 999).to_string().contains("0 to 211"));
    let over = Scenario::new("empire", "move_tie+lightsaber", &[]).with(|state| {
        state.phase = Phase::Over;
        state.outcome = GameResult::Rounds;
        state.set_card(None);
    });
    assert_eq!(over.rules.explain_illegal(&over.state, 21).kind, RefusalKind::GameOver);
}

#[test]
fn refusals_say_why() {
    let check = |s: &Scenario, label: &str, reason: &str| {
        let named = |action: &u32| s.rules.action_to_string(&s.state, *action) == label;
        let action = (0..ACTIONS).find(named).unwrap_or_else(|| panic!("no action {label}"));
        assert_eq!(s.rules.explain_illegal(&s.state, action).reason, format!("{label}: {reason}"));
    };
    let s = Scenario::new("rebel", "move_xwing+lightsaber", &[(1, "xwing", 4), (7, "tie", 1)]);
    check(&s, "move_xwing", "no ship of this kind can move");
    let s = Scenario::new("rebel", "shield+lightsaber", &[]).with(|state| state.throne[EMPIRE] = 0);
    check(&s, "lightsaber", "the duel is over");
    let mut s = Scenario::new(
        "rebel",
        "move_xwing+lightsaber",
        &[(12, "xwing", 5), (1, "xwing", 1), (6, "xwing", 2), (7, "tie", 1), (11, "tie", 2)],
    );
    s.play(&["move_xwing"], &[]);
    check(&s, "move from 20", "no ship of this kind (xwing) is there");
    check(&s, "move from 1", "every space beside it is taken by the opponent or a mothership");
    check(&s, "spawn", "the card does not move TIE fighters");
    s.play(&["move from 12"], &[]);
    check(&s, "move to 11", "ships of the opponent are there");
    check(&s, "move to 12", "the ships are there");
    check(&s, "move to 27", "it is not beside the ships");
    check(&s, "move to 3", "ships do not enter the spaces of motherships");
    s.play(&["move to 20"], &[]);
    check(&s, "move 6", "5 of them are there");
    let ships = [(13, "xwing", 1), (11, "tie", 1), (6, "tie", 1)];
    let mut s = Scenario::new("rebel", "move_xwing+lightsaber", &ships);
    s.play(&["move_xwing", "move to 12"], &[]);
    check(&s, "attack 20", "no ship of the opponent is there");
    check(&s, "attack 6", "it is not beside the ships that moved");
    check(&s, "attack_deathstar", "its shield is up");
    let fire = || Scenario::new("empire", "fire_deathstar+lightsaber", &[(12, "xwing", 1), (20, "ywing", 1)]);
    let mut s = fire();
    s.play(&["fire_deathstar"], &[]);
    check(&s, "fire_deathstar 12", "the Death Star fires at motherships as long as there are any");
    let mut s = fire().with(|state| state.motherships = 0);
    s.play(&["fire_deathstar"], &[]);
    check(&s, "fire_deathstar 13", "no rebel ship is there");
}

#[test]
fn the_text_shows_the_three_battles() {
    let s = Scenario::new("rebel", "shield+lightsaber", &[(15, "falcon", 6), (13, "executor", 8)]).with(
        |state| {
            state.shield = 2;
            state.stormtroopers = 3;
            state.motherships = 0b111101;
        },
    );
    let [text, _] = pictures(&s.rules, &s.state, View::default());
    for part in [
        "round 1, Rebellion chooses an icon of the card",
        "15:F6",
        "13:E8",
        " 1:x",
        ">2+ 2+ 2+ 2 ",
        "rebel 12, empire 13",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn all_spaces_are_seen_on_a_terminal_of_80_columns() {
    let rules = rules();
    walk(&rules, 3, |state, _, _| {
        let [text, _] = pictures(&rules, state, View::default());
        let rings: Vec<&str> = text
            .lines()
            .skip_while(|line| !line.starts_with("motherships"))
            .take_while(|line| !line.is_empty())
            .collect();
        assert!(rings.iter().all(|line| line.len() <= 78), "{text}");
        for space in 0..SPACES {
            assert!(
                rings.iter().any(|line| line.contains(&format!(" {space}:"))),
                "no space {space}\n{text}"
            );
        }
    });
}

#[test]
fn the_picture_is_one_well_formed_document() {
    let rules = rules();
    let mut steps = 0;
    walk(&rules, 1, |state, _, _| {
        steps += 1;
        if steps % 50 == 0 {
            let [_, svg] = pictures(&rules, state, View::default());
            assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"));
            let opened = svg.matches("<text").count();
            assert_eq!(opened, svg.matches("</text>").count());
            assert_eq!(svg.matches('<').count(), svg.matches('>').count());
            assert!(!svg.contains("NaN") && !svg.contains("href"));
        }
    });
}
