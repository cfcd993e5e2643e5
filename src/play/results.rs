//! How results are counted: shared wins, confidence margins.

/// Moves that bots lost and that are told one by one; the others are only counted.
pub(super) const TOLD_FAULTS: usize = 100;

/// Half-width of the 95 % interval of a normal distribution, in standard deviations.
const Z95: f64 = 1.96;

/// What every seat has of the win: who shares the first place shares the win.
pub(crate) fn shares_of_win(returns: &[f32]) -> impl Iterator<Item = f64> + '_ {
    let best = returns.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let winners = returns.iter().filter(|&&value| value == best).count() as f64;
    returns.iter().map(move |&value| if value == best { 1.0 / winners } else { 0.0 })
}

/// Half-width of the 95 % confidence interval of an estimate with this variance.
pub(crate) fn margin(variance: f64) -> f64 {
    Z95 * variance.max(0.0).sqrt()
}

/// The same for a share that was counted over `games` games.
#[cfg(feature = "cli")]
pub(crate) fn margin_of_share(share: f64, games: f64) -> f64 {
    margin(share * (1.0 - share) / games)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_win_is_shared_by_the_first_place() {
        let shares = |returns: &[f32]| shares_of_win(returns).collect::<Vec<_>>();
        assert_eq!(shares(&[-0.5, 1.0, -0.5]), [0.0, 1.0, 0.0]);
        assert_eq!(shares(&[0.5, -1.0, 0.5, -0.5]), [0.5, 0.0, 0.5, 0.0]);
    }

    #[test]
    fn margins_are_those_of_a_normal_distribution() {
        assert_eq!(margin(4.0), 3.92);
        assert!((margin(0.25 / 100.0) - 0.098).abs() < 1e-12);
    }
}
