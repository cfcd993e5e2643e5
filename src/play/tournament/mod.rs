//! Tournaments between players: who meets whom in which seats, the games, ratings.
//!
//! | file | holds |
//! |---|---|
//! | `config` | how a tournament is played |
//! | `schedule` | who sits where in which game |
//! | `games` | the games of a schedule, side by side |
//! | `standings` | what it comes to: the players in order, the pairs that met |
//! | `elo` | ratings and their margins |

mod config;
mod elo;
mod games;
mod schedule;
mod standings;

use std::sync::Arc;

use crate::engine::calls::check_seats;
use crate::engine::{AnyGame, Error, Interrupt, Result};
use crate::play::player::Player;

pub use config::{Pairings, TournamentConfig};
pub use standings::{Pairing, Standing, TournamentResult};

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
    pairings: Pairings,
    config: TournamentConfig,
    interrupt: &Interrupt,
    report: impl FnMut(u64, u64),
) -> Result<TournamentResult> {
    check(game, players, config)?;
    let schedule = schedule::seatings(players.len(), game.spec().players, pairings, config);
    play_schedule(game, players, &schedule, config, interrupt, report)
}

/// Plays the first of the players against others, as [`play`] does.
///
/// `tables[k]` are those in the other seats, in turn order from the first player's on. A table is played for as many
/// games as there are seats, one from each seat, then the next one is; after the last comes the first.
///
/// # Errors
/// As for [`play`], and for a table of the wrong size.
pub fn gauntlet(
    game: &Arc<dyn AnyGame>,
    players: &[Player],
    tables: &[Vec<usize>],
    config: TournamentConfig,
    interrupt: &Interrupt,
    report: impl FnMut(u64, u64),
) -> Result<TournamentResult> {
    check(game, players, config)?;
    if tables.is_empty() {
        return Err(Error::config("a gauntlet needs opponents"));
    }
    let seats = game.spec().players;
    for table in tables {
        check_seats("opponents", table.len(), seats - 1)?;
        if let Some(player) = table.iter().find(|&&player| player >= players.len()) {
            return Err(Error::config(format!(
                "opponent {player}: players 0 to {} exist",
                players.len() - 1
            )));
        }
    }
    let schedule = schedule::gauntlet(tables, seats, config.games);
    play_schedule(game, players, &schedule, config, interrupt, report)
}

/// Elo ratings, whose mean is 0, and half-widths of their 95 % confidence intervals, of `players` by games that were
/// played elsewhere: who sat in each seat, and what the game came to for it.
///
/// # Errors
/// [`Error::InvalidConfig`] for a game of one seat, or with a player or a result that is missing.
pub fn ratings(players: usize, games: &[(Vec<usize>, Vec<f32>)]) -> Result<Vec<(f64, f64)>> {
    let fits = |(seats, returns): &(Vec<usize>, Vec<f32>)| {
        seats.len() > 1 && seats.len() == returns.len() && seats.iter().all(|&player| player < players)
    };
    if !games.iter().all(fits) {
        return Err(Error::config("a rated game has two seats or more, a player and a result for each"));
    }
    let duels: Vec<_> = games.iter().map(|(seats, returns)| elo::duels(seats, returns)).collect();
    Ok(elo::rate(players, &duels).into_iter().map(|rating| (rating.elo, rating.margin)).collect())
}

fn check(game: &Arc<dyn AnyGame>, players: &[Player], config: TournamentConfig) -> Result<()> {
    if players.len() < 2 {
        return Err(Error::config("a tournament needs at least two bots"));
    }
    if let Some(i) = (1..players.len()).find(|&i| players[..i].iter().any(|p| p.name() == players[i].name()))
    {
        return Err(Error::config(format!("two bots are called {:?}: names must differ", players[i].name())));
    }
    if game.spec().players < 2 {
        return Err(Error::config("a tournament needs a game of at least two players"));
    }
    if config.games == 0 {
        return Err(Error::config("games=0: at least 1 is needed"));
    }
    Ok(())
}

fn play_schedule(
    game: &Arc<dyn AnyGame>,
    players: &[Player],
    schedule: &[Vec<usize>],
    config: TournamentConfig,
    interrupt: &Interrupt,
    mut report: impl FnMut(u64, u64),
) -> Result<TournamentResult> {
    let mut faults = Vec::new();
    let results = games::play_games(game, players, schedule, config, interrupt, &mut faults, &mut report)?;
    let partial = results.len() < schedule.len();
    Ok(TournamentResult { partial, ..standings::sum_up(game.spec(), config.seed, players, results, faults) })
}
