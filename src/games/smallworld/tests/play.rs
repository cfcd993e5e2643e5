//! Random games under every invariant.

use super::super::{SmallWorld, State, options, validate};
use crate::engine::chance::{Chance, SeededChance};
use crate::engine::{Game, Options, Status, mask};

fn game(pairs: &[(&str, &str)]) -> SmallWorld {
    let given = pairs.iter().map(|(k, v)| (*k, (*v).into()));
    SmallWorld::new(&Options::parse(&options(), given).unwrap()).unwrap()
}

#[test]
fn random_play_keeps_every_invariant() {
    for players in 2..=5 {
        let game = game(&[("players", &players.to_string())]);
        let mut chance = SeededChance::from_seed(players);
        let mut row = vec![0; game.spec().mask_words()];
        let mut state: State = game.init(&mut chance);
        let mut steps = 0;
        while steps < 100_000 {
            validate::check(game.rules(), &state).unwrap_or_else(|e| panic!("{e}\n{state:?}"));
            if game.status(&state) == Status::Terminated {
                state = game.init(&mut chance);
                continue;
            }
            game.legal(&state, &mut row);
            let n = mask::count(&row);
            assert!(n > 1, "{:?}", state.phase());
            let action = mask::select(&row, chance.uniform(n)).unwrap();
            game.step(&mut state, action, &mut chance);
            steps += 1;
        }
    }
}
