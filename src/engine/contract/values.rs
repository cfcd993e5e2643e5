//! Names of numbers: what indices, elements and bits of an observation, an action family or a state column stand for.

use std::collections::BTreeMap;

use serde::Serialize;

/// Tables of names, each by its own name: entry `i` of a table names the number `i`.
pub type ValueTables = BTreeMap<String, Vec<String>>;

/// Which of the [`ValueTables`] name what: everything here is the name of a table.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Values {
    /// The names of the indices along each axis; `None` along axes that only count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<Option<String>>,
    /// The names of the numbers that an element takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<String>,
    /// The names of the numbers that an element takes where that depends on its name along the last axis that has names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub elements: BTreeMap<String, String>,
    /// The names of the bits of an element, lowest first. Where `axes` has fewer entries than there are axes, the elements
    /// along the last axis form one long number, lowest bits first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<String>,
}

impl Values {
    /// Names along the axes; `""` for axes that only count.
    pub fn axes(names: &[&str]) -> Self {
        let axes = names.iter().map(|name| (!name.is_empty()).then(|| (*name).into())).collect();
        Self { axes, ..Self::default() }
    }
    /// Names of elements.
    pub fn element(table: &str) -> Self {
        Self::default().of(table)
    }
    /// Names of bits.
    pub fn bits(table: &str) -> Self {
        Self { bits: Some(table.into()), ..Self::default() }
    }
    /// The same with names of elements.
    #[must_use]
    pub fn of(self, table: &str) -> Self {
        Self { element: Some(table.into()), ..self }
    }
    /// The same with names of the elements that are called so along the last named axis.
    #[must_use]
    pub fn of_each<'a>(mut self, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        self.elements.extend(pairs.into_iter().map(|(name, table)| (name.into(), table.into())));
        self
    }
    /// The same with names of bits.
    #[must_use]
    pub fn with_bits(self, table: &str) -> Self {
        Self { bits: Some(table.into()), ..self }
    }
    /// Whether nothing has names.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
    /// The names of all tables that are referred to.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        let others = self.element.iter().chain(&self.bits).chain(self.elements.values());
        self.axes.iter().flatten().chain(others).map(String::as_str)
    }
}

/// A table from a list of names.
pub fn table<T: ToString>(name: &str, entries: impl IntoIterator<Item = T>) -> (String, Vec<String>) {
    (name.into(), entries.into_iter().map(|entry| entry.to_string()).collect())
}
