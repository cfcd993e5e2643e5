//! Random calls of a batch, compared with the same calls of single games (a slow reference).

use ludovec::engine::{AutoReset, BatchConfig, ObservationFormat, VectorEnv, inspect, mask};

use super::bytes::Bytes;

/// Games in the batch: more than one thread task can step.
const GAMES: usize = 5;
/// Maximum number of calls per input.
const CALLS: usize = 60;

/// Three bytes for the game and its options, two for the configuration, then calls.
pub fn calls(data: &[u8]) -> bool {
    let mut bytes = Bytes::new(data);
    let game = bytes.game();
    let autoreset = *bytes.pick(&[AutoReset::SameStep, AutoReset::NextStep, AutoReset::Disabled]);
    let threads = Some(1 + bytes.below(2));
    let config = |observation| BatchConfig {
        num_envs: GAMES,
        seed: 9,
        threads,
        autoreset,
        observation,
        ..BatchConfig::default()
    };
    let [mut env, mut packed] = [ObservationFormat::U8, ObservationFormat::Packed]
        .map(|observation| game.clone().vector(config(observation)).expect("the configuration is fine"));
    let all: Vec<u32> = (0..GAMES as u32).collect();
    let mut saved = env.save(&all).expect("the games exist");
    for _ in 0..CALLS {
        if bytes.is_empty() {
            break;
        }
        let call = bytes.byte() % 10;
        let some: Vec<u32> = {
            let set = bytes.byte();
            all.iter().copied().filter(|id| set >> id & 1 == 1).collect()
        };
        let choice = bytes.byte();
        let before = env.save(&all).expect("the games exist");
        let mut made = Vec::new();
        for env in [&mut env, &mut packed] {
            made.push(make(&mut **env, call, &some, choice, &saved));
        }
        // Both gave the same answer; a call with an error has changed nothing.
        assert_eq!(made[0], made[1]);
        let now = env.save(&all).expect("the games exist");
        assert_eq!(
            now,
            packed.save(&all).expect("the games exist"),
            "the format of observations changes the games"
        );
        if made[0].is_err() {
            assert_eq!(now, before, "a call that failed changed the games");
        }
        if call == 6 {
            saved = now;
        }
        for env in [&env, &packed] {
            for &id in &all {
                inspect::inspect_row(&**env, id).unwrap_or_else(|broken| panic!("{broken}"));
            }
        }
    }
    true
}

/// Makes one call; the error is its message.
fn make(env: &mut dyn VectorEnv, call: u8, some: &[u32], choice: u8, saved: &[u8]) -> Result<(), String> {
    let actions = env.game().spec().num_actions;
    let words = env.columns().widths().mask_bits;
    let legal = |env: &dyn VectorEnv, id: u32| {
        let mask = &env.columns().mask_bits[id as usize * words..][..words];
        match mask::count(mask) {
            0 => 0,
            count => mask::select(mask, u32::from(choice) % count).expect("the index is below the count"),
        }
    };
    let all = env.config().num_envs as u32;
    let done = match call {
        0 | 1 => env.step_sampled(),
        2 => {
            let actions: Vec<u32> = (0..all).map(|id| legal(env, id)).collect();
            env.step(&actions)
        }
        3 => {
            let actions: Vec<u32> = some.iter().map(|&id| legal(env, id)).collect();
            env.step_games(some, &actions)
        }
        // Most of these are illegal.
        4 => env.step(&vec![u32::from(choice) * 257 % actions; all as usize]),
        5 => env.reset_games(some, (choice < 8).then_some(u64::from(choice))),
        6 => Ok(()),
        7 => env.restore(&(0..all).collect::<Vec<_>>(), saved),
        8 => env.fork(some, &[u32::from(choice) % all; 1], true),
        _ => env.determinize(some, (choice < 4).then_some(usize::from(choice)), u64::from(choice)),
    };
    done.map_err(|error| error.to_string())
}
