//! What a player that thinks would do, in words.

use crate::engine::{Analysis, SingleGame};

/// Actions of a hint.
pub(super) const BEST: usize = 3;

/// A share in whole percents, always as wide.
pub(super) fn percent(share: f32) -> String {
    format!("{:>3.0} %", 100.0 * share)
}

/// What is expected for every player.
pub(super) fn expected(game: &dyn SingleGame, adviser: &str, analysis: &Analysis) -> String {
    let values = game.names().into_iter().zip(&analysis.values);
    let values: Vec<String> = values.map(|(name, value)| format!("{name} {value:+.2}")).collect();
    format!("{adviser} expects {} ({})", values.join(", "), analysis.forecast.words())
}
