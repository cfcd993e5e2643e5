//! The rules as scenarios, and the environment against slow recomputations over random play.

mod bots;
mod boundary;
mod play;
mod rules;

use ludovec_engine::Status;
use ludovec_engine::chance::{Chance, SeededChance};
use ludovec_engine::mask;

use super::*;

/// The number of games or trials of a test: more under `LUDOVEC_LONG`.
fn amount(trials: u64) -> u64 {
    if std::env::var_os("LUDOVEC_LONG").is_some() { trials * 50 } else { trials }
}

fn tile(name: &str) -> Tile {
    name.parse().unwrap()
}

fn tiles(names: &str) -> Vec<Tile> {
    names.split_whitespace().map(tile).collect()
}

/// A board after `moves`.
fn board(players: usize, moves: &str) -> Board {
    let mut board = Board::new(players).unwrap();
    for m in moves.split_whitespace() {
        board.push(m.parse().unwrap()).unwrap_or_else(|e| panic!("{m}: {e}"));
    }
    board
}

fn legal(game: &Tilewe, state: &State) -> Vec<u64> {
    // Arbitrary contents, which `legal` overwrites.
    let mut words = vec![u64::MAX; game.spec().mask_words()];
    game.legal(state, &mut words);
    words
}

fn observation(game: &Tilewe, state: &State, seat: usize) -> Vec<u8> {
    let mut out = vec![0xaa; game.spec().observation_len()];
    game.observe(state, seat, &mut out);
    out
}

/// Plays a game at random; `visit` gets every position, including the last one.
fn random_game(game: &Tilewe, seed: u64, mut visit: impl FnMut(&State)) {
    let mut chance = SeededChance::from_seed(seed);
    let mut state = game.init(&mut chance);
    visit(&state);
    while game.status(&state) == Status::Running {
        let mask = legal(game, &state);
        let index = chance.uniform(mask::count(&mask));
        game.step(&mut state, mask::select(&mask, index).unwrap(), &mut chance);
        visit(&state);
    }
}

/// The position in the middle of a random game.
fn some_position(game: &Tilewe, seed: u64, ply: usize) -> State {
    let mut positions = Vec::new();
    random_game(game, seed, |state| positions.push(*state));
    positions[ply.min(positions.len() - 1)]
}
