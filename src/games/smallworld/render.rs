//! Positions as text and as pictures.

use super::ruleset::Ruleset;
use super::state::State;

/// The position as lines of text.
pub(super) fn text(_rules: &Ruleset, state: &State) -> String {
    format!("turn {}", state.turn)
}

/// The position as an SVG document.
pub(super) fn svg(_rules: &Ruleset, _state: &State) -> String {
    String::new()
}
