//! Measuring an environment: throughput, then games by bots.

use std::sync::Arc;
use std::time::Duration;

use super::data::{Measured, SeatResult, Throughput};
use ludovec::engine::{AnyGame, BatchConfig, Error, Interrupt, Result};
use ludovec::play::player::{DEFAULT_TIME_LIMIT, Player};
use ludovec::play::results::{counted, share_of_games};
use ludovec::play::selfplay::{Limit, SeatSummary, Summary, run};
use ludovec::play::throughput;

/// The measurements to make.
#[derive(Debug, Clone)]
pub struct MeasurementPlan {
    /// Games side by side, increasing.
    pub batch_sizes: Vec<usize>,
    /// Numbers of threads, increasing.
    pub threads: Vec<usize>,
    /// Time for each batch size under each number of threads.
    pub time: Duration,
    /// Games played for lengths and results.
    pub games: u64,
    /// The bot in every seat.
    pub bot: String,
    /// Seed of all games.
    pub seed: u64,
}

impl MeasurementPlan {
    /// The number of reports by [`measure`]: one per batch size and number of threads, and one for the games.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.batch_sizes.len() * self.threads.len() + 1
    }
}

/// Measures an environment, or only a part of it if `interrupt` is raised; `report` gets the name of the next part.
///
/// # Errors
/// [`Error::InvalidConfig`] for an unknown bot, or 0 games or threads.
pub fn measure(
    game: &Arc<dyn AnyGame>,
    plan: &MeasurementPlan,
    interrupt: &Interrupt,
    mut report: impl FnMut(&str),
) -> Result<Measured> {
    let spec = game.spec();
    let mut throughput = Vec::new();
    for &threads in &plan.threads {
        for &num_envs in &plan.batch_sizes {
            report(&format!("{num_envs} games side by side, {}", counted(threads, "thread")));
            let rate = speed(game, plan, num_envs, threads, interrupt)?;
            throughput.extend(rate.map(|steps_per_second| Throughput {
                num_envs,
                threads,
                steps_per_second,
            }));
        }
    }
    report(&format!("{} games", plan.games));
    let num_envs = plan.games.clamp(1, 1024) as usize;
    let config = BatchConfig { num_envs, seed: plan.seed, ..BatchConfig::default() };
    let bots = vec![Player::parse(&**game, &plan.bot, DEFAULT_TIME_LIMIT)?; spec.players];
    let mut env = game.clone().vector(config)?;
    env.interrupt_by(interrupt.clone());
    let summary = run(&mut *env, &bots, Limit::Games(plan.games), None, |_| ())?;
    Ok(Measured {
        env: spec.env.into(),
        version: spec.version,
        options: serde_json::to_value(&spec.options).expect("options are plain values"),
        throughput,
        bot: plan.bot.clone(),
        games: summary.games,
        truncated: summary.truncated,
        lengths: summary.lengths.iter().map(|(&length, &games)| (length, games)).collect(),
        seats: seat_results(&summary),
    })
}

/// Decisions per second of one configuration; `None` if there was no time to measure.
fn speed(
    game: &Arc<dyn AnyGame>,
    plan: &MeasurementPlan,
    num_envs: usize,
    threads: usize,
    interrupt: &Interrupt,
) -> Result<Option<f64>> {
    let config = BatchConfig { num_envs, threads: Some(threads), seed: plan.seed, ..BatchConfig::default() };
    let mut env = game.clone().vector(config)?;
    env.interrupt_by(interrupt.clone());
    // Warm-up: a short first round maps pages and raises the processor's clock rate.
    let pace =
        throughput::measure(&mut *env, plan.time / 4).and_then(|_| throughput::measure(&mut *env, plan.time));
    match pace {
        Ok(pace) => Ok(Some(pace.decisions_per_second(num_envs))),
        Err(Error::Interrupted(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn seat_results(summary: &Summary) -> Vec<SeatResult> {
    let decided = (summary.games - summary.truncated) as f64;
    let seat = |seat: &SeatSummary| {
        let share = share_of_games(seat.win_share, decided);
        SeatResult {
            win_share: seat.win_share,
            margin: share.margin(),
            interval: [share.low, share.high],
            mean_score: seat.mean_score,
        }
    };
    summary.seats.iter().map(seat).collect()
}
