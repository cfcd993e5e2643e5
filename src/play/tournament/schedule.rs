//! The players' seats in each game.

use super::config::{Pairings, TournamentConfig};
use crate::engine::chance::{Chance, SeededChance, StreamId, shuffle};

/// The player in every seat of every game.
///
/// Games are grouped into runs with one game per seat. A run's players get a random order around the table and move
/// on by one seat after each game, so each has every seat once.
pub(super) fn seatings(
    players: usize,
    seats: usize,
    pairings: Pairings,
    config: TournamentConfig,
) -> Vec<Vec<usize>> {
    let mut chance = SeededChance::new(StreamId { seed: config.seed, game: u64::MAX, episode: 1 });
    let mut games = Vec::new();
    match pairings {
        Pairings::RoundRobin => {
            for group in groups(players, seats.min(players)) {
                run(&group, seats, config.games, &mut chance, &mut games);
            }
        }
        Pairings::Random => {
            while (games.len() as u64) < config.games {
                let mut drawn: Vec<usize> = (0..players).collect();
                shuffle(&mut drawn, &mut chance);
                drawn.truncate(seats);
                let count = (config.games - games.len() as u64).min(seats as u64);
                run(&drawn, seats, count, &mut chance, &mut games);
            }
        }
    }
    games
}

/// The player in every seat of every game of a gauntlet. Player 0 meets each of `tables` in runs of games, one from
/// each seat; the others follow in turn order after player 0.
pub(super) fn gauntlet(tables: &[Vec<usize>], seats: usize, games: u64) -> Vec<Vec<usize>> {
    (0..games as usize)
        .map(|game| {
            let (run, seat) = (game / seats, game % seats);
            let mut seating = vec![0; seats];
            for (k, &player) in tables[run % tables.len()].iter().enumerate() {
                seating[(seat + 1 + k) % seats] = player;
            }
            seating
        })
        .collect()
}

/// Appends `count` games of a group; a group smaller than the table fills the seats cyclically.
fn run(group: &[usize], seats: usize, count: u64, chance: &mut impl Chance, games: &mut Vec<Vec<usize>>) {
    let mut around = Vec::new();
    for game in 0..count as usize {
        let (round, turn) = (game / seats, game % seats);
        if turn == 0 {
            // The players with more seats than others change from run to run.
            around = (0..seats).map(|seat| group[(seat + round) % group.len()]).collect();
            shuffle(&mut around, chance);
        }
        games.push((0..seats).map(|seat| around[(seat + turn) % seats]).collect());
    }
}

/// All combinations of `size` of the players `0..players`, each in increasing order.
fn groups(players: usize, size: usize) -> Vec<Vec<usize>> {
    let mut groups = vec![Vec::new()];
    for _ in 0..size {
        groups = groups
            .into_iter()
            .flat_map(|group: Vec<usize>| {
                let first = group.last().map_or(0, |last| last + 1);
                (first..players).map(move |next| [&group[..], &[next]].concat())
            })
            .collect();
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(players: usize, seats: usize, pairings: Pairings, games: u64, seed: u64) -> Vec<Vec<usize>> {
        seatings(players, seats, pairings, TournamentConfig { games, seed, threads: None })
    }

    /// Number of games of each player in each seat.
    fn seat_counts(games: &[Vec<usize>], players: usize) -> Vec<Vec<usize>> {
        let count = |p, seat: usize| games.iter().filter(|game| game[seat] == p).count();
        (0..players).map(|p| (0..games[0].len()).map(|seat| count(p, seat)).collect()).collect()
    }

    #[test]
    fn every_group_meets_and_every_player_has_every_seat_equally_often() {
        let games = drawn(4, 3, Pairings::RoundRobin, 6, 3);
        assert_eq!(games.len(), 4 * 6);
        assert!(games.iter().all(|game| (1..3).all(|i| !game[..i].contains(&game[i]))));
        assert_eq!(seat_counts(&games, 4), vec![vec![6; 3]; 4]);
    }

    #[test]
    fn fewer_players_than_seats_share_them_evenly() {
        let games = drawn(2, 3, Pairings::RoundRobin, 12, 3);
        let counts = seat_counts(&games, 2);
        assert_eq!(counts[0].iter().sum::<usize>(), counts[1].iter().sum::<usize>());
        assert!(games.iter().all(|game| game.contains(&0) && game.contains(&1)));
    }

    #[test]
    fn random_pairings_draw_as_many_games_as_asked_for_with_seats_in_turn() {
        let games = drawn(5, 2, Pairings::Random, 31, 3);
        assert_eq!(games.len(), 31);
        assert!(games.chunks_exact(2).all(|run| run[0][0] == run[1][1] && run[0][1] == run[1][0]));
        assert!(seat_counts(&games, 5).iter().flatten().all(|&n| n > 0));
        assert_ne!(games, drawn(5, 2, Pairings::Random, 31, 4));
    }
    #[test]
    fn a_gauntlet_takes_every_seat_against_every_table_in_turn() {
        let games = gauntlet(&[vec![1, 2], vec![3, 3]], 3, 8);
        assert_eq!(games[..3], [vec![0, 1, 2], vec![2, 0, 1], vec![1, 2, 0]]);
        assert_eq!(games[3..6], [vec![0, 3, 3], vec![3, 0, 3], vec![3, 3, 0]]);
        assert_eq!(games[6..], games[..2]);
    }
}
