//! Results depend on seed, game and settings, not on the division of work or the way a network is called.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ludovec::engine::{BatchConfig, Error, Evaluator, Interrupt, SearchSettings, ValueForm};
use ludovec::games::GAMES;
use xxhash_rust::xxh3::xxh3_64;

use super::{Answers, Found, METHODS, Run, by_tree, default, finish, noisy};

const SIMULATIONS: u32 = 24;

/// Both methods, with and without reuse, with one leaf at once and four.
fn variants() -> impl Iterator<Item = SearchSettings> {
    METHODS.into_iter().flat_map(|method| {
        [(false, 1), (true, 1), (false, 4), (true, 4)].map(|(reuse, leaves)| SearchSettings {
            reuse,
            leaves,
            ..noisy(method, SIMULATIONS)
        })
    })
}

#[test]
fn threads_groups_batches_and_padding_change_nothing() {
    for entry in GAMES {
        let game = default(entry);
        let mut by_leaves = Vec::new();
        for settings in variants() {
            let run = Run::new(settings.clone(), Answers::Legal);
            let found = run.play(&game);
            let same =
                |how: &str, other: Vec<_>| assert!(other == found, "{}, {how}: {settings:?}", entry.id);
            for threads in [2, 4] {
                let config = BatchConfig { threads: Some(threads), ..run.config.clone() };
                same(&format!("{threads} threads"), Run { config, ..run.clone() }.play(&game));
            }
            let halves = [0, 4].map(|first_game| {
                let config = BatchConfig { num_envs: 4, first_game, ..run.config.clone() };
                Run { config, ..run.clone() }.play(&game)
            });
            same("two batches", halves.concat());
            for (groups, pad) in [(2, false), (1, true), (2, true)] {
                let settings = SearchSettings { groups, pad, ..settings.clone() };
                same(&format!("{groups} groups, pad {pad}"), Run { settings, ..run.clone() }.play(&game));
            }
            same("again", run.play(&game));
            let seed = settings.seed.map(|seed| seed + 1);
            let other = Run { settings: SearchSettings { seed, ..settings.clone() }, ..run };
            assert_ne!(other.play(&game), found, "{}: another seed", entry.id);
            by_leaves.push(found);
        }
        // Few simulations of a wide tree may find the same leaves in another order, so one variant is enough.
        let differs = [0, 1, 4, 5].into_iter().any(|k| by_leaves[k] != by_leaves[k + 2]);
        assert!(differs, "{}: four leaves at once are others", entry.id);
    }
}

#[test]
fn answers_mean_the_same_in_every_form() {
    for entry in GAMES {
        let game = default(entry);
        for settings in variants().filter(|settings| !settings.reuse) {
            let play = |answers| Run::new(settings.clone(), answers).play(&game);
            assert!(play(Answers::All) == play(Answers::Legal), "{}: {settings:?}", entry.id);
            let uniform = play(Answers::Uniform);
            for zeros in [Answers::ZerosForAll, Answers::ZerosForLegal] {
                assert!(play(zeros) == uniform, "{}, {zeros:?}: {settings:?}", entry.id);
            }
            if game.spec().players == 2 {
                let one = SearchSettings { value: ValueForm::Seat, ..settings.clone() };
                let one = Run::new(one, Answers::Legal).play(&game);
                assert!(one == play(Answers::Legal), "{}: one value for two opponents", entry.id);
            }
        }
    }
}

#[test]
fn searching_without_a_network_equals_a_dummy_network() {
    for entry in GAMES {
        let game = default(entry);
        for settings in variants().filter(|settings| settings.leaves == 1) {
            let play = |answers| Run::new(settings.clone(), answers).play(&game);
            assert!(play(Answers::Null) == play(Answers::ZerosForAll), "{}: {settings:?}", entry.id);
        }
    }
}

#[test]
fn an_interrupted_search_can_be_finished() {
    for entry in GAMES {
        let game = default(entry);
        for evaluator in [Evaluator::Null, Evaluator::Estimate, Evaluator::Playout] {
            let config = BatchConfig { num_envs: 4, threads: Some(2), ..BatchConfig::default() };
            let env = game.clone().vector(config.clone()).unwrap();
            let mut search = game.clone().tree_search(&config, noisy(METHODS[0], 12)).unwrap();
            search.start(&*env, None).unwrap();
            search.run(evaluator, &Interrupt::default()).unwrap();
            let found = by_tree(&search.results().unwrap());
            search.start(&*env, None).unwrap();
            let raised = Interrupt::default();
            raised.raise();
            for _ in 0..5 {
                let interrupted = search.run(evaluator, &raised);
                assert!(matches!(interrupted, Err(Error::Interrupted(_))), "{}: {interrupted:?}", entry.id);
            }
            search.run(evaluator, &Interrupt::default()).unwrap();
            let again = by_tree(&search.results().unwrap());
            // Playouts and estimates learn the scale of leads during a search: a new search relearns it and may
            // differ.
            assert!(again == found || evaluator != Evaluator::Null, "{}, {evaluator:?}", entry.id);
            let visits = |found: &[Found]| found.iter().map(|f| f.visits.iter().sum()).collect::<Vec<i32>>();
            assert_eq!(visits(&again), visits(&found), "{}, {evaluator:?}", entry.id);
        }
    }
}

#[test]
fn finished_games_have_nothing_to_search() {
    for entry in GAMES {
        let limit = ("max_steps", 3i64.into());
        let game = entry.make([limit]).unwrap();
        let config = BatchConfig {
            num_envs: 4,
            autoreset: ludovec::engine::AutoReset::Disabled,
            ..BatchConfig::default()
        };
        let mut env = game.clone().vector(config.clone()).unwrap();
        // Without proofs: they would end the search once all actions are known to end the game.
        let settings = SearchSettings { proofs: false, ..noisy(METHODS[1], SIMULATIONS) };
        let mut search = game.clone().tree_search(&config, settings).unwrap();
        env.step_sampled().unwrap();
        search.start(&*env, None).unwrap();
        let results = finish(&mut *search, &*game, Answers::Uniform);
        env.step(&results.actions).unwrap();
        search.advance(&*env, &results.actions).unwrap();
        // The search respects the limit of steps: every simulation except the evaluation of the root ends after one
        // action.
        let results = finish(&mut *search, &*game, Answers::Uniform);
        assert!(results.visits.iter().sum::<i32>() == 4 * SIMULATIONS as i32, "{}", entry.id);
        let deep = search.tree_json(0, 3).unwrap();
        let outcomes =
            deep["actions"].as_array().unwrap().iter().flat_map(|edge| edge["outcomes"].as_array().unwrap());
        assert!(outcomes.into_iter().all(|node| node["finished"] == true), "{}: {deep}", entry.id);
        env.step(&results.actions).unwrap();
        search.advance(&*env, &results.actions).unwrap();
        assert_eq!((search.select().unwrap(), search.stats().trees), (0, 0), "{}", entry.id);
        let results = search.results().unwrap();
        assert_eq!((results.actions, results.visits), (vec![0; 4], Vec::new()), "{}", entry.id);
    }
}

/// Three moves in eight games of every environment by each method, as hashes of all results.
///
/// `LUDOVEC_UPDATE=1 cargo test --test search` rewrites them, after an intended change of searches.
#[test]
fn results_match_the_pinned_ones() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/search/results.json");
    let mut now = BTreeMap::new();
    for entry in GAMES {
        let game = default(entry);
        for method in METHODS {
            let settings = SearchSettings { reuse: true, leaves: 2, groups: 2, ..noisy(method, 40) };
            let run = Run { moves: 3, ..Run::new(settings, Answers::Legal) };
            let found = format!("{:?}", run.play(&game));
            now.insert(format!("{} {method:?}", entry.id), format!("{:016x}", xxh3_64(found.as_bytes())));
        }
    }
    let pinned: BTreeMap<String, String> =
        serde_json::from_str(&fs::read_to_string(&file).unwrap_or("{}".into())).unwrap();
    // The hashes of games that are not in this build stay as they are.
    let others = pinned.iter().filter(|(name, _)| !cfg!(feature = "games") && !now.contains_key(*name));
    let now: BTreeMap<_, _> =
        others.map(|(name, hash)| (name.clone(), hash.clone())).chain(now.clone()).collect();
    if std::env::var_os("LUDOVEC_UPDATE").is_some() {
        fs::write(&file, serde_json::to_string_pretty(&now).unwrap() + "\n").unwrap();
        return;
    }
    assert_eq!(now, pinned, "searches find something else: LUDOVEC_UPDATE=1 writes the new hashes");
}
