//! The registration of a class as an environment.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ludovec::engine::{AnyGame, Entry, Error, GameMaker, OptionSpec, OptionValue, Options, Result};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::description::Description;
use super::faults;
use super::rules::PythonRules;
use crate::errors::guard;

/// Texts that live as long as the program, each once: specs and options refer to texts of the code.
static TEXTS: Mutex<Texts> = Mutex::new(None);
/// Files of networks, likewise.
static CHAMPIONS: Mutex<Option<HashSet<&'static [u8]>>> = Mutex::new(None);
/// The environments with rules that need the interpreter.
static INTERPRETED: Mutex<Texts> = Mutex::new(None);

type Texts = Option<HashSet<&'static str>>;

fn set<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A text, kept for the life of the program.
pub(super) fn kept(text: &str) -> &'static str {
    kept_in(&TEXTS, text)
}

/// A text or bytes, kept for the life of the program.
fn kept_in<T: ?Sized + Eq + Hash>(known: &Mutex<Option<HashSet<&'static T>>>, given: &T) -> &'static T
where
    for<'a> Box<T>: From<&'a T>,
{
    let mut known = set(known);
    let known = known.get_or_insert_default();
    if let Some(known) = known.get(given) {
        return known;
    }
    let leaked: &'static T = Box::leak(given.into());
    known.insert(leaked);
    leaked
}

/// Whether the rules of an environment need the interpreter.
pub(crate) fn runs_python(env: &str) -> bool {
    set(&INTERPRETED).as_ref().is_some_and(|interpreted| interpreted.contains(env))
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

/// One option of a game.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct GivenOption {
    name: String,
    help: String,
    kind: String,
    /// The least and the largest integer.
    range: Option<(i64, i64)>,
    words: Vec<String>,
    default: Py<PyAny>,
}

impl GivenOption {
    fn read(&self, py: Python<'_>) -> PyResult<OptionSpec> {
        let (name, help) = (kept(&self.name), kept(&self.help));
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        Ok(match (&self.kind[..], self.range) {
            ("int", Some((min, max))) => OptionSpec::int(name, min, max, self.default.extract(py)?, help),
            ("bool", _) => OptionSpec::bool(name, self.default.extract(py)?, help),
            ("choice", _) => OptionSpec::choice(name, &words, &self.default.extract::<String>(py)?, help),
            _ => OptionSpec::text(name, help),
        })
    }
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
/// `describe` gets the game's options and returns a [`Description`]; `interpreted` says whether a rule needs the
/// interpreter; `champion` is the file of a network.
#[allow(clippy::too_many_arguments, reason = "one for each fact of a game")]
#[pyfunction]
pub(super) fn register_game(
    py: Python<'_>,
    id: &str,
    name: &str,
    summary: &str,
    options: Vec<GivenOption>,
    describe: Describe,
    interpreted: bool,
    champion: Option<&[u8]>,
) -> PyResult<()> {
    let (env, name, summary) = (kept(id), kept(name), kept(summary));
    let options = options.iter().map(|option| option.read(py)).collect::<PyResult<_>>()?;
    let maker: &'static Maker = Box::leak(Box::new(Maker { env, options, describe }));
    let entry = Entry::guest(env, name, summary, maker);
    let entry = match champion {
        Some(file) => entry.with_champions(Box::leak(Box::new([kept_in(&CHAMPIONS, file)]))),
        None => entry,
    };
    guard(|| {
        // One start, so that a game that cannot be played is found here.
        entry.make([])?.single(0);
        ludovec::games::register_again(entry)
    })?;
    let mut known = set(&INTERPRETED);
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
