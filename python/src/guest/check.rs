//! A check of the rules of any game, for authors of games: `ludovec.testing.check_game`.

use std::sync::Arc;
use std::time::Duration;

use ludovec::engine::{AnyGame, BatchConfig, Effort, Error, NO_SUITE, inspect};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::config;
use crate::ctrl_c::run;
use crate::errors::{CallError, guard};

/// Games in the check of a game that brings no suite along, and their decisions.
const GAMES: (usize, usize) = (4, 60);

/// A sentence about the first contradiction that is found in `games` games of at most `steps` decisions, or `None`; and
/// warnings. Without `steps` the check takes `seconds` at most, if its positions are quick.
#[pyfunction]
#[pyo3(signature = (id, options, games, steps, seed, seconds))]
pub(super) fn check_game(
    py: Python<'_>,
    id: &str,
    options: &Bound<'_, PyDict>,
    games: usize,
    steps: Option<usize>,
    seed: u64,
    seconds: f64,
) -> PyResult<(Option<String>, Vec<String>)> {
    let options = config::options(options)?;
    // Scores are paid under another reward than the default one.
    let pays_scores = [("reward".to_string(), "score".into())];
    let is_chosen = options.iter().any(|(name, _)| name == "reward");
    let scoring = options.iter().cloned().chain(pays_scores).collect();
    let scoring = if is_chosen { None } else { guard(|| config::rules(id, scoring)).ok() };
    let game = guard(|| config::rules(id, options))?;
    let effort = Effort {
        games: games as u64,
        seed,
        slow_positions: 8,
        decisions: steps.unwrap_or(usize::MAX),
        // Rules in Python may accept damaged states.
        hostile: false,
        time: Some(Duration::from_secs_f64(seconds)).filter(|_| steps.is_none()),
        batch_steps: steps.unwrap_or(usize::MAX).min(Effort::default().batch_steps),
    };
    run(py, true, move || match check(&game, scoring, effort) {
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

impl From<Error> for Wrong {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Returns warnings.
fn check(
    game: &Arc<dyn AnyGame>,
    scoring: Option<Arc<dyn AnyGame>>,
    effort: Effort,
) -> Result<Vec<String>, Wrong> {
    let of_rewards = Effort { games: 0, slow_positions: 0, ..effort };
    match game.check_conformance(effort) {
        Ok(findings) => match scoring.map(|game| game.check_conformance(of_rewards)) {
            Some(Err(said)) => Err(Wrong::Found(said)),
            _ => Ok(findings.warnings),
        },
        Err(said) if said == NO_SUITE => inspect(game, effort.seed),
        Err(said) => Err(Wrong::Found(said)),
    }
}

/// Inspects the positions of random games, for games that have the suite in their own tests.
fn inspect(game: &Arc<dyn AnyGame>, seed: u64) -> Result<Vec<String>, Wrong> {
    let (games, steps) = GAMES;
    let config = BatchConfig { num_envs: games, seed, threads: Some(1), ..BatchConfig::default() };
    let mut env = game.clone().vector(config)?;
    for step in 0..steps {
        for id in 0..games as u32 {
            let inspected = inspect::inspect_row(&*env, id).and_then(|play| inspect::inspect_position(&play));
            inspected
                .map_err(|what| Wrong::Found(format!("seed {seed}, game {id}, decision {step}: {what}")))?;
        }
        env.step_sampled()?;
    }
    Ok(Vec::new())
}
