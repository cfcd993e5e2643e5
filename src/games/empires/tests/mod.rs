//! Tests of the rules and of the documented properties of the hot path.

mod agreement;
mod hostile;
mod scenarios;

use serde_json::{Value, json};

use super::{Empires, LARGEST, State};
use ludovec_engine::chance::{Chance, SeededChance};
use ludovec_engine::{OptionValue, Options, Rules, Words, mask};

pub(super) type TestGame = Empires<LARGEST>;
pub(super) type TestState = State<LARGEST>;

pub(super) fn game(given: &[(&str, &str)]) -> TestGame {
    let given = given.iter().map(|(key, value)| (*key, OptionValue::from(*value)));
    Empires::new(&Options::parse(&crate::options::list(), given).unwrap()).unwrap()
}

/// The number of games or trials of a test: more under `LUDOVEC_LONG`.
pub(super) fn amount(trials: u64) -> u64 {
    if std::env::var_os("LUDOVEC_LONG").is_some() { trials * 50 } else { trials }
}

pub(super) fn legal(game: &TestGame, state: &TestState) -> Vec<u64> {
    let mut mask = vec![!0; game.spec.mask_words()];
    game.legal(state, &mut mask);
    mask
}

/// A position in turn 3 with `current` as current player and all seats waiting.
pub(super) fn position(game: &TestGame, world: &[&str], resources: &[u32], current: usize) -> TestState {
    let players: Vec<Value> =
        resources.iter().map(|r| json!({ "resources": r, "eliminated": null })).collect();
    let waiting: Vec<usize> = (0..resources.len()).collect();
    let json = json!({
        "turn": 3, "current_player": current, "waiting": waiting, "players": players, "world": world,
    });
    game.state_from_json(&json).unwrap()
}

/// Plays random legal actions and calls `look` with every position. Occasionally the current player gets a random
/// number of resources, so that expensive actions occur too.
pub(super) fn play_randomly(
    game: &TestGame,
    seed: u64,
    steps: u64,
    mut look: impl FnMut(&TestState, &mut SeededChance),
) {
    let mut chance = SeededChance::from_seed(seed);
    let mut state = game.init(&mut chance);
    for _ in 0..steps {
        if chance.uniform(8) == 0 {
            let seat = game.current_player(&state);
            state.ledger.resources[seat] = chance.uniform(130);
        }
        look(&state, &mut chance);
        let mask = legal(game, &state);
        match mask::count(&mask) {
            0 => state = game.init(&mut chance),
            n => {
                let action = mask::select(&mask, chance.uniform(n)).unwrap();
                game.step(&mut state, action, &mut chance);
            }
        }
    }
}
