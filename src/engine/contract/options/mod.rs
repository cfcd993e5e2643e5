//! The options of an environment, parsed and checked in one place: its own options, and the options common to all
//! environments.
//!
//! The command line (`--set key=value`), Python keyword arguments and recorded games all provide names with values; a
//! game reads the checked result with the typed getters.

pub(crate) mod named;
pub(crate) mod option_pairs;
pub(crate) mod option_spec;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::contract::options::named::Named;
use crate::contract::options::option_spec::{OptionSpec, OptionValue};
use crate::contract::support::error::{Error, Result};
use crate::contract::support::similar::did_you_mean;

/// Checked options of one environment: every declared option has a value.
///
/// ```
/// use ludovec_engine::{OptionSpec, Options};
/// let specs = [OptionSpec::bool("open", false, "whether hands are open")];
/// let options = Options::parse(&specs, [("open", true.into())])?;
/// assert!(options.bool("open"));
/// assert_eq!(options.text("reward"), Some("outcome"));
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Options {
    values: BTreeMap<String, OptionValue>,
}

impl Options {
    /// Checks `option_pairs` against the declared `specs` and [the options of every environment](CommonOptions), and fills
    /// in the presets of given words and the defaults.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the key, the value and the allowed values.
    ///
    /// ```
    /// use ludovec_engine::Options;
    /// let error = Options::parse(&[], [("rewards", "score".into())]).unwrap_err();
    /// assert!(error.to_string().contains("did you mean reward?"));
    /// ```
    pub fn parse<K: AsRef<str>>(
        specs: &[OptionSpec],
        given: impl IntoIterator<Item = (K, OptionValue)>,
    ) -> Result<Self> {
        let specs: Vec<OptionSpec> = specs.iter().cloned().chain(CommonOptions::specs()).collect();
        let mut values: BTreeMap<String, OptionValue> =
            specs.iter().map(|s| (s.name.to_string(), s.default.clone())).collect();
        let mut named = BTreeSet::new();
        for (key, value) in given {
            let key = key.as_ref();
            let spec = specs.iter().find(|s| s.name == key).ok_or_else(|| {
                let known: Vec<_> = specs.iter().map(|s| s.name).collect();
                let meant = did_you_mean(key, &known);
                Error::config(format!("unknown option {key}{meant}: the options are {}", known.join(", ")))
            })?;
            values.insert(key.to_string(), spec.accept(&value)?);
            named.insert(key.to_string());
        }
        for spec in &specs {
            let preset = match &values[spec.name] {
                OptionValue::Text(word) => spec.presets.get(word.as_str()),
                _ => None,
            };
            for (&key, value) in preset.into_iter().flatten().filter(|(key, _)| !named.contains(**key)) {
                values.insert(key.to_string(), value.clone());
            }
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
    /// If the option is not declared, a bug in the game's code.
    #[must_use]
    pub fn get(&self, name: &str) -> &OptionValue {
        self.values.get(name).unwrap_or_else(|| panic!("option {name} is not declared"))
    }
    /// An integer option.
    ///
    /// # Panics
    /// If the option is not a declared integer, or is absent (see [`Options::optional_int`]).
    #[must_use]
    pub fn int(&self, name: &str) -> i64 {
        self.optional_int(name).unwrap_or_else(|| panic!("option {name} is not an integer"))
    }
    /// An integer option that may be absent.
    ///
    /// ```
    /// use ludovec_engine::Options;
    /// let options = Options::parse(&[], [("max_steps", 9.into())])?;
    /// assert_eq!(options.optional_int("max_steps"), Some(9));
    /// # Ok::<(), ludovec_engine::Error>(())
    /// ```
    #[must_use]
    pub fn optional_int(&self, name: &str) -> Option<i64> {
        match self.get(name) {
            OptionValue::Int(i) => Some(*i),
            _ => None,
        }
    }
    /// A switch.
    #[must_use]
    pub fn bool(&self, name: &str) -> bool {
        matches!(self.get(name), OptionValue::Bool(true))
    }
    /// A word or free text, if set.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            OptionValue::Text(t) => Some(t),
            _ => None,
        }
    }
    /// The words of a flags option.
    ///
    /// ```
    /// use ludovec_engine::{OptionSpec, Options};
    /// let specs = [OptionSpec::flags("extras", &["a", "b"], "")];
    /// assert_eq!(Options::parse(&specs, [("extras", "b,a".into())])?.flags("extras"), ["a", "b"]);
    /// # Ok::<(), ludovec_engine::Error>(())
    /// ```
    #[must_use]
    pub fn flags(&self, name: &str) -> &[String] {
        match self.get(name) {
            OptionValue::List(l) => l,
            _ => &[],
        }
    }
}

/// The reward of a step.
///
/// ```
/// use ludovec_engine::{Named, RewardMode};
/// assert_eq!(RewardMode::named("score"), Some(RewardMode::Score));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RewardMode {
    /// 0 until the end, then each player's rank mapped to [-1, 1], zero-sum.
    Outcome,
    /// The change of each player's score.
    Score,
    /// The change of each player's score minus the mean change of the others, zero-sum.
    Margin,
}

impl RewardMode {
    /// Whether rewards follow the scores, and so come before the end of a game.
    #[must_use]
    pub fn follows_scores(self) -> bool {
        matches!(self, Self::Score | Self::Margin)
    }
}

impl Named for RewardMode {
    const NAMES: &'static [(&'static str, Self)] =
        &[("outcome", Self::Outcome), ("score", Self::Score), ("margin", Self::Margin)];
}

/// The effect of an illegal action in a batch.
///
/// ```
/// use ludovec_engine::{CommonOptions, OnIllegal, Options};
/// let options = Options::parse(&[], [("on_illegal", "lose".into())])?;
/// assert_eq!(CommonOptions::read(&options).on_illegal, OnIllegal::Lose);
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnIllegal {
    /// The whole call is rejected before any game moves.
    Raise,
    /// The game ends: the player of the action gets -1, the others share +1.
    Lose,
}

/// Options common to all environments.
///
/// ```
/// use ludovec_engine::{CommonOptions, Options, RewardMode};
/// let common = CommonOptions::read(&Options::parse(&[], [] as [(&str, ludovec_engine::OptionValue); 0])?);
/// assert_eq!((common.reward, common.max_steps), (RewardMode::Outcome, None));
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommonOptions {
    /// `reward`
    pub reward: RewardMode,
    /// `on_illegal`
    pub on_illegal: OnIllegal,
    /// `max_steps`
    pub max_steps: Option<u32>,
}

impl CommonOptions {
    /// Their declarations.
    #[must_use]
    pub fn specs() -> Vec<OptionSpec> {
        vec![
            OptionSpec::choice(
                "reward",
                &["outcome", "score", "margin"],
                "outcome",
                "outcome: 0 until the end, then by rank in [-1, 1], zero-sum; score: change of score at every step; \
                 margin: this minus the mean of the others, zero-sum",
            ),
            OptionSpec::choice(
                "on_illegal",
                &["raise", "lose"],
                "raise",
                "raise: an illegal action is an error and nothing moves; lose: it ends that game at -1 for the seat",
            ),
            OptionSpec::optional_int(
                "max_steps",
                1,
                i32::MAX.into(),
                "truncate an episode after this many decisions",
            ),
        ]
    }

    /// Their values.
    pub fn read(options: &Options) -> Self {
        Self {
            reward: options.text("reward").and_then(RewardMode::named).unwrap_or(RewardMode::Outcome),
            on_illegal: if options.text("on_illegal") == Some("lose") {
                OnIllegal::Lose
            } else {
                OnIllegal::Raise
            },
            max_steps: options.optional_int("max_steps").map(|n| n as u32),
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
    fn defaults_fill_missing_options() {
        let o = parse(&[]).unwrap();
        assert_eq!(o.int("players"), 3);
        assert_eq!(o.optional_int("map_seed"), None);
        assert_eq!(o.text("rules"), Some("seed"));
        assert!(o.flags("flags").is_empty());
        assert!(!o.bool("open"));
    }

    #[test]
    fn presets_set_the_options_that_are_not_given() {
        let mode = OptionSpec::choice("mode", &["plain", "duel"], "plain", "preset")
            .with_presets(vec![("duel", vec![("players", 2.into()), ("open", true.into())])]);
        let specs: Vec<OptionSpec> = std::iter::once(mode).chain(specs()).collect();
        let parse = |pairs: &[(&str, &str)]| {
            Options::parse(&specs, pairs.iter().map(|(k, v)| (*k, OptionValue::from(*v)))).unwrap()
        };
        let figures = |o: &Options| (o.int("players"), o.bool("open"));
        assert_eq!(figures(&parse(&[])), (3, false));
        let duel = parse(&[("mode", "duel")]);
        assert_eq!(figures(&duel), (2, true));
        // A value that is given counts, in any order, also if it is the default.
        assert_eq!(figures(&parse(&[("players", "3"), ("mode", "duel")])), (3, true));
        assert_eq!(figures(&parse(&[("mode", "duel"), ("open", "false")])), (2, false));
        // The result names every option, so that it is read back as it is.
        let again = Options::parse(&specs, duel.iter().map(|(k, v)| (k, v.clone()))).unwrap();
        assert_eq!(again, duel);
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
    fn errors_name_key_value_and_allowed_values() {
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
