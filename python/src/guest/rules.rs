//! The methods of a class as rules of the engine.

use std::time::{Duration, Instant};

use ludovec::engine::chance::Chance;
use ludovec::engine::{Error, Options, Result, Spec, kept};
use ludovec_guest::{Features, Function, GuestRules, Player, described_spec};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use serde_json::Value;

use super::answers::Unread;
use super::chance::ChanceSource;
use super::description::{Description, Method};
use super::maker::wrong;
use super::running::Active;
use super::scratch::{Pool, Scratch};
use super::{answers, faults};

/// A method that runs longer than this is left by Ctrl-C. One that is faster starts again and completes, so that the
/// games of a batch stay consistent; the signal arrives after the call of the engine.
const PATIENCE: Duration = Duration::from_millis(250);

/// The rules of a class under some options.
pub(super) struct PythonRules {
    env: &'static str,
    spec: Spec,
    features: Features,
    records: Pool,
    as_bytes: Py<PyAny>,
    bots: Vec<Py<PyAny>>,
    init: Method,
    current_player: Method,
    legal: Method,
    step: Method,
    observe: Method,
    returns: Method,
    scores: Option<Method>,
    estimate: Option<Method>,
    determinize: Option<Method>,
    validate: Option<Method>,
    action_to_string: Option<Method>,
    to_text: Option<Method>,
    to_svg: Option<Method>,
}

/// What a method may do with the state.
enum Record<'a> {
    Read(&'a [u8]),
    Change(&'a mut [u8]),
}

/// What a method gets between the state and the source of chance.
#[derive(Clone, Copy)]
enum Argument<'a> {
    None,
    Number(usize),
    /// A player, or None for everybody.
    Viewer(Option<usize>),
    /// The actions of a mask.
    Actions(&'a [u64]),
}

/// Whether this is the thread that signals reach.
fn is_main_thread(py: Python<'_>) -> bool {
    let same = || -> PyResult<bool> {
        let threading = py.import("threading")?;
        Ok(threading.call_method0("current_thread")?.is(&threading.call_method0("main_thread")?))
    };
    same().unwrap_or(false)
}

impl Record<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Read(bytes) => bytes,
            Self::Change(bytes) => bytes,
        }
    }

    /// Checks what a method did with the state.
    fn check(&self, scratch: &mut Scratch, answer: &Bound<'_, PyAny>) -> std::result::Result<(), String> {
        match self {
            Self::Change(_) if !answer.is_none() && !answer.is(&scratch.record) => Err(format!(
                "{} is returned, but the method changes the state in place",
                answers::shown(answer)
            )),
            Self::Read(bytes) if scratch.bytes() != *bytes => {
                Err("it has changed the state, which init, step and determinize alone may do".into())
            }
            _ => Ok(()),
        }
    }
}

impl Argument<'_> {
    /// Calls a method with the state, the argument and the source of chance.
    fn call<'py>(
        self,
        py: Python<'py>,
        method: &Py<PyAny>,
        scratch: &Scratch,
        chance: Option<&Py<ChanceSource>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (method, state) = (method.bind(py), &scratch.record);
        match (self.object(py)?, chance) {
            (None, None) => method.call1((state,)),
            (None, Some(chance)) => method.call1((state, chance)),
            (Some(argument), None) => method.call1((state, argument)),
            (Some(argument), Some(chance)) => method.call1((state, argument, chance)),
        }
    }
    fn object<'py>(self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(match self {
            Self::None => None,
            Self::Number(number) => Some(number.into_pyobject(py)?.into_any()),
            Self::Viewer(seat) => Some(seat.into_pyobject(py)?),
            Self::Actions(mask) => Some(answers::actions(py, mask).into_any()),
        })
    }
}

impl PythonRules {
    pub(super) fn new(env: &'static str, options: &Options, described: Description) -> Result<Self> {
        let (spec, mut features) = described_spec(env, kept(&described.summary), options, &described.spec)?;
        let mut methods = described.methods;
        features.keeps_scores = methods.contains_key("scores");
        features.has_estimate = methods.contains_key("estimate");
        let mut needed = |name: &str| {
            methods.remove(name).ok_or_else(|| wrong(env, format_args!("the method {name} is missing")))
        };
        Ok(Self {
            env,
            records: Pool::new(described.make_state, spec.state_bytes),
            spec,
            features,
            as_bytes: described.as_bytes,
            bots: described.bots,
            init: needed("init")?,
            current_player: needed("current_player")?,
            legal: needed("legal")?,
            step: needed("step")?,
            observe: needed("observe")?,
            returns: needed("returns")?,
            scores: methods.remove("scores"),
            estimate: methods.remove("estimate"),
            determinize: methods.remove("determinize"),
            validate: methods.remove("validate"),
            action_to_string: methods.remove("action_to_string"),
            to_text: methods.remove("to_text"),
            to_svg: methods.remove("to_svg"),
        })
    }

    /// Calls a method with a state, other arguments, and perhaps a source of chance. `read` reads its answer.
    fn call<T>(
        &self,
        name: &str,
        method: &Py<PyAny>,
        record: Record<'_>,
        argument: Argument<'_>,
        chance: Option<&mut dyn Chance>,
        mut read: impl FnMut(&Bound<'_, PyAny>) -> std::result::Result<T, Unread>,
    ) -> Result<T> {
        let raised = |py: Python<'_>, error: PyErr| faults::error(py, self.env, name, error);
        let Some(_active) = Active::begin() else {
            return Err(Error::rules(format!("{}.{name}: the process ends", self.env)));
        };
        Python::attach(|py| {
            let result = self.records.with(py, |scratch| {
                let source = scratch.chance.clone_ref(py);
                let has_chance = chance.is_some();
                let mut attempt = |scratch: &mut Scratch| {
                    scratch.bytes().copy_from_slice(record.bytes());
                    let answer = argument.call(py, method, scratch, has_chance.then_some(&source))?;
                    record.check(scratch, &answer)?;
                    read(&answer)
                };
                let started = Instant::now();
                let mut restarted = false;
                let mut run = || loop {
                    match attempt(scratch) {
                        Err(Unread::Raised(error))
                            if error.is_instance_of::<PyKeyboardInterrupt>(py)
                                && !restarted
                                && started.elapsed() < PATIENCE =>
                        {
                            restarted = true;
                            source.get().rewind();
                        }
                        result => return result,
                    }
                };
                let result = match chance {
                    Some(chance) => ChanceSource::lend(&source, chance, run),
                    None => run(),
                };
                if restarted && is_main_thread(py) {
                    // Safety: the function only sets a flag.
                    unsafe { pyo3::ffi::PyErr_SetInterrupt() };
                }
                let result = result.map_err(|unread| match unread {
                    Unread::Raised(error) => raised(py, error),
                    Unread::Said(what) => Error::rules(format!("{}.{name}: {what}", self.env)),
                })?;
                if let Record::Change(bytes) = record {
                    bytes.copy_from_slice(scratch.bytes());
                }
                Ok(result)
            });
            result.map_err(|error| raised(py, error)).flatten()
        })
    }

    /// Calls a method of Python that changes the state.
    fn change(
        &self,
        name: &str,
        method: &Py<PyAny>,
        record: &mut [u8],
        argument: Argument<'_>,
        chance: &mut dyn Chance,
    ) -> Result<()> {
        let record = Record::Change(record);
        self.call(name, method, record, argument, Some(chance), |_| Ok(()))
    }

    /// Calls a method of Python that reads the state.
    fn ask<T>(
        &self,
        name: &str,
        method: &Py<PyAny>,
        record: &[u8],
        argument: Argument<'_>,
        read: impl FnMut(&Bound<'_, PyAny>) -> std::result::Result<T, Unread>,
    ) -> Result<T> {
        self.call(name, method, Record::Read(record), argument, None, read)
    }

    /// Calls a method that returns a text, if there is one.
    fn text(
        &self,
        name: &str,
        method: Option<&Method>,
        record: &[u8],
        argument: Argument<'_>,
    ) -> Result<Option<String>> {
        let Some(Method::Python(method)) = method else { return Ok(None) };
        self.call(name, method, Record::Read(record), argument, None, answers::text).map(Some)
    }

    /// Calls a method that returns a number per player.
    fn numbers(&self, name: &str, method: &Method, record: &[u8], out: &mut [f32]) -> Result<()> {
        match method {
            Method::Python(method) => {
                self.ask(name, method, record, Argument::None, |answer| answers::numbers(answer, out))
            }
            Method::C(function) => {
                // Safety: the user vouches for the functions of a game.
                if unsafe { function.numbers(record, out) } { Ok(()) } else { self.failed(name) }
            }
        }
    }

    /// The error of a compiled function.
    fn failed(&self, name: &str) -> Result<()> {
        Err(Error::rules(format!(
            "{}.{name} failed in compiled code; with NUMBA_DISABLE_JIT=1 in the environment, functions of Numba raise \
             their exceptions",
            self.env
        )))
    }

    fn is_python(&self) -> bool {
        let rules = [&self.init, &self.current_player, &self.legal, &self.step, &self.observe, &self.returns]
            .into_iter();
        let others = [&self.scores, &self.estimate, &self.determinize, &self.validate];
        rules.chain(others.into_iter().flatten()).any(|method| matches!(method, Method::Python(_)))
    }
}

/// Runs a C function of a game.
macro_rules! c {
    ($rules:ident, $function:ident.$method:ident($($argument:expr),*)) => {{
        let function: Function = *$function;
        // Safety: the user vouches for the functions of a game.
        match unsafe { function.$method($($argument),*) } {
            true => Ok(()),
            false => $rules.failed(stringify!($method)),
        }
    }};
}

impl GuestRules for PythonRules {
    fn spec(&self) -> &Spec {
        &self.spec
    }
    fn features(&self) -> &Features {
        &self.features
    }
    fn is_serial(&self) -> bool {
        self.is_python()
    }

    fn init(&self, record: &mut [u8], chance: &mut dyn Chance) -> Result<()> {
        match &self.init {
            Method::Python(method) => self.change("init", method, record, Argument::None, chance),
            Method::C(function) => c!(self, function.init(record, chance)),
        }
    }
    fn current_player(&self, record: &[u8]) -> Result<Player> {
        let player = match &self.current_player {
            Method::Python(method) => {
                self.ask("current_player", method, record, Argument::None, answers::player)?
            }
            Method::C(function) => {
                // Safety: the user vouches for the functions of a game.
                let player = unsafe { function.current_player(record) };
                usize::try_from(player).ok()
            }
        };
        Ok(player.into())
    }
    fn legal(&self, record: &[u8], mask: &mut [u64]) -> Result<()> {
        let actions = self.spec.num_actions as usize;
        match &self.legal {
            Method::Python(method) => self
                .ask("legal", method, record, Argument::None, |answer| answers::legal(answer, actions, mask)),
            Method::C(function) => c!(self, function.legal(record, actions, mask)),
        }
    }
    fn step(&self, record: &mut [u8], action: u32, chance: &mut dyn Chance) -> Result<()> {
        match &self.step {
            Method::Python(method) => {
                self.change("step", method, record, Argument::Number(action as usize), chance)
            }
            Method::C(function) => c!(self, function.step(record, action, chance)),
        }
    }
    fn observe(&self, record: &[u8], seat: usize, out: &mut [u8]) -> Result<()> {
        match &self.observe {
            Method::Python(method) => self.ask("observe", method, record, Argument::Number(seat), |answer| {
                answers::observation(answer, self.as_bytes.bind(answer.py()), out)
            }),
            Method::C(function) => c!(self, function.observe(record, seat, out)),
        }
    }
    fn returns(&self, record: &[u8], out: &mut [f32]) -> Result<()> {
        self.numbers("returns", &self.returns, record, out)
    }
    fn scores(&self, record: &[u8], out: &mut [f32]) -> Result<()> {
        match &self.scores {
            Some(scores) => self.numbers("scores", scores, record, out),
            None => {
                out.fill(0.0);
                Ok(())
            }
        }
    }
    fn determinize(&self, record: &mut [u8], seat: usize, chance: &mut dyn Chance) -> Result<()> {
        match &self.determinize {
            Some(Method::Python(method)) => {
                self.change("determinize", method, record, Argument::Number(seat), chance)
            }
            Some(Method::C(function)) => c!(self, function.determinize(record, seat, chance)),
            None => Ok(()),
        }
    }
    fn validate(&self, record: &[u8]) -> Result<()> {
        match &self.validate {
            Some(Method::Python(method)) => {
                // The method raises an exception, or returns False.
                let is_valid = self.ask("validate", method, record, Argument::None, |answer| {
                    Ok(answer.is_none() || answer.is_truthy().unwrap_or(false))
                });
                match is_valid {
                    Ok(true) => Ok(()),
                    Ok(false) => Err(Error::state(format!("{}.validate returns False", self.env))),
                    Err(error) => {
                        drop(faults::take(&error.to_string()));
                        Err(Error::state(error.to_string()))
                    }
                }
            }
            Some(Method::C(function)) => {
                c!(self, function.validate(record)).map_err(|error: Error| Error::state(error.to_string()))
            }
            None => Ok(()),
        }
    }

    fn words(&self, records: &[&[u8]], _: &mut dyn Chance, request: &Value) -> Result<Option<Value>> {
        let number = |value: &Value| value.as_u64().map(|number| number as usize);
        let viewer = Argument::Viewer(number(&request["view"]["seat"]));
        let (name, method, argument) = match request["ask"].as_str() {
            Some("action_to_string") => {
                let action = number(&request["action"]).unwrap_or_default();
                ("action_to_string", &self.action_to_string, Argument::Number(action))
            }
            Some("to_text") => ("to_text", &self.to_text, viewer),
            Some("to_svg") => ("to_svg", &self.to_svg, viewer),
            _ => return Ok(None),
        };
        let text = self.text(name, method.as_ref(), records[0], argument)?;
        Ok(text.map(Value::from))
    }
    fn estimate(&self, record: &[u8], out: &mut [f32]) -> Result<()> {
        self.estimate.as_ref().map_or(Ok(()), |estimate| self.numbers("estimate", estimate, record, out))
    }
    fn bot_action(
        &self,
        bot: usize,
        record: &[u8],
        mask: &[u64],
        chance: &mut dyn Chance,
    ) -> Result<Option<u32>> {
        let name = format!("bots[{:?}]", self.features.bots[bot].name);
        self.call(
            &name,
            &self.bots[bot],
            Record::Read(record),
            Argument::Actions(mask),
            Some(chance),
            answers::action,
        )
        .map(Some)
    }
}
