//! Variant files as trees: read from TOML with the location of every value, and merged.
//!
//! Inheritance merges a child into its parent:
//!
//! * tables are merged key by key; any other value replaces the parent's;
//! * `false` removes a table, a piece or a rule of the parent;
//! * if the parent has a list, a table of `before`, `after` and `without` edits it instead of replacing it:
//!   `without` removes the entries with the given values of `when`.

use std::fmt::{self, Display};
use std::ops::RangeInclusive;
use std::rc::Rc;

use toml::de::{DeTable, DeValue};

use super::conditions::CONDITIONS;
use ludovec_engine::escape::is_hidden;
use ludovec_engine::{Error, Result};

/// The location of a value: a line of a file, or an argument of a caller.
#[derive(Debug, Clone)]
pub(super) struct Location {
    /// A file, or the description of an argument.
    source: Rc<str>,
    /// The line of a file.
    line: Option<usize>,
    /// A description of the value's origin, if it was written elsewhere.
    origin: Option<Rc<str>>,
}

impl Location {
    /// The location of a caller's argument, described in words.
    pub(super) fn call(words: &str) -> Self {
        Self { source: words.into(), line: None, origin: None }
    }

    /// An error about the value at this location.
    pub(super) fn error(&self, what: impl Display) -> Error {
        let origin = self.origin.as_ref().map_or(String::new(), |origin| format!(" ({origin})"));
        // Keys and texts of the file may contain line breaks; a message must not.
        Error::config(format!("{self}: {what}{origin}").replace(is_hidden, " "))
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}, line {line}", self.source),
            None => f.write_str(&self.source),
        }
    }
}

/// A value with its location.
#[derive(Debug, Clone)]
pub(super) struct TomlNode {
    location: Location,
    value: Value,
}

#[derive(Debug, Clone)]
enum Value {
    Text(String),
    /// `None` if the number is beyond `i64`.
    Integer(Option<i64>),
    Boolean(bool),
    List(Vec<TomlNode>),
    /// Keys with their locations, in the order written.
    Table(Vec<(String, Location, TomlNode)>),
    /// Types that no key accepts: floats and dates.
    Foreign(&'static str),
}

/// Reads a TOML document.
///
/// # Errors
/// Names file and line of the syntax error.
pub(super) fn parse(file: &str, text: &str) -> Result<TomlNode> {
    let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(offset, _)| offset);
    let at = Locator { file: file.into(), line_ends: ends.collect() };
    let document = DeTable::parse(text).map_err(|e| {
        let what: Vec<_> = e.message().lines().collect();
        at.location(e.span().map_or(0, |s| s.start)).error(format_args!("not TOML: {}", what.join(", ")))
    })?;
    Ok(TomlNode { location: at.location(0), value: at.table(document.get_ref()) })
}

/// Finds lines by binary search over the offsets of line breaks.
struct Locator {
    file: Rc<str>,
    /// Offsets of line breaks.
    line_ends: Vec<usize>,
}

impl Locator {
    fn location(&self, offset: usize) -> Location {
        let line = 1 + self.line_ends.partition_point(|&end| end < offset);
        Location { source: self.file.clone(), line: Some(line), origin: None }
    }

    fn table(&self, table: &DeTable) -> Value {
        let mut keys: Vec<_> = table.iter().collect();
        keys.sort_by_key(|(key, _)| key.span().start);
        let entries = keys.into_iter().map(|(key, value)| {
            let location = self.location(key.span().start);
            (key.get_ref().to_string(), location, self.node(value.get_ref(), value.span().start))
        });
        Value::Table(entries.collect())
    }

    fn node(&self, value: &DeValue, offset: usize) -> TomlNode {
        let value = match value {
            DeValue::String(s) => Value::Text(s.to_string()),
            DeValue::Integer(i) => Value::Integer(i64::from_str_radix(i.as_str(), i.radix()).ok()),
            DeValue::Boolean(b) => Value::Boolean(*b),
            DeValue::Array(a) => {
                Value::List(a.iter().map(|v| self.node(v.get_ref(), v.span().start)).collect())
            }
            DeValue::Table(t) => self.table(t),
            DeValue::Float(_) => Value::Foreign("a decimal number"),
            DeValue::Datetime(_) => Value::Foreign("a date"),
        };
        TomlNode { location: self.location(offset), value }
    }
}

/// The keys that edit a list.
const EDITS: [&str; 3] = ["before", "after", "without"];

impl TomlNode {
    /// An empty table: the base for the first file of a chain.
    pub(super) fn empty(file: &str) -> Self {
        let location = Location { source: file.into(), line: Some(1), origin: None };
        Self { location, value: Value::Table(Vec::new()) }
    }

    /// Gives the whole tree another location for error messages. For a value's old location, `origin` describes how
    /// the value came to the new one.
    pub(super) fn attribute(&mut self, to: &Location, origin: &impl Fn(&Location) -> Option<String>) {
        let moved = |location: &mut Location| {
            let origin = location.origin.take().or_else(|| origin(location).map(Rc::from));
            *location = Location { origin, ..to.clone() };
        };
        moved(&mut self.location);
        match &mut self.value {
            Value::List(list) => list.iter_mut().for_each(|node| node.attribute(to, origin)),
            Value::Table(entries) => {
                for (_, location, node) in entries {
                    moved(location);
                    node.attribute(to, origin);
                }
            }
            _ => {}
        }
    }

    /// Whether a table has a key other than `false`.
    pub(super) fn has(&self, key: &str) -> bool {
        let Value::Table(entries) = &self.value else { return false };
        entries.iter().any(|(k, _, node)| k == key && !matches!(node.value, Value::Boolean(false)))
    }

    /// Removes a key from a table; returns true if the table is now empty.
    pub(super) fn without(&mut self, key: &str) -> bool {
        let Value::Table(entries) = &mut self.value else { return false };
        entries.retain(|(k, ..)| k != key);
        entries.is_empty()
    }

    /// Sets a key of a table to the program's own text.
    pub(super) fn set_text(&mut self, key: &str, text: &str) {
        let node = TomlNode { location: self.location.clone(), value: Value::Text(text.into()) };
        if let Value::Table(entries) = &mut self.value {
            entries.retain(|(k, ..)| k != key);
            entries.push((key.into(), self.location.clone(), node));
        }
    }

    /// This tree with `child` merged into it.
    pub(super) fn overlaid(self, child: TomlNode) -> Result<TomlNode> {
        let Value::Table(edits) = child.value else { return Ok(child) };
        if !edits.is_empty() && edits.iter().all(|(key, ..)| EDITS.contains(&key.as_str())) {
            let list = if let Value::List(list) = self.value { list } else { Vec::new() };
            return Ok(TomlNode { value: Value::List(edited(list, edits)?), location: child.location });
        }
        let mut entries = if let Value::Table(entries) = self.value { entries } else { Vec::new() };
        for (key, location, new) in edits {
            match entries.iter_mut().find(|(k, ..)| *k == key) {
                Some(old) => {
                    let parent = std::mem::replace(&mut old.2.value, Value::Boolean(false));
                    let parent = TomlNode { location: old.2.location.clone(), value: parent };
                    *old = (key, location, parent.overlaid(new)?);
                }
                // A table that is not in the parent may contain list edits too: they edit an empty list.
                None => {
                    let nothing = TomlNode { location: location.clone(), value: Value::Boolean(false) };
                    entries.push((key, location, nothing.overlaid(new)?));
                }
            }
        }
        Ok(TomlNode { location: child.location, value: Value::Table(entries) })
    }
}

/// A list with `before`, `after` and `without` applied.
fn edited(mut list: Vec<TomlNode>, edits: Vec<(String, Location, TomlNode)>) -> Result<Vec<TomlNode>> {
    for (key, location, edit) in edits {
        let edit = Field { key, node: &edit };
        match edit.key.as_str() {
            "without" => {
                for name in edit.list()? {
                    // The word must be a known condition, but the parent need not have an entry for it.
                    name.choice(&CONDITIONS)?;
                    list.retain(|entry| entry.when() != name.as_text());
                }
            }
            side => {
                let Value::List(new) = &edit.node.value else {
                    return Err(location.error(format_args!("{side}: an array in [ ] is allowed here")));
                };
                let at = if side == "before" { 0 } else { list.len() };
                list.splice(at..at, new.iter().cloned());
            }
        }
    }
    Ok(list)
}

impl TomlNode {
    /// The `when` of a table.
    fn when(&self) -> Option<&str> {
        let Value::Table(entries) = &self.value else { return None };
        entries.iter().find(|(key, ..)| key == "when").and_then(|(.., node)| match &node.value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    fn describe(&self) -> String {
        match &self.value {
            Value::Text(text) => format!("the text {:?}", text.chars().take(40).collect::<String>()),
            Value::Integer(Some(number)) => format!("the number {number}"),
            Value::Integer(None) => "a number of that size".into(),
            Value::Boolean(value) => value.to_string(),
            Value::List(_) => "an array".into(),
            Value::Table(_) => "a table".into(),
            Value::Foreign(what) => (*what).into(),
        }
    }
}

/// A value with its key, for reading.
#[derive(Debug, Clone)]
pub(super) struct Field<'a> {
    /// Dotted path of the key.
    key: String,
    node: &'a TomlNode,
}

impl<'a> Field<'a> {
    /// The document itself.
    pub(super) fn root(node: &'a TomlNode) -> Self {
        Self { key: String::new(), node }
    }

    /// An error about this value.
    pub(super) fn error(&self, what: impl Display) -> Error {
        self.node.location.error(format_args!("{}: {what}", self.key))
    }
    /// The location of this value.
    pub(super) fn location(&self) -> &'a Location {
        &self.node.location
    }
    fn wrong_type(&self, allowed: &str) -> Error {
        self.error(format_args!("{} is not allowed here, {allowed} is", self.node.describe()))
    }

    pub(super) fn is_table(&self) -> bool {
        matches!(self.node.value, Value::Table(_))
    }
    pub(super) fn is_list(&self) -> bool {
        matches!(self.node.value, Value::List(_))
    }
    /// The boolean, if the value is one.
    pub(super) fn as_bool(&self) -> Option<bool> {
        if let Value::Boolean(b) = self.node.value { Some(b) } else { None }
    }
    /// The string, if the value is one.
    pub(super) fn as_text(&self) -> Option<&'a str> {
        if let Value::Text(text) = &self.node.value { Some(text) } else { None }
    }

    pub(super) fn text(&self) -> Result<&'a str> {
        self.as_text().ok_or_else(|| self.wrong_type("a text in quotes"))
    }
    pub(super) fn boolean(&self) -> Result<bool> {
        self.as_bool().ok_or_else(|| self.wrong_type("true or false"))
    }
    pub(super) fn integer(&self, allowed: RangeInclusive<u8>) -> Result<u8> {
        let Value::Integer(Some(number)) = self.node.value else { return Err(self.not_in(&allowed)) };
        u8::try_from(number).ok().filter(|n| allowed.contains(n)).ok_or_else(|| self.not_in(&allowed))
    }
    fn not_in(&self, allowed: &RangeInclusive<u8>) -> Error {
        self.wrong_type(&format!("an integer from {} to {}", allowed.start(), allowed.end()))
    }
    /// One of several allowed words.
    pub(super) fn choice<T: Copy>(&self, words: &[(&str, T)]) -> Result<T> {
        let word = self.as_text();
        words.iter().find(|(w, _)| Some(*w) == word).map(|&(_, value)| value).ok_or_else(|| {
            let known: Vec<_> = words.iter().map(|(w, _)| format!("{w:?}")).collect();
            let one_of = if known.len() == 1 { "" } else { "one of " };
            self.wrong_type(&format!("{one_of}{}", known.join(", ")))
        })
    }
    /// The elements of an array.
    pub(super) fn list(&self) -> Result<Vec<Field<'a>>> {
        let Value::List(list) = &self.node.value else { return Err(self.wrong_type("an array in [ ]")) };
        Ok(list
            .iter()
            .enumerate()
            .map(|(i, node)| Field { key: format!("{}[{i}]", self.key), node })
            .collect())
    }
    /// The keys and values of a table with keys chosen by the author, with errors about the key.
    pub(super) fn entries(&self) -> Result<Vec<(&'a str, Field<'a>)>> {
        let Value::Table(entries) = &self.node.value else { return Err(self.wrong_type("a table")) };
        Ok(entries.iter().map(|(key, _, node)| (key.as_str(), self.child(key, node))).collect())
    }
    /// A table that allows only the listed keys.
    ///
    /// # Errors
    /// Names the first key that is not listed.
    pub(super) fn table(&self, keys: &[&str]) -> Result<TomlTable<'a>> {
        let Value::Table(entries) = &self.node.value else { return Err(self.wrong_type("a table")) };
        for (key, location, _) in entries {
            if !keys.contains(&key.as_str()) {
                let inside = if self.key.is_empty() { "a variant".into() } else { self.key.clone() };
                return Err(location
                    .error(format_args!("unknown key {key}: the keys of {inside} are {}", keys.join(", "))));
            }
        }
        Ok(TomlTable { field: self.clone(), entries })
    }

    fn child(&self, key: &str, node: &'a TomlNode) -> Field<'a> {
        let key = if self.key.is_empty() { key.to_string() } else { format!("{}.{key}", self.key) };
        Field { key, node }
    }
}

/// A table with checked keys.
#[derive(Debug, Clone)]
pub(super) struct TomlTable<'a> {
    field: Field<'a>,
    entries: &'a [(String, Location, TomlNode)],
}

impl<'a> TomlTable<'a> {
    /// The value of `key`, if the table has it.
    pub(super) fn get(&self, key: &str) -> Option<Field<'a>> {
        self.entries.iter().find(|(k, ..)| k == key).map(|(.., node)| self.field.child(key, node))
    }
    /// The value of `key`, if the table has it with a value other than `false`.
    pub(super) fn switched(&self, key: &str) -> Option<Field<'a>> {
        self.get(key).filter(|field| field.as_bool() != Some(false))
    }
    /// The value of the required `key`.
    pub(super) fn need(&self, key: &str) -> Result<Field<'a>> {
        self.get(key).ok_or_else(|| self.error(format_args!("the key {key} is missing")))
    }
    /// An error about the table as a whole.
    pub(super) fn error(&self, what: impl Display) -> Error {
        if self.field.key.is_empty() { self.field.node.location.error(what) } else { self.field.error(what) }
    }
}
