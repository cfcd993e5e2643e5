//! Tournaments between players: who meets whom in which seats, the games, ratings.
//!
//! | file | holds |
//! |---|---|
//! | `config` | how a tournament is played |
//! | `schedule` | who sits where in which game |
//! | `standings` | what it comes to: the players in order, the pairs that met |
//! | `elo` | ratings and their margins |

mod config;
mod elo;
mod schedule;
mod standings;

use std::sync::Arc;

use crate::engine::{AnyGame, BatchConfig, Error, Interrupt, ObservationFormat, Result};
use crate::play::player::{Fault, Player, choose_actions};

pub use config::{Pairings, TournamentConfig};
use standings::{GameResult, sum_up};
pub use standings::{Pairing, Standing, TournamentResult};

/// Games side by side.
const WIDTH: u64 = 256;

/// Plays a tournament, or what of it there is time for before `interrupt` is raised. `report` is called with the
/// number of games played and in all.
///
/// Equal seeds give equal tournaments, as far as players outside the engine let them.
///
/// # Errors
/// [`Error::InvalidConfig`] for fewer than two players, two of one name, a game of one seat, or no games.
pub fn play(
    game: &Arc<dyn AnyGame>,
    players: &[Player],
    config: TournamentConfig,
    interrupt: &Interrupt,
    mut report: impl FnMut(u64, u64),
) -> Result<TournamentResult> {
    let seats = game.spec().players;
    if players.len() < 2 {
        return Err(Error::config("a tournament needs at least two bots"));
    }
    if let Some(i) = (1..players.len()).find(|&i| players[..i].iter().any(|p| p.name() == players[i].name()))
    {
        return Err(Error::config(format!("two bots are called {:?}: names must differ", players[i].name())));
    }
    if seats < 2 {
        return Err(Error::config("a tournament needs a game of at least two players"));
    }
    if config.games == 0 {
        return Err(Error::config("games=0: at least 1 is needed"));
    }
    let schedule = schedule::seatings(players.len(), seats, config);
    let mut faults = Vec::new();
    let results = play_games(game, players, &schedule, config, interrupt, &mut faults, &mut report)?;
    Ok(TournamentResult { partial: results.len() < schedule.len(), ..sum_up(players, results, faults) })
}

/// Plays the games of a schedule side by side: slot `i` of `n` plays games `i`, `i + n`, `i + 2n`, ...
fn play_games(
    game: &Arc<dyn AnyGame>,
    players: &[Player],
    schedule: &[Vec<usize>],
    config: TournamentConfig,
    interrupt: &Interrupt,
    faults: &mut Vec<Fault>,
    report: &mut dyn FnMut(u64, u64),
) -> Result<Vec<GameResult>> {
    let all = schedule.len() as u64;
    let slots = all.min(WIDTH) as usize;
    let mut env = game.clone().vector(BatchConfig {
        num_envs: slots,
        seed: config.seed,
        threads: config.threads,
        observation: ObservationFormat::None,
        ..BatchConfig::default()
    })?;
    env.interrupt_by(interrupt.clone());
    let seats = game.spec().players;
    // The game that each slot plays; past the schedule's end it rests.
    let mut playing: Vec<usize> = (0..slots).collect();
    let mut results = Vec::new();
    let mut actions = vec![0; slots];
    let mut lost = Vec::new();
    while (results.len() as u64) < all && !interrupt.is_raised() {
        report(results.len() as u64, all);
        let who = |slot: usize, seat: usize| schedule.get(playing[slot]).map(|seating| seating[seat]);
        match choose_actions(players, who, &mut *env, &mut actions, &mut lost) {
            Err(Error::Interrupted(_)) => break,
            chosen => chosen?,
        }
        faults.extend(lost.drain(..).map(|f| Fault { game: playing[f.game as usize] as u64, ..f }));
        let ids: Vec<u32> = (0..slots as u32).filter(|&id| playing[id as usize] < schedule.len()).collect();
        let chosen: Vec<i32> = ids.iter().map(|&id| actions[id as usize]).collect();
        env.step_games(&ids, &chosen)?;
        let columns = env.columns();
        for slot in ids.into_iter().map(|id| id as usize) {
            if columns.terminated[slot] + columns.truncated[slot] == 0 {
                continue;
            }
            let row = slot * seats..(slot + 1) * seats;
            let truncated = columns.truncated[slot] > 0;
            results.push(GameResult {
                seats: schedule[playing[slot]].clone(),
                returns: if truncated {
                    vec![0.0; seats]
                } else {
                    columns.final_returns[row.clone()].to_vec()
                },
                scores: columns.final_scores[row].to_vec(),
                truncated,
            });
            playing[slot] += slots;
        }
    }
    report(results.len() as u64, all);
    Ok(results)
}
