//! Options of clients: a page, a language model, the author of a file. Options that may be paths are refused.

use std::sync::Arc;

use serde_json::Value;

use crate::engine::{AnyGame, Entry, Error, OptionValue, Record, Result};
use crate::find;

/// The options that clients may use although they may be paths: none by default.
///
/// ```
/// use ludovec_games::trusted_options::TrustedOptions;
/// let none = TrustedOptions::default();
/// assert!(none.make("chess", [("variant".into(), "atomic".into())]).is_ok());
/// assert!(none.make("chess", [("variant".into(), "/tmp/mine.toml".into())]).is_err());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedOptions(Vec<(String, OptionValue)>);

impl TrustedOptions {
    /// Allows these options too.
    pub fn new(options: impl IntoIterator<Item = (String, OptionValue)>) -> Self {
        Self(options.into_iter().collect())
    }

    /// Refuses a client's options of an environment that may be paths, unless they are allowed.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the option and the allowed values.
    pub fn check_options<'a>(
        &self,
        entry: &Entry,
        given: impl IntoIterator<Item = (&'a str, &'a OptionValue)>,
    ) -> Result<()> {
        let known = entry.option_list();
        for (name, value) in given {
            let is_allowed = self.0.iter().any(|(key, allowed)| key == name && allowed == value);
            if let Some(option) = known.iter().find(|option| option.name == name && !is_allowed) {
                option.check_untrusted(value)?;
            }
        }
        Ok(())
    }

    /// The rules of an environment under a client's options.
    ///
    /// # Errors
    /// As for [`TrustedOptions::check_options`] and [`Entry::make`].
    pub fn make(
        &self,
        env: &str,
        options: impl IntoIterator<Item = (String, OptionValue)>,
    ) -> Result<Arc<dyn AnyGame>> {
        let entry = find(env)?;
        let options: Vec<(String, OptionValue)> = options.into_iter().collect();
        self.check_options(entry, options.iter().map(|(key, value)| (key.as_str(), value)))?;
        entry.make(options)
    }

    /// Refuses a record with options that may be paths, unless they are allowed.
    ///
    /// # Errors
    /// As for [`TrustedOptions::check_options`] and [`options_of`].
    pub fn check_record(&self, record: &Record) -> Result<()> {
        let options = options_of(&record.options)?;
        let options = options.iter().map(|(key, value)| (key.as_str(), value));
        self.check_options(find(&record.env)?, options)
    }
}

impl AsRef<Self> for TrustedOptions {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// The option values of a record.
///
/// # Errors
/// [`Error::InvalidState`] if they are no object of names with values.
pub fn options_of(json: &Value) -> Result<Vec<(String, OptionValue)>> {
    let fail = || Error::state("record: options is an object of names with values");
    let map = json.as_object().ok_or_else(fail)?;
    map.iter()
        .map(|(key, value)| Ok((key.clone(), serde_json::from_value(value.clone()).map_err(|_| fail())?)))
        .collect()
}
