//! Keyword arguments as options and configurations.

use std::sync::Arc;

use ludovec::engine::similar::did_you_mean;
use ludovec::engine::{
    AnyGame, AutoReset, BatchConfig, Error, MaskFormat, Named, ObservationFormat, OptionValue, Result,
};
use ludovec::play::tournament::{EloModel, OpeningNodes, Pairings};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString};
use serde_json::{Number, Value};

use crate::errors::CallError;

/// The rules of environment `id` under `options`.
pub(crate) fn rules(id: &str, options: Vec<(String, OptionValue)>) -> Result<Arc<dyn AnyGame>> {
    ludovec::games::find(id)?.make(options)
}

/// Options from keyword arguments: None, booleans, integers, words, lists of words.
pub(crate) fn options(given: &Bound<'_, PyDict>) -> PyResult<Vec<(String, OptionValue)>> {
    let read = |(key, value): (Bound<'_, PyAny>, _)| {
        let name = key.extract().map_err(|_| refused(&key, &value))?;
        Ok((name, option(&key, &value)?))
    };
    given.iter().map(read).collect()
}

fn option(key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
    if value.is_none() {
        return Ok(OptionValue::None);
    }
    // A Python bool is also an int, so it is tested first.
    if let Ok(switch) = value.cast::<PyBool>() {
        return Ok(switch.is_true().into());
    }
    if value.is_instance_of::<PyInt>() {
        let number: i64 = value.extract().map_err(|_| refused(key, value))?;
        return Ok(number.into());
    }
    if value.is_instance_of::<PyString>() {
        return Ok(value.extract::<String>().map_err(|_| refused(key, value))?.into());
    }
    // Paths, and NumPy's integers.
    if let Ok(path) = value.call_method0("__fspath__") {
        return Ok(path.extract::<String>().map_err(|_| refused(key, value))?.into());
    }
    if let Ok(number) = value.call_method0("__index__") {
        return Ok(number.extract::<i64>().map_err(|_| refused(key, value))?.into());
    }
    value.extract::<Vec<String>>().map(Into::into).map_err(|_| refused(key, value))
}

fn refused(key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyErr {
    // On one line, because arrays print on several; deeply nested values have no text.
    let shown = |value: &Bound<'_, PyAny>| match value.str() {
        Ok(text) => {
            let words: Vec<String> = text.to_string_lossy().split_whitespace().map(String::from).collect();
            words.join(" ").chars().take(100).collect()
        }
        Err(_) => value.get_type().to_string(),
    };
    let what = format!(
        "option {}={}: none, a bool, a 64-bit integer, text or a list of words is allowed",
        shown(key),
        shown(value)
    );
    CallError::Engine(Error::config(what)).into()
}

/// Configuration of a batch, by name.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Config {
    pub(crate) num_envs: usize,
    first_game: u64,
    total_games: Option<usize>,
    seed: u64,
    num_threads: Option<usize>,
    pin_threads: bool,
    autoreset: String,
    obs: String,
    mask: String,
}

impl Config {
    /// The engine's configuration.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the argument and the allowed values.
    pub(crate) fn read(&self) -> Result<BatchConfig> {
        Ok(BatchConfig {
            num_envs: self.num_envs,
            first_game: self.first_game,
            total_games: self.total_games,
            seed: self.seed,
            threads: self.num_threads,
            pinned: self.pin_threads,
            autoreset: choose("autoreset", &self.autoreset)?,
            observation: choose("obs", &self.obs)?,
            mask: choose("mask", &self.mask)?,
        })
    }
}

/// Converts a keyword argument to JSON: null, a boolean, a number or a word.
///
/// # Errors
/// [`Error::InvalidConfig`] names the argument.
pub(crate) fn plain(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::Null);
    }
    // A Python bool is also an int, so it is checked first.
    if let Ok(switch) = value.cast::<PyBool>() {
        return Ok(switch.is_true().into());
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(value.extract::<u64>()?.into());
    }
    if let Ok(word) = value.extract::<String>() {
        return Ok(word.into());
    }
    let number: f64 = value.extract()?;
    let finite = Number::from_f64(number).map(Value::Number);
    Ok(finite.ok_or_else(|| {
        CallError::Engine(Error::config(format!("{name}={number}: a finite number is needed")))
    })?)
}

/// The value named `word`.
///
/// # Errors
/// [`Error::InvalidConfig`] lists the words.
pub(crate) fn choose<T: Named>(argument: &str, word: &str) -> Result<T> {
    T::named(word).ok_or_else(|| {
        let (known, meant) = (names::<T>(), did_you_mean(word, names::<T>()));
        Error::config(format!("{argument}={word:?}{meant}: one of {} is allowed", known.join(", ")))
    })
}

fn names<T: Named>() -> Vec<&'static str> {
    T::NAMES.iter().map(|(name, _)| *name).collect()
}

/// The accepted words of each argument.
pub(crate) fn words() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("autoreset", names::<AutoReset>()),
        ("obs", names::<ObservationFormat>()),
        ("mask", names::<MaskFormat>()),
        ("pairings", names::<Pairings>()),
        ("opening_nodes", names::<OpeningNodes>()),
        ("model", names::<EloModel>()),
    ]
}

/// The description of an environment, as in `env_spec/<env>.json`.
pub(crate) fn spec_json(game: &dyn AnyGame) -> Result<String> {
    Ok(ludovec::games::document(game)?.to_string())
}

/// A value of the engine as JSON text.
pub(crate) fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("the engine's values are plain data")
}

/// Parses JSON text.
///
/// # Errors
/// [`Error::InvalidState`] names the position of the syntax error.
pub(crate) fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|e| Error::state(format!("JSON: {e}")))
}
