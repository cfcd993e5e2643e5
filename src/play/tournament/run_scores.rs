//! The scores of runs of games: pentanomial counts, normalized Elo, likelihood of superiority.
//!
//! A run has one game from every seat of one opening. In games of two it is the pair of engine testing, and its scores
//! are the pentanomial ones of fastchess and Fishtest.

/// Pseudo-count of a run score that was not observed.
const UNSEEN: f64 = 1e-3;

/// The scores of a run of two games, which have a pseudo-count even if they were not observed.
const USUAL: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Normalized Elo per unit of lead divided by standard deviation of a game.
const NORMALIZED_SCALE: f64 = 800.0 / std::f64::consts::LN_10;

/// The scores, from 0 to 1, of complete runs, with their counts.
#[derive(Debug, Clone, PartialEq)]
pub struct RunScores {
    games_per_run: usize,
    scores: Vec<(f64, u64)>,
}

impl RunScores {
    /// No runs yet, of this many games each.
    #[must_use]
    pub fn new(games_per_run: usize) -> Self {
        Self { games_per_run, scores: Vec::new() }
    }

    /// Pairs by points: 0, 1/2, 1, 3/2 and 2 of 2.
    #[must_use]
    pub fn pentanomial(counts: [u64; 5]) -> Self {
        Self { games_per_run: 2, scores: USUAL.into_iter().zip(counts).collect() }
    }

    /// Adds a run.
    pub fn add(&mut self, score: f64) {
        match self.scores.iter_mut().find(|(known, _)| (known - score).abs() < 1e-9) {
            Some((_, count)) => *count += 1,
            None => self.scores.push((score, 1)),
        }
    }

    /// Number of runs.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.scores.iter().map(|(_, count)| count).sum()
    }

    /// Number of pairs by points: 0, 1/2, 1, 3/2 and 2 of 2; `None` unless a run has two games.
    #[must_use]
    pub fn as_pentanomial(&self) -> Option<[u64; 5]> {
        let count = |score: f64| {
            let found = self.scores.iter().find(|(known, _)| (known - score).abs() < 1e-9);
            found.map_or(0, |(_, count)| *count)
        };
        (self.games_per_run == 2).then(|| USUAL.map(count))
    }

    /// Normalized Elo with the half-width of its 95 % confidence interval: the lead in points divided by the standard
    /// deviation of a game. `None` if all runs have one score.
    #[must_use]
    pub fn normalized_elo(&self) -> Option<(f64, f64)> {
        let counts: Vec<(f64, f64)> = self.scores.iter().map(|&(score, n)| (score, n as f64)).collect();
        let (mean, variance) = moments(&counts);
        let games = (self.games_per_run as u64 * self.runs()) as f64;
        let lead = (mean - 0.5) / (self.games_per_run as f64 * variance).sqrt();
        (variance > 1e-12)
            .then(|| (NORMALIZED_SCALE * lead, NORMALIZED_SCALE * crate::results::margin(1.0 / games)))
    }

    /// The probability that the true score is above one half, by the normal approximation; `None` for fewer than two
    /// runs.
    #[must_use]
    pub fn superiority(&self) -> Option<f64> {
        let (mean, variance) = moments(&self.regularized());
        let runs = self.runs();
        let deviations = (mean - 0.5) / (variance / runs as f64).sqrt();
        (runs > 1).then(|| 0.5 * libm::erfc(-deviations / std::f64::consts::SQRT_2))
    }

    /// The counts, with pseudo-counts for the scores of a pair that were not observed.
    pub(super) fn regularized(&self) -> Vec<(f64, f64)> {
        let mut values: Vec<(f64, f64)> = USUAL.iter().map(|&score| (score, 0.0)).collect();
        for &(score, count) in &self.scores {
            match values.iter_mut().find(|(value, _)| (value - score).abs() < 1e-9) {
                Some((_, n)) => *n += count as f64,
                None => values.push((score, count as f64)),
            }
        }
        values.iter_mut().filter(|(_, n)| *n == 0.0).for_each(|(_, n)| *n = UNSEEN);
        values
    }

    /// The ratio of a run's lead to its standard deviation at this normalized Elo.
    pub(super) fn t_value(&self, normalized_elo: f64) -> f64 {
        (self.games_per_run as f64).sqrt() * normalized_elo / NORMALIZED_SCALE
    }
}

/// Mean and variance of weighted values; zeros without weight.
pub(super) fn moments(values: &[(f64, f64)]) -> (f64, f64) {
    let all: f64 = values.iter().map(|(_, n)| n).sum();
    let all = if all > 0.0 { all } else { 1.0 };
    let mean = values.iter().map(|(value, n)| value * n).sum::<f64>() / all;
    let variance = values.iter().map(|(value, n)| n * (value - mean).powi(2)).sum::<f64>() / all;
    (mean, variance)
}
