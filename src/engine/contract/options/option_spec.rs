//! The declaration of an option: its name, its allowed values, its default.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::contract::support::error::{Error, Result};
use crate::contract::support::escape::shorten;
use crate::contract::support::similar::did_you_mean;

/// Most characters of a value in an error.
const LONGEST_QUOTE: usize = 200;

/// The allowed values of an option.
///
/// ```
/// use ludovec_engine::{OptionKind, OptionSpec};
/// assert!(matches!(OptionSpec::int("players", 2, 5, 3, "").kind, OptionKind::Int { min: 2, max: 5 }));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
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
    /// Free text checked by the game (a file name, a position).
    Text,
}

/// The value of an option. Serialises as the plain JSON value.
///
/// ```
/// use ludovec_engine::OptionValue;
/// assert_eq!((OptionValue::from(3), OptionValue::from("a")), (OptionValue::Int(3), OptionValue::Text("a".into())));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
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

/// The declaration of one option of an environment.
///
/// ```
/// use ludovec_engine::{OptionSpec, Options};
/// let specs = [OptionSpec::int("players", 2, 5, 3, "number of seats")];
/// assert_eq!(Options::parse(&specs, [("players", "4".into())])?.int("players"), 4);
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OptionSpec {
    /// The key, as in `--set key=value`.
    pub name: &'static str,
    /// The allowed values.
    #[serde(flatten)]
    pub kind: OptionKind,
    /// The default value; `OptionValue::None` makes the option nullable.
    pub default: OptionValue,
    /// One sentence on its effect.
    pub help: &'static str,
    /// Presets: by word of a choice, the values of other options that are not given.
    #[serde(default, skip_serializing_if = "Presets::is_empty")]
    pub presets: Presets,
    /// The values of a text that are paths.
    #[serde(skip_serializing, default)]
    pub paths: Paths,
}

/// The values of an [`OptionKind::Text`] that may be paths of files, which the game opens. Clients that are not trusted
/// must not give them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Paths {
    /// All values but words of letters, digits, `_`, `-`, commas and spaces: nothing is known about the option.
    #[default]
    Unknown,
    /// No value: the game opens no file.
    Never,
    /// All values but these words, and but the content of a file: a text that starts with `{`, if `content` is set.
    AllBut {
        /// The words.
        words: Vec<String>,
        /// Whether the option also takes the content of a file.
        content: bool,
    },
}

/// Words of a choice with the values of other options that they set; see [`OptionSpec::with_presets`].
pub type Presets = BTreeMap<&'static str, BTreeMap<&'static str, OptionValue>>;

impl OptionSpec {
    fn new(name: &'static str, kind: OptionKind, default: OptionValue, help: &'static str) -> Self {
        Self { name, kind, default, help, presets: Presets::new(), paths: Paths::default() }
    }
    /// An integer in `min..=max`.
    ///
    /// ```
    /// use ludovec_engine::OptionSpec;
    /// assert_eq!(OptionSpec::int("size", 4, 9, 8, "").allowed(), "an integer from 4 to 9");
    /// ```
    #[must_use]
    pub fn int(name: &'static str, min: i64, max: i64, default: i64, help: &'static str) -> Self {
        Self::new(name, OptionKind::Int { min, max }, default.into(), help)
    }
    /// An integer that may be absent.
    ///
    /// ```
    /// use ludovec_engine::OptionSpec;
    /// assert_eq!(OptionSpec::optional_int("seed", 0, 9, "").allowed(), "an integer from 0 to 9 or none");
    /// ```
    #[must_use]
    pub fn optional_int(name: &'static str, min: i64, max: i64, help: &'static str) -> Self {
        Self::new(name, OptionKind::Int { min, max }, OptionValue::None, help)
    }
    /// A switch.
    ///
    /// ```
    /// use ludovec_engine::OptionSpec;
    /// assert_eq!(OptionSpec::bool("open", false, "").allowed(), "true or false");
    /// ```
    #[must_use]
    pub fn bool(name: &'static str, default: bool, help: &'static str) -> Self {
        Self::new(name, OptionKind::Bool, default.into(), help)
    }
    /// One of several words.
    ///
    /// ```
    /// use ludovec_engine::OptionSpec;
    /// assert_eq!(OptionSpec::choice("mode", &["duel", "free"], "duel", "").allowed(), "one of duel, free");
    /// ```
    #[must_use]
    pub fn choice(name: &'static str, values: &[&str], default: &str, help: &'static str) -> Self {
        let values = values.iter().map(|v| v.to_string()).collect();
        Self::new(name, OptionKind::Choice { values }, default.into(), help)
    }
    /// Any of several words, none by default.
    ///
    /// ```
    /// use ludovec_engine::OptionSpec;
    /// assert_eq!(OptionSpec::flags("extras", &["a", "b"], "").allowed(), "any of a, b, comma-separated");
    /// ```
    #[must_use]
    pub fn flags(name: &'static str, values: &[&str], help: &'static str) -> Self {
        let values = values.iter().map(|v| v.to_string()).collect();
        Self::new(name, OptionKind::Flags { values }, OptionValue::List(Vec::new()), help)
    }
    /// Free text that may be absent.
    ///
    /// ```
    /// use ludovec_engine::OptionSpec;
    /// assert_eq!(OptionSpec::text("map", "").allowed(), "text or none");
    /// ```
    #[must_use]
    pub fn text(name: &'static str, help: &'static str) -> Self {
        Self::new(name, OptionKind::Text, OptionValue::None, help)
    }
    /// The same text with its [`OptionSpec::paths`].
    ///
    /// ```
    /// use ludovec_engine::{OptionSpec, Paths};
    /// let fen = OptionSpec::text("fen", "").with_paths(Paths::Never);
    /// assert!(fen.check_untrusted(&"8/8/8/8/8/8/8/8 w - - 0 1".into()).is_ok());
    /// assert!(OptionSpec::text("map", "").check_untrusted(&"/etc/passwd".into()).is_err());
    /// ```
    #[must_use]
    pub fn with_paths(self, paths: Paths) -> Self {
        Self { paths, ..self }
    }
    /// The same choice, where words set other options if these are not given.
    ///
    /// ```
    /// use ludovec_engine::{OptionSpec, Options};
    /// let specs = [
    ///     OptionSpec::choice("mode", &["free", "duel"], "free", "").with_presets(vec![("duel", vec![("players", 2.into())])]),
    ///     OptionSpec::int("players", 2, 5, 3, ""),
    /// ];
    /// assert_eq!(Options::parse(&specs, [("mode", "duel".into())])?.int("players"), 2);
    /// # Ok::<(), ludovec_engine::Error>(())
    /// ```
    #[must_use]
    pub fn with_presets(self, presets: Vec<(&'static str, Vec<(&'static str, OptionValue)>)>) -> Self {
        let presets =
            presets.into_iter().map(|(word, values)| (word, values.into_iter().collect())).collect();
        Self { presets, ..self }
    }

    /// Refuses a value of an untrusted client if it may be a path.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the words that are allowed.
    pub fn check_untrusted(&self, value: &OptionValue) -> Result<()> {
        if self.kind != OptionKind::Text || *value == OptionValue::None || *value == self.default {
            return Ok(());
        }
        let text = value.to_string();
        let is_in_words = |letter: char| letter.is_alphanumeric() || "_-, ".contains(letter);
        let (is_safe, meant, allowed) = match &self.paths {
            Paths::Never => return Ok(()),
            Paths::Unknown => (text.chars().all(is_in_words), String::new(), "a word".into()),
            Paths::AllBut { words, content } => {
                let is_content = *content && text.trim_start().starts_with('{');
                let or_content = if *content { ", the content of a file" } else { "" };
                let allowed = format!("{}{or_content}", words.join(", "));
                (is_content || words.contains(&text), did_you_mean(&text, words), allowed)
            }
        };
        if is_safe {
            return Ok(());
        }
        Err(Error::config(format!(
            "option {}={}{meant}: a path is only taken from the user; allowed: {allowed}",
            self.name,
            shorten(&text, LONGEST_QUOTE)
        )))
    }

    /// The allowed values, in words.
    #[must_use]
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

    /// The refusal of `value`, with a suggestion or nothing.
    fn refusal(&self, value: &OptionValue, meant: &str) -> Error {
        Error::config(format!("option {}={value}{meant}: {} is allowed", self.name, self.allowed()))
    }

    /// Checks `value` and converts it to this option's kind.
    pub(crate) fn accept(&self, value: &OptionValue) -> Result<OptionValue> {
        let refuse = || self.refusal(value, "");
        let mistyped = |word: &str, words: &[String]| self.refusal(value, &did_you_mean(word, words));
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
                if values.contains(&word) { Ok(word.into()) } else { Err(mistyped(&word, values)) }
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
                        return Err(mistyped(&word, values));
                    }
                    if !kept.contains(&word) {
                        kept.push(word);
                    }
                }
                // Canonical order: flags in declaration order, so that equal options compare equal.
                kept.sort_by_key(|w| values.iter().position(|v| v == w));
                Ok(kept.into())
            }
            (OptionKind::Text, OptionValue::List(_)) => Err(refuse()),
            (OptionKind::Text, _) => Ok(value.to_string().into()),
        }
    }
}
