//! Counts over the games of a tournament, with the units of its intervals.

use std::collections::{BTreeMap, HashSet};

use super::elo::{self, Duel};
use super::run_scores::RunScores;
use super::standings::GameResult;
use crate::results::{Share, Shares, shares_of_win};

/// The games of a tournament, in schedule order and grouped into units.
///
/// A unit is the sample of an interval: a run of games from one opening, because these games share the opening, or a
/// single game without openings.
pub(super) struct Counted<'a> {
    games: Vec<CountedGame<'a>>,
    units: Vec<Vec<usize>>,
}

struct CountedGame<'a> {
    result: &'a GameResult,
    duels: Vec<Duel>,
    /// By seat.
    wins: Vec<f64>,
    /// Whether no earlier game has the same players, seats, opening and decisions.
    is_new: bool,
}

/// The results of a player in some games.
pub(super) struct Tally {
    pub(super) games: u64,
    pub(super) repeated: u64,
    pub(super) wins: KnownShares,
    pub(super) points: KnownShares,
    pub(super) mean_score: f64,
    /// Half the width of the 95 % confidence interval of `mean_score`; infinite for fewer than two samples.
    pub(super) score_margin: f64,
    pub(super) mean_return: f64,
}

/// Shares over all games, with intervals from the distinct ones.
#[derive(Default)]
pub(super) struct KnownShares {
    all: Shares,
    distinct: Shares,
}

impl KnownShares {
    pub(super) fn sum(&self) -> f64 {
        self.all.sum
    }
    pub(super) fn out_of(&self) -> f64 {
        self.all.out_of
    }
    pub(super) fn share(&self) -> Share {
        self.all.share_known_by(&self.distinct)
    }
}

/// The duels of one player with another.
pub(super) struct DuelCounts {
    /// Won, drawn and lost ones.
    pub(super) results: [u64; 3],
    /// The scores of complete runs.
    pub(super) runs: RunScores,
    /// The scores of complete runs in which no game repeats an earlier one.
    pub(super) distinct_runs: RunScores,
}

impl<'a> Counted<'a> {
    /// Games sorted by number; `paired` makes runs the units.
    pub(super) fn new(results: &'a [GameResult], paired: bool) -> Self {
        let mut known = HashSet::new();
        let games: Vec<CountedGame<'_>> = results
            .iter()
            .map(|result| CountedGame {
                result,
                duels: elo::duels(&result.seats, &result.returns),
                wins: if result.truncated {
                    vec![0.0; result.seats.len()]
                } else {
                    shares_of_win(&result.returns).collect()
                },
                is_new: known.insert((&result.seats, result.decisions)),
            })
            .collect();
        let mut units: Vec<Vec<usize>> = Vec::new();
        let mut last = None;
        for (k, game) in games.iter().enumerate() {
            match units.last_mut() {
                Some(unit) if paired && last == Some(game.result.run) => unit.push(k),
                _ => units.push(vec![k]),
            }
            last = Some(game.result.run);
        }
        Self { games, units }
    }

    /// Number of repeated games.
    pub(super) fn repeated(&self) -> u64 {
        self.games.iter().filter(|game| !game.is_new).count() as u64
    }

    /// The distinct games in order.
    pub(super) fn distinct(&self) -> impl Iterator<Item = &'a GameResult> {
        self.games.iter().filter(|game| game.is_new).map(|game| game.result)
    }

    /// The duels of every unit, of distinct games only or of all.
    pub(super) fn duels(&self, distinct: bool) -> Vec<Vec<Duel>> {
        let of_unit = |unit: &Vec<usize>| {
            let games = unit.iter().map(|&k| &self.games[k]).filter(|game| game.is_new || !distinct);
            games.flat_map(|game| game.duels.iter().copied()).collect()
        };
        self.units.iter().map(of_unit).collect()
    }

    /// The duels of one player with another, and their complete runs of one game per seat.
    pub(super) fn duels_of(&self, player: usize, other: usize, seats: usize) -> DuelCounts {
        let mut found =
            DuelCounts { results: [0; 3], runs: RunScores::new(seats), distinct_runs: RunScores::new(seats) };
        let mut runs: BTreeMap<u64, Vec<&CountedGame<'_>>> = BTreeMap::new();
        for game in &self.games {
            runs.entry(game.result.run).or_default().push(game);
        }
        for games in runs.into_values() {
            let duels = games.iter().flat_map(|game| &game.duels);
            let points: Vec<f64> =
                duels.filter_map(|duel| duel.points_against(player, |p| p == other)).collect();
            for &points in &points {
                // 2, 1 or 0 half points: won, drawn, lost.
                found.results[2 - (2.0 * points) as usize] += 1;
            }
            if games.len() == seats && !points.is_empty() {
                let score = points.iter().sum::<f64>() / points.len() as f64;
                found.runs.add(score);
                if games.iter().all(|game| game.is_new) {
                    found.distinct_runs.add(score);
                }
            }
        }
        found
    }

    /// The results of a player in the games that `counts` selects, with its points against the `opponents`.
    pub(super) fn tally(
        &self,
        player: usize,
        counts: impl Fn(&GameResult) -> bool,
        opponents: impl Fn(usize) -> bool,
    ) -> Tally {
        let mut found = Tally {
            games: 0,
            repeated: 0,
            wins: KnownShares::default(),
            points: KnownShares::default(),
            mean_score: 0.0,
            score_margin: f64::INFINITY,
            mean_return: 0.0,
        };
        // The scores of distinct games by unit.
        let mut scores = Shares::default();
        for unit in &self.units {
            // Won and available: wins and points, over all games and over distinct ones.
            let mut sums = [[(0.0, 0.0); 2]; 2];
            let mut scored = (0.0, 0.0);
            for game in unit.iter().map(|&k| &self.games[k]) {
                let result = game.result;
                if !result.seats.contains(&player) || !counts(result) {
                    continue;
                }
                found.games += 1;
                found.repeated += u64::from(!game.is_new);
                let (mut won, mut seats) = (0.0, 0.0);
                for seat in (0..result.seats.len()).filter(|&seat| result.seats[seat] == player) {
                    won += game.wins[seat];
                    seats += 1.0;
                    let score = f64::from(result.scores[seat]);
                    found.mean_score += score;
                    if game.is_new {
                        scored = (scored.0 + score, scored.1 + 1.0);
                    }
                    found.mean_return += f64::from(result.returns[seat]);
                }
                let duels = game.duels.iter().filter_map(|duel| duel.points_against(player, &opponents));
                let (points, comparisons) =
                    duels.fold((0.0, 0.0), |(sum, n), points| (sum + points, n + 1.0));
                for sums in &mut sums[..1 + usize::from(game.is_new)] {
                    sums[0] = (sums[0].0 + won, sums[0].1 + seats);
                    sums[1] = (sums[1].0 + points, sums[1].1 + comparisons);
                }
            }
            scores.add(scored.0, scored.1);
            for (shares, [all, distinct]) in [&mut found.wins, &mut found.points]
                .into_iter()
                .zip([[sums[0][0], sums[1][0]], [sums[0][1], sums[1][1]]])
            {
                shares.all.add(all.0, all.1);
                shares.distinct.add(distinct.0, distinct.1);
            }
        }
        found.score_margin = scores.mean_margin();
        let seats = found.wins.out_of().max(1.0);
        found.mean_score /= seats;
        found.mean_return /= seats;
        found
    }
}

/// The Elo difference that an expected share of points belongs to; `None` if it is infinite.
pub(super) fn elo_of_share(share: f64) -> Option<f64> {
    (share > 0.0 && share < 1.0).then(|| 400.0 * (share / (1.0 - share)).log10())
}
