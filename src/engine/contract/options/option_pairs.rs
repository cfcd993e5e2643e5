//! Options as callers write them.

use std::collections::BTreeMap;

use crate::contract::options::option_spec::OptionValue;

/// Options with their values: arrays, slices and vectors of pairs, and maps.
///
/// ```
/// use ludovec_engine::{OptionPairs, OptionValue};
///
/// fn count(given: impl OptionPairs) -> usize {
///     given.pairs().len()
/// }
/// assert_eq!(count([]), 0);
/// assert_eq!(count([("players", 2.into()), ("mode", "duel".into())]), 2);
/// assert_eq!(count(vec![("players".to_string(), OptionValue::from(2))]), 1);
/// ```
pub trait OptionPairs {
    /// The options with their values, in the order given.
    fn pairs(self) -> Vec<(String, OptionValue)>;
}

// The only array: its names are not generic, so that the type of an empty array follows.
impl<const N: usize> OptionPairs for [(&str, OptionValue); N] {
    fn pairs(self) -> Vec<(String, OptionValue)> {
        self.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
    }
}

impl<K: AsRef<str>> OptionPairs for Vec<(K, OptionValue)> {
    fn pairs(self) -> Vec<(String, OptionValue)> {
        self.into_iter().map(|(name, value)| (name.as_ref().to_string(), value)).collect()
    }
}

impl<K: AsRef<str>> OptionPairs for &[(K, OptionValue)] {
    fn pairs(self) -> Vec<(String, OptionValue)> {
        self.iter().map(|(name, value)| (name.as_ref().to_string(), value.clone())).collect()
    }
}

impl<K: AsRef<str>> OptionPairs for &Vec<(K, OptionValue)> {
    fn pairs(self) -> Vec<(String, OptionValue)> {
        self.as_slice().pairs()
    }
}

impl<K: AsRef<str>> OptionPairs for BTreeMap<K, OptionValue> {
    fn pairs(self) -> Vec<(String, OptionValue)> {
        self.into_iter().map(|(name, value)| (name.as_ref().to_string(), value)).collect()
    }
}
