//! Spectators: reading games while other clients play them.

use ludovec::engine::{AutoReset, Error, VectorEnv};
use ludovec::games::GAMES;
use ludovec::shm::{Spectator, attach};

use crate::{fleet, fresh_name, light};

#[test]
fn spectators_see_the_games_that_others_play_and_change_nothing() {
    for entry in GAMES {
        let (_fleet, name) = fleet(entry.id, 10, 3, AutoReset::SameStep);
        let spectators = [Spectator::open(&name).unwrap(), Spectator::open(&name).unwrap()];
        // All blocks are taken by another client.
        let mut player = attach(&name, None).unwrap();
        player.reset(Some(4)).unwrap();
        for step in 0..12 {
            let mut shown = Vec::new();
            for spectator in &spectators {
                assert_eq!((spectator.num_games(), spectator.game().spec().env), (10, entry.id));
                let games = spectator.games(&[0, 3, 4, 9]).unwrap();
                shown.push(games.iter().map(|game| game.position()).collect::<Vec<_>>());
            }
            let own: Vec<_> = [0, 3, 4, 9].map(|id| player.single(id).unwrap().position()).into();
            assert_eq!(shown, [own.clone(), own], "{} after {step} steps", entry.id);
            player.step_sampled().unwrap();
        }
        assert!(spectators[0].games(&[]).unwrap().is_empty());
        for wrong in [&[10][..], &[3, 3], &[4, 1]] {
            let refused = spectators[0].games(wrong).expect_err("it is refused");
            assert!(matches!(refused, Error::InvalidConfig(_)), "{refused}");
        }
    }
}

#[test]
fn a_game_played_under_the_eyes_of_spectators_is_the_same_game() {
    let play = |watched: bool| {
        let (_fleet, name) = fleet(light(), 8, 2, AutoReset::SameStep);
        let mut player = attach(&name, None).unwrap();
        player.reset(Some(1)).unwrap();
        let spectator = watched.then(|| Spectator::open(&name).unwrap());
        for _ in 0..40 {
            let mut actions = vec![0; 8];
            player.sample_actions(&mut actions).unwrap();
            spectator.as_ref().map(|spectator| spectator.games(&[1, 6]).unwrap());
            player.step(&actions).unwrap();
        }
        player.save(&(0..8).collect::<Vec<_>>()).unwrap()
    };
    assert_eq!(play(true), play(false));
}

#[test]
fn spectators_are_told_when_there_is_nothing_to_see() {
    let unknown = Spectator::open(&fresh_name()).expect_err("there is no such fleet");
    assert!(matches!(unknown, Error::Unavailable { .. }), "{unknown}");
    let (fleet, name) = fleet(light(), 4, 2, AutoReset::Disabled);
    let spectator = Spectator::open(&name).unwrap();
    assert_eq!(spectator.games(&[0, 1, 2, 3]).unwrap().len(), 4);
    drop(fleet);
    let gone = spectator.games(&[0]).expect_err("the fleet has stopped");
    assert!(gone.to_string().contains("stopped"), "{gone}");
}
