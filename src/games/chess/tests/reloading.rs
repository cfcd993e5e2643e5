//! Positions written as JSON and read back.

use ludovec_engine::chance::SeededChance;
use ludovec_engine::{Rules, Words};

use super::{game, play, times, wander};
use crate::rules::board::position::{Small, phase};
use crate::rules::history::NoHistory;
use crate::rules::state::State;
use crate::rules::variant;

type Variant = super::Chess<Small, NoHistory>;

/// Kings, optionally a duck, and pawns only: many double steps can be taken en passant.
fn pawns(flags: &str) -> String {
    let duck = if flags.contains("duck_chess") { "3d4" } else { "8" };
    format!("4k3/pppppppp/8/{duck}/8/8/PPPPPPPP/4K3 w - - 0 1")
}

#[test]
fn every_position_under_two_flags_reloads() {
    let flags: Vec<&str> = variant::flags().collect();
    for (i, first) in flags.iter().enumerate() {
        for second in &flags[i..] {
            let both = format!("{first},{second}");
            let given = [("flags", &*both), ("fen", &*pawns(&both)), ("max_plies", "80")];
            let Ok(game) = super::try_game::<Small, NoHistory>(&given) else { continue };
            wander(&game, 2 * times(), 5, |state, _| {
                let json = game.state_to_json(state);
                assert_eq!(game.state_from_json(&json).as_ref(), Ok(state), "{both} {json}");
            });
        }
    }
}

#[test]
fn a_pawn_that_stepped_twice_is_remembered_before_and_below_the_duck() {
    let fen = "4k3/8/8/7d/3p4/8/4P3/4K3 w - - 0 1";
    let game: Variant = game(&[("flags", "duck_chess,forced_en_passant"), ("fen", fen)]);
    let mut state: State<Small, NoHistory> = game.init(&mut SeededChance::from_seed(0));
    let reload = |state: &State<Small, NoHistory>, field: &str| {
        let json = game.state_to_json(state);
        assert_eq!(json["fen"].as_str().and_then(|fen| fen.split(' ').nth(3)), Some(field), "{json}");
        assert_eq!(game.state_from_json(&json).as_ref(), Ok(state), "{json}");
        json
    };
    play(&game, &mut state, "e2e4");
    assert_eq!(state.position.phase, phase::PLACE);
    let mut json = reload(&state, "e3e4");
    // Once the duck is placed, the pawn that can be taken is the opponent's.
    json.as_object_mut().unwrap().remove("phase");
    assert!(game.state_from_json(&json).is_err(), "{json}");
    play(&game, &mut state, "D@e3");
    reload(&state, "e3");
}
