//! The board of Star Wars Risk as data, the base of `ludovec.starwars_risk`.

use ludovec::games::starwars_risk::{BOARD, DECKS};
use pyo3::prelude::*;

/// The board and the decks, as JSON.
#[pyfunction]
pub(crate) fn starwars_risk_board() -> (&'static str, &'static str) {
    (BOARD, DECKS)
}
