//! Value names: tables that name the indices, elements and bits of observations, action families and state columns.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Tables of names by table name: entry `i` of a table names the number `i`.
pub type ValueTables = BTreeMap<String, Vec<String>>;

/// References to [`ValueTables`]: every string here is the name of a table.
///
/// ```
/// use ludovec_engine::Values;
/// let values = Values::axes(&["rank", ""]).of("piece");
/// assert_eq!(values.tables().collect::<Vec<_>>(), ["rank", "piece"]);
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Values {
    /// Names of the indices along each axis; `None` for axes without names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<Option<String>>,
    /// Names of the values of an element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<String>,
    /// Names of the values of an element, by the element's own name along the last named axis.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub elements: BTreeMap<String, String>,
    /// Names of the bits of an element, lowest first. If `axes` has fewer entries than there are axes, the elements
    /// along the last axis are the words of one long number, lowest bits first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<String>,
}

impl Values {
    /// Sets the names along the axes; `""` for axes without names.
    #[must_use]
    pub fn axes(names: &[&str]) -> Self {
        let axes = names.iter().map(|name| (!name.is_empty()).then(|| (*name).into())).collect();
        Self { axes, ..Self::default() }
    }
    /// Sets the names of the values of elements.
    #[must_use]
    pub fn element(table: &str) -> Self {
        Self::default().of(table)
    }
    /// Sets the names of bits.
    #[must_use]
    pub fn bits(table: &str) -> Self {
        Self { bits: Some(table.into()), ..Self::default() }
    }
    /// Adds names of the values of elements.
    #[must_use]
    pub fn of(self, table: &str) -> Self {
        Self { element: Some(table.into()), ..self }
    }
    /// Adds names of the values of the elements with a given name along the last named axis.
    #[must_use]
    pub fn of_each<'a>(mut self, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        self.elements.extend(pairs.into_iter().map(|(name, table)| (name.into(), table.into())));
        self
    }
    /// Adds names of bits.
    #[must_use]
    pub fn with_bits(self, table: &str) -> Self {
        Self { bits: Some(table.into()), ..self }
    }
    /// Whether no tables are referred to.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
    /// The names of all referenced tables.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        let others = self.element.iter().chain(&self.bits).chain(self.elements.values());
        self.axes.iter().flatten().chain(others).map(String::as_str)
    }
}

/// Makes a table from a list of names.
///
/// ```
/// use ludovec_engine::{ValueTables, table};
/// let tables = ValueTables::from([table("piece", ["pawn", "king"])]);
/// assert_eq!(tables["piece"][1], "king");
/// ```
pub fn table<T: ToString>(name: &str, entries: impl IntoIterator<Item = T>) -> (String, Vec<String>) {
    (name.into(), entries.into_iter().map(|entry| entry.to_string()).collect())
}
