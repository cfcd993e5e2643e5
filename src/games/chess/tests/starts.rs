//! Starting positions, and double steps of pawns from their starting squares and from squares where they appeared.

use ludovec_engine::Rules;
use ludovec_engine::chance::SeededChance;

use super::{game, play};
use crate::exchange::notation::uci;
use crate::rules::board::position::Small;
use crate::rules::history::NoHistory;

#[test]
fn only_unmoved_pawns_double_step_from_squares_where_they_appeared() {
    let fen = "3Q4/k7/8/8/8/8/8/7K w - - 0 1";
    // The queen splits downwards: rook d3, bishop d2, pawn d1. The pawn may double-step from the square where it
    // appeared, not later.
    for (moves, twice, expected) in [
        ("d8d1:split a7a8", "d1d3", false),
        ("d8d1:split a7a8 d2e1 a8a7 d3a3 a7b7", "d1d3", true),
        ("d8d1:split a7a8 d2e1 a8b7 d3a3 b7c7 d1d2 c7c8", "d2d4", false),
        ("d8d1:split a7a8 d2e1 a8b7 d3a3 b7c7 d1d2 c7c8", "d2d3", true),
    ] {
        let game = game::<Small, NoHistory>(&[("flags", "beta_decay"), ("fen", fen)]);
        let mut state = game.init(&mut SeededChance::from_seed(0));
        moves.split_whitespace().for_each(|text| play(&game, &mut state, text));
        assert_eq!(uci::parse(&game.tables, &state.position, twice).is_ok(), expected, "{moves}: {twice}");
    }
    // Rules with further double-step squares keep them.
    for (name, fen, twice) in [
        ("torpedo", "k7/8/8/8/8/P7/8/7K w - - 0 1", "a3a5"),
        ("crazyhouse", "k7/8/8/8/8/8/8/7K[P] w - - 0 1", "P@a2 a8b8 a2a4"),
        ("pawnback", "k7/8/8/8/8/8/P7/7K w - - 0 1", "a2a3 a8b8 a3a2 b8a8 a2a4"),
        ("chess", "k7/8/8/8/8/8/P7/7K w - - 0 1", "a2a4"),
    ] {
        let game = game::<Small, NoHistory>(&[("variant", name), ("flags", "beta_decay"), ("fen", fen)]);
        let mut state = game.init(&mut SeededChance::from_seed(0));
        twice.split_whitespace().for_each(|text| play(&game, &mut state, text));
    }
}
