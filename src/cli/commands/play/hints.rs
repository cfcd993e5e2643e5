//! Hints: the actions that a network or a search would choose, in words.

use ludovec::engine::{Analysis, SingleGame};

/// Number of actions in a hint.
pub(super) const BEST: usize = 3;

/// A share in whole percents, padded to a fixed width.
pub(super) fn percent(share: f32) -> String {
    format!("{:>3} %", (100.0 * share + 1e-3).round())
}

/// The expected values of the players, in words.
pub(super) fn expected(game: &dyn SingleGame, adviser: &str, analysis: &Analysis) -> String {
    let values = game.names().into_iter().zip(&analysis.values);
    let values: Vec<String> = values.map(|(name, value)| format!("{name} {value:+.2}")).collect();
    format!("{adviser} expects {} ({})", values.join(", "), analysis.forecast.words())
}
