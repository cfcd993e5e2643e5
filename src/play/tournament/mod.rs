//! Tournaments between players: pairings and seats, games, ratings.
//!
//! | file | holds |
//! |---|---|
//! | `config` | the configuration of a tournament |
//! | `schedule` | the players' seats in each game |
//! | `openings` | the positions from which games start |
//! | `games` | the games of a schedule, side by side |
//! | `sprt` | the sequential test that may end a tournament |
//! | `run_scores` | pentanomial counts, normalized Elo, likelihood of superiority |
//! | `standings` | the result: the players in order, the pairs that met |
//! | `counting` | wins and points by player, with the units of their intervals |
//! | `elo`, `plackett_luce` | ratings and their margins |
//! | `payoffs`, `nash`, `alpha_rank` | rankings from the payoffs between players |
//! | `state` | the state file, from which a tournament resumes |

mod alpha_rank;
mod config;
mod counting;
mod elo;
mod games;
mod nash;
mod openings;
mod payoffs;
mod plackett_luce;
mod run_scores;
mod schedule;
mod sprt;
mod standings;
mod state;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use crate::engine::calls::check_seats;
use crate::engine::{AnyGame, Error, Interrupt, Payoff, Result};
use crate::player::Player;

pub use alpha_rank::alpha_rank;
pub use config::{GameFormat, Pairings, TournamentConfig};
pub use games::{Progress, Running};
pub use nash::{NashAverage, nash_average};
pub use openings::{OpeningNodes, Openings, OpeningsOfGames};
pub use run_scores::RunScores;
pub use sprt::{EloModel, Hypothesis, Sprt, SprtResult};
pub use standings::{GameResult, OpponentRow, Pairing, Played, Rankings, Standing, TournamentResult, sum_up};
pub use state::{Checkpoint, StateFile};

use games::Part;
use schedule::ScheduledGame;

/// A callback for the progress of a tournament.
type Report<'a> = dyn FnMut(&Progress<'_>) -> Result<()> + 'a;

/// The groups of players that meet.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Meetings<'a> {
    /// As in [`play`].
    Pairings(Pairings),
    /// As in [`gauntlet`].
    Tables(&'a [Vec<usize>]),
}

/// Plays a tournament, or the games that finish before `interrupt` is raised. `report` is called with the number of
/// finished games and the total.
///
/// Equal seeds give equal tournaments if all players outside the engine are deterministic.
///
/// # Errors
/// [`Error::InvalidConfig`] for fewer than two players, duplicate names, a single-player game, or no games.
pub fn play(
    game: &Arc<dyn AnyGame>,
    players: &[Player],
    pairings: Pairings,
    config: &TournamentConfig,
    interrupt: &Interrupt,
    mut report: impl FnMut(u64, u64),
) -> Result<TournamentResult> {
    play_shown(game, players, pairings, config, interrupt, |progress| {
        report(progress.done(), progress.all());
        Ok(())
    })
}

/// The same; `report` also has access to the table and the boards.
///
/// # Errors
/// As for [`play`], and errors of `report`.
pub fn play_shown(
    game: &Arc<dyn AnyGame>,
    players: &[Player],
    pairings: Pairings,
    config: &TournamentConfig,
    interrupt: &Interrupt,
    mut report: impl FnMut(&Progress<'_>) -> Result<()>,
) -> Result<TournamentResult> {
    play_all(game, players, Meetings::Pairings(pairings), config, None, interrupt, &mut report)
}

/// Plays or resumes the tournament of a state file. The file is rewritten periodically, so the same call in a new
/// process repeats only the last seconds of play.
///
/// # Errors
/// As for [`play_shown`], and if the file cannot be written.
pub fn play_from(
    game: &Arc<dyn AnyGame>,
    players: &[Player],
    meetings: Meetings<'_>,
    config: &TournamentConfig,
    file: &mut StateFile,
    interrupt: &Interrupt,
    mut report: impl FnMut(&Progress<'_>) -> Result<()>,
) -> Result<TournamentResult> {
    let begun = file.take();
    play_all(game, players, meetings, config, begun, interrupt, &mut |progress| {
        file.note(progress, interrupt)?;
        report(progress)
    })
}

/// Gauntlet: plays the first of the players against the others, with the settings of [`play`].
///
/// `tables[k]` lists the opponents in turn order, starting after the first player. Each table is played for as many
/// games as there are seats, one from each seat. Then follows the next table, and the first one again after the last.
///
/// # Errors
/// As for [`play`], and for a table of the wrong size.
pub fn gauntlet(
    game: &Arc<dyn AnyGame>,
    players: &[Player],
    tables: &[Vec<usize>],
    config: &TournamentConfig,
    interrupt: &Interrupt,
    mut report: impl FnMut(u64, u64),
) -> Result<TournamentResult> {
    play_all(game, players, Meetings::Tables(tables), config, None, interrupt, &mut |progress| {
        report(progress.done(), progress.all());
        Ok(())
    })
}

/// Number of slots of a tournament, played side by side. The games of a slot follow each other, and slots are
/// independent of each other, so they may be distributed with [`play_slots`].
///
/// # Errors
/// As for [`play`] and [`gauntlet`].
pub fn num_slots(
    game: &Arc<dyn AnyGame>,
    players: &[Player],
    meetings: Meetings<'_>,
    config: &TournamentConfig,
) -> Result<usize> {
    let schedule = schedule(game, players, meetings, config)?;
    Ok(games::slots(schedule.len(), game.spec().players, players, config))
}

/// Plays the games of some of the [`num_slots`] slots (`width` is their total), as far as they finish before
/// `interrupt` is raised. [`sum_up`] combines the results of all slots into the tournament.
///
/// # Errors
/// As for [`play`] and [`gauntlet`], and for slots that do not exist.
pub fn play_slots(
    game: &Arc<dyn AnyGame>,
    players: &[Player],
    meetings: Meetings<'_>,
    config: &TournamentConfig,
    (width, slots): (usize, Range<usize>),
    interrupt: &Interrupt,
) -> Result<Played> {
    let schedule = schedule(game, players, meetings, config)?;
    if slots.is_empty() || slots.end > width || width > schedule.len() {
        let all = schedule.len();
        return Err(Error::config(format!(
            "slots {slots:?} of {width}: {all} games have at most {all} slots"
        )));
    }
    let part =
        Part { meetings, config, schedule: &schedule, width, slots, carried: Played::default(), begun: None };
    games::play_games(game, players, part, interrupt, &mut |_| Ok(()))
}

fn play_all(
    game: &Arc<dyn AnyGame>,
    players: &[Player],
    meetings: Meetings<'_>,
    config: &TournamentConfig,
    begun: Option<Checkpoint>,
    interrupt: &Interrupt,
    report: &mut Report<'_>,
) -> Result<TournamentResult> {
    let mut schedule = schedule(game, players, meetings, config)?;
    let (mut carried, begun) = begun.map_or((Played::default(), None), Checkpoint::split);
    if !carried.games.is_empty() {
        let before: Vec<u64> = carried.games.iter().map(|game| game.game).collect();
        let (left, order) = schedule::carry_over(schedule, &mut carried.games);
        schedule = left;
        // Faults name games by their numbers.
        for fault in &mut carried.faults {
            if let Some(place) = before.iter().position(|&number| number == fault.game) {
                fault.game = order[place];
            }
        }
    }
    let all = (carried.games.len() + schedule.len()) as u64;
    let width = games::slots(schedule.len(), game.spec().players, players, config);
    let part = Part { meetings, config, schedule: &schedule, width, slots: 0..width, carried, begun };
    let played = games::play_games(game, players, part, interrupt, report)?;
    let names: Vec<&str> = players.iter().map(Player::name).collect();
    let count = played.games.len() as u64;
    let mut result = sum_up(game.spec(), meetings, config, &names, played, count < all);
    if result.sprt.as_ref().is_some_and(|sprt| sprt.accepted.is_some()) {
        result.partial = false;
    }
    Ok(result)
}

fn schedule(
    game: &Arc<dyn AnyGame>,
    players: &[Player],
    meetings: Meetings<'_>,
    config: &TournamentConfig,
) -> Result<Vec<ScheduledGame>> {
    check(game, players, meetings, config)?;
    let seats = game.spec().players;
    match meetings {
        Meetings::Pairings(pairings) => {
            // Partners have the same score: it compares players that have all seats.
            let alone = matches!(game.spec().payoff, Payoff::Common { .. });
            Ok(schedule::seatings(players.len(), seats, pairings, config, alone))
        }
        Meetings::Tables(tables) => {
            check_tables(tables, seats, players.len())?;
            Ok(schedule::gauntlet(tables, seats, config.games))
        }
    }
}

fn check_tables(tables: &[Vec<usize>], seats: usize, players: usize) -> Result<()> {
    if tables.is_empty() {
        return Err(Error::config("a gauntlet needs opponents"));
    }
    for table in tables {
        check_seats("opponents", table.len(), seats - 1)?;
        if let Some(player) = table.iter().find(|&&player| player >= players) {
            return Err(Error::config(format!("opponent {player}: players 0 to {} exist", players - 1)));
        }
    }
    Ok(())
}

/// Elo ratings with mean 0, and half-widths of their 95 % confidence intervals, of `players` from games played
/// elsewhere: the player in each seat, and the outcome for each seat.
///
/// # Errors
/// [`Error::InvalidConfig`] for a game with a single seat, or with a player or result missing.
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

/// Wins, draws and losses of one player against another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairCounts {
    /// The players.
    pub players: [usize; 2],
    /// Wins of the first player, draws, and its losses.
    pub counts: [f64; 3],
}

/// Elo ratings, and half-widths of their 95 % confidence intervals, from the results of pairs. Ratings in `known`, one
/// entry per player, are fixed; without any, the mean is 0. The margin is infinite for a player that met no other, or
/// none whose rating is known.
///
/// # Errors
/// [`Error::InvalidConfig`] for players that do not exist or are equal, and numbers that are negative or not finite.
pub fn ratings_of_counts(pairs: &[PairCounts], known: &[Option<f64>]) -> Result<Vec<(f64, f64)>> {
    let fits = |pair: &PairCounts| {
        pair.players.iter().all(|&player| player < known.len())
            && pair.players[0] != pair.players[1]
            && pair.counts.iter().all(|count| (0.0..=1e15).contains(count))
    };
    if !pairs.iter().all(fits) {
        return Err(Error::config(
            "counts: wins, draws and losses of two players are numbers from 0 to 1e15",
        ));
    }
    if !known.iter().flatten().all(|elo| elo.abs() <= 1e6) {
        return Err(Error::config("known: ratings from -1000000 to 1000000 are allowed"));
    }
    let duels: Vec<_> = pairs
        .iter()
        .flat_map(|pair| {
            let results = [1.0, 0.5, 0.0].into_iter().zip(pair.counts);
            results.map(|(points, count)| ([elo::duel(pair.players, points)], count))
        })
        .filter(|(_, count)| *count > 0.0)
        .collect();
    let units: Vec<_> = duels.iter().map(|(unit, count)| (&unit[..], *count)).collect();
    Ok(elo::rate_units(&units, known).into_iter().map(|rating| (rating.elo, rating.margin)).collect())
}

fn check(
    game: &Arc<dyn AnyGame>,
    players: &[Player],
    meetings: Meetings<'_>,
    config: &TournamentConfig,
) -> Result<()> {
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
    if let Some(sprt) = config.sprt {
        sprt.check()?;
        if !game.spec().payoff.is_ranks() {
            return Err(Error::config(
                "sprt: it compares points, and players do not win by rank in this game",
            ));
        }
        let is_one = match meetings {
            Meetings::Pairings(_) => players.len() == 2,
            Meetings::Tables(tables) => tables.iter().all(|table| *table == tables[0]),
        };
        if !is_one {
            let count = players.len();
            return Err(Error::config(format!("sprt: it compares two bots, {count} were given")));
        }
    }
    Ok(())
}
