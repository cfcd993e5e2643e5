//! Many games stepped side by side: `_core.Batch`.

use std::process;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, TryLockError};

use ludovec::engine::columns::Column;
use ludovec::engine::{Error, VectorEnv};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::{self, Buffers};
use crate::config::{self, Config};
use crate::errors::{Failure, catch};
use crate::players;
use crate::single::SingleGame;
use crate::workers::Workers;

/// Many games stepped side by side; `ludovec.VectorEnv` is its public face.
///
/// One call at a time: while a thread is inside a method, or between `begin` and `finish`, others are refused.
#[pyclass(frozen, module = "ludovec._core")]
pub(crate) struct Batch {
    state: Mutex<State>,
    spec: String,
    /// The process that made it: the threads of a batch do not survive a fork.
    process: u32,
}

enum State {
    Idle(Box<Games>),
    /// A worker steps it.
    Busy(Receiver<(Box<Games>, Result<(), Failure>)>),
    /// A panic left it in pieces.
    Broken,
    /// The caller is done with it.
    Closed,
}

struct Games {
    env: Box<dyn VectorEnv>,
    /// `[N]`: the last step's reward of the seat that acted; 0 after a reset.
    reward: Column<f32>,
}

impl Games {
    fn new(env: Box<dyn VectorEnv>) -> Self {
        let reward = Column::zeroed(env.config().num_envs);
        Self { env, reward }
    }

    /// Runs `change` and picks the acting seats' rewards from what it wrote.
    fn change(&mut self, change: impl FnOnce(&mut dyn VectorEnv) -> Result<(), Error>) -> Result<(), Error> {
        change(&mut *self.env)?;
        let columns = self.env.columns();
        let rows = columns.rewards.chunks_exact(columns.widths().rewards);
        for ((reward, row), &seat) in self.reward.iter_mut().zip(rows).zip(columns.acting_player.iter()) {
            *reward = usize::try_from(seat).ok().and_then(|seat| row.get(seat)).copied().unwrap_or(0.0);
        }
        Ok(())
    }
}

impl Batch {
    pub(crate) fn from_env(env: Box<dyn VectorEnv>) -> Self {
        let spec = config::to_json(env.game().spec());
        Self { spec, state: Mutex::new(State::Idle(Box::new(Games::new(env)))), process: process::id() }
    }

    /// Runs `call` on the state, without the interpreter's lock.
    fn exclusively<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut State) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        let result = py.detach(|| {
            if process::id() != self.process {
                return Err(Failure::Misuse(
                    "this environment was made in another process: make one here, or send it pickled",
                ));
            }
            match self.state.try_lock() {
                Ok(mut state) => call(&mut state),
                Err(TryLockError::WouldBlock) => {
                    Err(Failure::Misuse("another thread is using this environment: one call at a time"))
                }
                Err(TryLockError::Poisoned(_)) => Err(BROKEN),
            }
        });
        Ok(result?)
    }

    /// Runs `call` on the idle games.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut Games) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        self.exclusively(py, |state| {
            let result = catch(|| Ok(call(state.idle()?)?));
            if matches!(result, Err(Failure::Panic(_))) {
                *state = State::Broken;
            }
            result
        })
    }
}

const BROKEN: Failure =
    Failure::Misuse("this environment is unusable after an internal error: make a new one");

impl State {
    fn idle(&mut self) -> Result<&mut Games, Failure> {
        match self {
            Self::Idle(games) => Ok(games),
            Self::Busy(_) => Err(Failure::Misuse("a step is under way: receive it first")),
            Self::Broken => Err(BROKEN),
            Self::Closed => Err(Failure::Misuse("this environment is closed")),
        }
    }
}

#[pymethods]
impl Batch {
    /// A batch of environment `id`; the columns in `out` are written where they lie.
    #[new]
    fn new(
        py: Python<'_>,
        id: &str,
        options: &Bound<'_, PyDict>,
        config: Config,
        out: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let options = config::options(options)?;
        let mut buffers = Buffers::read(out)?;
        let made = py.detach(|| {
            catch(|| {
                let rules = config::rules(id, options)?;
                let mut fault = None;
                let mut place = |name: &'static str, dtype, bytes| {
                    buffers.take(name, dtype, bytes).unwrap_or_else(|e| {
                        fault.get_or_insert(e);
                        None
                    })
                };
                // Safety: a buffer's memory lives as long as its owner and is plain data. Python code that
                // writes there changes outputs, which the engine never relies on.
                let env = unsafe { rules.vector_placed(config.read()?, &mut place) }?;
                fault.map_or(Ok(()), Err)?;
                buffers.finish()?;
                Ok(env)
            })
        });
        Ok(Self::from_env(made?))
    }

    /// Gives up the games; arrays that show them keep their memory.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.exclusively(py, |state| {
            // A step under way ends with the worker that has it.
            *state = State::Closed;
            Ok(())
        })
    }

    /// The spec as JSON.
    #[getter]
    fn spec_json(&self) -> &str {
        &self.spec
    }

    /// Every column as an array `[num_envs, width]` over the engine's memory, by name; `reward` is `[num_envs]`.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut state = self.state.try_lock().map_err(|_| BROKEN)?;
        let games = state.idle()?;
        let dict = arrays::views(py, games.env.columns())?;
        dict.set_item("reward", arrays::vector(py, &games.reward)?)?;
        Ok(dict)
    }

    /// Starts a new episode in every game; with a seed, from the first episode of that seed.
    fn reset(&self, py: Python<'_>, seed: Option<u64>) -> PyResult<()> {
        self.with(py, |games| games.change(|env| env.reset(seed)))
    }

    /// Starts a new episode in some games.
    fn reset_games(&self, py: Python<'_>, ids: PyReadonlyArray1<'_, u32>, seed: Option<u64>) -> PyResult<()> {
        let ids = ids.as_array().to_vec();
        self.with(py, |games| games.change(|env| env.reset_games(&ids, seed)))
    }

    /// Plays one action in every game.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions = arrays::actions(actions)?;
        self.with(py, |games| games.change(|env| env.step(&actions)))
    }

    /// Plays one action in some games.
    fn step_games(
        &self,
        py: Python<'_>,
        ids: PyReadonlyArray1<'_, u32>,
        actions: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let ids = ids.as_array().to_vec();
        let actions = arrays::actions(actions)?;
        self.with(py, |games| games.change(|env| env.step_games(&ids, &actions)))
    }

    /// Samples and plays a legal action in every game, `steps` times.
    fn step_sampled(&self, py: Python<'_>, steps: usize) -> PyResult<()> {
        self.with(py, |games| games.change(|env| (0..steps).try_for_each(|_| env.step_sampled())))
    }

    /// Draws one legal action a game, uniformly.
    fn sample_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i32>>> {
        self.chosen(py, None, |env, actions| env.sample_actions(actions))
    }

    /// One action a game, or one in each of the games `ids`, by the bot of the seat to move.
    fn bot_actions<'py>(
        &self,
        py: Python<'py>,
        seats: Vec<String>,
        ids: Option<PyReadonlyArray1<'_, u32>>,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let ids = ids.map(|ids| ids.as_array().to_vec());
        let count = ids.as_ref().map(Vec::len);
        self.chosen(py, count, |env, actions| players::bot_actions(env, ids.as_deref(), &seats, actions))
    }

    /// Lets a worker play one action in every game and returns at once; `finish` waits for it.
    fn begin(&self, py: Python<'_>, workers: &Workers, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions = arrays::actions(actions)?;
        self.exclusively(py, |state| {
            state.idle()?;
            let (done, receiver) = channel();
            let State::Idle(mut games) = std::mem::replace(state, State::Busy(receiver)) else {
                unreachable!("it was idle a moment ago")
            };
            let job = move || {
                let result = catch(|| Ok(games.change(|env| env.step(&actions))?));
                // Nobody receives when the batch was dropped meanwhile.
                let _ = done.send((games, result));
            };
            workers.give(Box::new(job))
        })
    }

    /// Waits for the step that `begin` gave to a worker; its error is raised here.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.exclusively(py, |state| {
            let State::Busy(receiver) = state else {
                state.idle()?;
                return Err(Failure::Misuse("no step is under way"));
            };
            let received = receiver.recv();
            let (next, result) = match received {
                Ok((_, Err(panic @ Failure::Panic(_)))) => (State::Broken, Err(panic)),
                Ok((games, result)) => (State::Idle(games), result),
                Err(_) => (State::Broken, Err(BROKEN)),
            };
            *state = next;
            result
        })
    }

    /// Copies games out.
    fn save<'py>(&self, py: Python<'py>, ids: PyReadonlyArray1<'_, u32>) -> PyResult<Bound<'py, PyBytes>> {
        let ids = ids.as_array().to_vec();
        Ok(PyBytes::new(py, &self.with(py, |games| games.env.save(&ids))?))
    }

    /// Puts saved games into the games `ids`.
    fn restore(&self, py: Python<'_>, ids: PyReadonlyArray1<'_, u32>, snapshot: &[u8]) -> PyResult<()> {
        let ids = ids.as_array().to_vec();
        self.with(py, |games| games.change(|env| env.restore(&ids, snapshot)))
    }

    /// Copies the positions of games `src` into games `dst`.
    fn fork(
        &self,
        py: Python<'_>,
        src: PyReadonlyArray1<'_, u32>,
        dst: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<()> {
        let (src, dst) = (src.as_array().to_vec(), dst.as_array().to_vec());
        self.with(py, |games| games.change(|env| env.fork(&src, &dst)))
    }

    /// A copy of one game.
    fn game(&self, py: Python<'_>, id: u32) -> PyResult<SingleGame> {
        Ok(SingleGame::new(self.with(py, |games| games.env.single(id))?))
    }

    /// Replaces the position of a game by one in JSON.
    fn set_position(&self, py: Python<'_>, id: u32, json: &str) -> PyResult<()> {
        self.with(py, |games| {
            let position = config::from_json(json)?;
            games.change(|env| env.set_position(id, &position))
        })
    }
}

impl Batch {
    /// A new array of actions that `choose` fills in, `count` of them or one a game.
    fn chosen<'py>(
        &self,
        py: Python<'py>,
        count: Option<usize>,
        choose: impl FnOnce(&mut dyn VectorEnv, &mut [i32]) -> Result<(), Error> + Send,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let actions = self.with(py, |games| {
            let mut actions = vec![0; count.unwrap_or(games.env.config().num_envs)];
            choose(&mut *games.env, &mut actions)?;
            Ok(actions)
        })?;
        Ok(PyArray1::from_vec(py, actions))
    }
}
