//! α-rank of a table of payoffs (Omidshafiei et al. 2019), for one population.
//!
//! A population of one player is invaded by single mutants; the stationary distribution over players of this Markov
//! chain ranks them. Unlike Elo, it keeps cycles: rock, paper and scissors have a third each.

use super::payoffs::checked;
use crate::engine::{Error, Result};

/// The stationary distribution of α-rank with selection intensity `alpha` in a population of `population`.
///
/// `payoffs` are as for [`nash_average`](super::nash_average).
///
/// # Errors
/// [`Error::InvalidConfig`] unless the matrix is square and finite, `alpha` is positive and the population at least 2.
pub fn alpha_rank(payoffs: &[Vec<f64>], alpha: f64, population: u32) -> Result<Vec<f64>> {
    let n = checked(payoffs)?;
    if !(alpha > 0.0 && alpha.is_finite()) {
        return Err(Error::config(format!("alpha={alpha}: a positive number is needed")));
    }
    if population < 2 {
        return Err(Error::config(format!("population={population}: at least 2 is needed")));
    }
    // Logarithms of transition probabilities from row to column, up to a common factor. With large `alpha` the
    // probabilities themselves underflow.
    let mut log: Vec<Vec<f64>> = (0..n)
        .map(|from| {
            let advantage = |to: usize| alpha * (payoffs[to][from] - payoffs[from][to]);
            (0..n).map(|to| log_fixation(advantage(to), f64::from(population))).collect()
        })
        .collect();
    Ok(stationary(&mut log))
}

/// Logarithm of the probability that a mutant with this advantage takes over a population.
fn log_fixation(advantage: f64, population: f64) -> f64 {
    let size = advantage.abs();
    if size < 1e-14 {
        return -population.ln();
    }
    let odds = (-(-size).exp_m1()).ln() - (-(-population * size).exp_m1()).ln();
    if advantage > 0.0 { odds } else { odds - (population - 1.0) * size }
}

/// Stationary distribution of a Markov chain by the algorithm of Grassmann, Taksar and Heyman, which only adds and
/// multiplies positive numbers; here with their logarithms.
fn stationary(log: &mut [Vec<f64>]) -> Vec<f64> {
    let n = log.len();
    for last in (1..n).rev() {
        let out = sum(&log[last][..last]);
        for from in 0..last {
            log[from][last] -= out;
            for to in (0..last).filter(|&to| to != from) {
                log[from][to] = sum(&[log[from][to], log[from][last] + log[last][to]]);
            }
        }
    }
    let mut weights = vec![0.0; n];
    for state in 1..n {
        let into: Vec<f64> = (0..state).map(|from| weights[from] + log[from][state]).collect();
        weights[state] = sum(&into);
    }
    let total = sum(&weights);
    weights.into_iter().map(|weight| (weight - total).exp()).collect()
}

/// The logarithm of a sum of numbers given as logarithms.
fn sum(logs: &[f64]) -> f64 {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most + logs.iter().map(|x| (x - most).exp()).sum::<f64>().ln()
}
