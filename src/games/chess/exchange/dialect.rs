//! Chess in the terms of other engines: the Universal Chess Interface.

use serde_json::json;

use super::notation::fen;
use super::setup::Setup;
use crate::rules::board::position::MoveRules;
use crate::rules::state::State;
use crate::rules::{Chess, Shows};
use ludovec_engine::{Dialect, Result, Rules as _, UciGame};

/// Names of variants that UCI engines know by another name.
const OTHER_NAMES: [(&str, &str); 1] = [("chess960", "chess")];

impl<R: MoveRules, H: Shows<R>> Dialect for Chess<R, H> {
    /// Variants by their own names. Flags and hooks change the rules in ways that no engine knows, and a move of UCI
    /// is a whole turn.
    fn uci(&self) -> Option<UciGame> {
        let variant = &self.tables.variant;
        let several = variant.turn.place.is_some() || variant.turn.boost.is_some();
        if R::HOOKED || several || !self.spec().options.flags("flags").is_empty() {
            return None;
        }
        let other = OTHER_NAMES.iter().find(|(name, _)| *name == variant.name);
        let name = other.map_or(variant.name.as_str(), |(_, other)| other);
        Some(UciGame { variant: name.into(), chess960: variant.chess960 })
    }

    fn uci_position(&self, state: &State<R, H>) -> String {
        fen::write(&self.tables.variant, &Setup::of(&self.tables, &state.position))
    }

    fn state_from_uci(&self, text: &str) -> Result<State<R, H>> {
        let mut state = super::json::read(&self.tables, &json!({ "fen": text }))?;
        self.detect_end(&mut state);
        state.validate(&self.tables)?;
        Ok(state)
    }
}
