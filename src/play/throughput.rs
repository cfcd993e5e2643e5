//! Throughput of a batch: stepping (sampling actions, stepping and resetting games, writing masks and observations)
//! and tree search.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

use crate::engine::{Error, Logits, Result, TreeSearch, ValueForm, VectorEnv};

/// Steps of a whole batch, and the elapsed time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepRate {
    /// Steps of the whole batch.
    pub steps: u64,
    /// Elapsed time.
    pub time: Duration,
}

impl StepRate {
    /// Seconds per step of the whole batch.
    pub fn seconds_a_step(self) -> f64 {
        self.time.as_secs_f64() / self.steps as f64
    }

    /// Decisions per second in a batch of `num_envs` games.
    pub fn decisions_per_second(self, num_envs: usize) -> f64 {
        (self.steps * num_envs as u64) as f64 / self.time.as_secs_f64()
    }
}

impl AddAssign for StepRate {
    fn add_assign(&mut self, more: Self) {
        self.steps += more.steps;
        self.time += more.time;
    }
}

/// Steps a batch with sampled actions for `time`, at least once.
///
/// # Errors
/// [`Error::Interrupted`] if the batch's [interrupt](VectorEnv::interrupt) was raised, otherwise as for
/// [`VectorEnv::step_sampled`].
pub fn measure(env: &mut dyn VectorEnv, time: Duration) -> Result<StepRate> {
    let (start, mut steps) = (Instant::now(), 0);
    loop {
        if env.interrupt().is_raised() {
            return Err(Error::interrupted("the measurement has not ended"));
        }
        env.step_sampled()?;
        steps += 1;
        let elapsed = start.elapsed();
        if elapsed >= time {
            return Ok(StepRate { steps, time: elapsed });
        }
    }
}

/// Searched moves of a whole batch, and the elapsed time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SearchPace {
    /// Moves of the whole batch.
    pub moves: u64,
    /// Simulations of all trees.
    pub simulations: u64,
    /// Number of created nodes.
    pub nodes: u64,
    /// Elapsed time.
    pub time: Duration,
}

/// Searches and plays for `time`, at least one move of the whole batch, with a dummy network (uniform policy, value
/// 0). The search must have been started; `played` is called after every move.
///
/// # Errors
/// As for [`TreeSearch::advance`] and [`VectorEnv::step`].
pub fn measure_search(
    env: &mut dyn VectorEnv,
    search: &mut dyn TreeSearch,
    time: Duration,
    played: &mut dyn FnMut(&dyn VectorEnv),
) -> Result<SearchPace> {
    let width = if search.settings().value == ValueForm::Seat { 1 } else { env.game().spec().players };
    let zeros = vec![0.0; search.num_trees() * search.settings().leaves as usize * width];
    let before = search.stats();
    let (start, mut moves) = (Instant::now(), 0);
    loop {
        loop {
            let rows = search.select()?;
            if rows == 0 {
                break;
            }
            search.expand(Logits::Uniform, &zeros[..rows * width])?;
        }
        let actions = search.actions();
        env.step(&actions)?;
        search.advance(env, &actions)?;
        moves += 1;
        played(env);
        let elapsed = start.elapsed();
        if elapsed >= time {
            let stats = search.stats();
            let (simulations, nodes) = (stats.simulations - before.simulations, stats.nodes - before.nodes);
            return Ok(SearchPace { moves, simulations, nodes, time: elapsed });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::BatchConfig;
    use crate::games::GAMES;

    #[test]
    fn a_batch_is_stepped_once_at_least_until_it_is_interrupted() {
        let game = GAMES[0].make([]).unwrap();
        let mut env = game.vector(BatchConfig { num_envs: 3, ..BatchConfig::default() }).unwrap();
        let mut pace = measure(&mut *env, Duration::ZERO).unwrap();
        assert_eq!(pace.steps, 1);
        pace += measure(&mut *env, Duration::from_millis(5)).unwrap();
        assert!(pace.steps > 1 && pace.time >= Duration::from_millis(5));
        assert!((pace.decisions_per_second(3) * pace.seconds_a_step() - 3.0).abs() < 1e-9);
        env.interrupt().raise();
        assert!(matches!(measure(&mut *env, Duration::ZERO), Err(Error::Interrupted(_))));
    }
}
