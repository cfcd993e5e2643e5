//! Tournaments between players: who meets whom in which seats, the games, ratings.

mod elo;
mod schedule;

use std::sync::Arc;

use serde::Serialize;

use crate::engine::{AnyGame, BatchConfig, Error, Interrupt, ObservationFormat, Result};
use crate::play::player::{Fault, Player, choose_actions};

pub use schedule::Pairings;

/// Games side by side.
const WIDTH: u64 = 256;
/// Faults that are told one by one; the others are only counted.
const TOLD_FAULTS: usize = 100;

/// How a tournament is played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TournamentConfig {
    /// Who meets whom.
    pub pairings: Pairings,
    /// Games of every table of players ([`Pairings::RoundRobin`]), or in all ([`Pairings::Random`]).
    pub games: u64,
    /// Seed of seats and games.
    pub seed: u64,
    /// Threads of the engine's bots; `None` uses all cores. Results never depend on it.
    pub threads: Option<usize>,
}

/// One player's place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// The player.
    pub bot: String,
    /// Elo rating; the mean of all players is 0.
    pub elo: f64,
    /// Half-width of the 95 % confidence interval of `elo`; infinite (`null` in JSON) for a player that met nobody.
    pub margin: f64,
    /// Seats taken, one a game but where there are fewer players than seats.
    pub games: u64,
    /// Wins, a shared first place counting its share.
    pub wins: f64,
    /// Points against other players: a winner gets 1 from every loser, everybody else 1/2 from each other.
    pub points: f64,
    /// Such comparisons: `points` is out of them.
    pub comparisons: u64,
    /// Mean score at the end.
    pub mean_score: f64,
    /// Mean outcome in [-1, 1].
    pub mean_return: f64,
    /// Moves lost; see [`Fault`].
    pub faults: u64,
}

/// What two players achieved against each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pairing {
    /// The players.
    pub bots: [String; 2],
    /// Comparisons of a seat of the one with a seat of the other.
    pub games: u64,
    /// Points of the first one.
    pub points: f64,
}

/// The result of a tournament.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// Whether it was interrupted before its end; then everything is about the games that had ended.
    pub partial: bool,
    /// Games played.
    pub games: u64,
    /// Of these, games that a limit ended without a result; they count as draws.
    pub truncated: u64,
    /// The players, best first.
    pub standings: Vec<Standing>,
    /// All pairs that met.
    pub pairings: Vec<Pairing>,
    /// The first moves that were lost.
    pub faults: Vec<Fault>,
}

/// A finished game.
struct GameResult {
    /// The player in every seat.
    seats: Vec<usize>,
    /// The outcome of every seat in [-1, 1]; all 0 when the game was truncated.
    returns: Vec<f32>,
    scores: Vec<f32>,
    truncated: bool,
}

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
) -> Result<Table> {
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
    Ok(Table { partial: results.len() < schedule.len(), ..table(players, results, faults) })
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

fn table(players: &[Player], results: Vec<GameResult>, mut faults: Vec<Fault>) -> Table {
    let n = players.len();
    let duels: Vec<Vec<elo::Duel>> = results.iter().map(|r| elo::duels(&r.seats, &r.returns)).collect();
    let ratings = elo::rate(n, &duels);
    let mut standings: Vec<Standing> = (0..n)
        .map(|player| {
            let name = players[player].name();
            let mut standing = Standing {
                bot: name.into(),
                elo: ratings[player].elo,
                margin: ratings[player].margin,
                games: 0,
                wins: 0.0,
                points: 0.0,
                comparisons: 0,
                mean_score: 0.0,
                mean_return: 0.0,
                faults: faults.iter().filter(|f| f.bot == name).count() as u64,
            };
            for result in &results {
                let best = result.returns.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let winners = result.returns.iter().filter(|&&r| r == best).count() as f64;
                for (seat, _) in result.seats.iter().enumerate().filter(|&(_, &p)| p == player) {
                    standing.games += 1;
                    standing.mean_score += f64::from(result.scores[seat]);
                    standing.mean_return += f64::from(result.returns[seat]);
                    if result.returns[seat] == best && !result.truncated {
                        standing.wins += 1.0 / winners;
                    }
                }
            }
            for duel in duels.iter().flatten() {
                if let Some(points) = duel.points_of(player) {
                    standing.points += points;
                    standing.comparisons += 1;
                }
            }
            standing.mean_score /= standing.games.max(1) as f64;
            standing.mean_return /= standing.games.max(1) as f64;
            standing
        })
        .collect();
    standings.sort_by(|x, y| y.elo.total_cmp(&x.elo));
    let mut pairings = Vec::new();
    for a in 0..n {
        for b in a + 1..n {
            let met = duels.iter().flatten().filter_map(|duel| duel.points_between(a, b));
            let (games, points) = met.fold((0, 0.0), |(games, sum), points| (games + 1, sum + points));
            if games > 0 {
                pairings.push(Pairing {
                    bots: [a, b].map(|player| players[player].name().to_string()),
                    games,
                    points,
                });
            }
        }
    }
    faults.truncate(TOLD_FAULTS);
    let truncated = results.iter().filter(|r| r.truncated).count() as u64;
    Table { partial: false, games: results.len() as u64, truncated, standings, pairings, faults }
}
