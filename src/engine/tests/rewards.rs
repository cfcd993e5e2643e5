//! Rewards of a step, and the credit of the current player.

use super::*;

/// `credit_of_mover` by its definition, computed from other columns.
fn check_credit_of_mover(env: &dyn VectorEnv, after: &str) {
    let columns = env.columns();
    let players = columns.widths().rewards;
    for game in 0..columns.num_envs() {
        let mover = columns.current_player[game] as usize;
        let credit = if columns.done[game] == 1 { 0.0 } else { columns.credit[game * players + mover] };
        assert_eq!(columns.credit_of_mover[game], credit, "game {game} after {after}");
    }
}

#[test]
fn every_call_writes_the_credit_of_the_current_player() {
    let ids: Vec<u32> = (0..GAMES as u32).collect();
    let (few, others) = ([1, 3, 40], [2, 5, 41]);
    for &(_, autoreset) in AutoReset::NAMES {
        let mut env = batch(autoreset, &[("reward", "score")]);
        let mut earned = 0;
        for round in 0..if cfg!(miri) { 6 } else { 60 } {
            check_credit_of_mover(&*env, "a reset");
            let saved = env.save(&ids).unwrap();
            let (_, actions, scripts) = next_draws(&mut *env);
            env.step(&actions).unwrap();
            check_credit_of_mover(&*env, "step");
            let paid = env.columns().credit_of_mover.iter().filter(|&&credit| credit != 0.0);
            earned += paid.count();
            env.fork(&few, &others, true).unwrap();
            check_credit_of_mover(&*env, "fork");
            env.fork(&[7], &others, false).unwrap();
            check_credit_of_mover(&*env, "fork without masks");
            env.determinize(&ids, None, round).unwrap();
            check_credit_of_mover(&*env, "determinize");
            let position = env.single(3).unwrap().position();
            env.set_position(8, Position::Json(&position)).unwrap();
            check_credit_of_mover(&*env, "set_position");
            env.restore(&ids, &saved).unwrap();
            check_credit_of_mover(&*env, "restore");
            env.step_scripted(&ids, &actions, &scripts).unwrap();
            check_credit_of_mover(&*env, "step_scripted");
            let over: Vec<u32> =
                ids.iter().copied().filter(|&id| env.columns().done[id as usize] == 1).collect();
            if autoreset == AutoReset::Disabled {
                env.reset_games(&over, None).unwrap();
            }
        }
        assert!(earned > GAMES, "{earned} credits that are not 0 were seen under {autoreset:?}");
    }
}

#[test]
fn margins_are_changes_of_scores_minus_the_mean_change_of_the_others() {
    let mut envs = ["score", "margin"].map(|mode| batch(AutoReset::SameStep, &[("reward", mode)]));
    let players = envs[0].columns().widths().rewards;
    let mut paid = 0;
    for _ in 0..if cfg!(miri) { 6 } else { 200 } {
        let actions = sampled(&mut *envs[0]);
        for env in &mut envs {
            env.step(&actions).unwrap();
        }
        let [scores, margins] = [&envs[0], &envs[1]].map(|env| env.columns().rewards.to_vec());
        for (game, (scores, margins)) in
            scores.chunks_exact(players).zip(margins.chunks_exact(players)).enumerate()
        {
            for seat in 0..players {
                let others = (0..players).filter(|&other| other != seat).map(|other| scores[other]);
                let mean = others.sum::<f32>() / (players - 1) as f32;
                assert_eq!(margins[seat], scores[seat] - mean, "game {game}, seat {seat}");
            }
            paid += usize::from(margins.iter().any(|&margin| margin != 0.0));
        }
    }
    assert!(paid > GAMES, "{paid} steps that paid were seen");
}

#[test]
fn added_rewards_reach_every_column_of_the_step_and_the_next_decision() {
    for &(_, autoreset) in AutoReset::NAMES {
        let mut env = batch(autoreset, &[]);
        let players = env.columns().widths().rewards;
        let extra: Vec<f32> = (0..GAMES * players).map(|i| i as f32 + 1.0).collect();
        let mut ended = 0;
        for _ in 0..if cfg!(miri) { 6 } else { 60 } {
            let (_, actions, _) = next_draws(&mut *env);
            env.step(&actions).unwrap();
            let before = (env.columns().rewards.to_vec(), env.columns().credit.to_vec());
            env.add_reward(&extra).unwrap();
            check_credit_of_mover(&*env, "add_reward");
            let columns = env.columns();
            for (i, &added) in extra.iter().enumerate() {
                assert_eq!(columns.rewards[i], before.0[i] + added);
                assert_eq!(columns.credit[i], before.1[i] + added);
            }
            for game in 0..GAMES {
                if let Ok(actor) = usize::try_from(columns.acting_player[game]) {
                    assert_eq!(columns.reward[game], columns.rewards[game * players + actor]);
                }
            }
            let over: Vec<u32> =
                (0..GAMES as u32).filter(|&id| env.columns().done[id as usize] == 1).collect();
            ended += over.len();
            // A new episode owes nothing for the old one.
            if autoreset == AutoReset::SameStep
                && let Some(&id) = over.first()
            {
                let saved = env.save(&[id]).unwrap();
                env.restore(&[id], &saved).unwrap();
                assert!(env.columns().credit[id as usize * players..][..players].iter().all(|&c| c == 0.0));
            }
            if autoreset == AutoReset::Disabled {
                env.reset_games(&over, None).unwrap();
            }
        }
        assert!(ended > 0);
        assert!(env.add_reward(&extra[1..]).is_err());
        assert!(env.add_reward(&vec![f32::NAN; extra.len()]).is_err());
    }
}
