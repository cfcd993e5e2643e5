//! The game of the registry in every size class, from outside: the classes are compiled with the library alone.

use ludovec_empires::ENTRY;
use ludovec_engine::{Effort, OptionValue};

#[test]
fn games_of_every_size_keep_the_promises_of_a_game() {
    let games = if std::env::var_os("LUDOVEC_LONG").is_some() { 50 } else { 1 };
    let effort = Effort { games, slow_positions: 1, batch_steps: 10, ..Effort::default() };
    // One game for each size class except the largest: 48, 100, 200 and 400 words.
    for (width, height, players) in [(4, 4, 8), (20, 20, 4), (24, 24, 8), (36, 36, 8)] {
        let given = [("width", width), ("height", height), ("players", players), ("max_turns", 4i64)];
        let game = ENTRY.make(given.map(|(name, value)| (name, OptionValue::from(value)))).unwrap();
        game.check_conformance(effort).unwrap();
    }
}
