//! Tests of the engine with a small game.

mod pig;
mod rewards;
mod search;
mod starts;
mod typed;
mod wrong;

use std::sync::Arc;

use super::Effort;
use super::chance::{Chance, SeededChance, StreamId, at_most};
use super::*;
use pig::Pig;

/// Games of a batch: enough for several tasks per thread. Under Miri fewer, because Miri's bookkeeping for the
/// pointers of a column grows with the games stepped.
const GAMES: usize = if cfg!(miri) { 70 } else { 200 };
/// Threads of a batch. Under Miri, the threads of `tests/memory.rs` are enough, because Miri runs one at a time.
const THREADS: Option<usize> = Some(if cfg!(miri) { 1 } else { 2 });

fn batch(autoreset: AutoReset, given: &[(&str, &str)]) -> Box<dyn VectorEnv> {
    let config =
        BatchConfig { num_envs: GAMES, seed: 5, threads: THREADS, autoreset, ..BatchConfig::default() };
    Arc::new(Pig::new(given)).into_vector(config).unwrap()
}

fn sampled(env: &mut dyn VectorEnv) -> Vec<u32> {
    let mut actions = vec![0; env.config().num_envs];
    env.sample_actions(&mut actions).unwrap();
    actions
}

#[test]
fn the_test_game_conforms_under_every_reward_mode() {
    for reward in ["outcome", "score", "margin"] {
        let game = Arc::new(Pig::new(&[("reward", reward)]));
        game.into_check_conformance(Effort { games: 40, ..Effort::default() }).unwrap();
    }
}

#[test]
fn stepping_sampled_actions_is_sampling_and_stepping() {
    let (mut a, mut b) = (batch(AutoReset::SameStep, &[]), batch(AutoReset::SameStep, &[]));
    for _ in 0..100 {
        a.step_sampled().unwrap();
        let actions = sampled(&mut *b);
        b.step(&actions).unwrap();
        assert_eq!(a.columns().observations[..], b.columns().observations[..]);
        assert_eq!(a.columns().rewards[..], b.columns().rewards[..]);
    }
}

/// Each pinned thread steps its own share, for any selection of games.
#[cfg(target_os = "linux")]
#[test]
fn pinned_threads_write_the_same_bytes_and_there_is_a_core_for_each() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let game = Arc::new(Pig::new(&[]));
    for threads in [1, 2.min(cores), cores] {
        let config =
            |pinned| BatchConfig { num_envs: 201, threads: Some(threads), pinned, ..BatchConfig::default() };
        let [mut pinned, mut free] = [true, false].map(|is| game.clone().into_vector(config(is)).unwrap());
        let checksum = |env: &mut dyn VectorEnv| rollout::checksum_of_rollout(env, 50).unwrap();
        assert_eq!(checksum(&mut *pinned), checksum(&mut *free));
        let some: Vec<u32> = (0..201).filter(|id| id % 5 < 2).collect();
        for env in [&mut pinned, &mut free] {
            let mut actions = vec![0; some.len()];
            env.bot_actions(Some(&some), &vec!["random".to_string(); 2], &mut actions).unwrap();
            env.step_games(&some, &actions).unwrap();
        }
        assert_eq!(pinned.columns().observations[..], free.columns().observations[..]);
    }
    let too_many = BatchConfig { threads: Some(cores + 1), pinned: true, ..BatchConfig::default() };
    let error = game.into_vector(too_many).err().unwrap().to_string();
    assert!(error.contains(&format!("num_threads={}", cores + 1)) && error.contains("cores"), "{error}");
}

/// The n-th sample of a game is always the same: drawn early or late, taken or not, requested once or twice in a
/// position.
#[test]
fn a_sample_depends_on_how_often_a_game_was_sampled_not_on_when() {
    let mut env = batch(AutoReset::NextStep, &[]);
    let n = env.config().num_envs;
    let mut samples = vec![0; n];
    let mut actions = vec![0; n];
    let mut chance = SeededChance::from_seed(3);
    for _ in 0..400 {
        let masks: Vec<u64> = env.columns().mask_bits.to_vec();
        match chance.uniform(7) {
            0..=2 => {
                actions = sampled(&mut *env);
                for (i, &action) in actions.iter().enumerate() {
                    let id = StreamId { seed: 5, game: i as u64, episode: 0 };
                    let expected = batch::nth_sample(id, samples[i], &masks[i..=i]).unwrap_or(0);
                    assert_eq!(action, expected, "game {i}, sample {}", samples[i]);
                    samples[i] += 1;
                }
            }
            3 => {
                env.step_sampled().unwrap();
                samples.iter_mut().for_each(|samples| *samples += 1);
            }
            4 => {
                let ids: Vec<u32> = (0..n as u32).filter(|_| chance.uniform(3) == 0).collect();
                let first = |&id: &u32| mask::select(&masks[id as usize..][..1], 0).unwrap_or(0);
                env.step_games(&ids, &ids.iter().map(first).collect::<Vec<_>>()).unwrap();
            }
            5 => {
                let snapshot = env.save(&[1, 2]).unwrap();
                env.fork(&[0, 1], &[n as u32 - 1, 3], true).unwrap();
                env.restore(&[1, 2], &snapshot).unwrap();
                env.bot_actions(None, &["greedy".into(), "random".into()], &mut vec![0; n]).unwrap();
                for (i, samples) in samples.iter_mut().enumerate() {
                    *samples += u64::from(env.columns().mask_bits[i] != 0);
                }
            }
            _ => {
                let legal = |(i, action): (usize, &u32)| masks[i] == 0 || masks[i] >> *action & 1 == 1;
                if !actions.iter().enumerate().all(legal) {
                    actions = masks.iter().map(|m| m.trailing_zeros() % 64).collect();
                }
                env.step(&actions).unwrap();
            }
        }
    }
    assert!(samples.iter().all(|&samples| samples > 200));
}

#[test]
fn forks_that_are_not_shown_play_on_as_if_they_were() {
    let masks = MaskFormat::Bytes;
    let twins = || {
        let config = BatchConfig { num_envs: 90, mask: masks, ..BatchConfig::default() };
        Arc::new(Pig::new(&[])).into_vector(config).unwrap()
    };
    let (mut env, mut twin) = (twins(), twins());
    let mut chance = SeededChance::from_seed(3);
    let mut some = |n: u32| -> Vec<u32> { (0..n).map(|_| chance.uniform(90)).collect() };
    for round in 0..200 {
        let (src, dst) = (some(if round % 2 == 0 { 1 } else { 20 }), some(20));
        env.fork(&src, &dst, false).unwrap();
        twin.fork(&src, &dst, true).unwrap();
        if round % 3 == 0 {
            // Every fork target plays its highest legal action; the games are given in decreasing order.
            let mut ids = dst.clone();
            ids.sort_unstable_by(|a, b| b.cmp(a));
            ids.dedup();
            let last = |id: &u32| 63 - twin.columns().mask_bits[*id as usize].leading_zeros();
            let actions: Vec<u32> = ids.iter().map(last).collect();
            env.step_games(&ids, &actions).unwrap();
            ids.reverse();
            twin.step_games(&ids, &actions.into_iter().rev().collect::<Vec<_>>()).unwrap();
            for name in ["observations", "mask_bits", "mask_bytes", "rewards", "credit", "done"] {
                let row = |env: &dyn VectorEnv, id: u32| {
                    let columns = env.columns();
                    let c = columns.list().into_iter().find(|c| c.name == name).unwrap();
                    let bytes = c.width * c.dtype.size();
                    // Safety: a column has this many bytes for each game.
                    unsafe { std::slice::from_raw_parts(c.address.add(id as usize * bytes), bytes) }.to_vec()
                };
                for &id in &ids {
                    assert_eq!(row(&*env, id), row(&*twin, id), "{name} of game {id}");
                }
            }
        } else if round % 3 == 1 {
            assert_eq!(sampled(&mut *env), sampled(&mut *twin));
        }
        env.step_sampled().unwrap();
        twin.step_sampled().unwrap();
        assert_eq!(env.columns().observations[..], twin.columns().observations[..]);
        assert_eq!(env.columns().mask_bytes[..], twin.columns().mask_bytes[..]);
    }
    let all: Vec<u32> = (0..90).collect();
    assert_eq!(env.save(&all), twin.save(&all));
    // A fork without `show` rejects actions that are illegal in its new position, and no game moves.
    env.fork(&[4], &[5], false).unwrap();
    assert!(env.step_games(&[5, 2], &[7, 0]).is_err());
    env.step_games(&[], &[]).unwrap();
}

#[test]
fn all_reset_modes_play_the_same_episodes() {
    // (game, episode) -> rewards of its last step
    let play = |mode| {
        let mut env = batch(mode, &[]);
        let mut episode = vec![0; 200];
        let mut ends = std::collections::BTreeMap::new();
        let mut actions = vec![0; 200];
        for _ in 0..600 {
            // The same policy in every mode: hold whenever possible.
            for (i, action) in actions.iter_mut().enumerate() {
                *action = u32::from(mask::contains(&env.columns().mask_bits[i..=i], 1));
            }
            let done: Vec<u32> = (0..200).filter(|&i| env.columns().terminated[i as usize] == 1).collect();
            if mode == AutoReset::Disabled && !done.is_empty() {
                assert_eq!(env.step(&actions).unwrap_err().refusal_kind(), Some(RefusalKind::GameOver));
                env.reset_games(&done, None).unwrap();
                continue;
            }
            env.step(&actions).unwrap();
            for (i, episode) in episode.iter_mut().enumerate() {
                if env.columns().terminated[i] == 1 {
                    let end = (env.columns().rewards[2 * i], env.columns().episode_length[i]);
                    ends.insert((i, *episode), end);
                    *episode += 1;
                }
            }
        }
        ends
    };
    let modes: Vec<_> = AutoReset::NAMES.iter().map(|&(_, mode)| play(mode)).collect();
    let shortest = modes.iter().map(|m| m.len()).min().unwrap();
    assert!(shortest > 1000);
    for other in &modes[1..] {
        let common: Vec<_> = modes[0].iter().filter(|(k, _)| other.contains_key(k)).collect();
        assert!(common.len() > shortest / 2);
        assert!(common.iter().all(|(k, v)| other[k] == **v));
    }
}

#[test]
fn same_step_shows_the_final_position_beside_the_new_one() {
    let mut same = batch(AutoReset::SameStep, &[("max_steps", "7")]);
    let mut next = batch(AutoReset::NextStep, &[("max_steps", "7")]);
    for _ in 0..7 {
        let actions = sampled(&mut *same);
        next.step(&actions).unwrap();
        same.step(&actions).unwrap();
    }
    let (s, n) = (same.columns(), next.columns());
    let truncated = (0..GAMES).filter(|&i| n.truncated[i] == 1).count();
    assert!(truncated > GAMES / 2, "{truncated}");
    for i in 0..GAMES {
        assert_eq!(s.truncated[i], n.truncated[i]);
        if n.truncated[i] + n.terminated[i] == 0 {
            continue;
        }
        assert_eq!(s.final_observations[4 * i..4 * i + 4], n.observations[4 * i..4 * i + 4]);
        assert_eq!(s.final_player[i], n.current_player[i]);
        assert_eq!(n.mask_bits[i], 0);
        assert_eq!(s.final_mask_bits[i] != 0, n.truncated[i] == 1);
        assert_eq!(s.observations[4 * i..4 * i + 3], [0, 0, 0]);
        assert_eq!(s.mask_bits[i], 1);
    }
}

#[test]
fn an_illegal_action_is_refused_before_anything_moves() {
    let mut env = batch(AutoReset::SameStep, &[]);
    let all: Vec<u32> = (0..GAMES as u32).collect();
    let before = env.save(&all).unwrap();
    for (action, text) in
        [(1, "HOLD"), (2, "0 to 1"), (u32::MAX, "action -1: actions are 0 to 1"), (1 << 31, "0 to 1")]
    {
        let mut actions = vec![0; GAMES];
        actions[66] = action;
        let error = env.step(&actions).unwrap_err();
        let said = error.to_string();
        assert_eq!(error.refusal_kind(), Some(RefusalKind::IllegalAction));
        assert!(said.contains("game 66, player ") && said.contains(text), "{said}");
    }
    assert!(matches!(env.step(&[0; 3]), Err(Error::InvalidConfig(_))));
    assert_eq!(env.save(&all).unwrap(), before);
}

#[test]
fn under_lose_an_illegal_action_ends_the_game_at_minus_one() {
    let mut env = batch(AutoReset::NextStep, &[("on_illegal", "lose")]);
    let mut actions = vec![0; 200];
    (actions[3], actions[4]) = (1, u32::MAX - 6);
    let loser = [3, 4].map(|i| env.columns().current_player[i] as usize);
    env.step(&actions).unwrap();
    for (i, loser) in [3, 4].into_iter().zip(loser) {
        assert_eq!(env.columns().terminated[i], 1);
        assert_eq!(env.columns().rewards[2 * i + loser], -1.0);
        assert_eq!(env.columns().rewards[2 * i + 1 - loser], 1.0);
        assert_eq!(env.columns().mask_bits[i], 0);
    }
    assert_eq!(env.columns().terminated[5], 0);
}

#[test]
fn a_subset_steps_and_resets_alone() {
    let (mut whole, mut parts) = (batch(AutoReset::SameStep, &[]), batch(AutoReset::SameStep, &[]));
    let (middle, last) = (if cfg!(miri) { 66 } else { 130 }, GAMES as u32 - 1);
    let ids = [0, 7, 64, 65, middle, last];
    // Steps take games in any order.
    let shuffled = [65, last, 0, middle, 7, 64];
    let rest: Vec<u32> = (0..=last).filter(|i| !ids.contains(i)).collect();
    for _ in 0..if cfg!(miri) { 2 } else { 50 } {
        let actions = sampled(&mut *whole);
        let of = |ids: &[u32]| ids.iter().map(|&i| actions[i as usize]).collect::<Vec<_>>();
        parts.step_games(&rest, &of(&rest)).unwrap();
        parts.step_games(&shuffled, &of(&shuffled)).unwrap();
        whole.step(&actions).unwrap();
        assert_eq!(whole.columns().observations[..], parts.columns().observations[..]);
        assert_eq!(whole.columns().credit[..], parts.columns().credit[..]);
    }
    whole.reset_games(&ids, None).unwrap();
    assert!(ids.iter().all(|&i| whole.columns().episode_length[i as usize] == 0));
    assert_eq!(whole.columns().observations[4..8], parts.columns().observations[4..8]);
    for wrong in [&[3, 3][..], &[4, 3, 4], &[last + 1]] {
        assert!(matches!(whole.step_games(wrong, &vec![0; wrong.len()]), Err(Error::InvalidConfig(_))));
        assert!(matches!(whole.reset_games(wrong, None), Err(Error::InvalidConfig(_))));
    }
    assert!(matches!(whole.reset_games(&[4, 3], None), Err(Error::InvalidConfig(_))));
}

#[test]
fn a_seed_names_the_same_games_whenever_it_is_set() {
    let mut env = batch(AutoReset::SameStep, &[]);
    let first = rollout::checksum_of_rollout(&mut *env, 40).unwrap();
    env.reset(Some(5)).unwrap();
    assert_eq!(rollout::checksum_of_rollout(&mut *env, 40).unwrap(), first);
    env.reset(None).unwrap();
    assert_ne!(rollout::checksum_of_rollout(&mut *env, 40).unwrap(), first);
}

#[test]
fn games_are_numbered_up_to_the_largest_number_and_no_further() {
    let begin = |first_game| {
        let config = BatchConfig { num_envs: 3, first_game, threads: Some(1), ..BatchConfig::default() };
        Arc::new(Pig::new(&[])).into_vector(config)
    };
    begin(u64::MAX - 3).unwrap().step_sampled().unwrap();
    let error = begin(u64::MAX - 2).err().unwrap();
    assert!(matches!(error, Error::InvalidConfig(_)), "{error}");
}

#[test]
fn a_checksum_covers_observations_and_masks_in_every_form() {
    let mut checksums = Vec::new();
    for (_, observation) in ObservationFormat::NAMES {
        for (_, mask) in MaskFormat::NAMES {
            let config = BatchConfig {
                num_envs: 20,
                seed: 5,
                observation: *observation,
                mask: *mask,
                ..BatchConfig::default()
            };
            let mut env = Arc::new(Pig::new(&[])).into_vector(config).unwrap();
            checksums.push(rollout::checksum_of_rollout(&mut *env, 10).unwrap());
        }
    }
    let different: std::collections::BTreeSet<_> = checksums.iter().collect();
    assert_eq!(different.len(), checksums.len(), "{checksums:?}");
}

#[test]
fn float_observations_are_bytes_times_scale() {
    let config = BatchConfig {
        num_envs: 3,
        observation: ObservationFormat::F32,
        mask: MaskFormat::Bytes,
        threads: Some(1),
        ..BatchConfig::default()
    };
    let mut env = Arc::new(Pig::new(&[])).into_vector(config).unwrap();
    for _ in 0..20 {
        env.step_sampled().unwrap();
        let c = env.columns();
        for i in 0..12 {
            let scale = if i % 4 == 3 { 1.0 / 6.0 } else { 1.0 / 255.0 };
            assert_eq!(c.observations_f32[i], f32::from(c.observations[i]) * scale);
        }
        for i in 0..3 {
            assert_eq!(u64::from(c.mask_bytes[2 * i] + 2 * c.mask_bytes[2 * i + 1]), c.mask_bits[i]);
        }
    }
}

#[test]
fn packed_observations_unpack_to_the_bytes_in_every_mode() {
    // Under Miri, games end early.
    let (given, steps): (&[_], _) = if cfg!(miri) { (&[("max_steps", "2")], 6) } else { (&[], 120) };
    let game = Arc::new(Pig::new(given));
    let layout = Rules::spec(&*game).packed();
    for &(_, autoreset) in AutoReset::NAMES {
        let batch = |observation| {
            let config = BatchConfig {
                num_envs: 70,
                threads: THREADS,
                observation,
                autoreset,
                ..BatchConfig::default()
            };
            game.clone().into_vector(config).unwrap()
        };
        let (mut plain, mut packed) = (batch(ObservationFormat::U8), batch(ObservationFormat::Packed));
        assert_eq!(packed.columns().widths().observations, layout.row_bytes);
        let elements = plain.columns().widths().observations;
        let compare = |rows: &[u8], bytes: &[u8]| {
            let mut unpacked = vec![0; elements];
            assert_eq!(rows.len() / layout.row_bytes, bytes.len() / elements);
            for (row, bytes) in rows.chunks_exact(layout.row_bytes).zip(bytes.chunks_exact(elements)) {
                layout.unpack(row, &mut unpacked);
                assert_eq!(unpacked, bytes);
            }
        };
        let mut finished = 0;
        for _ in 0..steps {
            for env in [&mut plain, &mut packed] {
                let over: Vec<u32> = (0..70).filter(|&i| env.columns().done[i as usize] == 1).collect();
                if autoreset == AutoReset::Disabled && !over.is_empty() {
                    env.reset_games(&over, None).unwrap();
                }
                env.step_sampled().unwrap();
            }
            let (packed, plain) = (packed.columns(), plain.columns());
            compare(&packed.observations, &plain.observations);
            compare(&packed.final_observations, &plain.final_observations);
            finished += plain.done.iter().filter(|&&done| done == 1).count();
        }
        assert!(finished > 70, "{finished}");
    }
}

#[test]
fn bots_play_their_seats() {
    let mut env = batch(AutoReset::SameStep, &[]);
    let seats = ["brave".to_string(), "greedy".to_string()];
    let mut actions = vec![0; 200];
    let mut wins = [0.0; 2];
    for _ in 0..400 {
        env.bot_actions(None, &seats, &mut actions).unwrap();
        assert!(actions.iter().zip(&env.columns().current_player[..]).all(|(&a, &seat)| seat == 1 || a == 0));
        env.step(&actions).unwrap();
        for i in 0..200 {
            wins[0] += env.columns().rewards[2 * i].max(0.0);
            wins[1] += env.columns().rewards[2 * i + 1].max(0.0);
        }
    }
    assert!(wins[1] > 2.0 * wins[0], "{wins:?}");
    let error =
        env.bot_actions(None, &["brave".into(), "bold".into()], &mut actions).unwrap_err().to_string();
    assert!(error.contains("bold") && GENERIC_BOTS.iter().all(|(name, _)| error.contains(name)), "{error}");
    for (name, allowed) in [("search:0", "playouts"), ("flat:x", "playouts"), ("random:3", "unknown bot")] {
        let error = Arc::new(Pig::new(&[])).check_bot(name).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains(allowed), "{error}");
    }
    assert!(env.bot_actions(None, &["random".into()], &mut actions).is_err());
}

#[test]
fn bots_choose_in_the_games_that_are_asked_about() {
    let mut seats = vec!["search:8".to_string(), "flat:8".to_string()];
    let (mut some, mut all) = (batch(AutoReset::SameStep, &[]), batch(AutoReset::SameStep, &[]));
    let (mut a, mut b) = ([u32::MAX; 3], vec![0; 200]);
    some.bot_actions(Some(&[0, 7, 199]), &seats, &mut a).unwrap();
    all.bot_actions(None, &seats, &mut b).unwrap();
    assert_eq!(a, [b[0], b[7], b[199]]);
    assert!(some.bot_actions(Some(&[7, 0]), &seats, &mut [0; 2]).is_err());
    assert!(some.bot_actions(Some(&[7]), &seats, &mut [0; 2]).is_err());
    seats.pop();
    assert!(some.bot_actions(Some(&[7]), &seats, &mut [0]).is_err());
}

#[test]
fn a_search_uses_only_its_players_information() {
    // The opponent's lucky number is hidden: the bot's moves must not depend on it.
    let game = Pig::new(&[]);
    let mut play = (Arc::new(game) as Arc<dyn AnyGame>).single(3);
    for _ in 0..40 {
        if play.status() != Status::Running {
            break;
        }
        let seat = play.current_player();
        let mut other = play.position();
        let lucky = other["lucky"][1 - seat].as_u64().unwrap();
        other["lucky"][1 - seat] = ((lucky - 1) % 5 + 2).into();
        let one = play.game().single_from_position(&play.position(), 1).unwrap();
        let two = play.game().single_from_position(&other, 1).unwrap();
        for bot in ["greedy", "flat:20", "search:20"] {
            assert_eq!(one.bot_action(bot).unwrap(), two.bot_action(bot).unwrap(), "{bot}");
        }
        play.step(play.legal_actions()[0]).unwrap();
    }
}

#[test]
fn a_bot_in_another_program_gets_a_position_and_answers_with_an_action() {
    let game: Arc<dyn AnyGame> = Arc::new(Pig::new(&[]));
    let play = game.clone().single(5);
    let request = play.bot_request();
    assert_eq!(request["player"], play.current_player());
    let told = game.clone().single_from_bot_request(&request, 0).unwrap();
    assert_eq!(told.legal_actions(), play.legal_actions());
    let reply = told.bot_reply(0).unwrap();
    assert_eq!(play.action_from_bot_reply(&reply), Ok(0));
    assert_eq!(play.action_from_bot_reply(&serde_json::json!({ "action": 0 })), Ok(0));
    assert_eq!(play.action_from_bot_reply(&serde_json::json!({ "action": "ROLL" })), Ok(0));
    for nonsense in ["{}", "[]", r#"{"action": 1e9}"#, r#"{"action": "JUMP"}"#, r#"{"action": "HOLD"}"#] {
        let nonsense = serde_json::from_str(nonsense).unwrap();
        assert!(play.action_from_bot_reply(&nonsense).is_err(), "{nonsense}");
    }
    assert!(game.single_from_bot_request(&serde_json::json!({ "position": 3 }), 0).is_err());
}

#[test]
fn a_single_game_is_game_0_of_the_batch() {
    let mut env = batch(AutoReset::NextStep, &[]);
    let mut single = (Arc::new(Pig::new(&[])) as Arc<dyn AnyGame>).single(5);
    for _ in 0..30 {
        assert_eq!(single.observation(single.current_player()).unwrap(), env.columns().observations[..4]);
        let actions = sampled(&mut *env);
        if single.status() != Status::Running {
            assert_eq!(single.step(0).unwrap_err().refusal_kind(), Some(RefusalKind::GameOver));
            break;
        }
        single.step(actions[0]).unwrap();
        env.step(&actions).unwrap();
    }
}

#[test]
fn a_record_replays_and_undo_goes_back() {
    let game: Arc<dyn AnyGame> = Arc::new(Pig::new(&[]));
    let mut play = game.clone().single(8);
    let start = play.position();
    while play.status() == Status::Running {
        let action = play.bot_action("random").unwrap();
        play.step(action).unwrap();
    }
    let record: Record = serde_json::from_str(&serde_json::to_string(&play.record()).unwrap()).unwrap();
    let mut again = game.clone().single_scripted(&record.setup).unwrap();
    for step in play.log() {
        assert_eq!(again.current_player(), step.player);
        again.step_scripted(step.action, &step.chance).unwrap();
    }
    assert_eq!(again.position(), play.position());
    assert!(record.stream.is_some() && record.chance.is_empty(), "bots draw from a source of their own");
    let scripted = again.record();
    let drawn: Vec<_> = play.log().into_iter().map(|step| step.chance).collect();
    assert_eq!((scripted.stream, &scripted.chance), (None, &drawn));
    assert_eq!(Record { stream: record.stream, chance: Vec::new(), ..scripted }, record);
    assert!(matches!(game.single_scripted(&[9]).map(|_| ()), Err(Error::InvalidState(_))));
    while again.undo() {}
    assert_eq!(again.position(), start);
}

/// Ids, one action per game, and the chance outcomes that each draws.
fn next_draws(env: &mut dyn VectorEnv) -> (Vec<u32>, Vec<u32>, Vec<Vec<u32>>) {
    let ids: Vec<u32> = (0..env.config().num_envs as u32).collect();
    let actions = sampled(env);
    let scripts = ids.iter().zip(&actions).map(|(&id, &action)| {
        let mut play = env.single(id).unwrap();
        match play.step(action) {
            Ok(()) => play.log().last().unwrap().chance.clone(),
            // A step of a finished game resets it and draws no outcome of the script.
            Err(_) => Vec::new(),
        }
    });
    let scripts = scripts.collect();
    (ids, actions, scripts)
}

#[test]
fn scripted_chance_in_a_batch_is_like_the_same_chance_drawn() {
    for autoreset in [AutoReset::SameStep, AutoReset::NextStep] {
        let (mut drawn, mut scripted) = (batch(autoreset, &[]), batch(autoreset, &[]));
        for _ in 0..60 {
            let (ids, actions, scripts) = next_draws(&mut *drawn);
            drawn.step(&actions).unwrap();
            scripted.step_scripted(&ids, &actions, &scripts).unwrap();
            let (a, b) = (drawn.columns(), scripted.columns());
            assert_eq!(a.observations[..], b.observations[..]);
            assert_eq!(a.mask_bits[..], b.mask_bits[..]);
            assert_eq!(a.rewards[..], b.rewards[..]);
            assert_eq!(a.credit[..], b.credit[..]);
            assert_eq!(a.done[..], b.done[..]);
            assert_eq!(a.episode_length[..], b.episode_length[..]);
            assert_eq!(a.final_observations[..], b.final_observations[..]);
        }
    }
}

#[test]
fn scripts_that_do_not_fit_are_refused_before_anything_moves() {
    let mut env = batch(AutoReset::Disabled, &[]);
    let (ids, actions, scripts) = next_draws(&mut *env);
    let before = env.save(&ids).unwrap();
    // Dice have six sides; holding draws no chance outcome.
    for wrong in [vec![6], vec![0, 0], vec![u32::MAX]] {
        let mut wrongs = scripts.clone();
        wrongs[7] = wrong;
        let error = env.step_scripted(&ids, &actions, &wrongs).unwrap_err();
        assert!(matches!(&error, Error::InvalidState(what) if what.starts_with("game 7: ")), "{error}");
        assert_eq!(env.save(&ids).unwrap(), before);
    }
    for (ids, scripts) in [(&ids[..], &scripts[1..]), (&[1, 0], &scripts[..2]), (&[200], &scripts[..1])] {
        let error = env.step_scripted(ids, &actions[..ids.len()], scripts).unwrap_err();
        assert!(matches!(error, Error::InvalidConfig(_)), "{error}");
    }
    assert_eq!(env.save(&ids).unwrap(), before);
    env.step_scripted(&ids, &actions, &scripts).unwrap();
}

/// Under `on_illegal=lose` an illegal action ends the game and draws no chance outcome.
#[test]
fn a_forfeit_draws_no_chance() {
    let mut env = batch(AutoReset::Disabled, &[("on_illegal", "lose")]);
    assert!(env.step_scripted(&[3], &[9], &[vec![0]]).is_err());
    env.step_scripted(&[3], &[9], &[vec![]]).unwrap();
    assert_eq!(env.columns().terminated[3], 1);
}

#[test]
fn a_record_names_the_stream_that_gave_all_its_chance() {
    let game: Arc<dyn AnyGame> = Arc::new(Pig::new(&[]));
    let id = StreamId { seed: 3, game: 5, episode: 2 };
    let mut play = game.clone().single_at(id);
    for _ in 0..4 {
        play.step(0).unwrap();
    }
    let record = play.record();
    assert_eq!((record.stream, record.chance.len()), (Some(id), 0));
    let mut again = game.clone().single_at(id);
    again.step_all(&record.actions).unwrap();
    assert_eq!(again.position(), play.position());
    // Undoing a step does not rewind the random stream, so the stream no longer starts at its beginning.
    assert!(play.undo());
    play.step(0).unwrap();
    let record = play.record();
    assert_eq!((record.stream, record.chance.len()), (None, 4));
}

#[test]
fn outcomes_of_a_step_sum_to_one() {
    let play = (Arc::new(Pig::new(&[])) as Arc<dyn AnyGame>).single(1);
    let listed = |limit| at_most(limit, play.outcomes(0).unwrap());
    let outcomes = listed(10).unwrap();
    assert_eq!(outcomes.len(), 6);
    assert!((outcomes.iter().map(|o| o.probability).sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(outcomes.iter().all(|o| o.result.steps() == 1));
    assert!(matches!(listed(5), Err(Error::InvalidConfig(_))));
    assert_eq!(play.outcomes(1).err().unwrap().refusal_kind(), Some(RefusalKind::IllegalAction));
}
