//! Searches do not depend on information that is hidden from the current player.

use ludovec::engine::{
    BatchConfig, Evaluator, Interrupt, Position, SearchSettings, SingleGame, Status, TreeSearch, VectorEnv,
};
use ludovec::games::GAMES;

use super::{Answers, Found, METHODS, by_tree, default, finish, noisy};

/// Positions of some games between random players, each with others that the current player cannot distinguish from
/// it.
fn lookalikes(play: &mut SingleGame) -> Vec<[SingleGame; 2]> {
    let mut found = Vec::new();
    while play.status() == Status::Running && found.len() < 6 {
        let seat = play.current_player();
        if play.steps() % 37 == 5 && play.legal_actions().len() > 1 {
            let [one, two] = [1, 2].map(|seed| play.determinize(seat, seed).unwrap());
            assert_eq!(one.observation(seat), two.observation(seat));
            if one.position() != two.position() {
                found.push([one, two]);
            }
        }
        play.step(play.bot_action("random").unwrap()).unwrap();
    }
    found
}

#[test]
fn positions_that_a_seat_cannot_tell_apart_are_searched_alike() {
    let mut checked = 0;
    for entry in GAMES {
        let game = default(entry);
        if !game.spec().hidden_information {
            continue;
        }
        let mut found: Vec<_> = (0..2).flat_map(|seed| lookalikes(&mut game.clone().single(seed))).collect();
        // The game itself is the real position, not just a determinized one.
        let mut play = game.clone().single(5);
        for _ in 0..40 {
            play.step(play.bot_action("random").unwrap()).unwrap();
        }
        let other = play.determinize(play.current_player(), 9).unwrap();
        found.push([play, other]);
        let config = BatchConfig { num_envs: found.len(), seed: 3, ..BatchConfig::default() };
        let batch = |which: usize| {
            let mut env = game.clone().vector(config.clone()).unwrap();
            for (id, pair) in (0..).zip(&found) {
                env.set_position(id, Position::Json(&pair[which].position())).unwrap();
            }
            env
        };
        let envs = [batch(0), batch(1)];
        for method in METHODS {
            let settings = SearchSettings { leaves: 2, ..noisy(method, 60) };
            let searched = |env: &dyn VectorEnv, how: &dyn Fn(&mut dyn TreeSearch)| -> Vec<Found> {
                let mut search = game.clone().tree_search(&config, settings.clone()).unwrap();
                search.start(env, None).unwrap();
                how(&mut *search);
                by_tree(&search.results().unwrap())
            };
            for evaluator in [Evaluator::Null, Evaluator::Estimate, Evaluator::Playout] {
                let run = |search: &mut dyn TreeSearch| search.run(evaluator, &Interrupt::default()).unwrap();
                let [one, two] = [0, 1].map(|which| searched(&*envs[which], &run));
                assert!(one == two, "{}, {method:?}, {evaluator:?}", entry.id);
            }
            let asked = |search: &mut dyn TreeSearch| drop(finish(search, &*game, Answers::Legal));
            let [one, two] = [0, 1].map(|which| searched(&*envs[which], &asked));
            assert!(one == two, "{}, {method:?}, network", entry.id);
        }
        checked += found.len();
        println!("{}: {} positions", entry.id, found.len());
        assert!(found.len() > 4, "{}: {} positions", entry.id, found.len());
    }
    assert!(checked > 0 || !cfg!(feature = "games"));
}

#[test]
fn hidden_information_of_the_mover_is_resampled_in_a_batch_and_nothing_else_changes() {
    for entry in GAMES {
        let game = default(entry);
        let config = BatchConfig { num_envs: 40, seed: 5, threads: Some(2), ..BatchConfig::default() };
        let mut env = game.clone().vector(config).unwrap();
        for _ in 0..30 {
            env.step_sampled().unwrap();
        }
        let all: Vec<u32> = (0..40).collect();
        let before = env.save(&all).unwrap();
        let positions = |env: &dyn VectorEnv| -> Vec<_> {
            all.iter().map(|&id| env.single(id).unwrap().position_bytes()).collect()
        };
        let at_first = positions(&*env);
        let seen = env.columns().observations.to_vec();
        let masks = env.columns().mask_bits.to_vec();
        let mover = env.columns().current_player.to_vec();
        env.determinize(&all[..20], None, 1).unwrap();
        let drawn = positions(&*env);
        assert_eq!(at_first[20..], drawn[20..], "{}: games that were not named", entry.id);
        // The mover has the same observation and action mask as before.
        assert_eq!(env.columns().observations[..], seen[..], "{}", entry.id);
        assert_eq!(env.columns().mask_bits[..], masks[..], "{}", entry.id);
        assert_eq!(env.columns().current_player[..], mover[..], "{}", entry.id);
        // The same draw twice, and a different draw with another seed if there is hidden information.
        env.restore(&all, &before).unwrap();
        env.determinize(&all[..20], None, 1).unwrap();
        assert_eq!(positions(&*env), drawn, "{}", entry.id);
        env.restore(&all, &before).unwrap();
        env.determinize(&all[..20], None, 2).unwrap();
        let hides = at_first != drawn;
        assert_eq!(positions(&*env) != drawn, hides, "{}", entry.id);
        // Random streams do not advance.
        env.restore(&all, &before).unwrap();
        let mut twin = game.clone().vector(env.config().clone()).unwrap();
        twin.restore(&all, &before).unwrap();
        twin.determinize(&[], None, 1).unwrap();
        assert_eq!(env.save(&all).unwrap(), twin.save(&all).unwrap());
        // For the wrong seat or games in the wrong order there is no draw.
        assert!(env.determinize(&all, Some(99), 1).is_err());
        assert!(env.determinize(&[1, 0], None, 1).is_err());
        assert!(env.determinize(&[40], None, 1).is_err());
        assert_eq!(env.save(&all).unwrap(), before);
    }
}
