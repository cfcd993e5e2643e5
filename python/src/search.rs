//! One search tree per game of a batch: `_core.TreeSearch`.

use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use ludovec::engine::columns::{ColumnInfo, Owner};
use ludovec::engine::{
    Error, Evaluator, Interrupt, Logits, Named, Result, SearchSettings, TreeSearch as EngineSearch, VectorEnv,
};
use ludovec::play::policy_rollouts::LeafRollouts;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::{self, ActionArray, Arrays, Buffers, Floats, Text};
use crate::batch::{Batch, BatchGames, Effect, is_long};
use crate::callback_queue::CallbackQueue;
use crate::config::{self, to_json};
use crate::ctrl_c::{Calls, run};
use crate::errors::{CallError, catch};
use crate::guest;
use crate::jax_ffi;
use crate::network::Network;

/// Reads the engine's settings from keyword arguments.
///
/// # Errors
/// [`Error::InvalidConfig`] names the argument and the allowed values.
fn read_settings(given: &Bound<'_, PyDict>) -> PyResult<SearchSettings> {
    let mut settings = SearchSettings::default();
    for (name, value) in given.iter() {
        let name: String = name.extract()?;
        let value = config::plain(&name, &value)?;
        let name = if name == "num_threads" { "threads" } else { &name };
        settings.set(name, &value).map_err(CallError::from)?;
    }
    Ok(settings)
}

/// One search tree per game of a batch; `ludovec.TreeSearch` is its public face.
///
/// One call at a time: while a thread is inside a method, other calls raise. Only `start` and `advance` access the
/// batch; they lock the search first, then the batch.
#[pyclass(frozen, module = "ludovec._core")]
pub(crate) struct TreeSearch {
    trees: Arc<SharedTrees>,
    calls: Calls,
    batch: Py<Batch>,
    /// Whether its calls count as long.
    long: bool,
    /// The leaf evaluator, if there is no network.
    evaluator: Option<Arc<OwnEvaluator>>,
    /// For each group of trees, the columns of its leaves by name.
    buffers: Py<PyList>,
}

/// An evaluator of leaves in the engine.
enum OwnEvaluator {
    Builtin(Evaluator),
    Rollouts(Mutex<LeafRollouts>),
}

/// The network of rollouts, their number, and their plies.
type RolloutSettings = (Py<Network>, u32, Option<u32>);

impl OwnEvaluator {
    /// The word `rollouts`, which comes with settings, or a name of the engine's evaluators.
    fn read(word: &str, rollouts: Option<RolloutSettings>, threads: Option<usize>) -> Result<Self> {
        match rollouts {
            Some((network, count, plies)) => Ok(Self::Rollouts(Mutex::new(LeafRollouts::new(
                network.get().fitted(),
                count,
                plies,
                threads,
            )?))),
            None => Evaluator::named(word).map(Self::Builtin).ok_or_else(|| {
                let names: Vec<&str> = Evaluator::NAMES.iter().map(|(name, _)| *name).collect();
                Error::config(format!("evaluator={word:?}: one of {}, rollouts is allowed", names.join(", ")))
            }),
        }
    }

    /// Runs a search to the end.
    fn run(&self, search: &mut dyn EngineSearch, interrupt: &Interrupt) -> Result<()> {
        match self {
            Self::Builtin(evaluator) => search.run(*evaluator, interrupt),
            Self::Rollouts(rollouts) => {
                rollouts.lock().unwrap_or_else(PoisonError::into_inner).run(search, interrupt)
            }
        }
    }
}

/// The trees and their games, shared with abandoned calls that still run and with compiled programs of JAX.
pub(crate) struct SharedTrees {
    /// `None` after a panic left the trees inconsistent.
    trees: Mutex<Option<RootedSearch>>,
    games: Arc<BatchGames>,
    /// Whether the rules need the interpreter in every step.
    interpreted: bool,
}

pub(crate) struct RootedSearch {
    pub(crate) search: Box<dyn EngineSearch>,
    /// The batch's number of changes when its positions became the roots; `None` before the first `start`.
    rooted: Option<u64>,
    /// Whether the search is complete.
    done: bool,
    /// Number of calls that changed the trees.
    pub(crate) calls: u32,
}

impl RootedSearch {
    /// Rejects calls that would search positions that the games have left.
    pub(crate) fn check_rooted(&self, games: &BatchGames) -> Result<()> {
        match self.rooted {
            None => Err(Error::config("the search has no roots: call start() first")),
            Some(rooted) if rooted != games.changes() => Err(Error::config(
                "the games have moved since the search was started: call advance(actions) or start()",
            )),
            Some(_) => Ok(()),
        }
    }

    pub(crate) fn check_done(&self) -> Result<()> {
        if self.rooted.is_none() {
            return Err(Error::config("the search has no roots: call start() first"));
        }
        if !self.done {
            return Err(Error::config("the search is not finished: expand until select() returns 0"));
        }
        Ok(())
    }

    /// Rejects an advance of games that have not moved.
    pub(crate) fn check_moved(&self, games: &BatchGames) -> Result<()> {
        match self.rooted {
            None => self.check_rooted(games),
            Some(rooted) if rooted == games.changes() => Err(Error::config(
                "advance: the games have not moved since the search was started: step them first",
            )),
            Some(_) => Ok(()),
        }
    }

    /// Roots the trees at the current positions.
    pub(crate) fn root(
        &mut self,
        games: &BatchGames,
        root: impl FnOnce(&mut dyn EngineSearch, &dyn VectorEnv) -> Result<()>,
    ) -> Result<(), CallError> {
        self.rooted = Some(games.call(Effect::Reads, |env| {
            root(&mut *self.search, env)?;
            Ok(games.changes())
        })?);
        self.done = false;
        self.calls = self.calls.wrapping_add(1);
        Ok(())
    }

    /// Descends the trees; returns the number of waiting leaves.
    pub(crate) fn select(&mut self) -> Result<usize> {
        let leaves = self.search.select()?;
        self.done = leaves == 0;
        self.calls = self.calls.wrapping_add(1);
        Ok(leaves)
    }

    /// Adds to the rewards of the steps to the waiting leaves.
    fn add_reward(&mut self, extra: &[f32]) -> Result<()> {
        self.search.add_reward(extra)?;
        self.calls = self.calls.wrapping_add(1);
        Ok(())
    }

    /// Expands the waiting leaves.
    pub(crate) fn expand(&mut self, logits: Logits<'_>, values: &[f32]) -> Result<()> {
        self.search.expand(logits, values)?;
        self.calls = self.calls.wrapping_add(1);
        Ok(())
    }
}

impl SharedTrees {
    /// Runs `call` on the trees in a thread without the interpreter's lock.
    pub(crate) fn in_thread<T: Send>(
        &self,
        call: impl FnOnce(&mut RootedSearch, &BatchGames) -> Result<T, CallError> + Send,
    ) -> Result<T, CallError> {
        if self.interpreted { guest::with_thread_state(|| self.idle(call)) } else { self.idle(call) }
    }

    /// Runs `call` on the trees.
    fn idle<T>(
        &self,
        call: impl FnOnce(&mut RootedSearch, &BatchGames) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        let mut state = self.trees.try_lock().map_err(|e| match e {
            TryLockError::WouldBlock => {
                CallError::Misuse("another thread is using this search: one call at a time")
            }
            TryLockError::Poisoned(_) => BROKEN,
        })?;
        let trees = state.as_mut().ok_or(BROKEN)?;
        let result = catch(|| call(trees, &self.games));
        if matches!(result, Err(CallError::Panic(_) | CallError::Engine(Error::Rules(_)))) {
            *state = None;
        }
        result
    }
}

impl TreeSearch {
    /// Runs a call without the interpreter's lock.
    fn call<T: Send + 'static>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut RootedSearch, &BatchGames) -> Result<T, CallError> + Send + 'static,
    ) -> PyResult<T> {
        let forest = self.trees.clone();
        self.calls.run(py, self.long, move || forest.idle(call))
    }

    /// Roots the trees at the current positions.
    fn root(
        &self,
        py: Python<'_>,
        check: impl FnOnce(&RootedSearch, &BatchGames) -> Result<()> + Send + 'static,
        root: impl FnOnce(&mut dyn EngineSearch, &dyn VectorEnv) -> Result<()> + Send + 'static,
    ) -> PyResult<()> {
        self.batch.get().games(py)?;
        self.call(py, |trees, games| {
            check(trees, games)?;
            trees.root(games, root)
        })
    }
}

const BROKEN: CallError =
    CallError::Misuse("this search is unusable after an internal error: make a new one");

/// Offsets and actions.
type Legal<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>);

#[pymethods]
impl TreeSearch {
    /// One search tree per game of `batch`; `evaluator` evaluates leaves in `run`: with a network, a number and plies,
    /// by `rollouts`. `out` are the arrays for the observations of the leaves of each group of trees, by number of the
    /// group.
    #[new]
    #[pyo3(signature = (batch, settings, evaluator, rollouts = None, out = None))]
    fn new(
        py: Python<'_>,
        batch: Py<Batch>,
        settings: &Bound<'_, PyDict>,
        evaluator: Option<&str>,
        rollouts: Option<RolloutSettings>,
        out: Option<&Arrays<'_>>,
    ) -> PyResult<Self> {
        let out = out.map(Buffers::read).transpose()?;
        let settings = read_settings(settings)?;
        let threads = settings.threads;
        let evaluator = evaluator.map(|word| OwnEvaluator::read(word, rollouts, threads)).transpose();
        let evaluator = evaluator.map_err(CallError::from)?;
        // Other searches without a network take any form of values.
        let is_valued = !matches!(evaluator, Some(OwnEvaluator::Builtin(_)));
        let games = batch.get().games(py)?.clone();
        let (game, config) = batch.get().read(py, |env| Ok((env.game(), env.config().clone())))?;
        let languages = guest::languages(game.spec().env);
        let is_large = is_long(config.num_envs, 0);
        let make = {
            let config = config.clone();
            move || {
                let mut search = game.tree_search(&config, settings)?;
                if let Some(mut out) = out {
                    let (mut placed, mut fault) = (Vec::new(), None);
                    // Each column is asked for once per group; with floats there are two columns of observations.
                    let mut place = |column: &'static str, dtype, bytes| {
                        let group = placed.iter().filter(|&&name| name == column).count();
                        placed.push(column);
                        out.take(&format!("{column} {group}"), dtype, bytes).unwrap_or_else(|error| {
                            fault.get_or_insert(error);
                            None
                        })
                    };
                    // Safety: an array's memory lives as long as its owner and is plain data. Python code may overwrite
                    // the observations of leaves; the engine never reads them back.
                    unsafe { search.place_observations(&mut place) }?;
                    fault.map_or(Ok(()), Err)?;
                    out.finish()?;
                }
                if is_valued {
                    search.check_values()?;
                }
                Ok(search)
            }
        };
        let mut search = run(py, is_large, make)?;
        let buffers = search.buffers();
        let bytes = |(info, _): &(ColumnInfo, Owner), rows: usize| rows * info.width * info.dtype.size();
        let written =
            buffers.iter().flat_map(|leaves| leaves.columns.iter().map(|c| bytes(c, leaves.rows))).sum();
        let groups = buffers.into_iter().map(|leaves| arrays::leaf_views(py, leaves));
        let buffers = PyList::new(py, groups.collect::<PyResult<Vec<_>>>()?)?.unbind();
        let trees = Mutex::new(Some(RootedSearch { search, rooted: None, done: false, calls: 0 }));
        Ok(Self {
            trees: Arc::new(SharedTrees { trees, games, interpreted: languages.python }),
            calls: Calls::new("this search was made in another process: make one here", languages),
            batch,
            long: languages.python || is_long(config.num_envs, written),
            evaluator: evaluator.map(Arc::new),
            buffers,
        })
    }

    /// Pauses the work of later calls, or resumes it. Tests of Ctrl-C interrupt a paused call.
    fn hold(&self, held: bool) {
        self.calls.hold(held);
    }

    /// The leaf buffers: for each group of trees, every column as an array `[rows, width]`.
    #[getter]
    fn buffers(&self, py: Python<'_>) -> Py<PyList> {
        self.buffers.clone_ref(py)
    }

    /// Makes the search known to compiled programs of JAX; returns its number.
    fn register_for_xla(&self, py: Python<'_>) -> PyResult<i64> {
        self.calls.settle(py)?;
        Ok(jax_ffi::register_trees(self.trees.clone()))
    }

    /// Roots a tree at the current position of every game, or of the games `ids`.
    fn start(&self, py: Python<'_>, ids: Option<PyReadonlyArray1<'_, u32>>) -> PyResult<()> {
        let ids = ids.map(|ids| ids.as_array().to_vec());
        self.root(py, |_, _| Ok(()), move |search, env| search.start(env, ids.as_deref()))
    }

    /// Roots trees at the current positions, each with the nodes below its position.
    fn follow(&self, py: Python<'_>, ids: Option<PyReadonlyArray1<'_, u32>>) -> PyResult<()> {
        let ids = ids.map(|ids| ids.as_array().to_vec());
        self.root(py, |_, _| Ok(()), move |search, env| search.follow(env, ids.as_deref()))
    }

    /// Roots the trees at the positions after `actions`.
    fn advance(&self, py: Python<'_>, actions: &ActionArray<'_>) -> PyResult<()> {
        let actions = arrays::actions(actions)?;
        self.root(py, RootedSearch::check_moved, move |search, env| search.advance(env, &actions.indices))
    }

    /// Descends every tree that needs more visits; returns the number of waiting leaves and the index of their group.
    fn select(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        self.call(py, |trees, games| {
            trees.check_rooted(games)?;
            Ok((trees.select()?, trees.search.group()))
        })
    }

    /// The legal actions of the waiting leaves: start offsets and actions.
    fn legal<'py>(&self, py: Python<'py>) -> PyResult<Legal<'py>> {
        let legal = self.call(py, |trees, _| Ok(trees.search.legal_actions()?))?;
        Ok((PyArray1::from_vec(py, legal.offsets), arrays::action_array(py, legal.actions)))
    }

    /// Adds `[rows, P]` to the rewards of the steps to the waiting leaves.
    fn add_reward(&self, py: Python<'_>, extra: PyReadonlyArrayDyn<'_, f32>) -> PyResult<()> {
        let extra = Floats::read("extra", &extra).map_err(CallError::from)?;
        self.call(py, move |trees, games| {
            trees.check_rooted(games)?;
            Ok(trees.add_reward(&extra)?)
        })
    }

    /// Expands the waiting leaves with logits `[rows, A]`, or uniform logits, and values.
    fn expand(
        &self,
        py: Python<'_>,
        logits: Option<PyReadonlyArrayDyn<'_, f32>>,
        values: PyReadonlyArrayDyn<'_, f32>,
    ) -> PyResult<()> {
        let logits =
            logits.map(|logits| Floats::read("logits", &logits)).transpose().map_err(CallError::from)?;
        let values = Floats::read("values", &values).map_err(CallError::from)?;
        self.call(py, move |trees, games| {
            trees.check_rooted(games)?;
            let logits = logits.as_deref().map_or(Logits::Uniform, Logits::All);
            Ok(trees.expand(logits, &values)?)
        })
    }

    /// Expands the waiting leaves with one logit per legal action, and values.
    fn expand_legal(
        &self,
        py: Python<'_>,
        logits: PyReadonlyArrayDyn<'_, f32>,
        values: PyReadonlyArrayDyn<'_, f32>,
    ) -> PyResult<()> {
        let logits = Floats::read("logits", &logits).map_err(CallError::from)?;
        let values = Floats::read("values", &values).map_err(CallError::from)?;
        self.call(py, move |trees, games| {
            trees.check_rooted(games)?;
            Ok(trees.expand(Logits::Legal(&logits), &values)?)
        })
    }

    /// Runs the search to the end with the evaluator.
    ///
    /// The work runs in a helper thread, so this thread can check for signals.
    fn run(&self, py: Python<'_>) -> PyResult<()> {
        let what = "run: a network is needed, or a search that was made with an evaluator";
        let evaluator = self.evaluator.clone().ok_or_else(|| CallError::from(Error::config(what)))?;
        self.calls.settle(py)?;
        let interrupt = Interrupt::default();
        let (shared, watched) = (self.trees.clone(), interrupt.clone());
        let (failed, result) = CallbackQueue::default().serve(py, &self.calls, &interrupt, move || {
            shared.idle(|trees, games| {
                trees.check_rooted(games)?;
                evaluator.run(&mut *trees.search, &watched)?;
                trees.done = true;
                trees.calls = trees.calls.wrapping_add(1);
                Ok(())
            })
        });
        failed.map_or(Ok(()), Err)?;
        Ok(result?)
    }

    /// The best action of every game.
    fn actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let actions = self.call(py, |trees, _| {
            trees.check_done()?;
            Ok(trees.search.actions())
        })?;
        Ok(arrays::action_array(py, actions))
    }

    /// Results at the roots, by name.
    fn results<'py>(&self, py: Python<'py>) -> PyResult<Arrays<'py>> {
        let found = self.call(py, |trees, _| {
            trees.check_done()?;
            Ok(trees.search.results()?)
        })?;
        let dict = PyDict::new(py);
        dict.set_item("actions", arrays::action_array(py, found.actions))?;
        dict.set_item("root_offsets", PyArray1::from_vec(py, found.legal.offsets))?;
        dict.set_item("root_actions", arrays::action_array(py, found.legal.actions))?;
        dict.set_item("policy", PyArray1::from_vec(py, found.policy))?;
        dict.set_item("visits", PyArray1::from_vec(py, found.visits))?;
        dict.set_item("q", PyArray1::from_vec(py, found.q))?;
        dict.set_item("proven", PyArray1::from_vec(py, found.proven))?;
        dict.set_item("mean_values", PyArray1::from_vec(py, found.mean_values))?;
        dict.set_item("values", PyArray1::from_vec(py, found.values))?;
        Ok(dict)
    }

    /// Search statistics so far, as JSON.
    fn stats(&self, py: Python<'_>) -> PyResult<String> {
        Ok(to_json(&self.call(py, |trees, _| Ok(trees.search.stats()))?))
    }

    /// A tree down to `depth` actions below its root, as JSON.
    fn tree_json(&self, py: Python<'_>, game: usize, depth: usize) -> PyResult<Text> {
        Ok(Text(to_json(&self.call(py, move |trees, _| Ok(trees.search.tree_json(game, depth)?))?)))
    }
}
