//! Nash averaging of a table of payoffs (Balduzzi et al. 2018).
//!
//! The maximum-entropy Nash equilibrium of the game "choose a player" weighs the opponents: copies of a player, or
//! many weak players, change no rating.

use super::payoffs::checked;
use crate::engine::Result;

/// The result of [`nash_average`].
#[derive(Debug, Clone, PartialEq)]
pub struct NashAverage {
    /// The equilibrium: the weight of every player.
    pub weights: Vec<f64>,
    /// The payoff of every player against the equilibrium, minus 1/2: 0 at best.
    pub ratings: Vec<f64>,
}

/// The last temperature of the logit equilibrium, which tends to the equilibrium of maximum entropy.
const COLDEST: f64 = 1e-8;

/// Nash averaging over payoffs: `payoffs[a][b]` is the share of points of `a` against `b`, so both directions add up
/// to 1; the diagonal is ignored.
///
/// # Errors
/// [`Error::InvalidConfig`](crate::engine::Error::InvalidConfig) unless the matrix is square and finite.
pub fn nash_average(payoffs: &[Vec<f64>]) -> Result<NashAverage> {
    let n = checked(payoffs)?;
    let advantage: Vec<Vec<f64>> =
        (0..n).map(|a| (0..n).map(|b| (payoffs[a][b] - payoffs[b][a]) / 2.0).collect()).collect();
    let largest = advantage.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
    let mut weights = vec![1.0 / n as f64; n];
    if largest > 0.0 {
        // A player's weight is proportional to exp(advantage / temperature). This equilibrium is unique, and a
        // symmetric zero-sum game adds temperature × (own entropy - the opponent's) to the value: in the limit, the
        // entropy selects among the Nash equilibria.
        let mut logits = vec![0.0; n];
        let mut temperature = 4.0 * largest;
        while temperature > COLDEST * largest {
            temperature *= 0.6;
            solve(&advantage, temperature, &mut logits);
            weights = softmax(&logits);
        }
    }
    let ratings = times(&advantage, &weights);
    Ok(NashAverage { weights, ratings })
}

/// Newton's method for `logits = advantage × softmax(logits) / temperature`, with step halving.
fn solve(advantage: &[Vec<f64>], temperature: f64, logits: &mut Vec<f64>) {
    let n = logits.len();
    let residual = |logits: &[f64]| -> Vec<f64> {
        let expected = times(advantage, &softmax(logits));
        logits.iter().zip(expected).map(|(x, a)| x - a / temperature).collect()
    };
    let size = |values: &[f64]| values.iter().map(|x| x * x).sum::<f64>();
    let mut error = residual(logits);
    for _ in 0..60 {
        if size(&error) < 1e-24 {
            return;
        }
        let p = softmax(logits);
        // Derivative of softmax: diag(p) - p pᵀ.
        let mean = times(advantage, &p);
        let jacobian: Vec<Vec<f64>> = (0..n)
            .map(|a| {
                let entry = |b: usize| (advantage[a][b] - mean[a]) * p[b] / temperature;
                (0..n).map(|b| f64::from(u8::from(a == b)) - entry(b)).collect()
            })
            .collect();
        let step = linear(jacobian, error.clone());
        let mut length = 1.0;
        loop {
            let tried: Vec<f64> = logits.iter().zip(&step).map(|(x, s)| x - length * s).collect();
            let found = residual(&tried);
            if size(&found) < size(&error) {
                (*logits, error) = (tried, found);
                break;
            }
            length /= 2.0;
            if length < 1e-6 {
                return;
            }
        }
    }
}

/// Solves a linear system by Gaussian elimination with partial pivoting.
fn linear(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for i in 0..n {
        let pivot = (i..n).max_by(|&a, &b| matrix[a][i].abs().total_cmp(&matrix[b][i].abs())).unwrap_or(i);
        matrix.swap(i, pivot);
        right.swap(i, pivot);
        let row = matrix[i].clone();
        for j in i + 1..n {
            let factor = matrix[j][i] / row[i];
            matrix[j].iter_mut().zip(&row).for_each(|(x, r)| *x -= factor * r);
            right[j] -= factor * right[i];
        }
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| matrix[i][j] * right[j]).sum();
        right[i] = (right[i] - known) / matrix[i][i];
    }
    right
}

fn times(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().zip(vector).map(|(x, v)| x * v).sum()).collect()
}

fn softmax(logits: &[f64]) -> Vec<f64> {
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logits.iter().map(|x| (x - most).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}
