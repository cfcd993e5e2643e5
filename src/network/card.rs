//! The card of a network: the environment and options that it supports.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::precision::Precision;
use crate::engine::{
    CommonOptions, Error, Named, OptionValue, Result, RewardMode, SearchMethod, SearchSettings, Spec,
};
use crate::games;

/// The metadata of a network file: the environment and options that the network supports.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Card {
    /// The environment.
    pub env: String,
    /// Its version.
    pub version: u32,
    /// The supported values of each option. [`CommonOptions`] may be omitted, and options with their default.
    pub options: BTreeMap<String, Allowed>,
    /// The reward mode of its values.
    #[serde(serialize_with = "reward_name")]
    pub reward: RewardMode,
    /// Factor from its values to sums of these rewards.
    pub value_scale: f32,
    /// The search method for this network.
    #[serde(serialize_with = "method_name")]
    pub method: SearchMethod,
    /// PUCT exploration constant of the search: [`SearchSettings::c_init`](crate::engine::SearchSettings).
    pub c_init: f32,
    /// The precision of its arithmetic; ONNX files have one of their own.
    #[serde(serialize_with = "precision_name")]
    pub precision: Precision,
}

/// The supported values of an option.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Allowed {
    /// These values.
    Values(Vec<Value>),
    /// Integers from minimum to maximum.
    Range {
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// Any value: the word `any`.
    Word(String),
}

fn method_name<S: Serializer>(method: &SearchMethod, serializer: S) -> Result<S::Ok, S::Error> {
    let name = SearchMethod::NAMES.iter().find(|(_, named)| named == method);
    serializer.serialize_str(name.expect("every method has a name").0)
}

fn precision_name<S: Serializer>(precision: &Precision, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(precision.name())
}

/// As in `reward=score`.
fn reward_name<S: Serializer>(reward: &RewardMode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(reward.name())
}

impl Allowed {
    fn holds(&self, value: &Value) -> bool {
        match self {
            Self::Values(values) => values.contains(value),
            Self::Range { min, max } => value.as_i64().is_some_and(|value| (*min..=*max).contains(&value)),
            Self::Word(word) => word == "any",
        }
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Values(values) => {
                let plain = |value: &Value| match value {
                    Value::Null => "none".into(),
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                f.write_str(&values.iter().map(plain).collect::<Vec<_>>().join(" or "))
            }
            Self::Range { min, max } => write!(f, "{min} to {max}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

impl Card {
    /// Reads the metadata of a file.
    ///
    /// # Errors
    /// A message about the missing or invalid entry.
    pub(super) fn read(metadata: &HashMap<String, String>) -> Result<Self, String> {
        let text = |name: &str| {
            metadata
                .get(name)
                .ok_or_else(|| format!("its metadata lack {name:?}, of environment, version, options"))
        };
        let wrong = |name: &str| format!("its metadata have an invalid {name:?}");
        let options = serde_json::from_str(text("options")?).map_err(|_| wrong("options"))?;
        let reward = match metadata.get("reward").map(String::as_str) {
            None => RewardMode::Outcome,
            Some(name) => RewardMode::named(name).ok_or_else(|| wrong("reward"))?,
        };
        let number = |name: &str, usual: f32| {
            let number = metadata.get(name).map_or(Ok(usual), |number| number.parse());
            number.ok().filter(|&number| number.is_normal() && number > 0.0).ok_or_else(|| wrong(name))
        };
        let value_scale = number("value_scale", 1.0)?;
        let c_init = number("c_init", SearchSettings::default().c_init)?;
        let method = metadata.get("search").map_or(Some(SearchMethod::default()), |name| Named::named(name));
        let method = method.ok_or_else(|| wrong("search"))?;
        let precision = match metadata.get("precision") {
            None => Precision::default(),
            Some(name) => Precision::named(name).ok_or_else(|| wrong("precision"))?,
        };
        let version = text("version")?.parse().map_err(|_| wrong("version"))?;
        let env = text("environment")?.clone();
        Ok(Self { env, version, options, reward, value_scale, method, c_init, precision })
    }

    /// The first supported value of every option; options that support any value are omitted.
    #[must_use]
    pub fn first_options(&self) -> Vec<(String, OptionValue)> {
        let first = |allowed: &Allowed| match allowed {
            Allowed::Values(values) => serde_json::from_value(values.first()?.clone()).ok(),
            Allowed::Range { min, .. } => Some(OptionValue::Int(*min)),
            Allowed::Word(_) => None,
        };
        self.options.iter().filter_map(|(name, allowed)| Some((name.clone(), first(allowed)?))).collect()
    }

    /// Checks that the network supports this environment. An option that its file does not mention must have its
    /// default; a file must mention some.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the first difference.
    pub fn check(&self, spec: &Spec) -> Result<()> {
        if self.env != spec.env {
            return Err(Error::config(format!("it plays {}, not {}", self.env, spec.env)));
        }
        if self.version != spec.version {
            return Err(Error::config(format!(
                "it was trained for version {} of {}, this is version {}",
                self.version, self.env, spec.version
            )));
        }
        if let Some(name) =
            self.options.keys().find(|name| !spec.options.iter().any(|(known, _)| known == *name))
        {
            return Err(Error::config(format!(
                "its file allows {name:?}, which is not an option of {}",
                self.env
            )));
        }
        let common = CommonOptions::specs();
        // A file names all options of its time. One that is newer has its default in the rules that the network knows.
        let declared = match self.options.is_empty() {
            true => Vec::new(),
            false => games::find(&self.env).map_or_else(|_| Vec::new(), |entry| entry.options()),
        };
        for (name, value) in spec.options.iter() {
            let json = serde_json::to_value(value).expect("options are plain data");
            let is_common = || common.iter().any(|option| option.name == name);
            let is_default = || declared.iter().any(|option| option.name == name && option.default == *value);
            match self.options.get(name) {
                Some(allowed) if !allowed.holds(&json) => {
                    return Err(Error::config(format!(
                        "it plays {} with {name}={allowed}, not {value}",
                        self.env
                    )));
                }
                None if !is_common() && !is_default() => {
                    return Err(Error::config(format!("its file does not mention {name} (here {value})")));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
