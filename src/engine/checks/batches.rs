//! Whole batches: the same bytes for any threads and split, snapshots, forks, rewards.

use std::sync::Arc;
use std::time::Instant;

use crate::checks::conformance::{Verdict, ensure};
use crate::checks::rollout::{Checksum, checksum_of_rollout};
use crate::contract::chance::split_mix;
use crate::contract::mask;
use crate::contract::options::named::Named;
use crate::contract::options::{CommonOptions, OnIllegal, RewardMode};
use crate::contract::spec::ActionId;
use crate::contract::support::error::Error;
use crate::dynamic::any_game::AnyGame;
use crate::dynamic::config::{AutoReset, BatchConfig};
use crate::dynamic::effort::Effort;
use crate::dynamic::vector::VectorEnv;

/// Batches: threads, splits and copies give the same bytes; rewards add up.
pub(super) fn batches(game: Arc<dyn AnyGame>, effort: &Effort) -> Verdict {
    /// Games, and how many of them are in the first block.
    const GAMES: [usize; 2] = [130, 70];
    /// The same if time is limited, and the decisions of one game that one step of the checks below takes.
    const FEWER: [usize; 2] = [10, 6];
    const COST: u32 = 6 * FEWER[0] as u32 + 9 * 4 + 16 * 3;
    let [games, first] = if effort.time.is_some() { FEWER } else { GAMES };
    let mut steps = effort.batch_steps;
    let config = |num_envs: usize, first_game: u64, threads| BatchConfig {
        num_envs,
        first_game,
        seed: 11,
        threads: Some(threads),
        ..BatchConfig::default()
    };
    let make = |config| game.clone().vector(config).map_err(|e| e.to_string());
    let mut long = 4;
    if let Some(time) = effort.time {
        let start = Instant::now();
        checksum_of_rollout(&mut *make(config(games, 0, 1))?, 4).map_err(|e| e.to_string())?;
        let step = start.elapsed() / (4 * games as u32) * COST;
        steps = steps.min((time.as_secs_f64() * 0.3 / step.as_secs_f64().max(1e-9)) as usize).max(6);
        long = 1;
    }
    let run = |config| checksum_of_rollout(&mut *make(config)?, steps).map_err(|e| e.to_string());
    let whole = run(config(games, 0, 1))?;
    ensure!(run(config(games, 0, 3))? == whole, "the bytes written by 3 threads and by 1 differ");
    // The parts claim to belong to a batch larger than the caches, so they write with non-temporal stores.
    let part = |config| BatchConfig { total_games: Some(1 << 24), ..config };
    let halves =
        run(part(config(first, 0, 2)))?.wrapping_add(run(part(config(games - first, first as u64, 1)))?);
    ensure!(halves == whole, "the bytes of a batch in two blocks and of the whole batch differ");
    // In a game of one or two decisions, two seeds can give the same outputs.
    ensure!(
        game.spec().max_episode_steps < 3 || run(BatchConfig { seed: 12, ..config(games, 0, 1) })? != whole,
        "another seed plays the same games"
    );
    snapshots(&mut *make(config(9, 3, 1))?, steps)?;
    for &(_, autoreset) in AutoReset::NAMES {
        rewards(&mut *make(BatchConfig { autoreset, ..config(16, 0, 1) })?, steps * long)?;
    }
    Ok(())
}

/// Restored games continue as the originals would; forks share the position but not the future chance outcomes.
fn snapshots(env: &mut dyn VectorEnv, steps: usize) -> Verdict {
    let said = |e: Error| e.to_string();
    for _ in 0..steps / 3 {
        env.step_sampled().map_err(said)?;
    }
    let all: Vec<u32> = (0..9).collect();
    let saved = env.save(&all).map_err(said)?;
    let mut actions = vec![0; 9];
    let mut goes_on = |env: &mut dyn VectorEnv| {
        let mut hash = Checksum::new(9);
        for step in 0..(steps / 3) as u64 {
            for (i, action) in actions.iter_mut().enumerate() {
                let width = env.columns().widths().mask_bits;
                let mask = &env.columns().mask_bits[i * width..(i + 1) * width];
                let index = split_mix(step * 64 + i as u64) % u64::from(mask::count(mask).max(1));
                *action = mask::select(mask, index as u32).unwrap_or(0);
            }
            env.step(&actions)?;
            hash.update(env);
        }
        Ok(hash.value(0))
    };
    let first = goes_on(env).map_err(said)?;
    env.restore(&all, &saved).map_err(said)?;
    ensure!(env.save(&all).map_err(said)? == saved, "a restored batch is saved differently");
    let again = goes_on(env).map_err(said)?;
    ensure!(first == again, "a restored batch continues differently");
    for cut in [0, 8, 39, saved.len() / 2, saved.len() - 1] {
        ensure!(env.restore(&all, &saved[..cut]).is_err(), "a snapshot cut to {cut} bytes is accepted");
    }
    for at in (0..saved.len()).step_by(1 + saved.len() / 97) {
        let mut damaged = saved.clone();
        damaged[at] ^= 0x10;
        ensure!(env.restore(&all, &damaged).is_err(), "a snapshot damaged at byte {at} is accepted");
    }
    ensure!(env.restore(&all[..4], &saved).is_err(), "a snapshot of 9 games is restored into 4");
    env.fork(&[2, 2], &[5, 7], true).map_err(said)?;
    let position = |id: u32| env.single(id).map(|game| game.position()).map_err(said);
    let forked = position(2)?;
    ensure!(forked == position(5)? && forked == position(7)?, "a fork is another position");
    ensure!(
        env.fork(&[2], &[9], true).is_err() && env.fork(&[9], &[2], true).is_err(),
        "a fork of no game is accepted"
    );
    Ok(())
}

/// A step in which an illegal action loses one game, if a game has an illegal action.
fn forfeit(env: &mut dyn VectorEnv) -> Result<(), Error> {
    let spec = env.game().spec().clone();
    let masks = env.columns().mask_bits.chunks_exact(spec.mask_words());
    let legal = masks.clone().map(|mask| mask::select(mask, 0).unwrap_or(0));
    let mut actions: Vec<ActionId> = legal.collect();
    let illegal = |mask: &[u64]| (0..spec.num_actions).find(|&action| !mask::contains(mask, action));
    if let Some((game, action)) =
        masks.enumerate().find_map(|(game, mask)| illegal(mask).map(|action| (game, action)))
    {
        actions[game] = action;
    }
    env.step(&actions)
}

/// Rewards and credit match their definitions and stay within the declared range.
fn rewards(env: &mut dyn VectorEnv, steps: usize) -> Verdict {
    let game = env.game();
    let players = game.spec().players;
    let common = CommonOptions::read(&game.spec().options);
    let (mode, forfeits) = (common.reward, common.on_illegal == OnIllegal::Lose);
    let (least, most) = game.spec().reward_range;
    let n = env.config().num_envs;
    let mut credit = vec![0.0f32; n * players];
    let mut over = vec![false; n];
    for step in 0..steps {
        if env.config().autoreset == AutoReset::Disabled {
            let done: Vec<u32> = (0..n as u32).filter(|&i| over[i as usize]).collect();
            env.reset_games(&done, None).map_err(|e| e.to_string())?;
            for id in done {
                over[id as usize] = false;
                credit[id as usize * players..][..players].fill(0.0);
            }
        }
        let moved = if forfeits && step % 16 == 15 { forfeit(env) } else { env.step_sampled() };
        moved.map_err(|e| e.to_string())?;
        let columns = env.columns();
        for i in 0..n {
            let row = &columns.rewards[i * players..(i + 1) * players];
            ensure!(
                row.iter().all(|reward| (least..=most).contains(reward)),
                "step {step}, game {i}: rewards {row:?} leave the declared range {least} to {most}"
            );
            let done = columns.terminated[i] + columns.truncated[i] > 0;
            let earned = &mut credit[i * players..(i + 1) * players];
            if over[i] {
                earned.fill(0.0);
            }
            if columns.acting_player[i] < 0 {
                ensure!(
                    over[i] && row.iter().all(|&r| r == 0.0),
                    "step {step}, game {i}: a reset pays {row:?}"
                );
            } else {
                earned[columns.acting_player[i] as usize] = 0.0;
                for (e, r) in earned.iter_mut().zip(row) {
                    *e += r;
                }
            }
            let written = &columns.credit[i * players..(i + 1) * players];
            ensure!(
                written == &*earned,
                "step {step}, game {i}: credit {written:?}, it should be {earned:?}"
            );
            let mover = columns.current_player[i] as usize;
            let (written, expected) = (columns.credit_of_mover[i], if done { 0.0 } else { earned[mover] });
            ensure!(
                written == expected,
                "step {step}, game {i}: credit_of_mover {written}, it should be {expected}"
            );
            let is_ranks = game.spec().payoff.is_ranks();
            if mode != RewardMode::Score && players > 1 && (is_ranks || mode == RewardMode::Margin) {
                let sum: f32 = row.iter().sum();
                let size: f32 = row.iter().map(|reward| reward.abs()).sum();
                ensure!(
                    sum.abs() <= 1e-5 * size.max(1.0),
                    "step {step}, game {i}: rewards {row:?} are not zero-sum"
                );
            }
            if mode == RewardMode::Outcome {
                ensure!(done || row.iter().all(|&r| r == 0.0), "step {step}, game {i}: paid before the end");
            }
            over[i] = done;
        }
    }
    Ok(())
}
