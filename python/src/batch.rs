//! Many games stepped side by side: `_core.Batch`.

use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Instant;

use ludovec::engine::{Error, Interrupt, Named, ObservationFormat, VectorEnv};
use ludovec::play::player::play_on;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::{self, Buffers};
use crate::bots;
use crate::config::{self, Config};
use crate::desk::Desk;
use crate::errors::{CallError, catch};
use crate::players::Players;
use crate::signals::{Signals, TICK};
use crate::single::SingleGame;
use crate::workers::Workers;

/// Many games stepped side by side; `ludovec.VectorEnv` is its public face.
///
/// One call at a time: while a thread is inside a method, or between `begin` and `finish`, others are refused.
#[pyclass(frozen, module = "ludovec._core")]
pub(crate) struct Batch {
    state: Mutex<State>,
    /// How often positions have changed.
    changes: AtomicU64,
    spec: String,
    /// The name of the format of observations.
    obs: &'static str,
    /// The process that made it: the threads of a batch do not survive a fork.
    process: u32,
    signals: Signals,
    num_envs: usize,
    /// Whether its calls may wait for another process, and look for signals themselves.
    waits: bool,
    credit_of_mover: Py<PyArray1<f32>>,
}

enum State {
    Idle(Box<dyn VectorEnv>),
    /// A worker steps it.
    Busy(Receiver<(Box<dyn VectorEnv>, Result<(), CallError>)>),
    /// A panic left it in pieces.
    Broken,
    /// The caller is done with it.
    Closed,
}

impl Batch {
    pub(crate) fn from_env(env: Box<dyn VectorEnv>) -> Result<Self, Error> {
        let spec = config::spec_json(&*env.game())?;
        let obs = env.config().observation.name();
        let num_envs = env.config().num_envs;
        let credit_of_mover = Python::attach(|py| PyArray1::zeros(py, num_envs, false).unbind());
        Ok(Self {
            state: Mutex::new(State::Idle(env)),
            changes: AtomicU64::new(0),
            spec,
            obs,
            process: process::id(),
            signals: Signals::default(),
            num_envs,
            waits: false,
            credit_of_mover,
        })
    }

    /// A batch whose calls may wait for another process: Ctrl-C ends them.
    #[cfg(target_os = "linux")]
    pub(crate) fn waiting(mut env: Box<dyn VectorEnv>) -> Result<Self, Error> {
        let signals = Signals::default();
        env.interrupt_by(signals.interrupt());
        Ok(Self { signals, waits: true, ..Self::from_env(env)? })
    }

    /// Runs `call` on the state, without the interpreter's lock.
    fn exclusively<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut State) -> Result<T, CallError> + Send,
    ) -> PyResult<T> {
        let result = py.detach(|| self.locked(call));
        self.raise_signals()?;
        Ok(result?)
    }

    fn locked<T>(&self, call: impl FnOnce(&mut State) -> Result<T, CallError>) -> Result<T, CallError> {
        if process::id() != self.process {
            return Err(CallError::Misuse(
                "this environment was made in another process: make one here, or send it pickled",
            ));
        }
        call(&mut *self.lock()?)
    }

    fn lock(&self) -> Result<MutexGuard<'_, State>, CallError> {
        self.state.try_lock().map_err(|e| match e {
            TryLockError::WouldBlock => {
                CallError::Misuse("another thread is using this environment: one call at a time")
            }
            TryLockError::Poisoned(_) => BROKEN,
        })
    }

    /// Runs `call` on the idle games.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut dyn VectorEnv) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        self.exclusively(py, |state| {
            let result = catch(|| Ok(call(state.idle()?)?));
            if matches!(result, Err(CallError::Panic(_))) {
                *state = State::Broken;
            }
            result
        })
    }

    /// Runs `call`, which changes positions, on the idle games.
    fn changing<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut dyn VectorEnv) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let changed = self.with(py, |env| self.noting(call(env)))?;
        self.show_credit(py)?;
        Ok(changed)
    }

    /// Runs `call`, which lets players choose, in a thread of its own: this one serves at the `desk`.
    fn playing<T: Send>(
        &self,
        py: Python<'_>,
        desk: &Desk,
        call: impl FnOnce(&mut dyn VectorEnv) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let interrupt = Interrupt::default();
        let (failed, result) = desk.serve(py, &interrupt, || {
            self.locked(|state| {
                let env = state.idle()?;
                env.interrupt_by(interrupt.clone());
                let result = catch(|| Ok(call(&mut *env)?));
                env.interrupt_by(if self.waits { self.signals.interrupt() } else { Interrupt::default() });
                if matches!(result, Err(CallError::Panic(_))) {
                    *state = State::Broken;
                }
                result
            })
        });
        self.raise_signals()?;
        failed.map_or(Ok(()), Err)?;
        let result = result?;
        self.show_credit(py)?;
        Ok(result)
    }

    /// Writes what the seats to move have earned.
    fn show_credit(&self, py: Python<'_>) -> PyResult<()> {
        let mut shown = self.credit_of_mover.bind(py).try_readwrite()?;
        let mut state = self.lock()?;
        let columns = state.idle()?.columns();
        let players = columns.widths().rewards;
        for (game, shown) in shown.as_slice_mut()?.iter_mut().enumerate() {
            // The credit of a finished game is no longer that of who moves now.
            let earned = columns.seat_to_move(game).ok().map(|seat| columns.credit[game * players + seat]);
            *shown = if columns.done[game] == 0 { earned.unwrap_or(0.0) } else { 0.0 };
        }
        Ok(())
    }

    /// Counts a change of positions, unless it was refused. Games of a fleet that did not answer may have moved.
    fn noting<T>(&self, changed: Result<T, Error>) -> Result<T, Error> {
        if !changed.as_ref().is_err_and(is_refusal) {
            self.changes.fetch_add(1, Ordering::Relaxed);
        }
        changed
    }

    /// How often positions have changed; a step under way is counted.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// Shows `call` the idle games. Signals that come meanwhile are raised by [`Batch::raise_signals`].
    pub(crate) fn show<T>(
        &self,
        call: impl FnOnce(&dyn VectorEnv) -> Result<T, Error>,
    ) -> Result<T, CallError> {
        self.locked(|state| {
            let env = state.idle()?;
            catch(|| Ok(call(env)?))
        })
    }

    /// Raises what the handler of a signal raised during a call.
    pub(crate) fn raise_signals(&self) -> PyResult<()> {
        self.signals.raise()
    }
}

const BROKEN: CallError =
    CallError::Misuse("this environment is unusable after an internal error: make a new one");

impl State {
    fn idle(&mut self) -> Result<&mut dyn VectorEnv, CallError> {
        match self {
            Self::Idle(env) => Ok(&mut **env),
            Self::Busy(_) => Err(CallError::Misuse("a step is under way: receive it first")),
            Self::Broken => Err(BROKEN),
            Self::Closed => Err(CallError::Misuse("this environment is closed")),
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
                let config = config.read()?;
                let columns = rules.widths(&config).list();
                let mut fault = None;
                let mut place = |name: &'static str, dtype, bytes| {
                    // Columns that are only there on request serve fleets, not arrays.
                    columns.iter().find(|(column, ..)| *column == name)?;
                    buffers.take(name, dtype, bytes).unwrap_or_else(|e| {
                        fault.get_or_insert(e);
                        None
                    })
                };
                // Safety: a buffer's memory lives as long as its owner and is plain data. Python code that
                // writes there changes outputs, which the engine never relies on.
                let env = unsafe { rules.vector_placed(config, &mut place) }?;
                fault.map_or(Ok(()), Err)?;
                buffers.finish()?;
                Ok(Self::from_env(env)?)
            })
        });
        Ok(made?)
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

    /// How observations are written: `"u8"`, `"f32"`, `"packed"` or `"none"`.
    #[getter]
    fn obs(&self) -> &'static str {
        self.obs
    }

    /// Every column as an array `[num_envs, width]` over the engine's memory, by name.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut state = self.lock()?;
        arrays::views(py, state.idle()?.columns())
    }

    /// Every column of the states as a read-only array over the engine's memory, by name.
    fn state_columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut state = self.lock()?;
        let env = state.idle()?;
        let Some(states) = env.states() else {
            let other =
                Error::config("state_columns: the games are in another process; make() has them here");
            return Err(CallError::Engine(other).into());
        };
        arrays::state_views(py, self.num_envs, &states, &env.game().spec().state)
    }

    /// Starts a new episode in every game; with a seed, from the first episode of that seed.
    fn reset(&self, py: Python<'_>, seed: Option<u64>) -> PyResult<()> {
        self.changing(py, |env| env.reset(seed))
    }

    /// Starts a new episode in some games.
    fn reset_games(&self, py: Python<'_>, ids: PyReadonlyArray1<'_, u32>, seed: Option<u64>) -> PyResult<()> {
        let ids = ids.as_array().to_vec();
        self.changing(py, |env| env.reset_games(&ids, seed))
    }

    /// Plays one action in every game; returns the games that ended.
    fn step<'py>(&self, py: Python<'py>, actions: &Bound<'py, PyAny>) -> PyResult<Ended<'py>> {
        let actions = arrays::actions(actions)?;
        self.moving(py, |env| {
            self.noting(env.step(&actions.indices)).map_err(|refused| actions.as_given(None, refused))
        })
    }

    /// Plays one action in some games; returns all games whose last step ended them.
    fn step_games<'py>(
        &self,
        py: Python<'py>,
        ids: PyReadonlyArray1<'py, u32>,
        actions: &Bound<'py, PyAny>,
    ) -> PyResult<Ended<'py>> {
        let ids = ids.as_array().to_vec();
        let actions = arrays::actions(actions)?;
        self.moving(py, |env| {
            let moved = self.noting(env.step_games(&ids, &actions.indices));
            moved.map_err(|refused| actions.as_given(Some(&ids), refused))
        })
    }

    /// Plays one action in some games, in order, under given chance outcomes; returns all games whose last step ended them.
    fn step_scripted<'py>(
        &self,
        py: Python<'py>,
        ids: PyReadonlyArray1<'py, u32>,
        actions: &Bound<'py, PyAny>,
        outcomes: Vec<Vec<u32>>,
    ) -> PyResult<Ended<'py>> {
        let ids = ids.as_array().to_vec();
        let actions = arrays::actions(actions)?;
        self.moving(py, |env| {
            let moved = self.noting(env.step_scripted(&ids, &actions.indices, &outcomes));
            moved.map_err(|refused| actions.as_given(Some(&ids), refused))
        })
    }

    /// Samples and plays a legal action in every game, `steps` times; returns the games that ended in the last.
    fn step_sampled<'py>(&self, py: Python<'py>, steps: usize) -> PyResult<Ended<'py>> {
        let mut looked = Instant::now();
        self.moving(py, |env| {
            (0..steps).try_for_each(|_| {
                self.noting(env.step_sampled())?;
                if looked.elapsed() < TICK {
                    return Ok(());
                }
                looked = Instant::now();
                if self.signals.came() { Err(Error::interrupted("step_sampled")) } else { Ok(()) }
            })
        })
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
        let mut actions = vec![0; count.unwrap_or(self.num_envs)];
        self.playing(py, &Desk::default(), |env| {
            bots::bot_actions(env, ids.as_deref(), &seats, &mut actions)
        })?;
        Ok(PyArray1::from_vec(py, actions))
    }

    /// Plays on in every unfinished game for as long as one of `players` is to move: `who[game][seat]` is its number, or
    /// -1 for the caller. Returns the moves that were lost, each with the player's name, game, seat and reason.
    fn play_on(
        &self,
        py: Python<'_>,
        players: &Players,
        who: PyReadonlyArray2<'_, i32>,
    ) -> PyResult<Vec<(String, u64, usize, String)>> {
        let seats = who.as_array();
        let mut faults = Vec::new();
        self.playing(py, &players.desk, |env| {
            let count = players.players.len();
            let needed = (env.config().num_envs, env.columns().widths().rewards);
            if seats.dim() != needed {
                return Err(Error::config(format!(
                    "who: shape {needed:?} is needed, {:?} was given",
                    seats.dim()
                )));
            }
            let who = |game, seat| {
                let player = seats.get((game, seat)).and_then(|&player| usize::try_from(player).ok());
                player.filter(|&player| player < count)
            };
            self.noting(play_on(&players.players, who, env, &mut faults))
        })?;
        Ok(faults.into_iter().map(|f| (f.bot, f.game, f.player, f.reason)).collect())
    }

    /// What a seat sees in a game: packed if the batch's observations are, else one byte an element.
    fn observe<'py>(&self, py: Python<'py>, id: u32, player: usize) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let seen = self.with(py, |env| {
            let seen = env.single(id)?.observation(player)?;
            if env.config().observation != ObservationFormat::Packed {
                return Ok(seen);
            }
            let layout = env.game().spec().packed();
            let mut row = vec![0; layout.row_bytes];
            layout.pack(&seen, &mut row);
            Ok(row)
        })?;
        Ok(PyArray1::from_vec(py, seen))
    }

    /// float32 `[num_envs]`: what the seat to move has earned since its last decision, 0 at the start of a game.
    #[getter]
    fn credit_of_mover(&self, py: Python<'_>) -> Py<PyArray1<f32>> {
        self.credit_of_mover.clone_ref(py)
    }

    /// Lets a worker play one action in every game and returns at once; `finish` waits for it.
    fn begin(&self, py: Python<'_>, workers: &Workers, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions = arrays::actions(actions)?;
        self.exclusively(py, |state| {
            state.idle()?;
            let (done, receiver) = channel();
            let State::Idle(mut env) = std::mem::replace(state, State::Busy(receiver)) else {
                unreachable!("it was idle a moment ago")
            };
            let job = move || {
                let result = catch(|| {
                    let moved = env.step(&actions.indices);
                    Ok(moved.map_err(|refused| actions.as_given(None, refused))?)
                });
                // Nobody receives when the batch was dropped meanwhile.
                let _ = done.send((env, result));
            };
            workers.give(Box::new(job))?;
            self.changes.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
    }

    /// Waits for the step that `begin` gave to a worker; its error is raised here.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Ended<'py>> {
        let ended = self.exclusively(py, |state| {
            let State::Busy(receiver) = state else {
                state.idle()?;
                return Err(CallError::Misuse("no step is under way"));
            };
            let received = loop {
                match receiver.recv_timeout(TICK) {
                    Err(RecvTimeoutError::Timeout) if self.signals.came() => {
                        return Err(CallError::Misuse("the step goes on: receive it later"));
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    received => break received,
                }
            };
            let (next, result) = match received {
                Ok((_, Err(panic @ CallError::Panic(_)))) => (State::Broken, Err(panic)),
                Ok((env, result)) => {
                    if let Err(CallError::Engine(error)) = &result
                        && is_refusal(error)
                    {
                        // It was counted when it began.
                        self.changes.fetch_sub(1, Ordering::Relaxed);
                    }
                    let ended = result.map(|()| ended(&*env));
                    (State::Idle(env), ended)
                }
                Err(_) => (State::Broken, Err(BROKEN)),
            };
            *state = next;
            result
        })?;
        self.show_credit(py)?;
        Ok(listed(py, ended))
    }

    /// Copies games out.
    fn save<'py>(&self, py: Python<'py>, ids: PyReadonlyArray1<'_, u32>) -> PyResult<Bound<'py, PyBytes>> {
        let ids = ids.as_array().to_vec();
        Ok(PyBytes::new(py, &self.with(py, |env| env.save(&ids))?))
    }

    /// Puts saved games into the games `ids`.
    fn restore(&self, py: Python<'_>, ids: PyReadonlyArray1<'_, u32>, snapshot: &[u8]) -> PyResult<()> {
        let ids = ids.as_array().to_vec();
        self.changing(py, |env| env.restore(&ids, snapshot))
    }

    /// How often each game was sampled.
    fn samples<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        Ok(PyArray1::from_vec(py, self.with(py, |env| env.samples())?))
    }

    /// Lets the games be sampled as if they had been so often before.
    fn set_samples(&self, py: Python<'_>, samples: PyReadonlyArray1<'_, u64>) -> PyResult<()> {
        let samples = samples.as_array().to_vec();
        self.with(py, |env| env.set_samples(&samples))
    }

    /// Copies the positions of games `src` into games `dst`, with masks and observations if they are to `show`.
    fn fork(
        &self,
        py: Python<'_>,
        src: PyReadonlyArray1<'_, u32>,
        dst: PyReadonlyArray1<'_, u32>,
        show: bool,
    ) -> PyResult<()> {
        let (src, dst) = (src.as_array().to_vec(), dst.as_array().to_vec());
        self.changing(py, |env| env.fork(&src, &dst, show))
    }

    /// Draws anew what `seat`, or the seat to move, does not know.
    fn determinize(
        &self,
        py: Python<'_>,
        ids: PyReadonlyArray1<'_, u32>,
        seat: Option<usize>,
        seed: u64,
    ) -> PyResult<()> {
        let ids = ids.as_array().to_vec();
        self.changing(py, |env| env.determinize(&ids, seat, seed))
    }

    /// A copy of one game.
    fn game(&self, py: Python<'_>, id: u32) -> PyResult<SingleGame> {
        Ok(SingleGame::new(self.with(py, |env| env.single(id))?))
    }

    /// Replaces the position of a game by one in JSON.
    fn set_position(&self, py: Python<'_>, id: u32, json: &str) -> PyResult<()> {
        self.changing(py, |env| {
            let position = config::from_json(json)?;
            env.set_position(id, &position)
        })
    }
}

/// Numbers of games in increasing order; `None` when there are none.
type Ended<'py> = Option<Bound<'py, PyArray1<i64>>>;

fn listed(py: Python<'_>, games: Vec<i64>) -> Ended<'_> {
    (!games.is_empty()).then(|| PyArray1::from_vec(py, games))
}

/// Whether this error means that nothing has changed.
fn is_refusal(error: &Error) -> bool {
    matches!(error, Error::Refused(_) | Error::InvalidConfig(_) | Error::InvalidState(_))
}

/// The games that their last step ended.
fn ended(env: &dyn VectorEnv) -> Vec<i64> {
    let mut ended = Vec::new();
    // Most games go on: a run at a time is looked at.
    for (run, first) in env.columns().done.chunks(64).zip((0..).step_by(64)) {
        if run.iter().fold(0, |any, done| any | done) != 0 {
            ended.extend((first..).zip(run).filter(|(_, done)| **done != 0).map(|(id, _)| id));
        }
    }
    ended
}

impl Batch {
    /// Moves games; returns those that ended.
    fn moving<'py>(
        &self,
        py: Python<'py>,
        call: impl FnOnce(&mut dyn VectorEnv) -> Result<(), Error> + Send,
    ) -> PyResult<Ended<'py>> {
        let ended = self.with(py, |env| {
            call(env)?;
            Ok(ended(env))
        });
        // Games may have moved before a signal came.
        self.show_credit(py)?;
        Ok(listed(py, ended?))
    }

    /// A new array of actions that `choose` fills in, `count` of them or one a game.
    fn chosen<'py>(
        &self,
        py: Python<'py>,
        count: Option<usize>,
        choose: impl FnOnce(&mut dyn VectorEnv, &mut [i32]) -> Result<(), Error> + Send,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let actions = self.with(py, |env| {
            let mut actions = vec![0; count.unwrap_or(env.config().num_envs)];
            choose(env, &mut actions)?;
            Ok(actions)
        })?;
        Ok(PyArray1::from_vec(py, actions))
    }
}
