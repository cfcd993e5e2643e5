//! An attached batch behaves like one in this process.

use std::sync::Barrier;
use std::thread;

use ludovec::engine::{AutoReset, Error, Position, RefusalKind, VectorEnv};
use ludovec::games::GAMES;
use ludovec::shm::{Fleet, FleetConfig, attach};
use serde_json::json;

use super::{assert_same, config, effort, fleet, fresh_name, light, local, rules};

const MODES: [AutoReset; 3] = [AutoReset::SameStep, AutoReset::NextStep, AutoReset::Disabled];

fn sampled(env: &mut dyn VectorEnv) -> Vec<u32> {
    let mut actions = vec![0; env.config().num_envs];
    env.sample_actions(&mut actions).unwrap();
    actions
}

/// Makes the same calls on both and compares all their arrays and results.
fn compare(env: &str, mode: AutoReset) {
    let (_fleet, name) = fleet(env, 23, 4, mode);
    let mut there = attach(&name, None).unwrap();
    let mut here = local(env, 23, mode);
    assert_same(&there, &*here, "at first");
    for seed in [None, Some(9)] {
        there.reset(seed).unwrap();
        here.reset(seed).unwrap();
        assert_same(&there, &*here, "after a reset");
        let steps = if mode == AutoReset::Disabled { 6 } else { 20 };
        for _ in 0..steps {
            let actions = sampled(&mut there);
            assert_eq!(actions, sampled(&mut *here));
            there.step(&actions).unwrap();
            here.step(&actions).unwrap();
            assert_same(&there, &*here, "after a step");
        }
    }
    if mode == AutoReset::Disabled {
        there.reset(None).unwrap();
        here.reset(None).unwrap();
    }
    there.step_sampled().unwrap();
    here.step_sampled().unwrap();

    // Games of one block, games of several blocks, and the last game.
    let ids = [1, 2, 6, 11, 22];
    let actions = sampled(&mut there);
    sampled(&mut *here);
    let chosen = ids.map(|id| actions[id as usize]);
    there.step_games(&ids, &chosen).unwrap();
    here.step_games(&ids, &chosen).unwrap();
    assert_same(&there, &*here, "after a step of some games");
    there.reset_games(&ids, None).unwrap();
    here.reset_games(&ids, None).unwrap();
    assert_same(&there, &*here, "after a reset of some games");

    let seats = vec!["random".to_string(); here.columns().widths().rewards];
    let (mut a, mut b) = (vec![0; 23], vec![0; 23]);
    there.bot_actions(None, &seats, &mut a).unwrap();
    here.bot_actions(None, &seats, &mut b).unwrap();
    assert_eq!(a, b);
    let (mut a, mut b) = ([9; 5], [8; 5]);
    there.bot_actions(Some(&ids), &seats, &mut a).unwrap();
    here.bot_actions(Some(&ids), &seats, &mut b).unwrap();
    assert_eq!(a, b);

    let any_order = [20, 3, 3, 8, 0, 21];
    let saved = there.save(&any_order).unwrap();
    assert_eq!(saved, here.save(&any_order).unwrap());
    there.restore(&[0, 5, 6, 7, 12, 22], &saved).unwrap();
    here.restore(&[0, 5, 6, 7, 12, 22], &saved).unwrap();
    assert_same(&there, &*here, "after a restore");
    there.fork(&[0, 22, 7, 7], &[9, 1, 22, 9], true).unwrap();
    here.fork(&[0, 22, 7, 7], &[9, 1, 22, 9], true).unwrap();
    there.determinize(&[0, 7, 22], None, 3).unwrap();
    here.determinize(&[0, 7, 22], None, 3).unwrap();
    assert_same(&there, &*here, "after forks");
    let position = here.single(22).unwrap().position();
    assert_eq!(there.single(22).unwrap().position(), position);
    there.set_position(4, Position::Json(&position)).unwrap();
    here.set_position(4, Position::Json(&position)).unwrap();
    assert_same(&there, &*here, "after a new position");
}

#[test]
fn an_attached_batch_is_the_same_as_one_in_this_process() {
    for entry in GAMES {
        for mode in MODES {
            compare(entry.id, mode);
        }
    }
}

#[test]
fn refusals_are_the_same_and_nothing_moves() {
    for (mode, finish) in [(AutoReset::SameStep, false), (AutoReset::Disabled, true)] {
        let (_fleet, name) = fleet(light(), 23, 4, mode);
        let mut there = attach(&name, None).unwrap();
        let mut here = local(light(), 23, mode);
        if finish {
            // Every game reaches its limit; then all except two start again.
            for _ in 0..7 {
                let actions = sampled(&mut there);
                sampled(&mut *here);
                there.step(&actions).unwrap();
                here.step(&actions).unwrap();
            }
            let others: Vec<u32> = (0..23).filter(|id| ![13, 17].contains(id)).collect();
            there.reset_games(&others, None).unwrap();
            here.reset_games(&others, None).unwrap();
        }
        let legal = sampled(&mut there);
        sampled(&mut *here);
        let mut actions = legal.clone();
        actions[13] = 1_000_000;
        actions[17] = u32::MAX;
        let refused = there.step(&actions).unwrap_err();
        assert_eq!(refused, here.step(&actions).unwrap_err());
        assert!(refused.to_string().contains("game 13"), "{refused}");
        assert_eq!(
            there.step_games(&[2, 17], &[legal[2], u32::MAX]).unwrap_err(),
            here.step_games(&[2, 17], &[legal[2], u32::MAX]).unwrap_err()
        );
        if finish {
            assert!(matches!(refused.refusal_kind(), Some(RefusalKind::GameOver)));
            assert_eq!(there.step_sampled().unwrap_err(), here.step_sampled().unwrap_err());
        }
        assert_same(&there, &*here, "after refusals");

        let bad_ids = [&[3, 3][..], &[4, 2], &[23]];
        for ids in bad_ids {
            assert_eq!(there.reset_games(ids, None).unwrap_err(), here.reset_games(ids, None).unwrap_err());
        }
        assert!(matches!(there.step(&legal[1..]), Err(Error::InvalidConfig(_))));
        assert!(matches!(there.restore(&[0], b"nonsense"), Err(Error::InvalidState(_))));
        assert!(matches!(
            there.set_position(0, Position::Json(&json!({"no": "position"}))),
            Err(Error::InvalidState(_))
        ));
        let nobody = vec!["nobody".to_string(); here.columns().widths().rewards];
        let mut room = vec![0; 23];
        assert_eq!(
            there.bot_actions(None, &nobody, &mut room).unwrap_err(),
            here.bot_actions(None, &nobody, &mut room).unwrap_err()
        );
        assert_same(&there, &*here, "after nonsense");
    }
}

#[test]
fn illegal_actions_lose_where_that_is_the_option() {
    let game = ludovec::games::find(light()).unwrap().make([("on_illegal", "lose".into())]).unwrap();
    let batch = config(9, AutoReset::SameStep);
    let name = fresh_name();
    let run = FleetConfig { name: name.clone(), blocks: Some(3), mode: 0o600, batch: batch.clone() };
    let _fleet = Fleet::start(game.clone(), run).unwrap();
    let mut there = attach(&name, None).unwrap();
    let mut here = game.vector(batch).unwrap();
    there.step(&[u32::MAX; 9]).unwrap();
    here.step(&[u32::MAX; 9]).unwrap();
    assert_same(&there, &*here, "after forfeits");
}

#[test]
fn clients_own_blocks_side_by_side() {
    let (_fleet, name) = fleet(light(), 10, 5, AutoReset::SameStep);
    let first = attach(&name, Some(2)).unwrap();
    let mut second = attach(&name, None).unwrap();
    assert_eq!((first.config().num_envs, first.config().first_game), (4, 0));
    assert_eq!((second.config().num_envs, second.config().first_game), (6, 4));
    let full = attach(&name, None).map(drop).unwrap_err().to_string();
    assert!(full.contains("blocks") && full.contains(&std::process::id().to_string()), "{full}");
    drop(first);
    assert!(attach(&name, Some(3)).is_err());
    let mut third = attach(&name, Some(1)).unwrap();
    third.step_sampled().unwrap();
    second.step_sampled().unwrap();
    // Together they equal one batch.
    let mut whole = local(light(), 10, AutoReset::SameStep);
    whole.step_sampled().unwrap();
    let width = whole.columns().widths().mask_bits;
    assert_eq!(second.columns().mask_bits[..], whole.columns().mask_bits[4 * width..]);
    assert_eq!(third.columns().mask_bits[..], whole.columns().mask_bits[..2 * width]);
    for bad in [0, 6] {
        assert!(matches!(attach(&name, Some(bad)), Err(Error::InvalidConfig(_))));
    }
}

#[test]
fn blocks_can_be_stepped_each_on_its_own() {
    let (_fleet, name) = fleet(light(), 10, 3, AutoReset::SameStep);
    let parts = attach(&name, None).unwrap().split().unwrap();
    assert_eq!(parts.iter().map(|p| p.config().num_envs).collect::<Vec<_>>(), [4, 4, 2]);
    let threads: Vec<_> = parts
        .into_iter()
        .map(|mut part| {
            thread::spawn(move || {
                for _ in 0..50 {
                    part.step_sampled().unwrap();
                }
                part
            })
        })
        .collect();
    let mut whole = local(light(), 10, AutoReset::SameStep);
    (0..50).for_each(|_| whole.step_sampled().unwrap());
    let parts: Vec<_> = threads.into_iter().map(|t| t.join().unwrap()).collect();
    let masks: Vec<u64> = parts.iter().flat_map(|p| p.columns().mask_bits.to_vec()).collect();
    assert_eq!(masks, whole.columns().mask_bits[..]);
    // The claim ends with the last part.
    assert!(attach(&name, None).is_err());
    drop(parts);
    attach(&name, None).unwrap();
}

#[test]
fn columns_outlive_batch_and_fleet() {
    let (fleet, name) = fleet(light(), 4, 1, AutoReset::SameStep);
    let there = attach(&name, None).unwrap();
    let (start, len) = (there.columns().mask_bits.as_ptr(), there.columns().mask_bits.len());
    let owner = there.columns().mask_bits.owner().clone();
    drop(there);
    drop(fleet);
    // Safety: the owner keeps the memory alive.
    assert!(unsafe { std::slice::from_raw_parts(start, len) }.iter().any(|&word| word != 0));
    drop(owner);
}

#[test]
fn a_name_is_taken_while_its_fleet_runs() {
    let (first, name) = fleet(light(), 4, 1, AutoReset::SameStep);
    let again = |name: &str| {
        let batch = config(4, AutoReset::SameStep);
        Fleet::start(rules(light()), FleetConfig { name: name.into(), blocks: None, mode: 0o600, batch })
    };
    let refused = again(&name).map(drop).unwrap_err().to_string();
    assert!(refused.contains(&name) && refused.contains("is running"), "{refused}");
    // The refused client has not affected the first.
    let mut client = attach(&name, None).unwrap();
    client.step_sampled().unwrap();
    drop(first);
    let stopped = client.step_sampled().unwrap_err().to_string();
    assert!(stopped.contains("stopped"), "{stopped}");
    let _second = again(&name).unwrap();
    attach(&name, None).unwrap().step_sampled().unwrap();
    for bad in ["", "a/b", "..\n", &"x".repeat(65)] {
        assert!(matches!(again(bad), Err(Error::InvalidConfig(_))), "{bad:?}");
        assert!(matches!(attach(bad, None), Err(Error::InvalidConfig(_))), "{bad:?}");
    }
}

#[test]
fn a_fleet_needs_games_for_its_blocks_and_room() {
    let start = |num_envs, blocks| {
        let run = FleetConfig {
            name: fresh_name(),
            blocks,
            mode: 0o600,
            batch: config(num_envs, AutoReset::SameStep),
        };
        Fleet::start(rules(light()), run).map(drop).unwrap_err()
    };
    assert!(matches!(start(0, None), Error::InvalidConfig(_)));
    assert!(matches!(start(4, Some(0)), Error::InvalidConfig(_)));
    assert!(matches!(start(4, Some(5)), Error::InvalidConfig(_)));
    // More than any machine's shared memory.
    let full = start(i32::MAX as usize, Some(1));
    assert!(matches!(&full, Error::Unavailable { reason, .. } if reason.contains("no room")), "{full}");
}

#[test]
fn clients_that_attach_at_the_same_time_all_find_a_free_block() {
    const CLIENTS: usize = 8;
    for _ in 0..effort(100, 2000) {
        let (_fleet, name) = fleet(light(), 2 * CLIENTS, CLIENTS, AutoReset::SameStep);
        let together = Barrier::new(CLIENTS);
        let clients: Vec<_> = thread::scope(|scope| {
            let attached = |_| {
                scope.spawn(|| {
                    together.wait();
                    attach(&name, Some(1))
                })
            };
            let threads: Vec<_> = (0..CLIENTS).map(attached).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let mut games: Vec<u64> =
            clients.iter().map(|env| env.as_ref().unwrap().config().first_game).collect();
        games.sort_unstable();
        assert_eq!(games, (0..CLIENTS as u64).map(|k| 2 * k).collect::<Vec<_>>());
    }
}
