//! One search tree per game of a batch: `_core.TreeSearch`.

use std::process;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread;

use ludovec::engine::{
    Error, Evaluator, Interrupt, Logits, Result, SearchSettings, TreeSearch as EngineSearch, VectorEnv,
};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays;
use crate::batch::Batch;
use crate::config::{choose, to_json};
use crate::errors::{CallError, catch};
use crate::signals::{Signals, TICK};

/// Search settings, by name.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    simulations: u32,
    method: String,
    considered: u32,
    gumbel_scale: f32,
    c_init: f32,
    c_base: f32,
    dirichlet_alpha: Option<f32>,
    dirichlet_fraction: f32,
    discount: f32,
    value: String,
    reuse: bool,
    leaves: u32,
    temperature: f32,
    temperature_moves: u32,
    groups: u32,
    pad: bool,
    max_nodes: Option<u32>,
    max_depth: Option<u32>,
    seed: u64,
    num_threads: Option<usize>,
}

impl Settings {
    /// The engine's settings.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the argument and the allowed values.
    fn read(&self) -> Result<SearchSettings> {
        Ok(SearchSettings {
            simulations: self.simulations,
            method: choose("method", &self.method)?,
            considered: self.considered,
            gumbel_scale: self.gumbel_scale,
            c_init: self.c_init,
            c_base: self.c_base,
            dirichlet_alpha: self.dirichlet_alpha,
            dirichlet_fraction: self.dirichlet_fraction,
            discount: self.discount,
            value: choose("value", &self.value)?,
            reward: None,
            reuse: self.reuse,
            leaves: self.leaves,
            temperature: self.temperature,
            temperature_moves: self.temperature_moves,
            groups: self.groups,
            pad: self.pad,
            max_nodes: self.max_nodes,
            max_depth: self.max_depth,
            seed: self.seed,
            threads: self.num_threads,
        })
    }
}

/// One search tree per game of a batch; `ludovec.TreeSearch` is its public face.
///
/// One call at a time: while a thread is inside a method, other calls raise. Only `start` and `advance` access the
/// batch; they lock the search first, then the batch.
#[pyclass(frozen, module = "ludovec._core")]
pub(crate) struct TreeSearch {
    /// `None` after a panic left the trees inconsistent.
    trees: Mutex<Option<Trees>>,
    batch: Py<Batch>,
    /// The leaf evaluator, if there is no network.
    evaluator: Option<Evaluator>,
    /// For each group of trees, the columns of its leaves by name.
    buffers: Py<PyList>,
    /// The process that created the search: its threads do not survive a fork.
    process: u32,
}

struct Trees {
    search: Box<dyn EngineSearch>,
    /// The batch's number of changes when its positions became the roots; `None` before the first `start`.
    rooted: Option<u64>,
    /// Whether the search is complete.
    done: bool,
}

impl Trees {
    /// Rejects calls that would search positions that the games have left.
    fn check_rooted(&self, batch: &Batch) -> Result<()> {
        match self.rooted {
            None => Err(Error::config("the search has no roots: call start() first")),
            Some(rooted) if rooted != batch.changes() => Err(Error::config(
                "the games have moved since the search was started: call advance(actions) or start()",
            )),
            Some(_) => Ok(()),
        }
    }

    fn check_done(&self) -> Result<()> {
        if self.rooted.is_none() {
            return Err(Error::config("the search has no roots: call start() first"));
        }
        if !self.done {
            return Err(Error::config("the search is not finished: expand until select() returns 0"));
        }
        Ok(())
    }
}

impl TreeSearch {
    /// Runs `call` on the trees without holding the GIL.
    fn exclusively<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut Trees, &Batch) -> Result<T, CallError> + Send,
    ) -> PyResult<T> {
        let batch = self.batch.get();
        let result = py.detach(|| {
            if process::id() != self.process {
                return Err(CallError::Misuse("this search was made in another process: make one here"));
            }
            let mut state = self.lock()?;
            let trees = state.as_mut().ok_or(BROKEN)?;
            let result = catch(|| call(trees, batch));
            if matches!(result, Err(CallError::Panic(_))) {
                *state = None;
            }
            result
        });
        batch.raise_signals()?;
        Ok(result?)
    }

    fn lock(&self) -> Result<MutexGuard<'_, Option<Trees>>, CallError> {
        self.trees.try_lock().map_err(|e| match e {
            TryLockError::WouldBlock => {
                CallError::Misuse("another thread is using this search: one call at a time")
            }
            TryLockError::Poisoned(_) => BROKEN,
        })
    }

    /// Roots the trees at the current positions.
    fn root(
        &self,
        py: Python<'_>,
        check: impl FnOnce(&Trees, &Batch) -> Result<()> + Send,
        root: impl FnOnce(&mut dyn EngineSearch, &dyn VectorEnv) -> Result<()> + Send,
    ) -> PyResult<()> {
        self.exclusively(py, |trees, batch| {
            check(trees, batch)?;
            trees.rooted = Some(batch.show(|env| {
                root(&mut *trees.search, env)?;
                Ok(batch.changes())
            })?);
            trees.done = false;
            Ok(())
        })
    }

    fn take_in(
        &self,
        py: Python<'_>,
        logits: Logits<'_>,
        values: &PyReadonlyArrayDyn<'_, f32>,
    ) -> PyResult<()> {
        let values = arrays::floats("values", values).map_err(CallError::from)?;
        self.exclusively(py, |trees, batch| {
            trees.check_rooted(batch)?;
            Ok(trees.search.expand(logits, values)?)
        })
    }
}

const BROKEN: CallError =
    CallError::Misuse("this search is unusable after an internal error: make a new one");

/// Offsets and actions.
type Legal<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>);

#[pymethods]
impl TreeSearch {
    /// One search tree per game of `batch`; `evaluator` evaluates leaves in `run`.
    #[new]
    fn new(py: Python<'_>, batch: Py<Batch>, settings: Settings, evaluator: Option<&str>) -> PyResult<Self> {
        let evaluator = evaluator.map(|word| choose("evaluator", word)).transpose();
        let evaluator = evaluator.map_err(CallError::from)?;
        let games = batch.get();
        let search = py.detach(|| games.show(|env| env.game().tree_search(env.config(), settings.read()?)));
        games.raise_signals()?;
        let mut search = search?;
        let groups = search.buffers().into_iter().map(|leaves| arrays::leaf_views(py, leaves));
        let buffers = PyList::new(py, groups.collect::<PyResult<Vec<_>>>()?)?.unbind();
        let trees = Mutex::new(Some(Trees { search, rooted: None, done: false }));
        Ok(Self { trees, batch, evaluator, buffers, process: process::id() })
    }

    /// The leaf buffers: for each group of trees, every column as an array `[rows, width]`.
    #[getter]
    fn buffers(&self, py: Python<'_>) -> Py<PyList> {
        self.buffers.clone_ref(py)
    }

    /// Roots a tree at the current position of every game, or of the games `ids`.
    fn start(&self, py: Python<'_>, ids: Option<PyReadonlyArray1<'_, u32>>) -> PyResult<()> {
        let ids = ids.map(|ids| ids.as_array().to_vec());
        self.root(py, |_, _| Ok(()), |search, env| search.start(env, ids.as_deref()))
    }

    /// Roots the trees at the positions after `actions`.
    fn advance(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions = arrays::actions(actions)?;
        let check = |trees: &Trees, batch: &Batch| match trees.rooted {
            None => trees.check_rooted(batch),
            Some(rooted) if rooted == batch.changes() => Err(Error::config(
                "advance: the games have not moved since the search was started: step them first",
            )),
            Some(_) => Ok(()),
        };
        self.root(py, check, |search, env| search.advance(env, &actions.indices))
    }

    /// Descends every tree that needs more visits; returns the number of waiting leaves and the index of their group.
    fn select(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        self.exclusively(py, |trees, batch| {
            trees.check_rooted(batch)?;
            let leaves = trees.search.select()?;
            trees.done = leaves == 0;
            Ok((leaves, trees.search.group()))
        })
    }

    /// The legal actions of the waiting leaves: start offsets and actions.
    fn legal<'py>(&self, py: Python<'py>) -> PyResult<Legal<'py>> {
        let legal = self.exclusively(py, |trees, _| Ok(trees.search.legal_actions()?))?;
        Ok((PyArray1::from_vec(py, legal.offsets), PyArray1::from_vec(py, legal.actions)))
    }

    /// Expands the waiting leaves with logits `[rows, A]`, or uniform logits, and values.
    fn expand(
        &self,
        py: Python<'_>,
        logits: Option<PyReadonlyArrayDyn<'_, f32>>,
        values: PyReadonlyArrayDyn<'_, f32>,
    ) -> PyResult<()> {
        let logits = match &logits {
            Some(logits) => Logits::All(arrays::floats("logits", logits).map_err(CallError::from)?),
            None => Logits::Uniform,
        };
        self.take_in(py, logits, &values)
    }

    /// Expands the waiting leaves with one logit per legal action, and values.
    fn expand_legal(
        &self,
        py: Python<'_>,
        logits: PyReadonlyArrayDyn<'_, f32>,
        values: PyReadonlyArrayDyn<'_, f32>,
    ) -> PyResult<()> {
        let logits = Logits::Legal(arrays::floats("logits", &logits).map_err(CallError::from)?);
        self.take_in(py, logits, &values)
    }

    /// Runs the search to the end with the evaluator.
    ///
    /// The work runs in a helper thread, so this thread can check for signals.
    fn run(&self, py: Python<'_>) -> PyResult<()> {
        let what = "run: a network is needed, or a search that was made with an evaluator";
        let evaluator = self.evaluator.ok_or_else(|| CallError::from(Error::config(what)))?;
        let signals = Signals::default();
        let result = self.exclusively(py, |trees, batch| {
            trees.check_rooted(batch)?;
            run_interruptibly(&mut *trees.search, evaluator, &signals)?;
            trees.done = true;
            Ok(())
        });
        signals.raise()?;
        result
    }

    /// The best action of every game.
    fn actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let actions = self.exclusively(py, |trees, _| {
            trees.check_done()?;
            Ok(trees.search.actions())
        })?;
        Ok(PyArray1::from_vec(py, actions))
    }

    /// Results at the roots, by name.
    fn results<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = self.exclusively(py, |trees, _| {
            trees.check_done()?;
            Ok(trees.search.results()?)
        })?;
        let dict = PyDict::new(py);
        dict.set_item("actions", PyArray1::from_vec(py, found.actions))?;
        dict.set_item("root_offsets", PyArray1::from_vec(py, found.legal.offsets))?;
        dict.set_item("root_actions", PyArray1::from_vec(py, found.legal.actions))?;
        dict.set_item("policy", PyArray1::from_vec(py, found.policy))?;
        dict.set_item("visits", PyArray1::from_vec(py, found.visits))?;
        dict.set_item("q", PyArray1::from_vec(py, found.q))?;
        dict.set_item("values", PyArray1::from_vec(py, found.values))?;
        Ok(dict)
    }

    /// Search statistics so far, as JSON.
    fn stats(&self, py: Python<'_>) -> PyResult<String> {
        Ok(to_json(&self.exclusively(py, |trees, _| Ok(trees.search.stats()))?))
    }

    /// A tree down to `depth` actions below its root, as JSON.
    fn tree_json(&self, py: Python<'_>, game: usize, depth: usize) -> PyResult<String> {
        Ok(to_json(&self.exclusively(py, |trees, _| Ok(trees.search.tree_json(game, depth)?))?))
    }
}

/// Runs the search to the end, or until a signal arrives.
fn run_interruptibly(
    search: &mut dyn EngineSearch,
    evaluator: Evaluator,
    signals: &Signals,
) -> Result<(), CallError> {
    let interrupt = Interrupt::default();
    thread::scope(|scope| {
        let (done, result) = channel();
        let ended = &interrupt;
        let work = move || {
            // The receiver waits as long as this thread lives.
            let _ = done.send(catch(|| Ok(search.run(evaluator, ended)?)));
        };
        let spawned = thread::Builder::new().name("ludovec search".into()).spawn_scoped(scope, work);
        spawned.map_err(|e| CallError::Engine(Error::config(format!("no thread could be started: {e}"))))?;
        loop {
            match result.recv_timeout(TICK) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) if signals.came() => interrupt.raise(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(BROKEN),
            }
        }
    })
}
