//! The result of a tournament: the players in order, the pairs that met.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::elo;
use crate::engine::{Options, Spec};
use crate::play::player::Fault;
use crate::play::results::Share;
use crate::play::results::thousands;
use crate::play::results::{Shares, TOLD_FAULTS, shares_of_win};

/// One player's row of the standings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// The player.
    pub bot: String,
    /// Elo rating; the mean of all players is 0.
    pub elo: f64,
    /// Half-width of the 95 % confidence interval of `elo`, computed from distinct games; infinite (`null` in JSON) for
    /// a player that met no other.
    pub margin: f64,
    /// Number of seats taken: one per game, unless there are fewer players than seats.
    pub games: u64,
    /// Seats in repeated games, that is, with the same players in the same seats and the same decisions as an earlier
    /// game. They count for shares and ratings but do not narrow margins.
    pub repeated: u64,
    /// Wins; a shared first place counts as a fraction.
    pub wins: f64,
    /// Share of wins among `games`.
    pub win_share: f64,
    /// Half the width of the 95 % confidence interval of `win_share` (Wilson), computed from distinct games.
    pub win_margin: f64,
    /// The lower end of this interval.
    pub win_low: f64,
    /// The upper end of this interval.
    pub win_high: f64,
    /// Points against other players: a winner gets 1 from every loser; all other pairs get 1/2 each.
    pub points: f64,
    /// Number of comparisons that `points` is out of.
    pub comparisons: u64,
    /// Share of points among `comparisons`.
    pub point_share: f64,
    /// Half the width of the 95 % confidence interval of `point_share` (Wilson), computed from distinct games.
    pub point_margin: f64,
    /// The lower end of this interval.
    pub point_low: f64,
    /// The upper end of this interval.
    pub point_high: f64,
    /// Mean score at the end.
    pub mean_score: f64,
    /// Mean outcome in [-1, 1].
    pub mean_return: f64,
    /// Number of lost moves; see [`Fault`].
    pub faults: u64,
}

/// The results of two players against each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pairing {
    /// The players.
    pub bots: [String; 2],
    /// Comparisons of a seat of one player with a seat of the other.
    pub games: u64,
    /// Points of the first player.
    pub points: f64,
}

/// The result of a tournament.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TournamentResult {
    /// Environment id.
    pub env: &'static str,
    /// Version of the environment.
    pub version: u32,
    /// Options by name.
    pub options: Options,
    /// Seed of seats and games.
    pub seed: u64,
    /// Whether it was interrupted before its end; all fields then describe the finished games.
    pub partial: bool,
    /// Number of games played.
    pub games: u64,
    /// Number of these games that a limit ended without a result; they count as draws.
    pub truncated: u64,
    /// Number of repeated games among these.
    pub repeated: u64,
    /// Mean number of decisions of a game.
    pub mean_game_length: f64,
    /// The players, best first.
    pub standings: Vec<Standing>,
    /// All pairs that met.
    pub pairings: Vec<Pairing>,
    /// The first lost moves.
    pub faults: Vec<Fault>,
}

impl TournamentResult {
    /// The players, best first, as rows of a table with a heading row.
    pub fn to_rows(&self) -> Vec<Vec<String>> {
        let head = [
            "bot",
            "Elo",
            "+/-",
            "games",
            "repeated",
            "wins",
            "points",
            "mean score",
            "mean outcome",
            "faults",
        ];
        let row = |s: &Standing| {
            vec![
                s.bot.clone(),
                format!("{:+.0}", s.elo),
                if s.margin.is_finite() { format!("{:.0}", s.margin) } else { "?".into() },
                thousands(s.games),
                thousands(s.repeated),
                Share { value: s.win_share, low: s.win_low, high: s.win_high }.percent(),
                Share { value: s.point_share, low: s.point_low, high: s.point_high }.percent(),
                format!("{:.2}", s.mean_score),
                format!("{:+.3}", s.mean_return),
                thousands(s.faults),
            ]
        };
        [head.map(String::from).to_vec()].into_iter().chain(self.standings.iter().map(row)).collect()
    }
}

/// Finished games of a tournament.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// The finished games.
    pub games: Vec<GameResult>,
    /// The lost moves.
    pub faults: Vec<Fault>,
}

impl Played {
    /// Whether all games fit an environment and this number of players.
    pub fn fits(&self, spec: &Spec, players: usize) -> bool {
        self.games.iter().all(|game| {
            let widths = [game.seats.len(), game.returns.len(), game.scores.len()];
            widths == [spec.players; 3] && game.seats.iter().all(|&player| player < players)
        })
    }
}

/// A finished game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameResult {
    /// Its number in the schedule.
    pub(super) game: u64,
    /// The player in every seat.
    pub(super) seats: Vec<usize>,
    /// The outcome of every seat in [-1, 1]; all 0 if the game was truncated.
    pub(super) returns: Vec<f32>,
    pub(super) scores: Vec<f32>,
    /// Number of decisions.
    pub(super) length: u64,
    /// Hash of all decisions: legal actions and actions played.
    pub(super) decisions: u64,
    pub(super) truncated: bool,
}

/// Combines results, in any order; `partial` marks an incomplete tournament.
///
/// # Panics
/// If games name players that are not in `names`.
pub fn sum_up(
    spec: &Spec,
    seed: u64,
    names: &[impl AsRef<str>],
    played: Played,
    partial: bool,
) -> TournamentResult {
    let Played { games: mut results, mut faults } = played;
    // A fixed order: sums of floats and the choice of reported faults depend on it.
    results.sort_by_key(|result| result.game);
    faults.sort_by_key(|fault| fault.game);
    let n = names.len();
    let duels: Vec<Vec<elo::Duel>> = results.iter().map(|r| elo::duels(&r.seats, &r.returns)).collect();
    let mut known = HashSet::new();
    let is_new: Vec<bool> = results.iter().map(|r| known.insert((r.seats.clone(), r.decisions))).collect();
    let distinct: Vec<Vec<elo::Duel>> =
        duels.iter().zip(&is_new).filter(|(_, is_new)| **is_new).map(|(duels, _)| duels.clone()).collect();
    // Ratings use all games, margins only distinct ones: a repeated game carries no further information.
    let ratings: Vec<elo::Rating> = elo::rate(n, &duels)
        .into_iter()
        .zip(elo::rate(n, &distinct))
        .map(|(all, distinct)| elo::Rating { elo: all.elo, margin: distinct.margin })
        .collect();
    let mut standings: Vec<Standing> = (0..n)
        .map(|player| {
            let name = names[player].as_ref();
            let mut standing = Standing {
                bot: name.into(),
                elo: ratings[player].elo,
                margin: ratings[player].margin,
                games: 0,
                repeated: 0,
                wins: 0.0,
                win_share: 0.0,
                win_margin: 0.0,
                win_low: 0.0,
                win_high: 1.0,
                points: 0.0,
                comparisons: 0,
                point_share: 0.0,
                point_margin: 0.0,
                point_low: 0.0,
                point_high: 1.0,
                mean_score: 0.0,
                mean_return: 0.0,
                faults: faults.iter().filter(|f| f.bot == name).count() as u64,
            };
            // Shares over all games and over distinct games.
            let (mut wins, mut points) = ([Shares::default(); 2], [Shares::default(); 2]);
            for ((result, duels), &is_new) in results.iter().zip(&duels).zip(&is_new) {
                let counted = if is_new { 2 } else { 1 };
                let shares: Vec<f64> = shares_of_win(&result.returns).collect();
                let (mut won, mut seats) = (0.0, 0);
                for (seat, _) in result.seats.iter().enumerate().filter(|&(_, &p)| p == player) {
                    seats += 1;
                    standing.mean_score += f64::from(result.scores[seat]);
                    standing.mean_return += f64::from(result.returns[seat]);
                    won += if result.truncated { 0.0 } else { shares[seat] };
                }
                standing.games += seats;
                standing.repeated += if is_new { 0 } else { seats };
                wins[..counted].iter_mut().for_each(|wins| wins.add(won, seats as f64));
                let scored: Vec<f64> = duels.iter().filter_map(|duel| duel.points_of(player)).collect();
                let (got, out_of) = (scored.iter().sum(), scored.len() as f64);
                points[..counted].iter_mut().for_each(|points| points.add(got, out_of));
            }
            standing.comparisons = points[0].out_of as u64;
            (standing.wins, standing.points) = (wins[0].sum, points[0].sum);
            let [wins, points] = [wins, points].map(|[all, distinct]| all.share_known_by(&distinct));
            (standing.win_share, standing.win_margin) = (wins.value, wins.margin());
            (standing.win_low, standing.win_high) = (wins.low, wins.high);
            (standing.point_share, standing.point_margin) = (points.value, points.margin());
            (standing.point_low, standing.point_high) = (points.low, points.high);
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
                    bots: [a, b].map(|player| names[player].as_ref().to_string()),
                    games,
                    points,
                });
            }
        }
    }
    faults.truncate(TOLD_FAULTS);
    let truncated = results.iter().filter(|r| r.truncated).count() as u64;
    let decisions: u64 = results.iter().map(|r| r.length).sum();
    TournamentResult {
        env: spec.env,
        version: spec.version,
        options: spec.options.clone(),
        seed,
        partial,
        games: results.len() as u64,
        truncated,
        repeated: is_new.iter().filter(|is_new| !**is_new).count() as u64,
        mean_game_length: decisions as f64 / results.len().max(1) as f64,
        standings,
        pairings,
        faults,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GAMES;

    /// A game of player 0 against player 1, in alternating seats; `decisions` is its hash, and `won` is for player 0.
    fn game(seats: usize, number: u64, decisions: u64, won: bool) -> GameResult {
        let first = number as usize % seats;
        let player = |seat| usize::from(seat != first);
        let outcome = |seat| if (player(seat) == 0) == won { 1.0 } else { -1.0 };
        GameResult {
            game: number,
            seats: (0..seats).map(player).collect(),
            returns: (0..seats).map(outcome).collect(),
            scores: vec![0.0; seats],
            length: 10,
            decisions,
            truncated: false,
        }
    }

    fn table(games: Vec<GameResult>) -> TournamentResult {
        let spec = GAMES[0].make::<&str>([]).unwrap().spec().clone();
        sum_up(&spec, 0, &["a", "b"], Played { games, faults: Vec::new() }, false)
    }

    fn seats() -> usize {
        GAMES[0].make::<&str>([]).unwrap().spec().players
    }

    #[test]
    fn twenty_wins_of_twenty_have_margins() {
        let found = table((0..20).map(|i| game(seats(), i, i, true)).collect());
        let [best, _] = &found.standings[..] else { unreachable!() };
        assert_eq!((best.bot.as_str(), best.win_share, found.repeated), ("a", 1.0, 0));
        assert!((best.win_low - 20.0 / (20.0 + 1.96 * 1.96)).abs() < 1e-9 && best.win_high > 1.0 - 1e-9);
        for standing in &found.standings {
            assert!(standing.margin > 20.0 && standing.win_margin > 0.05 && standing.point_margin > 0.05);
            assert!(standing.win_low <= standing.win_share && standing.win_share <= standing.win_high);
            assert!(
                standing.point_low <= standing.point_share && standing.point_share <= standing.point_high
            );
        }
    }

    #[test]
    fn repeated_games_are_counted_and_do_not_narrow_margins() {
        let seats = seats();
        // One game per seat, repeated: the results of the seats differ.
        let repeated = |games: u64| {
            table((0..games).map(|i| game(seats, i, i % seats as u64, i % seats as u64 == 0)).collect())
        };
        let (few, many) = (repeated(seats as u64), repeated(20 * seats as u64));
        assert_eq!((few.repeated, many.repeated), (0, 19 * seats as u64));
        for (few, many) in few.standings.iter().zip(&many.standings) {
            assert_eq!((many.games - many.repeated, many.repeated), (few.games, 19 * few.games));
            assert!(many.margin >= few.margin - 1e-9 && many.win_margin >= few.win_margin - 1e-9);
            assert!((many.win_share - few.win_share).abs() < 1e-12);
        }
        // The same decisions by other players count as a distinct game.
        let swapped = table((0..4).map(|i| game(seats, i % 2, 7, true)).collect());
        assert_eq!(swapped.repeated, 2);
    }
}
