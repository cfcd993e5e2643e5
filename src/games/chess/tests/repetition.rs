//! Repeated positions, reversible moves, and finished games.

use ludovec_engine::chance::{Chance, SeededChance};
use ludovec_engine::{Rules, Status, Words, mask};

use super::{Shows, game, load, play, times, wander};
use crate::exchange::notation::fen;
use crate::rules::board::position::{Large, MoveRules, Orthodox, Position, Small, phase};
use crate::rules::history::NoHistory;
use crate::rules::state::{REMEMBERED, Reason, State, outcome};
use crate::rules::variant;

type Variant = super::Chess<Small, NoHistory>;

/// A game of a variant from a position, after moves in UCI.
fn after(name: &str, fen: &str, moves: &str) -> (Variant, State<Small, NoHistory>) {
    let game: Variant = game(&[("variant", name), ("fen", fen)]);
    let mut state = game.init(&mut SeededChance::from_seed(0));
    for text in moves.split_whitespace() {
        assert_eq!(state.outcome, outcome::RUNNING, "{name} is over before {text}");
        play(&game, &mut state, text);
    }
    (game, state)
}

/// Runs a generic function for every shipped variant, on the smallest board type that fits it.
macro_rules! for_every_variant {
    ($check:ident) => {
        for name in variant::variants() {
            let variant = load(name);
            if usize::from(variant.width) * usize::from(variant.height) <= 64 {
                $check::<Small>(name);
            } else {
                $check::<Large>(name);
            }
        }
    };
}

#[test]
fn a_position_repeats_after_every_reversible_move_of_a_variant() {
    let cycles = [
        ("crazyhouse", "4k3/8/3n4/8/4n3/2N5/8/4K3[] w - - 0 1", "c3e4 d6e4 N@c3 N@d6"),
        ("pawnback", "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "e4e3 e8e7 e3e4 e7e8"),
        ("pawnsideways", "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "e4d4 e8e7 d4e4 e7e8"),
    ];
    for (name, fen, cycle) in cycles {
        let (_, twice) = after(name, fen, cycle);
        assert_eq!((twice.occurrences, twice.outcome), (2, outcome::RUNNING), "{name} {fen}");
        let (_, thrice) = after(name, fen, &[cycle, cycle].join(" "));
        assert_eq!(
            (thrice.outcome, thrice.reason),
            (outcome::DRAW, Reason::Repetition as u8),
            "{name} {fen}"
        );
    }
}

#[test]
fn a_position_repeats_after_any_reversal_by_a_flag() {
    for (flags, fen, cycle) in [
        ("omnipotent_f6_pawn", "4k3/8/5p2/8/8/8/8/4K3 w - - 0 1", "P@f6 P@f6"),
        ("la_bastarda", "7k/8/8/8/8/8/3qK3/8 w - - 0 1", "e2f2 d2d5 f2e2 d5d2"),
    ] {
        let game: Variant = game(&[("flags", flags), ("fen", fen)]);
        let mut state = game.init(&mut SeededChance::from_seed(0));
        let mut plies = 0;
        for text in cycle.split_whitespace().cycle() {
            play(&game, &mut state, text);
            plies += 1;
            if state.outcome != outcome::RUNNING || plies == 100 {
                break;
            }
        }
        assert_eq!((state.outcome, state.reason), (outcome::DRAW, Reason::Repetition as u8), "{flags}");
        assert!(plies <= 12, "{flags}: {plies}");
    }
}

/// Few pieces on a small part of the board repeat positions many times, under every flag.
#[test]
fn occurrences_match_a_slow_count_under_every_flag() {
    let fens = [
        "4k3/8/5p2/8/8/8/8/4K3 w - - 0 1",
        "7k/8/8/8/8/8/3qK3/8 w - - 0 1",
        "k6q/8/8/8/8/8/8/KQ6 w - - 0 1",
        "k7/8/5n2/8/8/8/1R6/K1N5 w - - 0 1",
        "k7/p7/8/8/8/8/PQ6/K7 w - - 0 1",
    ];
    let mut repeated = std::collections::BTreeSet::new();
    let sets = variant::flags().filter(|&flag| flag != "chess960").map(String::from);
    let all = "omnipotent_f6_pawn,la_bastarda,beta_decay,siberian_swipe,vertical_castling,knooks".to_string();
    for flags in sets.chain([all]) {
        for fen in fens {
            let given = [("flags", flags.as_str()), ("fen", fen), ("max_plies", "300")];
            let Ok(game) = super::try_game::<Small, NoHistory>(&given) else { continue };
            let mut past: Vec<Position<Small>> = Vec::new();
            wander(&game, 6 * times(), 17, |state, _| {
                if state.position.plies == 0 {
                    past.clear();
                }
                let now = bare(&state.position);
                if now.phase == phase::MOVE {
                    let recent = past.iter().rev().take(REMEMBERED);
                    let count = 1 + recent.filter(|position| **position == now).count();
                    assert_eq!(usize::from(state.occurrences), count, "{flags} {fen}, ply {}", now.plies);
                    past.push(now);
                    if count > 1 {
                        repeated.insert(flags.clone());
                    }
                }
            });
        }
    }
    assert!(repeated.len() >= 12, "only {repeated:?} saw a position again");
}

#[test]
fn steps_that_a_pawn_takes_back_are_no_progress() {
    for (name, fen, moves, halfmoves) in [
        ("pawnback", "4k3/8/8/8/4P3/8/8/4K3 w - - 7 9", "e4e3 e8e7 e3e4", 10),
        ("pawnback", "4k3/8/8/8/8/8/4P3/4K3 w - - 7 9", "e2e4 e8e7", 9),
        ("pawnback", "4k3/4P3/8/8/8/8/8/K7 w - - 7 9", "a1a2 e8d7 e7e8q", 0),
        ("pawnback", "4k3/8/3p4/4P3/8/8/8/4K3 w - - 7 9", "e5d6", 0),
        ("pawnsideways", "4k3/8/8/8/4P3/8/8/4K3 w - - 7 9", "e4d4 e8e7 d4d5", 0),
        ("berolina", "4k3/8/8/8/4P3/8/8/4K3 w - - 7 9", "e4d5", 0),
        ("torpedo", "4k3/8/8/8/4P3/8/8/4K3 w - - 7 9", "e4e6", 0),
    ] {
        assert_eq!(after(name, fen, moves).1.position.halfmoves, halfmoves, "{name} {fen} {moves}");
    }
}

#[test]
fn pieces_that_were_pawns_tell_positions_apart() {
    let house = load("crazyhouse");
    let game: Variant = game(&[("variant", "crazyhouse")]);
    let key = |text: &str| fen::parse(&house, text).unwrap().to_position::<Small>(&game.tables).unwrap().key;
    assert_ne!(key("4k3/8/8/8/8/8/8/Q3KQ~2[] w - - 0 1"), key("4k3/8/8/8/8/8/8/Q~3KQ2[] w - - 0 1"));
}

#[test]
fn only_positions_in_which_a_turn_begins_repeat_where_the_duck_moves() {
    let cycle = "g1f3 D@h4 g8f6 D@h5 f3g1 D@h4 f6g8 D@h5";
    let start = load("duck").start.replace("/8/8/8/8/", "/8/7d/8/8/");
    let (_, twice) = after("duck", &start, cycle);
    assert_eq!((twice.occurrences, twice.outcome), (2, outcome::RUNNING));
    // Only the piece has moved: until the duck is placed, this position cannot repeat.
    let (_, placing) = after("duck", &start, &[cycle, "g1f3"].join(" "));
    assert_eq!((placing.position.phase, placing.occurrences), (phase::PLACE, 1));
    let (_, thrice) = after("duck", &start, &[cycle, cycle].join(" "));
    assert_eq!(thrice.reason, Reason::Repetition as u8);
}

/// A position with the counters cleared that repetition ignores.
fn bare<R: MoveRules>(position: &Position<R>) -> Position<R> {
    Position { plies: 0, halfmoves: 0, fullmoves: 0, ..*position }
}

#[test]
fn occurrences_match_a_slow_count_in_every_variant() {
    fn check<R: MoveRules>(name: &str)
    where
        NoHistory: Shows<R>,
    {
        let game = game::<R, NoHistory>(&[("variant", name), ("max_plies", "400")]);
        let mut past: Vec<Position<R>> = Vec::new();
        wander(&game, times(), 17, |state, _| {
            if state.position.plies == 0 {
                past.clear();
            }
            let now = bare(&state.position);
            if now.phase == phase::MOVE {
                let recent = past.iter().rev().take(REMEMBERED);
                let count = 1 + recent.filter(|position| **position == now).count();
                assert_eq!(usize::from(state.occurrences), count, "{name} at ply {}", state.position.plies);
                past.push(now);
            } else {
                assert_eq!(state.occurrences, 1, "{name}");
            }
        });
    }
    for_every_variant!(check);
}

#[test]
fn counts_of_moves_reload_and_stop_at_their_largest() {
    fn check<R: MoveRules>(name: &str)
    where
        NoHistory: Shows<R>,
    {
        let game = game::<R, NoHistory>(&[("variant", name)]);
        let mut chance = SeededChance::from_seed(1);
        let start = game.init(&mut chance);
        let mut row = vec![0; game.spec().mask_words()];
        game.legal(&start, &mut row);
        let action = mask::select(&row, 0).unwrap();
        for (halfmoves, fullmoves) in [(0, 1), (9_999, 9_999), (10_000, 10_000), (u16::MAX, u16::MAX)] {
            let mut state = start;
            (state.position.halfmoves, state.position.fullmoves) = (halfmoves, fullmoves);
            for after in 0..2 {
                let json = game.state_to_json(&state);
                assert_eq!(game.validate(&state), Ok(()), "{name} {json}");
                assert_eq!(game.state_from_json(&json), Ok(state), "{name} {json}");
                assert!([0, halfmoves, halfmoves.saturating_add(1)].contains(&state.position.halfmoves));
                assert!([fullmoves, fullmoves.saturating_add(1)].contains(&state.position.fullmoves));
                if after == 0 {
                    game.step(&mut state, action, &mut chance);
                }
            }
        }
        let mut state = start;
        state.position.fullmoves = 0;
        assert!(game.validate(&state).is_err(), "{name}: moves are counted from 1");
    }
    for_every_variant!(check);
    check::<Orthodox>("chess");
}

#[test]
fn finished_games_of_every_variant_reload() {
    fn check<R: MoveRules>(name: &str)
    where
        NoHistory: Shows<R>,
    {
        let game = game::<R, NoHistory>(&[("variant", name), ("max_plies", "200")]);
        let mut chance = SeededChance::from_seed(23);
        let mut row = vec![0; game.spec().mask_words()];
        for _ in 0..6 * times() {
            let mut state = game.init(&mut chance);
            while game.status(&state) == Status::Running {
                game.legal(&state, &mut row);
                let action = mask::select(&row, chance.uniform(mask::count(&row))).unwrap();
                game.step(&mut state, action, &mut chance);
            }
            let json = game.state_to_json(&state);
            assert_eq!(game.validate(&state), Ok(()), "{name} {json}");
            assert_eq!(game.state_from_json(&json), Ok(state), "{name} {json}");
        }
    }
    for_every_variant!(check);
    // White has blown up the black king while its own king is attacked.
    let (game, over) = after("atomic", "3b4/5R2/p4pk1/P3P1p1/1p4P1/1Kr5/8/8 w - - 17 64", "f7f6");
    assert_eq!(over.outcome, outcome::WHITE);
    assert_eq!(game.state_from_json(&game.state_to_json(&over)), Ok(over));
}

#[test]
fn a_side_that_blows_up_both_kings_loses() {
    let (_, over) = after("nocheckatomic", "8/8/3k4/4n3/3K4/8/8/4Q3 w - - 0 1", "e1e5");
    assert_eq!((over.outcome, over.reason), (outcome::BLACK, Reason::Extinct as u8));
    let (_, over) = after("nocheckatomic", "8/8/3k4/4n3/5K2/8/8/4Q3 w - - 0 1", "e1e5");
    assert_eq!(over.outcome, outcome::BLACK);
    let (_, over) = after("nocheckatomic", "8/8/3k4/4n3/8/4K3/8/4Q3 w - - 0 1", "e3d2 d6c6 e1e5");
    assert_eq!(over.outcome, outcome::RUNNING);
}
