//! The players' seats in each game.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::config::{Pairings, TournamentConfig};
use super::standings::GameResult;
use crate::engine::chance::{SeededChance, StreamId, shuffle};

/// A game of a schedule.
///
/// Games are grouped into runs with one game per seat: the players of a table move on by one seat after each game, so
/// each has every seat once. All games of a run have the same opening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScheduledGame {
    /// Its number in the whole schedule.
    pub(super) number: u64,
    /// The player in every seat.
    pub(super) seats: Vec<usize>,
    /// The run, in order of the schedule.
    pub(super) run: u64,
    /// Number of earlier runs of the same table. It is also the number of the opening: all tables play the same ones.
    pub(super) round: u64,
}

/// The schedule of a tournament. The seats of a table's run depend only on the seed, the table and the round: more
/// games, or more players after the others, leave them unchanged. With `alone`, each player has all seats of its tables.
pub(super) fn seatings(
    players: usize,
    seats: usize,
    pairings: Pairings,
    config: &TournamentConfig,
    alone: bool,
) -> Vec<ScheduledGame> {
    // Players at a table.
    let size = if alone { 1 } else { seats.min(players) };
    let mut games = Schedule { games: Vec::new(), seats, most: config.games, seed: config.seed };
    match pairings {
        Pairings::RoundRobin => {
            let groups = groups(players, size);
            let mut order: Vec<usize> = (0..groups.len()).collect();
            for round in 0.. {
                // The last round may be incomplete: no group is favoured.
                shuffle(&mut order, &mut games.chance(u64::MAX, round));
                for &group in &order {
                    games.run(&groups[group], round);
                }
                if games.is_full() {
                    break;
                }
            }
        }
        Pairings::Random => {
            for round in 0.. {
                let mut drawn: Vec<usize> = (0..players).collect();
                shuffle(&mut drawn, &mut games.chance(u64::MAX, round));
                drawn.truncate(size);
                games.run(&drawn, round);
                if games.is_full() {
                    break;
                }
            }
        }
        Pairings::Gauntlet => {
            return gauntlet(&one_opponent_each(players, seats), seats, config.games);
        }
    }
    games.games
}

/// The tables of a gauntlet in which each opponent of player 0 takes all other seats.
pub(super) fn one_opponent_each(players: usize, seats: usize) -> Vec<Vec<usize>> {
    (1..players).map(|player| vec![player; seats - 1]).collect()
}

/// The schedule of a gauntlet. Player 0 meets each of `tables` in runs of games, one from each seat; the others follow
/// in turn order after player 0.
pub(super) fn gauntlet(tables: &[Vec<usize>], seats: usize, games: u64) -> Vec<ScheduledGame> {
    (0..games)
        .map(|number| {
            let (run, seat) = (number / seats as u64, number as usize % seats);
            let (round, table) = (run / tables.len() as u64, run as usize % tables.len());
            let mut seating = vec![0; seats];
            for (k, &player) in tables[table].iter().enumerate() {
                seating[(seat + 1 + k) % seats] = player;
            }
            ScheduledGame { number, seats: seating, run, round }
        })
        .collect()
}

/// A schedule under construction.
struct Schedule {
    games: Vec<ScheduledGame>,
    seats: usize,
    most: u64,
    seed: u64,
}

impl Schedule {
    fn is_full(&self) -> bool {
        self.games.len() as u64 >= self.most
    }

    fn chance(&self, key: u64, round: u64) -> SeededChance {
        SeededChance::new(StreamId { seed: self.seed, game: key, episode: round + 1 })
    }

    /// Appends a run of a group; a group smaller than the table fills the seats cyclically.
    fn run(&mut self, group: &[usize], round: u64) {
        let seats = self.seats;
        // The players with more seats than others change from run to run.
        let player = |seat: usize| group[(seat + round as usize) % group.len()];
        let mut around: Vec<usize> = (0..seats).map(player).collect();
        let name: Vec<u8> = group.iter().flat_map(|&player| (player as u64).to_le_bytes()).collect();
        shuffle(&mut around, &mut self.chance(xxh3_64(&name), round));
        let run = self.games.last().map_or(0, |last| last.run + 1);
        for turn in 0..seats {
            if self.is_full() {
                return;
            }
            let seating = (0..seats).map(|seat| around[(seat + turn) % seats]).collect();
            self.games.push(ScheduledGame { number: self.games.len() as u64, seats: seating, run, round });
        }
    }
}

/// Removes the games of a schedule that earlier results contain, and numbers these results as the schedule does.
/// Results without a place in the schedule get numbers after its end, and as many games are removed from the end: the
/// total stays. Returns the games left and the new numbers.
pub(super) fn carry_over(
    schedule: Vec<ScheduledGame>,
    earlier: &mut [GameResult],
) -> (Vec<ScheduledGame>, Vec<u64>) {
    let total = schedule.len();
    let mut places: HashMap<(Vec<usize>, u64), Vec<&ScheduledGame>> = HashMap::new();
    for game in schedule.iter().rev() {
        places.entry((game.seats.clone(), game.round)).or_default().push(game);
    }
    let mut taken = vec![false; total];
    let mut next = schedule.last().map_or((0, 0), |last| (last.number + 1, last.run + 1));
    let mut more_runs: HashMap<(Vec<usize>, u64), u64> = HashMap::new();
    // Places follow the order of the old numbers, not of the results.
    let mut order: Vec<usize> = (0..earlier.len()).collect();
    order.sort_by_key(|&k| earlier[k].game);
    for k in order {
        let game = &mut earlier[k];
        if let Some(place) = places.get_mut(&(game.seats.clone(), game.round)).and_then(Vec::pop) {
            taken[place.number as usize] = true;
            (game.game, game.run) = (place.number, place.run);
        } else {
            let mut table = game.seats.clone();
            table.sort_unstable();
            let run = *more_runs.entry((table, game.round)).or_insert_with(|| {
                next.1 += 1;
                next.1 - 1
            });
            (game.game, game.run) = (next.0, run);
            next.0 += 1;
        }
    }
    let mut left = schedule;
    left.retain(|game| !taken[game.number as usize]);
    left.truncate(total.saturating_sub(earlier.len()));
    (left, earlier.iter().map(|game| game.game).collect())
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

    fn scheduled(
        players: usize,
        seats: usize,
        pairings: Pairings,
        games: u64,
        seed: u64,
    ) -> Vec<ScheduledGame> {
        seatings(
            players,
            seats,
            pairings,
            &TournamentConfig { games, seed, ..TournamentConfig::default() },
            false,
        )
    }

    fn drawn(players: usize, seats: usize, pairings: Pairings, games: u64, seed: u64) -> Vec<Vec<usize>> {
        scheduled(players, seats, pairings, games, seed).into_iter().map(|game| game.seats).collect()
    }

    /// Number of games of each player in each seat.
    fn seat_counts(games: &[Vec<usize>], players: usize) -> Vec<Vec<usize>> {
        let count = |p, seat: usize| games.iter().filter(|game| game[seat] == p).count();
        (0..players).map(|p| (0..games[0].len()).map(|seat| count(p, seat)).collect()).collect()
    }

    #[test]
    fn every_group_meets_and_every_player_has_every_seat_equally_often() {
        let games = drawn(4, 3, Pairings::RoundRobin, 24, 3);
        assert_eq!(games.len(), 24);
        assert!(games.iter().all(|game| (1..3).all(|i| !game[..i].contains(&game[i]))));
        assert_eq!(seat_counts(&games, 4), vec![vec![6; 3]; 4]);
    }

    #[test]
    fn the_number_of_games_is_the_total() {
        for pairings in [Pairings::RoundRobin, Pairings::Random, Pairings::Gauntlet] {
            for games in [1, 2, 7, 100] {
                let found = scheduled(5, 2, pairings, games, 1);
                assert_eq!(found.len() as u64, games, "{pairings:?}");
                assert!(found.iter().zip(0..).all(|(game, number)| game.number == number));
            }
        }
        // Groups differ by one run at most.
        let games = drawn(5, 2, Pairings::RoundRobin, 46, 1);
        let met = |a, b| games.iter().filter(|game| game.contains(&a) && game.contains(&b)).count();
        let counts: Vec<usize> =
            (0..5).flat_map(|a| (0..a).map(move |b| (a, b))).map(|(a, b)| met(a, b)).collect();
        assert!(counts.iter().all(|&count| count == 4 || count == 6), "{counts:?}");
    }

    #[test]
    fn a_run_has_one_opening_and_every_seat_once() {
        for pairings in [Pairings::RoundRobin, Pairings::Random, Pairings::Gauntlet] {
            let games = scheduled(4, 3, pairings, 60, 5);
            for run in games.chunks_exact(3) {
                assert!(run.iter().all(|game| (game.run, game.round) == (run[0].run, run[0].round)));
                assert!((1..3).all(|turn| {
                    (0..3).all(|seat| {
                        run[turn].seats[seat] == run[0].seats[(seat + turn) % 3]
                            || pairings == Pairings::Gauntlet
                    })
                }));
            }
            let mut seen = std::collections::HashSet::new();
            for game in games.iter().step_by(3) {
                let mut table = game.seats.clone();
                table.sort_unstable();
                assert!(seen.insert((table, game.round)), "a table has an opening twice");
            }
        }
    }

    #[test]
    fn more_games_and_more_players_leave_earlier_runs_unchanged() {
        let key = |game: &ScheduledGame| (game.seats.clone(), game.round);
        let before = scheduled(3, 2, Pairings::RoundRobin, 60, 2);
        let after = scheduled(4, 2, Pairings::RoundRobin, 120, 2);
        assert!(before.iter().all(|game| after.iter().any(|other| key(other) == key(game))));
        let more = scheduled(3, 2, Pairings::RoundRobin, 90, 2);
        assert_eq!(more[..60], before[..]);
        let random = scheduled(5, 2, Pairings::Random, 31, 2);
        assert_eq!(scheduled(5, 2, Pairings::Random, 64, 2)[..31], random[..]);
    }

    #[test]
    fn carried_games_are_not_scheduled_again() {
        let result = |game: &ScheduledGame| GameResult::of(game, vec![1.0, -1.0]);
        let before = scheduled(3, 2, Pairings::RoundRobin, 60, 2);
        // Some games of the first tournament have not finished.
        let mut earlier: Vec<GameResult> = before.iter().filter(|g| g.number % 7 != 0).map(result).collect();
        let played = earlier.len();
        let whole = scheduled(4, 2, Pairings::RoundRobin, 120, 2);
        let (left, numbers) = carry_over(whole.clone(), &mut earlier);
        assert!(numbers.iter().zip(&earlier).all(|(number, game)| *number == game.game));
        assert_eq!(left.len() + played, 120);
        let mut all: Vec<_> = left.iter().map(|g| (g.number, g.run, g.seats.clone(), g.round)).collect();
        all.extend(earlier.iter().map(|g| (g.game, g.run, g.seats.clone(), g.round)));
        all.sort();
        let expected: Vec<_> = whole.iter().map(|g| (g.number, g.run, g.seats.clone(), g.round)).collect();
        assert_eq!(all, expected);
        // The same total with more players: earlier games that find no place stay, and the total, too.
        let mut earlier: Vec<GameResult> = before.iter().map(result).collect();
        let (left, _) = carry_over(scheduled(4, 2, Pairings::RoundRobin, 80, 2), &mut earlier);
        assert_eq!((left.len(), earlier.len()), (20, 60));
        assert!(left.iter().all(|game| game.seats.contains(&3)), "only pairs of the new player are left");
        let mut numbers: Vec<u64> =
            earlier.iter().map(|g| g.game).chain(left.iter().map(|g| g.number)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 80);
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
        let games: Vec<_> =
            gauntlet(&[vec![1, 2], vec![3, 3]], 3, 8).into_iter().map(|game| game.seats).collect();
        assert_eq!(games[..3], [vec![0, 1, 2], vec![2, 0, 1], vec![1, 2, 0]]);
        assert_eq!(games[3..6], [vec![0, 3, 3], vec![3, 0, 3], vec![3, 3, 0]]);
        assert_eq!(games[6..], games[..2]);
        assert_eq!(drawn(3, 3, Pairings::Gauntlet, 6, 0)[3..], [vec![0, 2, 2], vec![2, 0, 2], vec![2, 2, 0]]);
    }
}
