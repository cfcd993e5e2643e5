//! What a drawing shows beside the board, as text: for small screens and for screen readers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::support::kept;

/// The board within a drawing, and everything around it as text.
///
/// ```
/// use ludovec_engine::{Beside, Panel, PanelRow};
/// let gold = PanelRow::new("Ann").of(0).valued(12);
/// let beside = Beside { board: [0.0, 40.0, 300.0, 300.0], panels: vec![Panel::new("Gold", [gold])] };
/// assert_eq!(beside.panels[0].rows[0].value, "12");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    /// Left, top, width and height of the board, with its coordinates, in the drawing.
    pub board: [f64; 4],
    /// What the drawing shows outside this rectangle.
    pub panels: Vec<Panel>,
}

/// Rows of text under a title.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    /// The title.
    pub title: String,
    /// The rows.
    pub rows: Vec<PanelRow>,
}

impl Panel {
    /// A panel with these rows.
    pub fn new(title: impl Into<String>, rows: impl IntoIterator<Item = PanelRow>) -> Self {
        Self { title: title.into(), rows: rows.into_iter().collect() }
    }
}

/// A row of a panel.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PanelRow {
    /// Its text.
    pub text: String,
    /// Its number or other value, at the end of the row.
    pub value: String,
    /// The seat that it is about, which has a colour.
    pub seat: Option<usize>,
    /// A shape in front of the text, as SVG path data from the origin.
    pub outline: Option<String>,
    /// Key and value, as of a [`Place`](crate::Place): actions refer to the row, and people choose it.
    #[serde(deserialize_with = "kept::key")]
    pub means: Option<(&'static str, Value)>,
}

impl PanelRow {
    /// A row with a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// The row with a value.
    pub fn valued(self, value: impl ToString) -> Self {
        Self { value: value.to_string(), ..self }
    }

    /// The row with the colour of a seat.
    #[must_use]
    pub fn of(self, seat: usize) -> Self {
        Self { seat: Some(seat), ..self }
    }

    /// The row as something that actions refer to.
    pub fn meaning(self, key: &'static str, value: impl Into<Value>) -> Self {
        Self { means: Some((key, value.into())), ..self }
    }
}
