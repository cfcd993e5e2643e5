//! The sequential probability ratio test (SPRT) of two Elo differences.
//!
//! The log-likelihood ratio is the generalised one of chess engine testing (Fishtest's GSPRT): the unit is a run of
//! games, one from every seat of one opening. Its score has a distribution over the observed values, and each
//! hypothesis fixes the mean of that distribution alone; the other parameters are fitted by maximum likelihood.

use std::collections::HashMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::elo;
use super::standings::GameResult;
use crate::engine::{Error, Result};

/// A sequential test of the first player's Elo difference to its opponents.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// The Elo difference under H0.
    pub elo0: f64,
    /// The Elo difference under H1, above `elo0`.
    pub elo1: f64,
    /// Probability of accepting H1 under H0.
    pub alpha: f64,
    /// Probability of accepting H0 under H1.
    pub beta: f64,
}

/// The accepted hypothesis of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Hypothesis {
    /// The Elo difference is at most `elo0`.
    H0,
    /// The Elo difference is at least `elo1`.
    H1,
}

/// The state of a sequential test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SprtResult {
    /// The test.
    #[serde(flatten)]
    pub sprt: Sprt,
    /// Log-likelihood ratio of H1 to H0.
    pub llr: f64,
    /// H0 is accepted at this ratio or below.
    pub lower: f64,
    /// H1 is accepted at this ratio or above.
    pub upper: f64,
    /// Number of complete runs, in schedule order.
    pub runs: u64,
    /// The accepted hypothesis; `None` if the games did not decide.
    pub accepted: Option<Hypothesis>,
}

/// Pseudo-count of a run score that was not observed.
const UNSEEN: f64 = 1e-3;

/// The scores of a run of two games, which have a pseudo-count even if they were not observed.
const USUAL: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

impl Sprt {
    /// A test with `alpha` and `beta` of 5 %.
    #[must_use]
    pub fn new(elo0: f64, elo1: f64) -> Self {
        Self { elo0, elo1, alpha: 0.05, beta: 0.05 }
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the number and the allowed values.
    pub fn check(&self) -> Result<()> {
        let Self { elo0, elo1, alpha, beta } = *self;
        for (name, elo) in [("elo0", elo0), ("elo1", elo1)] {
            if !(-1000.0..=1000.0).contains(&elo) {
                return Err(Error::config(format!("sprt: {name}={elo}: -1000 to 1000 is allowed")));
            }
        }
        if elo0 >= elo1 {
            return Err(Error::config(format!("sprt: elo0={elo0} must be below elo1={elo1}")));
        }
        for (name, error) in [("alpha", alpha), ("beta", beta)] {
            if !(1e-6..0.5).contains(&error) {
                return Err(Error::config(format!("sprt: {name}={error}: 0.000001 to 0.5 is allowed")));
            }
        }
        Ok(())
    }

    /// The bounds of the log-likelihood ratio (Wald).
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of H1 to H0 for runs given as scores from 0 to 1 and their counts.
    #[must_use]
    pub fn llr(&self, scores: &[(f64, u64)]) -> f64 {
        if scores.iter().all(|&(_, count)| count == 0) {
            return 0.0;
        }
        let mut values: Vec<(f64, f64)> = USUAL.iter().map(|&score| (score, 0.0)).collect();
        for &(score, count) in scores {
            match values.iter_mut().find(|(value, _)| (value - score).abs() < 1e-9) {
                Some((_, n)) => *n += count as f64,
                None => values.push((score, count as f64)),
            }
        }
        values.iter_mut().filter(|(_, n)| *n == 0.0).for_each(|(_, n)| *n = UNSEEN);
        let mean = |elo: f64| elo::expected(elo);
        let (tilt0, tilt1) = (tilt(&values, mean(self.elo0)), tilt(&values, mean(self.elo1)));
        let log = |value: f64, mean: f64, tilt: f64| (1.0 + tilt * (value - mean)).ln();
        let ratio = |&(value, n): &(f64, f64)| {
            n * (log(value, mean(self.elo0), tilt0) - log(value, mean(self.elo1), tilt1))
        };
        values.iter().map(ratio).sum()
    }
}

impl FromStr for Sprt {
    type Err = Error;

    /// Parses `elo0=0,elo1=20`, optionally with `alpha=0.05,beta=0.05`.
    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::config(format!("sprt {text:?}: elo0=NUMBER,elo1=NUMBER with alpha= and beta= is allowed"))
        };
        let mut numbers = [None, None, Some(0.05), Some(0.05)];
        for part in text.split(',') {
            let (name, number) = part.split_once('=').ok_or_else(wrong)?;
            let place = ["elo0", "elo1", "alpha", "beta"].iter().position(|known| *known == name.trim());
            numbers[place.ok_or_else(wrong)?] = Some(number.trim().parse::<f64>().map_err(|_| wrong())?);
        }
        let [Some(elo0), Some(elo1), Some(alpha), Some(beta)] = numbers else { return Err(wrong()) };
        let sprt = Self { elo0, elo1, alpha, beta };
        sprt.check()?;
        Ok(sprt)
    }
}

/// The tilt `t` of the maximum-likelihood distribution with this mean: value `a` has probability
/// `p / (1 + t (a - mean))`. The values 0 and 1 have positive weight, so `t` is unique.
fn tilt(values: &[(f64, f64)], mean: f64) -> f64 {
    let excess = |t: f64| -> f64 {
        values.iter().map(|&(value, n)| n * (value - mean) / (1.0 + t * (value - mean))).sum()
    };
    // The excess falls from +inf to -inf between the poles of the smallest and the largest value.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// A test in progress. It considers complete runs in schedule order, so its result does not depend on which games
/// finish first.
#[derive(Debug)]
pub(super) struct Monitor {
    sprt: Sprt,
    seats: u64,
    /// Points and comparisons of the first player by game, for games that wait for earlier ones.
    waiting: HashMap<u64, (f64, f64)>,
    /// Number of the next run's first game.
    next: u64,
    scores: Vec<(f64, u64)>,
    llr: f64,
    accepted: Option<Hypothesis>,
}

impl Monitor {
    pub(super) fn new(sprt: Sprt, seats: usize) -> Self {
        let seats = seats as u64;
        Self { sprt, seats, waiting: HashMap::new(), next: 0, scores: Vec::new(), llr: 0.0, accepted: None }
    }

    /// Adds finished games; further ones are ignored once the test has decided.
    pub(super) fn add(&mut self, games: &[GameResult]) {
        for game in games {
            let duels = elo::duels(&game.seats, &game.returns);
            let points: Vec<f64> = duels.iter().filter_map(|duel| duel.points_of(0)).collect();
            self.waiting.insert(game.game, (points.iter().sum(), points.len() as f64));
        }
        while self.accepted.is_none() {
            let run = self.next..self.next + self.seats;
            if !run.clone().all(|game| self.waiting.contains_key(&game)) {
                return;
            }
            let (mut points, mut comparisons) = (0.0, 0.0);
            for game in run {
                let (got, out_of) = self.waiting.remove(&game).unwrap_or_default();
                points += got;
                comparisons += out_of;
            }
            self.next += self.seats;
            let score = points / f64::max(comparisons, 1.0);
            match self.scores.iter_mut().find(|(known, _)| (known - score).abs() < 1e-9) {
                Some((_, count)) => *count += 1,
                None => self.scores.push((score, 1)),
            }
            self.llr = self.sprt.llr(&self.scores);
            let (lower, upper) = self.sprt.bounds();
            self.accepted = match self.llr {
                llr if llr <= lower => Some(Hypothesis::H0),
                llr if llr >= upper => Some(Hypothesis::H1),
                _ => None,
            };
        }
    }

    /// The number of games that decided, if the test has decided.
    pub(super) fn decided(&self) -> Option<u64> {
        self.accepted.map(|_| self.next)
    }

    pub(super) fn result(&self) -> SprtResult {
        let (lower, upper) = self.sprt.bounds();
        let runs = self.next / self.seats;
        SprtResult { sprt: self.sprt, llr: self.llr, lower, upper, runs, accepted: self.accepted }
    }
}
