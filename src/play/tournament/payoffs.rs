//! The table of payoffs between players, and its checks.

use crate::engine::{Error, Result};

/// The number of players of a payoff matrix.
///
/// # Errors
/// [`Error::InvalidConfig`] unless the matrix is square, not empty, and finite outside the diagonal.
pub(super) fn checked(payoffs: &[Vec<f64>]) -> Result<usize> {
    let n = payoffs.len();
    if n == 0 {
        return Err(Error::config("payoffs: at least one player is needed"));
    }
    for (a, row) in payoffs.iter().enumerate() {
        if row.len() != n {
            return Err(Error::config(format!("payoffs: row {a} has {} columns, {n} are needed", row.len())));
        }
        if let Some(b) = (0..n).find(|&b| b != a && !row[b].is_finite()) {
            return Err(Error::config(format!(
                "payoffs: players {a} and {b} have not met: every pair needs a finite payoff"
            )));
        }
    }
    Ok(n)
}
