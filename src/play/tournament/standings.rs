//! The result of a tournament: the players in order, the pairs that met.

use serde::{Deserialize, Serialize};

use super::elo;
use crate::engine::{Options, Spec};
use crate::play::player::Fault;
use crate::play::results::thousands;
use crate::play::results::{Shares, TOLD_FAULTS, shares_of_win};

/// One player's row of the standings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// The player.
    pub bot: String,
    /// Elo rating; the mean of all players is 0.
    pub elo: f64,
    /// Half-width of the 95 % confidence interval of `elo`; infinite (`null` in JSON) for a player that met no one.
    pub margin: f64,
    /// Number of seats taken: one per game, unless there are fewer players than seats.
    pub games: u64,
    /// Wins; a shared first place counts as a fraction.
    pub wins: f64,
    /// Share of wins among `games`.
    pub win_share: f64,
    /// Half-width of the 95 % confidence interval of `win_share`.
    pub win_margin: f64,
    /// Points against other players: a winner gets 1 from every loser; all other pairs get 1/2 each.
    pub points: f64,
    /// Number of comparisons that `points` is out of.
    pub comparisons: u64,
    /// Share of points among `comparisons`.
    pub point_share: f64,
    /// Half-width of the 95 % confidence interval of `point_share`.
    pub point_margin: f64,
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
        let head = ["bot", "Elo", "+/-", "games", "wins", "points", "mean score", "mean outcome", "faults"];
        let row = |s: &Standing| {
            vec![
                s.bot.clone(),
                format!("{:+.0}", s.elo),
                if s.margin.is_finite() { format!("{:.0}", s.margin) } else { "?".into() },
                thousands(s.games),
                format!("{:.1} %", 100.0 * s.win_share),
                format!("{:.1} %", 100.0 * s.point_share),
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
    let ratings = elo::rate(n, &duels);
    let mut standings: Vec<Standing> = (0..n)
        .map(|player| {
            let name = names[player].as_ref();
            let mut standing = Standing {
                bot: name.into(),
                elo: ratings[player].elo,
                margin: ratings[player].margin,
                games: 0,
                wins: 0.0,
                win_share: 0.0,
                win_margin: 0.0,
                points: 0.0,
                comparisons: 0,
                point_share: 0.0,
                point_margin: 0.0,
                mean_score: 0.0,
                mean_return: 0.0,
                faults: faults.iter().filter(|f| f.bot == name).count() as u64,
            };
            let (mut wins, mut points) = (Shares::default(), Shares::default());
            for (result, duels) in results.iter().zip(&duels) {
                let shares: Vec<f64> = shares_of_win(&result.returns).collect();
                for (seat, _) in result.seats.iter().enumerate().filter(|&(_, &p)| p == player) {
                    standing.games += 1;
                    standing.mean_score += f64::from(result.scores[seat]);
                    standing.mean_return += f64::from(result.returns[seat]);
                    wins.add(if result.truncated { 0.0 } else { shares[seat] }, 1.0);
                }
                let scored: Vec<f64> = duels.iter().filter_map(|duel| duel.points_of(player)).collect();
                points.add(scored.iter().sum(), scored.len() as f64);
            }
            standing.comparisons = points.out_of as u64;
            (standing.wins, standing.points) = (wins.sum, points.sum);
            (standing.win_share, standing.win_margin) = wins.share();
            (standing.point_share, standing.point_margin) = points.share();
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
        mean_game_length: decisions as f64 / results.len().max(1) as f64,
        standings,
        pairings,
        faults,
    }
}
