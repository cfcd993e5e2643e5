//! The sequential probability ratio test (SPRT) of two Elo differences.
//!
//! The log-likelihood ratio is the generalised one of chess engine testing (Fishtest's GSPRT): the unit is a run of
//! games, one from every seat of one opening. Its score has a distribution over the observed values. A hypothesis fixes
//! the mean of that distribution (logistic Elo), or the ratio of lead to standard deviation (normalized Elo, the default
//! of fastchess); the other parameters are fitted by maximum likelihood.

use std::collections::HashMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::elo;
use super::run_scores::{RunScores, moments};
use super::standings::GameResult;
use crate::engine::{Error, Named, Result};

/// The scale of the Elo differences of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// Normalized Elo: the lead in points divided by the standard deviation of a game.
    #[default]
    Normalized,
    /// Elo: 400 points are odds of ten to one.
    Logistic,
}

impl Named for EloModel {
    const NAMES: &'static [(&'static str, Self)] =
        &[("normalized", Self::Normalized), ("logistic", Self::Logistic)];
}

impl EloModel {
    /// The largest difference of a hypothesis.
    fn most(self) -> f64 {
        match self {
            // No distribution over the scores of a pair has a larger ratio to start the fit from.
            Self::Normalized => 200.0,
            Self::Logistic => 1000.0,
        }
    }
}

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
    /// The scale of the two differences.
    pub model: EloModel,
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

impl Sprt {
    /// A test in normalized Elo with `alpha` and `beta` of 5 %.
    #[must_use]
    pub fn new(elo0: f64, elo1: f64) -> Self {
        Self { elo0, elo1, alpha: 0.05, beta: 0.05, model: EloModel::default() }
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the number and the allowed values.
    pub fn check(&self) -> Result<()> {
        let Self { elo0, elo1, alpha, beta, model } = *self;
        let most = model.most();
        for (name, elo) in [("elo0", elo0), ("elo1", elo1)] {
            if !(-most..=most).contains(&elo) {
                let model = model.name();
                return Err(Error::config(format!(
                    "sprt: {name}={elo}: -{most} to {most} is allowed with model={model}"
                )));
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

    /// The log-likelihood ratio of H1 to H0; 0 without runs.
    #[must_use]
    pub fn llr(&self, runs: &RunScores) -> f64 {
        if runs.runs() == 0 {
            return 0.0;
        }
        let values = runs.regularized();
        let logs = |elo: f64| match self.model {
            EloModel::Logistic => with_mean(&values, elo::expected(elo)),
            EloModel::Normalized => with_t_value(&values, runs.t_value(elo)),
        };
        let (h0, h1) = (logs(self.elo0), logs(self.elo1));
        values.iter().zip(h0).zip(h1).map(|(((_, n), h0), h1)| n * (h1 - h0)).sum()
    }
}

impl FromStr for Sprt {
    type Err = Error;

    /// Parses `elo0=0,elo1=20`, optionally with `alpha=0.05,beta=0.05,model=normalized`.
    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::config(format!(
                "sprt {text:?}: elo0=NUMBER,elo1=NUMBER with alpha=, beta= and model= (normalized or logistic) is allowed"
            ))
        };
        let (mut numbers, mut model) = ([None, None, Some(0.05), Some(0.05)], EloModel::default());
        for part in text.split(',') {
            let (name, value) = part.split_once('=').ok_or_else(wrong)?;
            let (name, value) = (name.trim(), value.trim());
            if name == "model" {
                model = EloModel::named(value).ok_or_else(wrong)?;
                continue;
            }
            let place = ["elo0", "elo1", "alpha", "beta"].iter().position(|known| *known == name);
            numbers[place.ok_or_else(wrong)?] = Some(value.parse::<f64>().map_err(|_| wrong())?);
        }
        let [Some(elo0), Some(elo1), Some(alpha), Some(beta)] = numbers else { return Err(wrong()) };
        let sprt = Self { elo0, elo1, alpha, beta, model };
        sprt.check()?;
        Ok(sprt)
    }
}

/// Logarithms, up to a constant, of the maximum-likelihood probabilities of values with this mean.
fn with_mean(values: &[(f64, f64)], mean: f64) -> Vec<f64> {
    let excess: Vec<f64> = values.iter().map(|&(value, _)| value - mean).collect();
    tilted(values, &excess).iter().map(|p| p.ln()).collect()
}

/// The same for values with this ratio of lead to standard deviation.
///
/// Iterates the tilt that is linear in the moments of the last distribution (Van den Bergh, "Comments on normalized
/// Elo", 4.1), from a uniform one.
fn with_t_value(values: &[(f64, f64)], t: f64) -> Vec<f64> {
    let mut fitted: Vec<f64> = vec![1.0 / values.len() as f64; values.len()];
    for _ in 0..200 {
        let weighted: Vec<(f64, f64)> =
            values.iter().zip(&fitted).map(|(&(value, _), &p)| (value, p)).collect();
        let (mean, variance) = moments(&weighted);
        let deviation = variance.sqrt();
        let excess = |&(value, _): &(f64, f64)| {
            value - 0.5 - t * deviation * (1.0 + ((mean - value) / deviation).powi(2)) / 2.0
        };
        let excess: Vec<f64> = values.iter().map(excess).collect();
        let next = tilted(values, &excess);
        let moved = next.iter().zip(&fitted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        fitted = next;
        if moved < 1e-12 {
            break;
        }
    }
    fitted.iter().map(|p| p.ln()).collect()
}

/// The maximum-likelihood probabilities of values whose excess, of either sign, has the mean 0: value `i` has
/// probability `p / (1 + x e)` with its observed share `p` and its excess `e`.
fn tilted(values: &[(f64, f64)], excess: &[f64]) -> Vec<f64> {
    let all: f64 = values.iter().map(|(_, n)| n).sum();
    let shares: Vec<f64> = values.iter().map(|(_, n)| n / all).collect();
    let mean = |x: f64| -> f64 { shares.iter().zip(excess).map(|(p, e)| p * e / (1.0 + x * e)).sum() };
    // The mean falls from +inf to -inf between the poles of the largest and the smallest excess.
    let (least, most) = excess.iter().fold((0.0_f64, 0.0_f64), |(low, high), &e| (low.min(e), high.max(e)));
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if mean(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let x = f64::midpoint(low, high);
    shares.iter().zip(excess).map(|(p, e)| p / (1.0 + x * e)).collect()
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
    scores: RunScores,
    llr: f64,
    accepted: Option<Hypothesis>,
}

impl Monitor {
    pub(super) fn new(sprt: Sprt, seats: usize) -> Self {
        Self {
            sprt,
            seats: seats as u64,
            waiting: HashMap::new(),
            next: 0,
            scores: RunScores::new(seats),
            llr: 0.0,
            accepted: None,
        }
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
            self.scores.add(points / f64::max(comparisons, 1.0));
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
