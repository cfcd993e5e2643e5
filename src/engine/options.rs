//! Options of an environment: declared once by the game, parsed and checked in one place.
//!
//! The command line (`--set key=value`), Python keyword arguments and recorded games all arrive here as
//! names with values; a game reads the checked result with the typed getters.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::error::{Error, Result};
use super::reward::CommonOptions;

/// What values an option takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum OptionKind {
    /// An integer in `min..=max`.
    Int {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// `true` or `false`.
    Bool,
    /// One of the listed words.
    Choice {
        /// The words.
        values: Vec<String>,
    },
    /// Any number of the listed words, comma-separated as text or a list.
    Flags {
        /// The words.
        values: Vec<String>,
    },
    /// Free text whose meaning the game checks (a file name, a position).
    Text,
}

/// The value of an option. Serialises as the plain JSON value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OptionValue {
    /// Not set.
    None,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A word or free text.
    Text(String),
    /// Several words.
    List(Vec<String>),
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Bool(b) => write!(f, "{b}"),
            Self::Int(i) => write!(f, "{i}"),
            Self::Text(t) => f.write_str(t),
            Self::List(l) => f.write_str(&l.join(",")),
        }
    }
}

macro_rules! option_value_from {
    ($($t:ty => $v:ident),*) => {$(impl From<$t> for OptionValue {
        fn from(value: $t) -> Self { Self::$v(value.into()) }
    })*};
}
option_value_from!(bool => Bool, i64 => Int, i32 => Int, u32 => Int, &str => Text, String => Text, Vec<String> => List);

/// One option an environment knows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OptionSpec {
    /// The key, as in `--set key=value`.
    pub name: &'static str,
    /// What values it takes.
    #[serde(flatten)]
    pub kind: OptionKind,
    /// The value when not given; `OptionValue::None` makes the option nullable.
    pub default: OptionValue,
    /// One sentence on what it does.
    pub help: &'static str,
}

impl OptionSpec {
    fn new(name: &'static str, kind: OptionKind, default: OptionValue, help: &'static str) -> Self {
        Self { name, kind, default, help }
    }
    /// An integer in `min..=max`.
    pub fn int(name: &'static str, min: i64, max: i64, default: i64, help: &'static str) -> Self {
        Self::new(name, OptionKind::Int { min, max }, default.into(), help)
    }
    /// An integer that may be absent.
    pub fn optional_int(name: &'static str, min: i64, max: i64, help: &'static str) -> Self {
        Self::new(name, OptionKind::Int { min, max }, OptionValue::None, help)
    }
    /// A switch.
    pub fn bool(name: &'static str, default: bool, help: &'static str) -> Self {
        Self::new(name, OptionKind::Bool, default.into(), help)
    }
    /// One of several words.
    pub fn choice(name: &'static str, values: &[&str], default: &str, help: &'static str) -> Self {
        let values = values.iter().map(|v| v.to_string()).collect();
        Self::new(name, OptionKind::Choice { values }, default.into(), help)
    }
    /// Any of several words, none by default.
    pub fn flags(name: &'static str, values: &[&str], help: &'static str) -> Self {
        let values = values.iter().map(|v| v.to_string()).collect();
        Self::new(name, OptionKind::Flags { values }, OptionValue::List(Vec::new()), help)
    }
    /// Free text that may be absent.
    pub fn text(name: &'static str, help: &'static str) -> Self {
        Self::new(name, OptionKind::Text, OptionValue::None, help)
    }

    /// What is allowed, in words.
    pub fn allowed(&self) -> String {
        let or_none = if self.default == OptionValue::None { " or none" } else { "" };
        match &self.kind {
            OptionKind::Int { min, max } => format!("an integer from {min} to {max}{or_none}"),
            OptionKind::Bool => "true or false".into(),
            OptionKind::Choice { values } => format!("one of {}{or_none}", values.join(", ")),
            OptionKind::Flags { values } => format!("any of {}, comma-separated", values.join(", ")),
            OptionKind::Text => format!("text{or_none}"),
        }
    }

    /// Checks `value` and brings it into this option's own kind.
    fn accept(&self, value: &OptionValue) -> Result<OptionValue> {
        let refuse = || Error::config(format!("option {}={value}: {} is allowed", self.name, self.allowed()));
        let text = match value {
            OptionValue::Text(t) => Some(t.trim()),
            _ => None,
        };
        if *value == OptionValue::None || text == Some("none") && self.default == OptionValue::None {
            return if self.default == OptionValue::None { Ok(OptionValue::None) } else { Err(refuse()) };
        }
        match (&self.kind, value) {
            (OptionKind::Int { min, max }, _) => {
                let number = match value {
                    OptionValue::Int(i) => *i,
                    _ => text.and_then(|t| t.parse().ok()).ok_or_else(refuse)?,
                };
                if (*min..=*max).contains(&number) { Ok(number.into()) } else { Err(refuse()) }
            }
            (OptionKind::Bool, OptionValue::Bool(b)) => Ok((*b).into()),
            (OptionKind::Bool, OptionValue::Int(i @ 0..=1)) => Ok((*i == 1).into()),
            (OptionKind::Bool, _) => match text {
                Some("true" | "1" | "yes" | "on") => Ok(true.into()),
                Some("false" | "0" | "no" | "off") => Ok(false.into()),
                _ => Err(refuse()),
            },
            (OptionKind::Choice { values }, _) => {
                let word = value.to_string();
                if values.contains(&word) { Ok(word.into()) } else { Err(refuse()) }
            }
            (OptionKind::Flags { values }, _) => {
                let words: Vec<String> = match value {
                    OptionValue::List(l) => l.clone(),
                    _ => text
                        .ok_or_else(refuse)?
                        .split(',')
                        .map(|w| w.trim().to_string())
                        .filter(|w| !w.is_empty())
                        .collect(),
                };
                let mut kept: Vec<String> = Vec::new();
                for word in words {
                    if !values.contains(&word) {
                        return Err(refuse());
                    }
                    if !kept.contains(&word) {
                        kept.push(word);
                    }
                }
                // One order for one meaning, so that equal options compare equal.
                kept.sort_by_key(|w| values.iter().position(|v| v == w));
                Ok(kept.into())
            }
            (OptionKind::Text, OptionValue::List(_)) => Err(refuse()),
            (OptionKind::Text, _) => Ok(value.to_string().into()),
        }
    }
}

/// Checked options of one environment: every option it declares has a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Options {
    values: BTreeMap<String, OptionValue>,
}

impl Options {
    /// Checks `given` against the declared `specs` and [the options of every environment](CommonOptions),
    /// and fills in the defaults.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the key, the value and what is allowed.
    pub fn parse<K: AsRef<str>>(
        specs: &[OptionSpec],
        given: impl IntoIterator<Item = (K, OptionValue)>,
    ) -> Result<Self> {
        let specs: Vec<OptionSpec> = specs.iter().cloned().chain(CommonOptions::specs()).collect();
        let mut values: BTreeMap<String, OptionValue> =
            specs.iter().map(|s| (s.name.to_string(), s.default.clone())).collect();
        for (key, value) in given {
            let key = key.as_ref();
            let spec = specs.iter().find(|s| s.name == key).ok_or_else(|| {
                let known: Vec<_> = specs.iter().map(|s| s.name).collect();
                Error::config(format!("unknown option {key}: the options are {}", known.join(", ")))
            })?;
            values.insert(key.to_string(), spec.accept(&value)?);
        }
        Ok(Self { values })
    }

    /// All options with their values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &OptionValue)> {
        self.values.iter().map(|(k, v)| (k.as_str(), v))
    }

    /// The value of a declared option.
    ///
    /// # Panics
    /// When the option is not declared: a mistake in the game's own code.
    pub fn get(&self, name: &str) -> &OptionValue {
        self.values.get(name).unwrap_or_else(|| panic!("option {name} is not declared"))
    }
    /// An integer option.
    ///
    /// # Panics
    /// When the option is not a declared integer, or is absent (see [`Options::optional_int`]).
    pub fn int(&self, name: &str) -> i64 {
        self.optional_int(name).unwrap_or_else(|| panic!("option {name} is not an integer"))
    }
    /// An integer option that may be absent.
    pub fn optional_int(&self, name: &str) -> Option<i64> {
        match self.get(name) {
            OptionValue::Int(i) => Some(*i),
            _ => None,
        }
    }
    /// A switch.
    pub fn bool(&self, name: &str) -> bool {
        matches!(self.get(name), OptionValue::Bool(true))
    }
    /// A word or free text, if set.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            OptionValue::Text(t) => Some(t),
            _ => None,
        }
    }
    /// The words of a flags option.
    pub fn flags(&self, name: &str) -> &[String] {
        match self.get(name) {
            OptionValue::List(l) => l,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specs() -> Vec<OptionSpec> {
        vec![
            OptionSpec::int("players", 2, 5, 3, "seats"),
            OptionSpec::optional_int("map_seed", 0, i64::MAX, "map"),
            OptionSpec::choice("rules", &["seed", "official"], "seed", "preset"),
            OptionSpec::flags("flags", &["a", "b"], "extras"),
            OptionSpec::bool("open", false, "switch"),
            OptionSpec::text("map", "file"),
        ]
    }

    fn parse(pairs: &[(&str, &str)]) -> Result<Options> {
        Options::parse(&specs(), pairs.iter().map(|(k, v)| (*k, OptionValue::from(*v))))
    }

    #[test]
    fn defaults_fill_what_is_not_given() {
        let o = parse(&[]).unwrap();
        assert_eq!(o.int("players"), 3);
        assert_eq!(o.optional_int("map_seed"), None);
        assert_eq!(o.text("rules"), Some("seed"));
        assert!(o.flags("flags").is_empty());
        assert!(!o.bool("open"));
    }

    #[test]
    fn text_is_read_as_the_declared_kind() {
        let o = parse(&[("players", "4"), ("map_seed", "7"), ("flags", "b, a,b"), ("open", "yes")]).unwrap();
        assert_eq!(o.int("players"), 4);
        assert_eq!(o.optional_int("map_seed"), Some(7));
        assert_eq!(o.flags("flags"), ["a", "b"]);
        assert!(o.bool("open"));
    }

    #[test]
    fn an_unknown_key_or_bad_value_names_key_value_and_what_is_allowed() {
        let e = parse(&[("colour", "red")]).unwrap_err().to_string();
        assert!(e.contains("colour") && e.contains("players"), "{e}");
        for (k, v, allowed) in [
            ("players", "9", "from 2 to 5"),
            ("players", "none", "from 2 to 5"),
            ("rules", "house", "seed, official"),
            ("flags", "a,c", "any of a, b"),
            ("open", "maybe", "true or false"),
        ] {
            let e = parse(&[(k, v)]).unwrap_err().to_string();
            assert!(e.contains(&format!("{k}={v}")) && e.contains(allowed), "{e}");
        }
    }
}
