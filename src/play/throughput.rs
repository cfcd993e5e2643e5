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
    #[must_use]
    pub fn seconds_a_step(self) -> f64 {
        self.time.as_secs_f64() / self.steps as f64
    }

    /// Decisions per second in a batch of `num_envs` games.
    #[must_use]
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

/// A leaf evaluator: passes the answers for the waiting leaves, of which there are this many, to the search.
pub type EvaluateLeaves<'a> = dyn FnMut(&mut dyn TreeSearch, usize) -> Result<()> + 'a;

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
    let dummy = &mut |search: &mut dyn TreeSearch, rows: usize| {
        search.expand(Logits::Uniform, &zeros[..rows * width])
    };
    measure_search_with(env, search, time, dummy, played)
}

/// The same with any leaf evaluator.
///
/// # Errors
/// As for [`measure_search`], and any error of `evaluate`.
pub fn measure_search_with(
    env: &mut dyn VectorEnv,
    search: &mut dyn TreeSearch,
    time: Duration,
    evaluate: &mut EvaluateLeaves<'_>,
    played: &mut dyn FnMut(&dyn VectorEnv),
) -> Result<SearchPace> {
    let before = search.stats();
    let (start, mut moves) = (Instant::now(), 0);
    loop {
        loop {
            let rows = search.select()?;
            if rows == 0 {
                break;
            }
            evaluate(search, rows)?;
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

#[cfg(feature = "networks")]
pub use self::with_network::NetworkLeaves;

#[cfg(feature = "networks")]
mod with_network {
    use std::time::{Duration, Instant};

    use crate::engine::{Interrupt, Logits, Result, TreeSearch};
    use ludovec_network::FittedNetwork;

    /// Every this many calls, the encoding is timed.
    const TIMED: u64 = 8;

    /// A network as leaf evaluator, and the time that it takes.
    #[derive(Debug)]
    pub struct NetworkLeaves<'a> {
        network: &'a FittedNetwork,
        threads: Option<usize>,
        interrupt: &'a Interrupt,
        calls: u64,
        /// Time of the network's answers, the encoding of observations included.
        pub answers: Duration,
        /// Of this, time of the encoding, estimated: every eighth batch is encoded again, apart from the answer.
        pub encoding: Duration,
        /// Time of the second encodings.
        pub timing: Duration,
        /// Number of positions answered.
        pub rows: u64,
    }

    impl<'a> NetworkLeaves<'a> {
        /// A network that answers on some threads.
        pub fn new(network: &'a FittedNetwork, threads: Option<usize>, interrupt: &'a Interrupt) -> Self {
            let zero = Duration::ZERO;
            Self {
                network,
                threads,
                interrupt,
                calls: 0,
                answers: zero,
                encoding: zero,
                timing: zero,
                rows: 0,
            }
        }

        /// The network.
        #[must_use]
        pub fn network(&self) -> &FittedNetwork {
            self.network
        }

        /// Sets the counters to 0.
        pub fn reset(&mut self) {
            *self = Self::new(self.network, self.threads, self.interrupt);
        }

        /// Answers for the waiting leaves.
        ///
        /// # Errors
        /// As for [`FittedNetwork::answer`] and [`TreeSearch::expand`].
        pub fn evaluate(&mut self, search: &mut dyn TreeSearch, rows: usize) -> Result<()> {
            let legal = search.legal_actions()?;
            let start = Instant::now();
            let observations = search.leaf_observations();
            let answers = self.network.answer(observations, Some(&legal), self.threads, self.interrupt)?;
            self.answers += start.elapsed();
            self.rows += rows as u64;
            if self.calls.is_multiple_of(TIMED) {
                let start = Instant::now();
                self.network.encode(observations)?;
                self.timing += start.elapsed();
                // The threads of an answer share the encoding.
                let threads = self.network.threads_of(rows, self.threads) as u32;
                self.encoding += start.elapsed() / threads * TIMED as u32;
            }
            self.calls += 1;
            search.expand(Logits::Legal(&answers.logits), &answers.values)
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
