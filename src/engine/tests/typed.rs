//! Games, batches and searches of a known type: the same as through the dynamic traits.

use std::sync::Arc;

use super::pig::Pig;
use crate::{
    AnyGame, BatchConfig, BatchEnv, Evaluator, Forest, Interrupt, SearchSettings, Status, TreeSearch,
    TypedGame, VectorEnv,
};

#[test]
fn a_typed_game_is_the_single_game_of_its_seed() {
    for seed in 0..30 {
        let rules = Arc::new(Pig::new(&[("reward", "score")]));
        let any: Arc<dyn AnyGame> = rules.clone();
        let (mut typed, mut single) = (TypedGame::new(rules, seed), any.single(seed));
        let mut paid = [0.0; 2];
        while typed.status() == Status::Running {
            let legal: Vec<_> = typed.legal_actions().collect();
            assert_eq!((&legal, typed.current_player()), (&single.legal_actions(), single.current_player()));
            let refused = (0..3).find(|action| !legal.contains(action)).expect("there are two actions");
            assert_eq!(
                typed.step(refused).unwrap_err().refusal_kind(),
                single.step(refused).unwrap_err().refusal_kind()
            );
            let action = legal[seed as usize % legal.len()];
            single.step(action).unwrap();
            paid.iter_mut().zip(typed.step(action).unwrap()).for_each(|(sum, reward)| *sum += reward);
        }
        assert_eq!((typed.status(), typed.returns()), (single.status(), &single.returns()[..]));
        assert_eq!((typed.scores(), &paid[..]), (single.scores(), &single.scores()[..]));
        assert!(typed.mask().iter().all(|&word| word == 0) && typed.step(0).is_err());
    }
}

#[test]
fn a_search_of_a_known_type_finds_the_same() {
    let rules = Arc::new(Pig::new(&[]));
    let any: Arc<dyn AnyGame> = rules.clone();
    let config = BatchConfig { num_envs: 5, seed: 4, ..BatchConfig::default() };
    let settings = SearchSettings { simulations: 40, ..SearchSettings::default() };
    let mut found = Vec::new();
    let typed: (Box<dyn VectorEnv>, Box<dyn TreeSearch>) = (
        Box::new(BatchEnv::new(rules.clone(), config.clone()).unwrap()),
        Box::new(Forest::new(rules, &config, settings.clone()).unwrap()),
    );
    let dynamic = (any.vector(config.clone()).unwrap(), any.tree_search(&config, settings).unwrap());
    for (env, mut search) in [typed, dynamic] {
        search.start(&*env, None).unwrap();
        search.run(Evaluator::Playout, &Interrupt::default()).unwrap();
        found.push(search.results().unwrap());
    }
    assert_eq!(found[0], found[1]);
}
