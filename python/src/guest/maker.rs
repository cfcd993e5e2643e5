//! The registration of a class as an environment.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ludovec::engine::{
    AnyGame, Entry, Error, GameMaker, OptionSpec, OptionValue, Options, Result, kept, kept_file,
};
use ludovec_guest::read_options;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::description::Description;
use super::faults;
use super::rules::PythonRules;
use crate::errors::guard;

/// The environments with rules that need the interpreter.
static INTERPRETED: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);

fn interpreted_games() -> MutexGuard<'static, Option<HashSet<&'static str>>> {
    INTERPRETED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the rules of an environment need the interpreter.
pub(crate) fn runs_python(env: &str) -> bool {
    interpreted_games().as_ref().is_some_and(|interpreted| interpreted.contains(env))
}

/// Searches for an environment in packages that are installed.
pub(super) fn search(id: &str) -> Result<()> {
    let found = Python::try_attach(|py| {
        let module = py.import("ludovec.rules.registration")?;
        module.call_method1("search", (id,)).map(drop)
    });
    // The interpreter no longer exists while the process exits.
    let Some(Err(raised)) = found else { return Ok(()) };
    Python::attach(|py| Err(faults::error(py, id, "import", raised)))
}

struct Maker {
    env: &'static str,
    options: Vec<OptionSpec>,
    /// Describes the game under its own options, which are keyword arguments.
    describe: Py<PyAny>,
}

impl GameMaker for Maker {
    fn options(&self) -> Vec<OptionSpec> {
        self.options.clone()
    }
    fn build(&self, options: &Options) -> Result<Arc<dyn AnyGame>> {
        let described = Python::attach(|py| {
            let given = PyDict::new(py);
            for option in &self.options {
                match options.get(option.name) {
                    OptionValue::Bool(switch) => given.set_item(option.name, switch),
                    OptionValue::Int(number) => given.set_item(option.name, number),
                    OptionValue::Text(text) => given.set_item(option.name, text),
                    OptionValue::List(words) => given.set_item(option.name, words.clone()),
                    _ => given.set_item(option.name, py.None()),
                }?;
            }
            let described = self.describe.bind(py).call((), Some(&given))?;
            described.extract::<Description>()
        });
        let described = described
            .map_err(|raised| Python::attach(|py| faults::error(py, self.env, "__init__", raised)))?;
        ludovec_guest::game(Arc::new(PythonRules::new(self.env, options, described)?))
    }
}

/// A function that describes a game under its options.
type Describe = Py<PyAny>;

/// Registers a game, or registers it again with other rules.
///
/// `options` is a JSON array. `describe` gets values for them and returns a [`Description`]. `interpreted` says whether a
/// rule needs the interpreter. `champion` is the file of a network.
#[pyfunction]
pub(super) fn register_game(
    id: &str,
    name: &str,
    summary: &str,
    options: &str,
    describe: Describe,
    interpreted: bool,
    champion: Option<&[u8]>,
) -> PyResult<()> {
    let (env, name, summary) = (kept(id), kept(name), kept(summary));
    let options = guard(|| read_options(env, options))?;
    let maker: &'static Maker = Box::leak(Box::new(Maker { env, options, describe }));
    let entry = Entry::guest(env, name, summary, maker);
    let entry = match champion {
        Some(file) => entry.with_champions(Box::leak(Box::new([kept_file(file)]))),
        None => entry,
    };
    guard(|| {
        // One start, so that a game that cannot be played is found here.
        entry.make([])?.single(0);
        ludovec::games::register_again(entry)
    })?;
    let mut known = interpreted_games();
    let known = known.get_or_insert_default();
    if interpreted {
        known.insert(env);
    } else {
        known.remove(env);
    }
    Ok(())
}

/// Removes a game that was registered; returns whether there was one.
#[pyfunction]
pub(super) fn forget_game(id: &str) -> bool {
    ludovec::games::forget(id)
}

/// An error of a game that is not in a rule.
pub(super) fn wrong(env: &str, what: impl std::fmt::Display) -> Error {
    Error::rules(format!("{env}: {what}"))
}
