//! External states: round trips and hostile input.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::State;
use super::{PositionBuilder, game};
use crate::exchange::validate;
use crate::rules::pieces::markers;
use ludovec_engine::chance::{Chance, SeededChance};
use ludovec_engine::{Rules, Status, View, Words, mask, pictures};

/// A position from the middle of a random game.
fn some_state(players: usize, seed: u64, steps: usize) -> (super::SmallWorld, State) {
    let game = game(&[("players", &players.to_string())]);
    let mut chance = SeededChance::from_seed(seed);
    let mut state = game.init(&mut chance);
    let mut row = vec![0; game.spec().mask_words()];
    for _ in 0..steps {
        if game.status(&state) == Status::Terminated {
            break;
        }
        game.legal(&state, &mut row);
        let pick = chance.uniform(mask::count(&row));
        game.step(&mut state, mask::select(&row, pick).unwrap(), &mut chance);
    }
    (game, state)
}

/// Calls every method and plays on for a while, without a panic.
fn exercise(game: &super::SmallWorld, mut state: State, seed: u64) {
    let mut chance = SeededChance::from_seed(seed);
    let mut row = vec![0; game.spec().mask_words()];
    let mut seen = vec![0; game.spec().observation_len()];
    let players = game.spec().players;
    for _ in 0..300 {
        if game.status(&state) == Status::Terminated {
            break;
        }
        game.legal(&state, &mut row);
        let n = mask::count(&row);
        assert!(n > 0, "{:?}", state.phase());
        let action = mask::select(&row, chance.uniform(n)).unwrap();
        game.action_to_json(&state, action);
        game.step(&mut state, action, &mut chance);
        game.validate(&state).unwrap_or_else(|e| panic!("play leads out of the rules: {e}"));
        for seat in 0..players {
            game.observe(&state, seat, &mut seen);
        }
    }
    game.scores(&state, &mut vec![0.0; players]);
    game.ranks(&state, &mut vec![0; players]);
    game.observation_to_json(&state, 0);
    pictures(game, &state, View::default());
    game.state_to_json(&state);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn states_survive_json(players in 2usize..6, seed: u64, steps in 0usize..500) {
        let (game, state) = some_state(players, seed, steps);
        let json = game.state_to_json(&state);
        prop_assert_eq!(game.state_from_json(&json).unwrap(), state);
        let text: Value = serde_json::from_str(&json.to_string()).unwrap();
        prop_assert_eq!(game.state_from_json(&text).unwrap(), state);
    }

    #[test]
    fn observations_stay_below_their_high_values(players in 2usize..6, seed: u64, steps in 0usize..500) {
        let (game, state) = some_state(players, seed, steps);
        let mut row = vec![0; game.spec().observation_len()];
        for seat in 0..players {
            game.observe(&state, seat, &mut row);
            for field in &game.spec().observation {
                let len: usize = field.shape.iter().product();
                let most = row[field.offset..field.offset + len].iter().max().unwrap();
                prop_assert!(*most <= field.high, "{} has {most}", field.name);
            }
        }
    }

    /// The richest accepted position stays within the limits in any further play.
    #[test]
    fn the_most_coins_that_are_accepted_leave_room_for_the_rest_of_the_game(
        players in 2usize..6,
        seed: u64,
        steps in 0usize..600,
    ) {
        let (game, mut state) = some_state(players, seed, steps);
        for seat in 0..players {
            state.coins[seat] = validate::most_coins(&game.rules, &state, seat);
        }
        let row_coins = validate::most_row_coins(&game.rules, &state);
        for combo in &mut state.row[..usize::from(state.row_len)] {
            combo.coins = row_coins as u8;
        }
        exercise(&game, state, seed);
        state.coins[players - 1] += 1;
        prop_assert!(game.validate(&state).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// One, two or three bytes of a good state are overwritten: every accepted state is playable.
    #[test]
    fn accepted_snapshots_never_panic(
        players in 2usize..6,
        seed in 0u64..40,
        steps in 0usize..300,
        changes in prop::collection::vec((size_of::<crate::rules::map::Map>()..size_of::<State>(), any::<u8>()), 1..4),
    ) {
        let (game, mut state) = some_state(players, seed, steps);
        for (at, byte) in changes {
            bytemuck::bytes_of_mut(&mut state)[at] = byte;
        }
        if game.validate(&state).is_ok() {
            exercise(&game, state, seed);
        }
    }

    /// Small changes to single numbers are the ones that pass simple checks.
    #[test]
    fn accepted_nudges_never_panic(
        players in 2usize..6,
        seed in 0u64..40,
        steps in 0usize..300,
        at in size_of::<crate::rules::map::Map>()..size_of::<State>(),
        by in prop::sample::select(vec![1u8, 2, 255, 254]),
        at_too in size_of::<crate::rules::map::Map>()..size_of::<State>(),
    ) {
        let (game, mut state) = some_state(players, seed, steps);
        let bytes = bytemuck::bytes_of_mut(&mut state);
        bytes[at] = bytes[at].wrapping_add(by);
        bytes[at_too] = bytes[at_too].wrapping_sub(by);
        if game.validate(&state).is_ok() {
            exercise(&game, state, seed);
        }
    }
}

#[test]
fn mutated_json_is_refused_in_one_line_or_played() {
    let hostile = [
        json!(null),
        json!(-1),
        json!(255),
        json!(256),
        json!(1e300),
        json!("x"),
        json!([]),
        json!({}),
        json!(true),
    ];
    let (game, state) = some_state(3, 5, 120);
    let whole = game.state_to_json(&state);
    let mut paths = Vec::new();
    collect(&whole, String::new(), &mut paths);
    // The map has tests of its own.
    for path in paths.iter().filter(|path| !path.starts_with("/map/")) {
        for value in &hostile {
            let mut changed = whole.clone();
            *changed.pointer_mut(path).unwrap() = value.clone();
            match game.state_from_json(&changed) {
                Ok(state) => exercise(&game, state, 1),
                Err(error) => {
                    let text = error.to_string();
                    assert!(!text.contains('\n') && text.len() < 1000, "{text}");
                }
            }
        }
    }
}

fn collect(value: &Value, path: String, paths: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            object.iter().for_each(|(key, v)| collect(v, format!("{path}/{key}"), paths));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, v)| collect(v, format!("{path}/{i}"), paths));
        }
        _ => {}
    }
    paths.push(path);
}

#[test]
fn impossible_positions_are_refused_with_the_reason() {
    let refused = |change: &dyn Fn(&mut State), reason: &str| {
        let mut g = PositionBuilder::new(2)
            .active(0, "Ratmen", "Hill", &[(1, 4)])
            .active(1, "Trolls", "Fortified", &[(2, 2)])
            .start();
        change(&mut g.state);
        let error = g.game.validate(&g.state).expect_err(reason).to_string();
        assert!(error.contains(reason), "{error}");
    };
    refused(&|s| s.tokens[1] = 5, "base cost");
    refused(&|s| s.tray[8] += 1, "tokens, there are 13");
    refused(&|s| s.held[1][0].0 |= 2, "two owners");
    refused(&|s| s.row[1].race = s.row[0].race, "in two places");
    refused(&|s| s.power_discard |= 1, "");
    refused(&|s| s.phase = 14, "nothing to decide");
    refused(&|s| s.phase = 99, "phase number");
    refused(&|s| s.mover = 2, "seats are 0 to 1");
    refused(&|s| s.markers[1] = markers::LAIR, "");
    refused(&|s| s.turn = 0, "turn 0");
}

#[test]
fn pieces_that_a_phase_is_about_to_place_are_not_on_the_map() {
    let start = |power: &'static str| {
        let table = PositionBuilder::new(2).active(0, "Ratmen", power, &[(1, 4), (2, 2), (5, 3)]).start();
        table.game.validate(&table.state).unwrap();
        table
    };
    let mut with_encampments = start("Bivouacking");
    let mut heroes = start("Heroic");
    let refused = |table: &super::ScriptedGame, change: &dyn Fn(&mut Value)| {
        let mut json = table.game.state_to_json(&table.state);
        change(&mut json);
        let error = table.game.state_from_json(&json).expect_err(table.phase()).to_string();
        assert!(error.contains("on the map") || error.contains("to place"), "{error}");
    };
    let encampment = |at: usize| move |json: &mut Value| json["regions"][at]["encampments"] = json!(1);
    let hero = |at: usize| move |json: &mut Value| json["regions"][at]["markers"] = json!(["HERO"]);
    let loose = |json: &mut Value| json["progress"]["loose_encampments"] = json!(2);
    for action in ["EXPAND", "SKIP_CONQUEST"] {
        with_encampments.play(action);
        refused(&with_encampments, &encampment(0));
        refused(&with_encampments, &loose);
        heroes.play(action);
        refused(&heroes, &hero(0));
    }
    // In the middle of placing: a further encampment or hero in a later region is refused.
    with_encampments.play_all(&["REDEPLOY 5 rest", "PLACE_BIVOUACS 1"]);
    refused(&with_encampments, &|json| {
        json["progress"]["loose_encampments"] = json!(3);
        encampment(1)(json);
    });
    heroes.play_all(&["REDEPLOY 5 rest", "PLACE_HEROES 1"]);
    refused(&heroes, &hero(2));
    for table in [&with_encampments, &heroes] {
        assert_eq!(table.game.state_from_json(&table.game.state_to_json(&table.state)).unwrap(), table.state);
    }
}

#[test]
fn the_observation_has_the_viewers_costs_and_null_for_regions_it_cannot_conquer() {
    let g = PositionBuilder::new(3)
        .active(0, "Giants", "Commando", &[(5, 4)])
        .active(1, "Tritons", "Heroic", &[(1, 2)])
        .marker(1, "HERO")
        .active(2, "Ratmen", "Seafaring", &[(15, 3)])
        .start();
    let cost = |seat: usize, region: usize| {
        g.game.observation_to_json(&g.state, seat)["map"]["regions"][region]["conquest_cost"].clone()
    };
    // A swamp with a tribe costs 3: two less for the Giants at their mountain, one less for the Tritons at the
    // lake.
    assert_eq!([0, 1, 2].map(|seat| cost(seat, 6)), [json!(1), json!(2), json!(3)]);
    assert_eq!([0, 1, 2].map(|seat| cost(seat, 14)), [json!(1), json!(1), json!(2)]);
    // A hero makes a region immune; own regions and water without the ability to sail are no targets either.
    assert_eq!([0, 1, 2].map(|seat| cost(seat, 1)), [json!(null), json!(null), json!(null)]);
    assert_eq!([0, 1, 2].map(|seat| cost(seat, 15)), [json!(4), json!(5), json!(null)]);
    assert_eq!([0, 1, 2].map(|seat| cost(seat, 10)), [json!(null), json!(null), json!(2)]);
}

#[test]
fn the_cost_in_the_observation_is_the_cost_of_a_conquest() {
    let mut compared = 0;
    for seed in 0..40 {
        let (game, state) = some_state(2 + seed as usize % 4, seed, 60 + 7 * seed as usize);
        let mover = game.current_player(&state);
        let seen = game.observation_to_json(&state, mover);
        for action in seen["legal_actions"].as_array().unwrap() {
            if action["type"] == "CONQUER" {
                let region = action["region"].as_u64().unwrap() as usize;
                let index = game.action_from_json(&state, action).unwrap();
                let mut next = state;
                game.step(&mut next, index, &mut SeededChance::from_seed(0));
                // Only while the same army is still conquering: at redeployment its tokens are back in hand.
                if next.phase().is_conquest() && (next.mover, next.slot) == (state.mover, state.slot) {
                    assert_eq!(seen["map"]["regions"][region]["conquest_cost"], json!(next.tokens[region]));
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 20, "{compared}");
}

/// Everybody knows the coins of players who have not had a race yet.
#[test]
fn coins_are_known_until_the_first_race_and_bounded_by_the_turns_played() {
    let game = game(&[("players", "3")]);
    let mut chance = SeededChance::from_seed(3);
    let mut state = game.init(&mut chance);
    assert_eq!(game.determinize(&state, 1, &mut chance), state);
    let mut mask = vec![0; game.spec().mask_words()];
    while state.turn < 4 {
        for viewer in 0..3 {
            let drawn = game.determinize(&state, viewer, &mut chance);
            for other in (0..3).filter(|&other| other != viewer) {
                let turns = u16::from(state.turn) - u16::from(other > usize::from(state.seat));
                assert!(drawn.coins[other] <= 5 + 12 * turns, "{turns} {:?}", drawn.coins);
                assert!(turns > 0 || drawn.coins[other] == 5);
            }
        }
        game.legal(&state, &mut mask);
        let legal: Vec<u32> = mask::iter(&mask).collect();
        game.step(&mut state, legal[chance.uniform(legal.len() as u32) as usize], &mut chance);
    }
}

#[test]
fn determinizing_changes_opponents_coins_only() {
    let (game, state) = some_state(4, 2, 200);
    let drawn = game.determinize(&state, 1, &mut SeededChance::from_seed(8));
    assert_eq!(drawn.coins[1], state.coins[1]);
    assert_ne!(drawn.coins, state.coins);
    assert_eq!(State { coins: state.coins, ..drawn }, state);
    assert!(game.validate(&drawn).is_ok());
}
