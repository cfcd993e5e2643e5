//! Hints: the actions that a network or a search would choose, in words.

use ludovec::engine::{Analysis, Forecast, SingleGame};

/// Number of actions in a hint.
pub(super) const BEST: usize = 3;

/// The price of an action, padded to a fixed width: the difference of its value and that of the choice, in percents of the
/// win or of the lead, or in points. Without values, its share in percents.
pub(super) fn price(analysis: &Analysis, action: u32) -> String {
    let index = |action: u32| analysis.shares.iter().position(|&(other, _)| other == action);
    let value = |action: u32| analysis.action_values.get(index(action)?).copied().flatten();
    let percent = |part: f32| format!("{} %", (100.0 * part + 1e-3).round());
    let text = match (value(analysis.action), value(action)) {
        _ if action == analysis.action && !analysis.action_values.is_empty() => "best".into(),
        (Some(best), Some(value)) => {
            let loss = (best - value).max(0.0);
            let shown = match analysis.forecast {
                Forecast::Outcome => percent(loss / 2.0),
                Forecast::Score | Forecast::Margin => format!("{loss:.1}"),
                _ => percent(loss),
            };
            if ["0 %", "0.0"].contains(&&*shown) { "equal".into() } else { format!("-{shown}") }
        }
        _ => percent(index(action).map_or(0.0, |index| analysis.shares[index].1)),
    };
    format!("{text:>5}")
}

/// The expected values of the players, in words.
pub(super) fn expected(game: &SingleGame, adviser: &str, analysis: &Analysis) -> String {
    let values = game.names().into_iter().zip(&analysis.values);
    let values: Vec<String> = values.map(|(name, value)| format!("{name} {value:+.2}")).collect();
    format!("{adviser} expects {} ({})", values.join(", "), analysis.forecast.words())
}
