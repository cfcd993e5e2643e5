//! Benchmarks of a machine: the same work in every environment, for comparison with another machine.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use ludovec::engine::{
    AnyGame, BatchConfig, Error, Interrupt, Result, SearchSettings, TreeSearch, ValueForm, VectorEnv,
};
use ludovec::play::results::counted;
use ludovec::play::throughput;

/// Games side by side in random play.
const GAMES: usize = 4096;
/// Games, and so trees, per thread in search, and simulations per move.
const TREES: usize = 64;
const SIMULATIONS: u32 = 64;
/// Number of measurements of each kind of work, alternating with all others; the median counts.
const ROUNDS: usize = 3;

/// The measurements of one environment on some threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Environment id.
    pub env: String,
    /// Version of its behaviour.
    pub version: u32,
    /// Threads.
    pub threads: usize,
    /// Of random play: an action sampled, a step, resets, masks and observations written.
    pub decisions_per_second: f64,
    /// Of tree search with a null network (uniform logits, value 0).
    pub simulations_per_second: f64,
}

/// The measurements of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Version of this library.
    pub ludovec: String,
    /// Date of the measurement.
    pub date: String,
    /// The processor, as the operating system calls it.
    pub processor: String,
    /// Hardware threads.
    pub hardware_threads: usize,
    /// Environment by environment, on one thread and on all.
    pub work: Vec<Work>,
}

impl Machine {
    /// Reads the measurements of a machine.
    ///
    /// # Errors
    /// [`Error::InvalidState`] if the text holds no such measurements.
    pub fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|e| Error::state(format!("measurements of a machine: {e}")))
    }

    /// The measurements of both in the same version of an environment on the same number of threads, or on all
    /// threads of each.
    #[must_use]
    pub fn common<'a>(&'a self, other: &'a Self) -> Vec<(&'a Work, &'a Work)> {
        let threads =
            |machine: &Self, work: &Work| (work.threads != 1).then_some(work.threads == machine.most());
        let same = |a: &Work, b: &Work| {
            (&a.env, a.version) == (&b.env, b.version) && threads(self, a) == threads(other, b)
        };
        let pair = |a: &'a Work| other.work.iter().find(|b| same(a, b)).map(|b| (a, b));
        self.work.iter().filter_map(pair).collect()
    }

    fn most(&self) -> usize {
        self.work.iter().map(|work| work.threads).max().unwrap_or_default()
    }
}

/// One of the alternating measurements.
struct Bench {
    work: Work,
    play: Box<dyn VectorEnv>,
    searched: Box<dyn VectorEnv>,
    search: Box<dyn TreeSearch>,
    decisions: Vec<f64>,
    simulations: Vec<f64>,
}

impl Bench {
    fn new(game: &Arc<dyn AnyGame>, threads: usize, interrupt: &Interrupt) -> Result<Self> {
        let batch = |num_envs| -> Result<Box<dyn VectorEnv>> {
            let config = BatchConfig { num_envs, threads: Some(threads), ..BatchConfig::default() };
            let mut env = game.clone().vector(config)?;
            env.interrupt_by(interrupt.clone());
            Ok(env)
        };
        let (mut play, mut searched) = (batch(GAMES)?, batch(TREES * threads)?);
        let settings = SearchSettings {
            simulations: SIMULATIONS,
            value: ValueForm::Seats,
            threads: Some(threads),
            ..SearchSettings::default()
        };
        let mut search = game.clone().tree_search(searched.config(), settings)?;
        search.start(&*searched, None)?;
        // Warm-up: the first steps map pages.
        throughput::measure(&mut *play, Duration::ZERO)?;
        throughput::measure_search(&mut *searched, &mut *search, Duration::ZERO, &mut |_| ())?;
        let (env, version) = (game.spec().env.to_string(), game.spec().version);
        let work = Work { env, version, threads, decisions_per_second: 0.0, simulations_per_second: 0.0 };
        Ok(Self { work, play, searched, search, decisions: Vec::new(), simulations: Vec::new() })
    }

    /// One time slice of each kind of work.
    fn slice(&mut self, time: Duration) -> Result<()> {
        let pace = throughput::measure(&mut *self.play, time)?;
        self.decisions.push(pace.decisions_per_second(GAMES));
        let pace = throughput::measure_search(&mut *self.searched, &mut *self.search, time, &mut |_| ())?;
        self.simulations.push(pace.simulations as f64 / pace.time.as_secs_f64());
        Ok(())
    }

    fn done(self) -> Work {
        Work {
            decisions_per_second: median(self.decisions),
            simulations_per_second: median(self.simulations),
            ..self.work
        }
    }
}

/// Measures the environments on each of these numbers of threads, `time` per slice; `report` gets the name of the
/// next part.
///
/// # Errors
/// [`Error::Interrupted`] if `interrupt` was raised, [`Error::InvalidConfig`] for 0 threads.
pub fn work(
    games: &[Arc<dyn AnyGame>],
    threads: &[usize],
    time: Duration,
    interrupt: &Interrupt,
    mut report: impl FnMut(&str),
) -> Result<Vec<Work>> {
    let pairs = games.iter().flat_map(|game| threads.iter().map(move |&threads| (game, threads)));
    let mut benches: Vec<Bench> =
        pairs.map(|(game, threads)| Bench::new(game, threads, interrupt)).collect::<Result<_>>()?;
    for _ in 0..ROUNDS {
        for bench in &mut benches {
            report(&format!("{}, {}", bench.work.env, counted(bench.work.threads, "thread")));
            bench.slice(time)?;
        }
    }
    Ok(benches.into_iter().map(Bench::done).collect())
}

/// The number of reports by [`work`].
#[must_use]
pub fn parts(games: usize, threads: usize) -> usize {
    ROUNDS * games * threads
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(work: &[(&str, u32, usize)]) -> Machine {
        let work = work.iter().map(|&(env, version, threads)| Work {
            env: env.into(),
            version,
            threads,
            decisions_per_second: 10.0,
            simulations_per_second: 1.0,
        });
        Machine {
            ludovec: "1.0.0".into(),
            date: String::new(),
            processor: "P".into(),
            hardware_threads: 4,
            work: work.collect(),
        }
    }

    #[test]
    fn compared_measurements_are_of_the_same_work() {
        let small = machine(&[("a", 1, 1), ("a", 1, 2), ("b", 1, 1), ("c", 1, 1)]);
        let large = machine(&[("a", 1, 1), ("a", 1, 64), ("b", 2, 1)]);
        let found: Vec<_> =
            small.common(&large).into_iter().map(|(a, b)| (&*a.env, a.threads, b.threads)).collect();
        assert_eq!(found, [("a", 1, 1), ("a", 2, 64)]);
    }

    #[test]
    fn a_machine_is_read_as_it_was_written() {
        let machine = machine(&[("a", 1, 1)]);
        let text = serde_json::to_string(&machine).unwrap();
        assert_eq!(Machine::parse(&text).unwrap(), machine);
        assert!(Machine::parse("{}").unwrap_err().to_string().contains("measurements of a machine"));
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }
}
