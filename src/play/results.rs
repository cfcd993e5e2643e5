//! Counting of results: shared wins, confidence margins.

/// Maximum number of lost moves reported one by one; further ones are only counted.
pub(super) const TOLD_FAULTS: usize = 100;

/// Half-width of the 95 % interval of a normal distribution, in standard deviations.
const Z95: f64 = 1.96;

/// Every player's share of the win: players tied for first place share it.
pub fn shares_of_win(returns: &[f32]) -> impl Iterator<Item = f64> + '_ {
    let best = returns.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let winners = returns.iter().filter(|&&value| value == best).count() as f64;
    returns.iter().map(move |&value| if value == best { 1.0 / winners } else { 0.0 })
}

/// A number with thousands separators.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with a noun: `1 thread`, `2 threads`.
pub fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Half-width of the 95 % confidence interval of an estimate with this variance.
pub fn margin(variance: f64) -> f64 {
    Z95 * variance.max(0.0).sqrt()
}

/// The same for a share counted over `games` games.
pub fn margin_of_share(share: f64, games: f64) -> f64 {
    margin(share * (1.0 - share) / games)
}

/// Points of a player out of the available points, summed over games.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shares {
    /// The points.
    pub sum: f64,
    /// The available points.
    pub out_of: f64,
    squares: f64,
    products: f64,
    out_of_squares: f64,
}

impl Shares {
    /// Counts a game.
    pub fn add(&mut self, got: f64, out_of: f64) {
        self.sum += got;
        self.out_of += out_of;
        self.squares += got * got;
        self.products += got * out_of;
        self.out_of_squares += out_of * out_of;
    }

    /// The share of points, and the half-width of its 95 % confidence interval. Games are independent of each other,
    /// but the points within one game are not.
    pub fn share(&self) -> (f64, f64) {
        if self.out_of == 0.0 {
            return (0.0, 0.0);
        }
        let share = self.sum / self.out_of;
        let squared_errors = self.squares - 2.0 * share * self.products + share * share * self.out_of_squares;
        (share, margin(squared_errors / (self.out_of * self.out_of)))
    }
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
    fn margins_follow_a_normal_distribution() {
        assert_eq!(margin(4.0), 3.92);
        assert!((margin(0.25 / 100.0) - 0.098).abs() < 1e-12);
    }
    #[test]
    fn the_margin_of_a_share_counts_games() {
        let mut single = Shares::default();
        [1.0, 0.0, 1.0, 1.0].into_iter().for_each(|got| single.add(got, 1.0));
        let (share, half) = single.share();
        assert_eq!(share, 0.75);
        assert!((half - margin(0.75 * 0.25 / 4.0)).abs() < 1e-12);
        // Three comparisons in a game that always agree carry as much information as one.
        let mut tripled = Shares::default();
        [3.0, 0.0, 3.0, 3.0].into_iter().for_each(|got| tripled.add(got, 3.0));
        let (again, same) = tripled.share();
        assert!((again - share).abs() < 1e-12 && (same - half).abs() < 1e-12);
        assert_eq!(Shares::default().share(), (0.0, 0.0));
    }
}
