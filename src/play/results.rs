//! Counting of results: shared wins, confidence margins.

/// Maximum number of lost moves reported one by one; further ones are only counted.
pub(super) const TOLD_FAULTS: usize = 100;

/// Half-width of the 95 % interval of a normal distribution, in standard deviations.
const Z95: f64 = 1.96;

/// Every player's share of the win: players tied for first place share it.
///
/// ```
/// use ludovec_play::results::shares_of_win;
/// assert_eq!(shares_of_win(&[1.0, -1.0]).collect::<Vec<_>>(), [1.0, 0.0]);
/// ```
pub fn shares_of_win(returns: &[f32]) -> impl Iterator<Item = f64> + '_ {
    let best = returns.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let winners = returns.iter().filter(|&&value| value == best).count() as f64;
    returns.iter().map(move |&value| if value == best { 1.0 / winners } else { 0.0 })
}

/// A number with thousands separators.
///
/// ```
/// assert_eq!(ludovec_play::results::thousands(1_234_567), "1,234,567");
/// ```
#[must_use]
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
///
/// ```
/// use ludovec_play::results::counted;
/// assert_eq!((counted(1, "game"), counted(2, "game")), ("1 game".to_string(), "2 games".to_string()));
/// ```
#[must_use]
pub fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Half-width of the 95 % confidence interval of an estimate with this variance.
#[must_use]
pub fn margin(variance: f64) -> f64 {
    Z95 * variance.max(0.0).sqrt()
}

/// A share and its 95 % confidence interval.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Share {
    /// The observed share.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Share {
    /// Half the width of the interval, which is not symmetric about the share.
    #[must_use]
    pub fn margin(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// The share with its interval as percentages: `85.0 % (64.0-94.8)`.
    #[must_use]
    pub fn percent(self) -> String {
        let [value, low, high] = [self.value, self.low, self.high].map(|share| 100.0 * share);
        format!("{value:.1} % ({low:.1}-{high:.1})")
    }
}

/// Wilson score interval of a share over `games` independent games.
#[must_use]
pub fn share_of_games(share: f64, games: f64) -> Share {
    wilson(share, games, share * (1.0 - share))
}

/// Wilson score interval for results from 0 to 1, given the variance of a result. It is centred on the mean after
/// adding about four games, half of them won, so its width is positive even for 20 wins or 20 draws of 20 games.
fn wilson(share: f64, games: f64, variance: f64) -> Share {
    let (z2, all) = (Z95 * Z95, games + Z95 * Z95);
    let middle = (games * share + z2 / 2.0) / all;
    let half = margin(games * variance.max(0.0) + z2 / 4.0) / all;
    Share { value: share, low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
}

/// The points of a player out of the available points, summed over games.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shares {
    /// The points.
    pub sum: f64,
    /// The available points.
    pub out_of: f64,
    games: f64,
    squares: f64,
    products: f64,
    out_of_squares: f64,
}

impl Shares {
    /// Counts a game.
    pub fn add(&mut self, got: f64, out_of: f64) {
        self.sum += got;
        self.out_of += out_of;
        self.games += f64::from(u8::from(out_of > 0.0));
        self.squares += got * got;
        self.products += got * out_of;
        self.out_of_squares += out_of * out_of;
    }

    /// The share of points with its interval. Games are independent samples; the points within one game are not.
    #[must_use]
    pub fn share(&self) -> Share {
        if self.out_of == 0.0 {
            return Share { value: 0.0, low: 0.0, high: 1.0 };
        }
        let share = self.sum / self.out_of;
        let squared_errors = self.squares - 2.0 * share * self.products + share * share * self.out_of_squares;
        // The variance of the mean, times the number of games.
        wilson(share, self.games, self.games * squared_errors / (self.out_of * self.out_of))
    }

    /// Half the width of the 95 % confidence interval of the mean `sum / out_of` of numbers in any range; infinite for
    /// fewer than two samples.
    #[must_use]
    pub fn mean_margin(&self) -> f64 {
        if self.games < 2.0 {
            return f64::INFINITY;
        }
        let mean = self.sum / self.out_of;
        let squared_errors = self.squares - 2.0 * mean * self.products + mean * mean * self.out_of_squares;
        margin(squared_errors.max(0.0) * self.games / (self.games - 1.0)) / self.out_of
    }

    /// This share with the interval of the `distinct` games: repeated games do not narrow it.
    #[must_use]
    pub fn share_known_by(&self, distinct: &Self) -> Share {
        let (all, known) = (self.share(), distinct.share());
        // The share over all games may be outside the interval of the distinct games.
        Share { value: all.value, low: known.low.min(all.value), high: known.high.max(all.value) }
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
    fn intervals_are_wilsons() {
        // Brown, Cai, DasGupta (2001): the interval of 20 successes of 20 begins at n / (n + z²).
        let swept = wilson(1.0, 20.0, 0.0);
        assert!((swept.low - 20.0 / (20.0 + Z95 * Z95)).abs() < 1e-12 && (swept.high - 1.0).abs() < 1e-12);
        assert!(swept.margin() > 0.08);
        let half = wilson(0.5, 100.0, 0.25);
        assert!((half.low - 0.4038).abs() < 1e-3 && (half.high - 0.5962).abs() < 1e-3, "{half:?}");
        for won in 0..=20 {
            let share = f64::from(won) / 20.0;
            let found = wilson(share, 20.0, share * (1.0 - share));
            assert!(found.low <= share && share <= found.high && found.low >= 0.0 && found.high <= 1.0);
            assert!(found.margin() > 0.05, "{found:?}");
        }
    }

    #[test]
    fn the_margin_of_a_share_counts_games() {
        let mut single = Shares::default();
        [1.0, 0.0, 1.0, 1.0].into_iter().for_each(|got| single.add(got, 1.0));
        let found = single.share();
        let expected = wilson(0.75, 4.0, 0.75 * 0.25);
        assert!((found.low - expected.low).abs() < 1e-12 && (found.high - expected.high).abs() < 1e-12);
        // Three comparisons in a game that always agree carry as much information as one.
        let mut tripled = Shares::default();
        [3.0, 0.0, 3.0, 3.0].into_iter().for_each(|got| tripled.add(got, 3.0));
        let again = tripled.share();
        assert!((again.value - 0.75).abs() < 1e-12 && (again.margin() - found.margin()).abs() < 1e-12);
        // Draws have a narrower interval than decided games, but its width is not 0.
        let mut drawn = Shares::default();
        (0..4).for_each(|_| drawn.add(0.5, 1.0));
        assert!(drawn.share().margin() > 0.1 && drawn.share().margin() < wilson(0.5, 4.0, 0.25).margin());
        assert_eq!(Shares::default().share(), Share { value: 0.0, low: 0.0, high: 1.0 });
    }

    #[test]
    fn repeated_games_do_not_narrow_the_interval() {
        let (mut all, mut distinct) = (Shares::default(), Shares::default());
        (0..40).for_each(|game| all.add(f64::from(game % 2), 1.0));
        (0..2).for_each(|game| distinct.add(f64::from(game % 2), 1.0));
        let found = all.share_known_by(&distinct);
        assert_eq!((found.value, found.margin()), (0.5, distinct.share().margin()));
        assert!(found.margin() > 0.3);
    }
}
