//! Batched self-play by bots, with statistics by seat.
//!
//! | file | holds |
//! |---|---|
//! | `recorder` | records of the games |

mod recorder;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::engine::calls::check_seats;
use crate::engine::{Error, Result, VectorEnv};
use crate::player::{Fault, Player, choose_actions, note_moves};
use crate::results::{TOLD_FAULTS, shares_of_win};

pub use recorder::Recorder;

/// The end of self-play.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Limit {
    /// After this much time.
    Time(Duration),
    /// After this many decisions in every game slot.
    Steps(u64),
    /// After this many games, divided evenly over the slots, so that short games are not favoured.
    Games(u64),
}

/// The results of one seat.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SeatSummary {
    /// Its bot.
    pub bot: String,
    /// Games won; players tied for first place share the win.
    pub wins: f64,
    /// Share of wins among the games with a result.
    pub win_share: f64,
    /// Mean score at the end.
    pub mean_score: f64,
    /// Mean outcome in [-1, 1].
    pub mean_return: f64,
    /// Lost moves of its bot.
    pub faults: u64,
}

/// The result of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Whether it was interrupted before its end.
    pub partial: bool,
    /// Decisions in all games.
    pub steps: u64,
    /// Elapsed time in seconds.
    pub seconds: f64,
    /// Decisions per second.
    pub steps_per_second: f64,
    /// Number of finished games.
    pub games: u64,
    /// Number of finished games that a limit ended without a result.
    pub truncated: u64,
    /// Mean number of decisions of a finished game.
    pub mean_game_length: f64,
    /// Number of games by length in decisions.
    #[serde(skip)]
    pub lengths: BTreeMap<u32, u64>,
    /// Results by seat.
    pub seats: Vec<SeatSummary>,
    /// Lost moves of bots outside the engine.
    pub lost_moves: u64,
    /// The first lost moves; games are numbered by slot.
    pub faults: Vec<Fault>,
}

/// Progress of a run.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Completed fraction, 0 to 1.
    pub fraction: f64,
    /// Decisions so far.
    pub steps: u64,
    /// Finished games so far.
    pub games: u64,
    /// Time so far.
    pub elapsed: Duration,
}

/// Plays a batch with auto-reset, with `players[p]` in seat `p`, and calls `report` regularly. All games that count
/// in the summary also go to the `recorder`. The batch's [interrupt](VectorEnv::interrupt) ends the run early.
///
/// # Errors
/// [`Error::InvalidConfig`] for a wrong number of players; errors of the recorder.
pub fn run(
    env: &mut dyn VectorEnv,
    players: &[Player],
    limit: Limit,
    mut recorder: Option<Recorder<'_>>,
    mut report: impl FnMut(Progress),
) -> Result<Summary> {
    let n = env.config().num_envs;
    let seats = env.columns().widths().rewards;
    check_seats("bots", players.len(), seats)?;
    env.reset(Some(env.config().seed))?;
    let mut actions = vec![0; n];
    let sampled = players.iter().all(Player::is_random);
    let mut quota: Vec<u64> = match limit {
        Limit::Games(games) => {
            (0..n as u64).map(|i| games / n as u64 + u64::from(i < games % n as u64)).collect()
        }
        _ => vec![u64::MAX; n],
    };
    let mut open = quota.iter().filter(|&&q| q > 0).count();
    let mut summary = Summary { seats: vec![SeatSummary::default(); seats], ..Summary::default() };
    for (seat, player) in summary.seats.iter_mut().zip(players) {
        seat.bot = player.name().into();
    }
    let mut faults = Vec::new();
    let start = Instant::now();
    let mut rounds = 0u64;
    let mut shown = Duration::ZERO;
    loop {
        let elapsed = start.elapsed();
        let fraction = match limit {
            Limit::Time(time) => elapsed.as_secs_f64() / time.as_secs_f64().max(1e-9),
            Limit::Steps(steps) => rounds as f64 / steps.max(1) as f64,
            Limit::Games(games) if open > 0 => summary.games as f64 / games as f64 * 0.999,
            Limit::Games(_) => 1.0,
        };
        if elapsed - shown > Duration::from_millis(100) {
            shown = elapsed;
            report(Progress {
                fraction: fraction.min(1.0),
                steps: summary.steps,
                games: summary.games,
                elapsed,
            });
        }
        if fraction >= 1.0 {
            break;
        }
        if env.interrupt().is_raised() {
            summary.partial = true;
            break;
        }
        recorder = recorder.filter(Recorder::active);
        let mut estimates = Vec::new();
        if sampled && recorder.is_none() {
            env.step_sampled()?;
        } else {
            match choose_actions(players, |_, seat| Some(seat), env, &mut actions, &mut faults) {
                // The head of the loop checks the interrupt.
                Err(Error::Interrupted(_)) => continue,
                chosen => estimates = chosen?,
            }
            note_moves(players, env, None, &actions)?;
            env.step(&actions)?;
            summary.lost_moves += faults.len() as u64;
            faults.iter().for_each(|fault| summary.seats[fault.player].faults += 1);
            summary.faults.extend(faults.drain(..).take(TOLD_FAULTS.saturating_sub(summary.faults.len())));
        }
        if let Some(recorder) = &mut recorder {
            recorder.note(&actions, &estimates);
        }
        rounds += 1;
        summary.steps += n as u64;
        let columns = env.columns();
        let ended = columns.terminated.iter().zip(&columns.truncated[..]).enumerate();
        for (i, (&terminated, &truncated)) in ended {
            if terminated + truncated == 0 {
                continue;
            }
            if let Some(recorder) = recorder.as_mut().filter(|recorder| recorder.active()) {
                let scores = &columns.final_scores[i * seats..(i + 1) * seats];
                recorder.finish(i, scores, quota[i] > 0)?;
            }
            if quota[i] == 0 {
                continue;
            }
            quota[i] -= 1;
            open -= usize::from(quota[i] == 0);
            summary.games += 1;
            *summary.lengths.entry(columns.episode_length[i] as u32).or_default() += 1;
            let row = i * seats..(i + 1) * seats;
            count_result(
                &mut summary,
                &columns.final_returns[row.clone()],
                &columns.final_scores[row],
                truncated > 0,
            );
        }
    }
    summary.seconds = start.elapsed().as_secs_f64();
    summary.steps_per_second = summary.steps as f64 / summary.seconds.max(1e-9);
    let decisions: u64 = summary.lengths.iter().map(|(&length, games)| u64::from(length) * games).sum();
    summary.mean_game_length = decisions as f64 / summary.games.max(1) as f64;
    let decided = (summary.games - summary.truncated).max(1) as f64;
    for seat in &mut summary.seats {
        seat.win_share = seat.wins / decided;
        seat.mean_return /= decided;
        seat.mean_score /= summary.games.max(1) as f64;
    }
    Ok(summary)
}

/// Adds one finished game to the sums.
fn count_result(summary: &mut Summary, returns: &[f32], scores: &[f32], truncated: bool) {
    for (seat, &score) in summary.seats.iter_mut().zip(scores) {
        seat.mean_score += f64::from(score);
    }
    if truncated {
        summary.truncated += 1;
        return;
    }
    for ((seat, &value), share) in summary.seats.iter_mut().zip(returns).zip(shares_of_win(returns)) {
        seat.mean_return += f64::from(value);
        seat.wins += share;
    }
}
