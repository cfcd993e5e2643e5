//! The registration of a class as an environment.

use std::collections::HashMap;
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

/// The languages of an environment's rules, besides Rust of our own.
#[derive(Clone, Copy, Default)]
pub(crate) struct Languages {
    /// Whether a rule needs the interpreter.
    pub(crate) python: bool,
    /// Whether a rule is a function of C, which Ctrl-C cannot end.
    pub(crate) c: bool,
}

/// The languages of the registered classes.
static CLASSES: Mutex<Option<HashMap<&'static str, Languages>>> = Mutex::new(None);

fn classes() -> MutexGuard<'static, Option<HashMap<&'static str, Languages>>> {
    CLASSES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The languages of the rules of an environment that is registered.
pub(crate) fn languages(env: &str) -> Languages {
    if !ludovec::games::all().iter().any(|entry| entry.id == env && entry.is_guest()) {
        return Languages::default();
    }
    // The other guests are games of compiled libraries.
    let class = classes().as_ref().and_then(|classes| classes.get(env).copied());
    class.unwrap_or(Languages { python: false, c: true })
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
/// `options` is a JSON array. `describe` gets values for them and returns a [`Description`]. `python` says whether a rule needs
/// the interpreter, `c` whether one is a compiled function. `champion` is the file of a network.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "all that a class says about its game")]
pub(super) fn register_game(
    id: &str,
    name: &str,
    summary: &str,
    options: &str,
    describe: Describe,
    python: bool,
    c: bool,
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
    classes().get_or_insert_default().insert(env, Languages { python, c });
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
