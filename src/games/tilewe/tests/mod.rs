//! The rules as scenarios, and the environment against slow recomputations over random play.

mod bots;
mod boundary;
mod modes;
mod pentobi;
mod play;
mod rules;

use ludovec_engine::chance::{Chance, SeededChance};
use ludovec_engine::mask;
use ludovec_engine::{Options, Rules, Status};

use super::*;

use crate::exchange::{conform, notation};
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

/// The game under some options.
fn game(given: &[(&'static str, &str)]) -> Tilewe {
    Tilewe::new(&parsed(given).unwrap()).unwrap()
}

fn parsed(given: &[(&'static str, &str)]) -> ludovec_engine::Result<Options> {
    let given = given.iter().map(|&(key, value)| (key, ludovec_engine::OptionValue::from(value)));
    Options::parse(&options::list(), given)
}

/// A game, and its options as the slow rules need them.
struct Setting {
    game: Tilewe,
    side: usize,
    players: usize,
    /// By colour: the tiles on which it may start.
    starts: Vec<Vec<Tile>>,
    bonus: bool,
    /// The number of symmetries.
    symmetries: usize,
}

impl Setting {
    fn new(
        given: &[(&'static str, &str)],
        side: usize,
        players: usize,
        starts: &[&str],
        symmetries: usize,
    ) -> Self {
        let starts = starts.iter().map(|names| tiles(names)).collect();
        let game = game(given);
        let bonus = given.iter().any(|option| option.0 == "mode" || *option == ("bonus", "true"));
        Self { game, side, players, starts, bonus, symmetries }
    }
    fn colors(&self) -> usize {
        self.starts.len()
    }
    /// The tiles of the board.
    fn tiles(&self) -> impl Iterator<Item = Tile> + '_ {
        Tile::all().filter(|t| t.row() < self.side && t.column() < self.side)
    }
}

/// The original's rules for any number of players, every mode, and mixes of their options.
fn settings() -> Vec<Setting> {
    let classic = ["a20", "t20", "t1", "a1"];
    let free = |players: usize| vec!["a1 t1 a20 t20"; players];
    vec![
        Setting::new(&[("players", "1")], 20, 1, &free(1), 8),
        Setting::new(&[("players", "2")], 20, 2, &free(2), 8),
        Setting::new(&[("players", "3")], 20, 3, &free(3), 8),
        Setting::new(&[], 20, 4, &free(4), 8),
        Setting::new(&[("mode", "blokus")], 20, 4, &classic, 1),
        Setting::new(&[("mode", "blokus"), ("players", "3")], 20, 3, &classic[..3], 1),
        Setting::new(&[("mode", "blokus_2")], 20, 2, &classic, 1),
        Setting::new(&[("mode", "blokus_duo")], 14, 2, &["e10", "j5"], 2),
        Setting::new(&[("mode", "blokus_duo"), ("players", "1")], 14, 1, &["e10"], 2),
        Setting::new(&[("start", "own"), ("players", "1")], 20, 1, &["a20"], 2),
        Setting::new(&[("board", "9"), ("players", "2")], 9, 2, &["a1 i1 a9 i9"; 2], 8),
        Setting::new(
            &[("board", "14"), ("start", "own"), ("bonus", "true")],
            14,
            4,
            &["a14", "n14", "n1", "a1"],
            1,
        ),
        Setting::new(&[("board", "17"), ("players", "2"), ("colors", "2")], 17, 2, &["a1 q1 a17 q17"; 4], 8),
    ]
}

/// The start of a game for a number of players.
fn start(players: usize) -> State {
    State::new(&Tilewe::with_players(players).unwrap().rules)
}

/// The placement with an action index on the largest board.
fn placement(action: u32) -> Option<Placement> {
    Placements::on(SIZE).get(action)
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
