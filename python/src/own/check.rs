//! A check of the rules of any game, for authors of games: `ludovec.testing.check_game`.

use std::sync::Arc;

use ludovec::engine::{
    AnyGame, BatchConfig, Effort, Error, NO_SUITE, SingleGame, Status, VectorEnv, inspect, rollout,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::config;
use crate::errors::{CallError, guard};
use crate::signals::interruptible;

/// Every so many decisions, all methods are called on the positions, which is slow.
const RARELY: usize = 5;
/// Determinizations of a position.
const WORLDS: u64 = 4;
/// Most games of the conformance suite.
const WHOLE_GAMES: u64 = 6;

type Verdict<T = ()> = Result<T, String>;

/// A sentence about the first contradiction that is found in `games` games of at most `steps` decisions, or `None`; and
/// warnings.
#[pyfunction]
pub(super) fn check_game(
    py: Python<'_>,
    id: &str,
    options: &Bound<'_, PyDict>,
    games: usize,
    steps: usize,
    seed: u64,
) -> PyResult<(Option<String>, Vec<String>)> {
    let options = config::options(options)?;
    let game = guard(|| config::rules(id, options))?;
    interruptible(py, true, move || match check(&game, games, steps, seed) {
        Ok(warnings) => Ok((None, warnings)),
        // An exception of a rule arrives as it is.
        Err(Wrong::Failed(error)) => Err(CallError::Engine(error)),
        Err(Wrong::Found(what)) => Ok((Some(what), Vec::new())),
    })
}

enum Wrong {
    Found(String),
    Failed(Error),
}

impl From<String> for Wrong {
    fn from(what: String) -> Self {
        Self::Found(what)
    }
}

impl From<Error> for Wrong {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Returns warnings.
fn check(game: &Arc<dyn AnyGame>, games: usize, steps: usize, seed: u64) -> Result<Vec<String>, Wrong> {
    let config = BatchConfig { num_envs: games, seed, threads: Some(1), ..BatchConfig::default() };
    let make = || game.clone().vector(config.clone());
    let (mut env, mut twin) = (make()?, make()?);
    let ids: Vec<u32> = (0..games as u32).collect();
    let mut actions = vec![0; games];
    for step in 0..steps {
        for &id in &ids {
            let at = |what: String| format!("seed {seed}, game {id}, decision {step}: {what}");
            let play = inspect::inspect_row(&*env, id).and_then(|play| {
                if step % RARELY == 0 { inspect(&*play, seed + step as u64) } else { Ok(()) }
            });
            play.map_err(at)?;
        }
        if step == steps / 2 {
            // A snapshot continues as the games do.
            let saved = env.save(&ids)?;
            twin = make()?;
            twin.restore(&ids, &saved)?;
        }
        env.sample_actions(&mut actions)?;
        env.step(&actions)?;
        twin.step(&actions)?;
        same(&*env, &*twin).map_err(|what| format!("seed {seed}, decision {step}: {what}"))?;
    }
    let mut rollouts = [0; 2];
    for checksum in &mut rollouts {
        *checksum = rollout::checksum_of_rollout(&mut *make()?, steps)?;
    }
    if rollouts[0] != rollouts[1] {
        return Err(Wrong::Found("the same seed gives other games: rules draw from chance alone".into()));
    }
    // The batches are compared above, and rules in Python may accept damaged states.
    let effort = Effort {
        games: (games as u64).min(WHOLE_GAMES),
        slow_positions: 8,
        batch_steps: 0,
        decisions: steps,
        hostile: false,
    };
    match game.check_conformance(effort) {
        Ok(findings) => Ok(findings.warnings),
        Err(said) if said == NO_SUITE => Ok(Vec::new()),
        Err(said) => Err(Wrong::Found(said)),
    }
}

/// Compares two batches that played the same actions.
fn same(env: &dyn VectorEnv, twin: &dyn VectorEnv) -> Verdict {
    let (a, b) = (env.columns(), twin.columns());
    let is_same = [
        ("observations", a.observations[..] == b.observations[..]),
        ("legal actions", a.mask_bits[..] == b.mask_bits[..]),
        ("rewards", a.rewards[..] == b.rewards[..]),
        ("current players", a.current_player[..] == b.current_player[..]),
        ("ends", a.done[..] == b.done[..]),
    ];
    match is_same.into_iter().find(|(_, same)| !same) {
        None => Ok(()),
        Some((what, _)) => Err(format!(
            "the same state, action and chance give other {what}: rules depend on nothing else and draw from chance alone"
        )),
    }
}

/// Calls every method on a position, and compares what a player sees with what it sees in the worlds that it cannot
/// tell apart.
fn inspect(play: &dyn SingleGame, seed: u64) -> Verdict {
    inspect::inspect_position(play)?;
    let spec = play.game().spec().clone();
    if play.status() != Status::Running || !spec.hidden_information {
        return Ok(());
    }
    let said = |error: Error| error.to_string();
    let seat = play.current_player();
    for world in 0..WORLDS {
        let other = play.determinize(seat, seed.wrapping_add(world)).map_err(said)?;
        let is_same = other.legal_actions() == play.legal_actions()
            && other.observation(seat).map_err(said)? == play.observation(seat).map_err(said)?
            && other.current_player() == seat;
        if !is_same {
            return Err(format!("determinize changes what player {seat} sees, or which actions are legal"));
        }
    }
    Ok(())
}
