//! One test per rule, named after it.

use super::*;
use crate::{Deed, Refusal, Structure};
use ludovec_engine::Status;
use ludovec_engine::chance::{ScriptedChance, enumerate_outcomes};
use ludovec_engine::{Dialect, Rules, Words};

fn small(more: &[(&str, &str)]) -> TestGame {
    let mut given = vec![("width", "5"), ("height", "4"), ("players", "2"), ("max_turns", "20")];
    given.extend(more);
    game(&given)
}

/// Submits `raw` for the current player; the next to act is the first waiting seat.
fn submit(game: &TestGame, state: &mut TestState, raw: Value) -> Result<Deed, Refusal> {
    game.submit_raw(state, &raw, &mut ScriptedChance::new(&[0])).unwrap()
}

fn rows(game: &TestGame, state: &TestState) -> Vec<String> {
    state.with(&game.rules).world_rows()
}

fn ranks(game: &TestGame, state: &TestState) -> Vec<u8> {
    let mut ranks = vec![9; game.rules.players];
    game.ranks(state, &mut ranks);
    ranks
}

const FACING: [&str; 4] = ["0[0:1:1[.:", ".:.:.:.:.:", ".:.:.:.:.:", ".:.:.:.:.:"];

#[test]
fn everyone_starts_with_one_castle_on_a_free_cell_and_no_resources() {
    let game = game(&[("width", "4"), ("height", "4"), ("players", "8")]);
    let mut seen = std::collections::HashSet::new();
    for seed in 0..200 {
        let state = game.init(&mut SeededChance::from_seed(seed));
        let position = state.with(&game.rules);
        for seat in 0..8 {
            assert_eq!((position.tiles(seat), position.count(seat, Structure::Castle)), (1, 1));
            assert_eq!(state.ledger.resources[seat], 0);
        }
        assert_eq!(state.ledger.turn, 1);
        seen.extend(crate::rules::map::cells_of(position.owned(7)));
    }
    assert_eq!(seen.len(), 16, "every cell can be drawn");
}

#[test]
fn given_castles_are_where_the_seats_start() {
    let game = small(&[("castles", "3:1, 0:2")]);
    let state = game.init(&mut ScriptedChance::new(&[1]));
    assert_eq!(rows(&game, &state), [".:.:.:.:.:", ".:.:.:0[.:", "1[.:.:.:.:", ".:.:.:.:.:"]);
    assert_eq!(game.current_player(&state), 1);
}

#[test]
fn the_order_of_a_turn_is_any_with_equal_probability_and_drawn_one_by_one() {
    let game = game(&[("width", "4"), ("height", "4"), ("players", "3"), ("castles", "0:0,1:1,2:2")]);
    let orders = enumerate_outcomes(100, |chance| {
        let mut state = game.init(chance);
        let mut order = Vec::new();
        while state.ledger.turn == 1 {
            order.push(game.current_player(&state));
            let pass = game.spec.num_actions - 1;
            if order.len() < 3 {
                game.step(&mut state, pass, chance);
            } else {
                // The last move of the turn also draws the first seat of the next turn.
                game.step(&mut state, pass, &mut ScriptedChance::new(&[0]));
            }
        }
        order
    })
    .unwrap();
    assert_eq!(orders.len(), 6);
    assert!(orders.iter().all(|o| (o.probability - 1.0 / 6.0).abs() < 1e-12));
    let distinct: std::collections::HashSet<_> = orders.iter().map(|o| o.result.clone()).collect();
    assert_eq!(distinct.len(), 6);
}

#[test]
fn actions_of_a_turn_apply_one_after_the_other() {
    let game = small(&[]);
    let mut state = position(&game, &FACING, &[5, 5], 0);
    submit(&game, &mut state, json!(["conquer", [0, 1]])).unwrap();
    assert_eq!(game.current_player(&state), 1);
    assert_eq!(state.ledger.turn, 3);
    assert_eq!(rows(&game, &state)[1], "0:.:.:.:.:");
    submit(&game, &mut state, json!(null)).unwrap();
    assert_eq!(state.ledger.turn, 4);
}

#[test]
fn harvest_yields_5_from_each_farm_and_castle_and_ignores_its_position() {
    let game = small(&[("tiles_per_castle", "0")]);
    let world = ["0[0[0/0/0/", "0<0:1/1[.:", ".:.:.:.:.:", ".:.:.:.:.:"];
    for position_given in [json!(null), json!([99, 0]), json!("here")] {
        let mut state = position(&game, &world, &[3, 0], 0);
        assert_eq!(
            submit(&game, &mut state, json!(["harvest", position_given])),
            Ok(Deed::Harvested { amount: 25 })
        );
        assert_eq!(state.ledger.resources[0], 28);
    }
}

#[test]
fn conquering_costs_1_for_land_2_for_a_farm_25_defended_50_for_a_fort_100_for_a_castle() {
    let game = small(&[]);
    // Own cells fill the second row; above it the targets, below it neutral land.
    let world = ["1:1/.:1/1<", "0:0:0:0[0:", "1[.:1:.:.:", ".:.:.:1[.:"];
    for (at, cost, structure, defended) in [
        ([0, 0], 1, Structure::Land, false),
        ([1, 0], 2, Structure::Farm, false),
        ([2, 0], 1, Structure::Land, false),
        ([3, 0], 25, Structure::Farm, true),
        ([4, 0], 50, Structure::Fort, false),
        ([0, 2], 100, Structure::Castle, false),
        ([1, 2], 1, Structure::Land, false),
        ([2, 2], 1, Structure::Land, false),
        ([3, 2], 1, Structure::Land, false),
    ] {
        let mut state = position(&game, &world, &[cost, 0], 0);
        let from = state
            .with(&game.rules)
            .owner(game.rules.map.cell(super::super::Coordinates(at[0], at[1])).unwrap());
        let deed = submit(&game, &mut state, json!(["conquer", at]));
        assert_eq!(deed, Ok(Deed::Conquered { structure, defended, from, cost }), "{at:?}");
        assert_eq!(state.ledger.resources[0], 0);
        let row = &rows(&game, &state)[at[1] as usize];
        assert_eq!(&row[2 * at[0] as usize..][..2], "0:", "a captured cell becomes land of the captor");

        let mut state = position(&game, &world, &[cost - 1, 0], 0);
        assert_eq!(
            submit(&game, &mut state, json!(["conquer", at])),
            Err(Refusal::TooExpensive { cost, resources: cost - 1 })
        );
    }
}

#[test]
fn a_fort_or_castle_defends_only_land_and_farms_of_its_owner_side_by_side() {
    let game = game(&[("width", "5"), ("height", "4"), ("players", "3")]);
    let world = ["0:1:1[0:2<", "0:.:1/0:1:", "0:2:0[0:1<", "0:2[0:0:0:"];
    let state = position(&game, &world, &[100, 0, 0], 0);
    let position = state.with(&game.rules);
    let defended: Vec<_> = (0..20).map(super::super::Cell).filter(|&c| position.is_defended(c)).collect();
    let at = |x, y| game.rules.map.cell(super::super::Coordinates(x, y)).unwrap();
    // (1,1) is neutral, beside ownerless castles; (4,1) is defended by (4,2), not by player 2's fort.
    let of_others: Vec<_> = defended.into_iter().filter(|&c| position.owner(c) != Some(0)).collect();
    assert_eq!(of_others, [at(1, 0), at(2, 1), at(4, 1), at(1, 2)]);
}

#[test]
fn only_cells_of_others_side_by_side_with_ones_own_can_be_conquered() {
    let game = small(&[]);
    let mut state = position(&game, &FACING, &[9, 0], 0);
    let before = state;
    assert_eq!(submit(&game, &mut state, json!(["conquer", [0, 0]])), Err(Refusal::OwnCell));
    for diagonal_or_far in [[2, 1], [4, 3], [4, 0]] {
        state = before;
        let refused = submit(&game, &mut state, json!(["conquer", diagonal_or_far]));
        assert_eq!(refused, Err(Refusal::OutOfReach), "rows do not join at the map's edge");
    }
}

#[test]
fn farms_cost_5_forts_25_castles_75_and_replace_any_structure_even_the_same() {
    let game = small(&[("tiles_per_castle", "0")]);
    for (name, cost) in [("farm", 5), ("fort", 25), ("castle", 75)] {
        for (x, was) in [":", "/", "<", "["].iter().enumerate() {
            let world = ["0:0/0<0[0[", "1[.:.:.:.:", ".:.:.:.:.:", ".:.:.:.:.:"];
            let mut state = position(&game, &world, &[cost, 0], 0);
            assert!(submit(&game, &mut state, json!([name, [x, 0]])).is_ok(), "{name} on {was}");
            assert_eq!(state.ledger.resources[0], 0);
            let built = Structure::BUILDABLE.into_iter().find(|s| s.name() == name).unwrap();
            assert_eq!(&rows(&game, &state)[0][2 * x + 1..][..1], &built.glyph()[..1]);
            let mut poor = position(&game, &world, &[cost - 1, 0], 0);
            assert_eq!(
                submit(&game, &mut poor, json!([name, [x, 0]])),
                Err(Refusal::TooExpensive { cost, resources: cost - 1 })
            );
        }
    }
}

#[test]
fn only_ones_own_cells_can_be_built_on() {
    let game = small(&[]);
    for at in [[2, 0], [0, 1]] {
        let mut state = position(&game, &FACING, &[99, 0], 0);
        assert_eq!(submit(&game, &mut state, json!(["farm", at])), Err(Refusal::NotOwnCell));
    }
}

#[test]
fn a_further_castle_needs_more_than_tiles_per_castle_tiles_for_each_one_owned() {
    let world = |tiles: usize| {
        let rest = ["0:".repeat(tiles - 1), ".:".repeat(57 - tiles)].concat();
        let cells = format!("0[{rest}.:.:.:.:.:.:1[");
        (0..8).map(|y| cells[16 * y..][..16].to_string()).collect::<Vec<_>>()
    };
    let default = |more: &[(&str, &str)]| {
        let mut given = vec![("width", "8"), ("height", "8"), ("players", "2")];
        given.extend(more);
        game(&given)
    };
    let build = |game: &TestGame, world: &[String]| {
        let world: Vec<_> = world.iter().map(String::as_str).collect();
        submit(game, &mut position(game, &world, &[75, 0], 0), json!(["castle", [1, 0]]))
    };
    assert_eq!(build(&default(&[]), &world(50)), Err(Refusal::CastleLimit { tiles: 50, castles: 1 }));
    assert_eq!(build(&default(&[]), &world(51)), Ok(Deed::Built { structure: Structure::Castle, cost: 75 }));
    assert!(build(&default(&[("tiles_per_castle", "0")]), &world(2)).is_ok());
    assert!(build(&default(&[("tiles_per_castle", "1")]), &world(2)).is_ok());
    // The limit does not apply to a player without a castle.
    let lost: Vec<String> = world(3).iter().map(|row| row.replace("0[", "0:")).collect();
    assert!(build(&default(&[]), &lost).is_ok());
    // Building a castle over one's only castle counts as a further castle.
    let game = default(&[]);
    let rows = world(50);
    let rows: Vec<_> = rows.iter().map(String::as_str).collect();
    let rebuilt = submit(&game, &mut position(&game, &rows, &[75, 0], 0), json!(["castle", [0, 0]]));
    assert_eq!(rebuilt, Err(Refusal::CastleLimit { tiles: 50, castles: 1 }));
}

#[test]
fn players_without_castles_are_eliminated_at_the_end_of_the_turn_and_their_land_stays() {
    let game = game(&[("width", "5"), ("height", "4"), ("players", "3"), ("max_turns", "20")]);
    let world = ["0[0:1[1:1<", ".:.:.:.:1:", ".:.:.:.:.:", "2[.:.:.:.:"];
    let mut state = position(&game, &world, &[100, 1, 0], 0);
    submit(&game, &mut state, json!(["conquer", [2, 0]])).unwrap();
    assert_eq!(game.current_player(&state), 1, "it still acts this turn");
    submit(&game, &mut state, json!(["conquer", [2, 0]])).unwrap();
    assert_eq!(state.ledger.eliminated, [0; 8], "nobody is out before the end of the turn");
    submit(&game, &mut state, json!(null)).unwrap();
    assert_eq!(state.ledger.eliminated[..3], [0, 3, 0]);
    assert_eq!((state.ledger.turn, state.ledger.waiting), (4, 0b101), "it never acts again");
    assert_eq!(rows(&game, &state)[..2], ["0[0:1:1:1<", ".:.:.:.:1:"]);
    let position = state.with(&game.rules);
    let left_behind = game.rules.map.cell(super::super::Coordinates(3, 0)).unwrap();
    assert!(position.is_defended(left_behind), "forts left behind still defend");
}

#[test]
fn a_castle_built_before_the_end_of_the_turn_saves_its_builder() {
    let game = small(&[]);
    let world = ["0[0:1[1:.:", ".:.:.:.:.:", ".:.:.:.:.:", ".:.:.:.:.:"];
    let mut state = position(&game, &world, &[100, 75], 0);
    submit(&game, &mut state, json!(["conquer", [2, 0]])).unwrap();
    submit(&game, &mut state, json!(["castle", [3, 0]])).unwrap();
    assert_eq!((game.status(&state), state.ledger.turn), (Status::Running, 4));
}

#[test]
fn players_who_build_over_their_last_castle_are_eliminated() {
    let game = small(&[]);
    let mut state = position(&game, &FACING, &[5, 0], 0);
    submit(&game, &mut state, json!(["farm", [0, 0]])).unwrap();
    submit(&game, &mut state, json!(null)).unwrap();
    assert_eq!(game.status(&state), Status::Terminated);
    assert_eq!(ranks(&game, &state), [1, 0]);
}

#[test]
fn the_game_ends_when_one_player_is_left() {
    let game = small(&[]);
    let world = ["0[0:1[1:.:", ".:.:.:.:.:", ".:.:.:.:.:", ".:.:.:.:.:"];
    let mut state = position(&game, &world, &[100, 0], 0);
    submit(&game, &mut state, json!(["conquer", [2, 0]])).unwrap();
    submit(&game, &mut state, json!(["harvest", null])).unwrap();
    assert_eq!(game.status(&state), Status::Terminated);
    assert_eq!(ranks(&game, &state), [0, 1]);
    assert_eq!(mask::count(&legal(&game, &state)), 0);
    let refused = game.submit_raw(&mut state, &json!(null), &mut ScriptedChance::new(&[]));
    assert!(
        matches!(refused, Err(ludovec_engine::Error::Refused(e)) if e.kind == ludovec_engine::RefusalKind::GameOver)
    );
}

#[test]
fn there_is_no_winner_when_the_last_two_take_each_others_castle_in_one_turn() {
    let game = game(&[("width", "5"), ("height", "4"), ("players", "3"), ("max_turns", "20")]);
    let world = ["0[1:1[0:.:", ".:0:.:1:.:", ".:.:.:.:.:", ".:.:.:.:2:"];
    let mut state = position(&game, &world, &[100, 100, 0], 0);
    state.ledger.eliminated[2] = 1;
    state.ledger.waiting = 0b011;
    game.validate(&state).unwrap();
    submit(&game, &mut state, json!(["conquer", [2, 0]])).unwrap();
    submit(&game, &mut state, json!(["conquer", [0, 0]])).unwrap();
    assert_eq!(game.status(&state), Status::Terminated);
    assert_eq!(state.with(&game.rules).alive().count(), 0);
    assert_eq!(ranks(&game, &state), [0, 0, 2], "who lasted longest shares the first place");
}

#[test]
fn the_turn_max_turns_is_not_played_and_all_living_players_share_the_win() {
    let game = small(&[("max_turns", "4")]);
    let mut state = position(&game, &FACING, &[0, 0], 1);
    submit(&game, &mut state, json!(null)).unwrap();
    assert_eq!(game.status(&state), Status::Running);
    submit(&game, &mut state, json!(null)).unwrap();
    assert_eq!((game.status(&state), state.ledger.turn), (Status::Terminated, 4));
    assert_eq!(ranks(&game, &state), [0, 0]);
    assert_eq!(game.spec.max_episode_steps, 6);
}

#[test]
fn a_refused_action_costs_the_move_and_nothing_else() {
    let game = small(&[]);
    let start = position(&game, &FACING, &[60, 7], 0);
    for (raw, reason) in [
        (json!(["castle", [0, 0]]), "it costs 75, there are 60 resources"),
        (json!(["conquer", [5, 0]]), "[5,0] is not on the map"),
        (json!(["conquer", [0, -1]]), "[0,-1] is not on the map"),
        (json!(["conquer", null]), "null is not on the map"),
        (json!(["farm", "somewhere"]), "\"somewhere\" is not on the map"),
        (json!(["dance", [0, 0]]), "unknown action type \"dance\""),
        (json!(["land", [0, 0]]), "unknown action type \"land\""),
        (json!("harvest"), "\"harvest\" is not an action"),
        (json!(["harvest"]), "[\"harvest\"] is not an action"),
        (json!([1, 2]), "[1,2] is not an action"),
        (json!({ "position": [0, 0] }), "is not an action"),
    ] {
        let mut state = start;
        let refusal = submit(&game, &mut state, raw.clone()).unwrap_err().to_string();
        assert!(refusal.contains(reason), "{raw}: {refusal}");
        let mut passed = start;
        submit(&game, &mut passed, json!(["pass", null])).unwrap();
        assert_eq!(state, passed, "{raw}");
    }
}

#[test]
fn an_illegal_index_is_refused_with_the_same_reason() {
    let game = small(&[]);
    let state = position(&game, &FACING, &[0, 0], 0);
    let farm = json!({ "type": "farm", "position": [4, 3] });
    let index = game.action_from_json(&state, &farm).unwrap();
    let reason = game.explain_illegal(&state, index).to_string();
    assert_eq!(reason, "illegal action: farm 4,3: it costs 5, there are 0 resources");
}

#[test]
fn worlds_on_the_wire_hold_structure_then_owner_and_both_orders_are_read() {
    let game = named_game("alice,bob");
    let state = game.init(&mut SeededChance::from_seed(2));
    let seat = game.current_player(&state);
    let request = game.bot_request(&state, seat, &mut SeededChance::from_seed(0));
    let world = request["world"].as_object().unwrap();
    let castles: Vec<&Value> = world.values().filter(|cell| cell[0] == "castle").collect();
    let other = ["alice", "bob"][1 - seat];
    assert_eq!(castles.len(), 2);
    assert!(castles.contains(&&json!(["castle", "mine"])) && castles.contains(&&json!(["castle", other])));
    assert!(world.values().any(|cell| *cell == json!(["land", null])));
    let told = game.state_from_bot_request(&request).unwrap();
    let mut turned = request.clone();
    for cell in turned["world"].as_object_mut().unwrap().values_mut() {
        *cell = json!([cell[1], cell[0]]);
    }
    assert_eq!(game.state_from_bot_request(&turned).unwrap(), told);
    turned["world"]["0,0"] = json!(["swamp", null]);
    let refused = game.state_from_bot_request(&turned).unwrap_err().to_string();
    assert!(refused.contains("[structure, owner]"), "{refused}");
}

#[test]
fn a_position_may_be_given_in_integral_floats() {
    let game = named_game("alice,bob");
    let state = game.init(&mut SeededChance::from_seed(2));
    let place =
        |position: Value| game.action_from_bot_reply(&state, &json!({ "action": ["farm", position] }));
    assert_eq!(place(json!([3.0, 1.0])), place(json!([3, 1])));
    assert!(place(json!([3, 1])).is_ok());
    for wrong in [json!([3.5, 1]), json!([1e300, 1]), json!(["3", 1]), json!([3]), json!([-1.0, 1])] {
        let refused = place(wrong.clone()).unwrap_err().to_string();
        assert!(refused.contains(&wrong.to_string()), "{refused}");
    }
}

#[test]
fn names_are_used_in_pictures_worlds_and_steps() {
    let game = named_game("alice,bob");
    let mut chance = SeededChance::from_seed(2);
    let mut state = game.init(&mut chance);
    let [text, svg] = ludovec_engine::pictures(&game, &state, ludovec_engine::View::default());
    assert!(text.contains("alice: 0$") && text.contains("bob: 0$") && !text.contains("player_"), "{text}");
    assert!(svg.contains("alice"));
    let seen = game.observation_to_json(&state, 0);
    assert_eq!(seen["alive"], json!(["mine", "bob"]));
    let harvest = game.action_from_json(&state, &json!({ "type": "harvest" })).unwrap();
    game.step(&mut state, harvest, &mut chance);
    assert_eq!(game.turn(&state), Some(1));
}

#[test]
fn refused_names_are_told() {
    for (names, message) in [
        ("alice", "1 names for 2 players"),
        ("alice,alice", "\"alice\" is given twice"),
        ("alice,mine", "is no name"),
        ("castle,bob", "is no name"),
        ("alice,", "is no name"),
    ] {
        let given = [("players", OptionValue::from(2i64)), ("names", names.into())];
        let options = Options::parse(&crate::options::list(), given).unwrap();
        let refused = TestGame::new(&options).unwrap_err().to_string();
        assert!(refused.contains(message), "{refused}");
    }
}

fn named_game(names: &str) -> TestGame {
    let given = [("players", OptionValue::from(2i64)), ("width", 8i64.into()), ("names", names.into())];
    TestGame::new(&Options::parse(&crate::options::list(), given).unwrap()).unwrap()
}
