//! Many games stepped side by side: `_core.Batch`.
//!
//! PyO3 takes the methods of a class from one block, so the file is long.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Instant;

use ludovec::engine::columns::Columns;
use ludovec::engine::interruptible::PendingCall;
use ludovec::engine::{ActionId, Error, Interrupt, Named, ObservationFormat, VectorEnv};
use ludovec::play::player::{Choices, Fault, Player, choose, note_moves, play_on};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::{self, ActionArray, Arrays, Buffers};
use crate::bots;
use crate::callback_queue::CallbackQueue;
use crate::config::{self, Config};
use crate::ctrl_c::{Calls, TICK};
use crate::errors::{CallError, catch, guard};
use crate::guest::{self, Languages};
use crate::jax_ffi;
use crate::players::Players;
use crate::positions::{GivenPosition, ReadPosition};
use crate::single::SingleGame;
use crate::workers::Workers;

/// Calls over at least this many games, or that may write this many bytes of arrays, count as long: they run in a
/// thread that Ctrl-C may abandon.
const MANY_GAMES: usize = 32_768;
const MANY_BYTES: usize = 1 << 28;
/// The same for games whose rules are written in Python.
const MANY_INTERPRETED: usize = 64;
/// Making a batch of at least this many games counts as long.
pub(crate) const MANY_NEW_GAMES: usize = 1024;

/// Whether a call that may write all columns of a batch counts as long.
pub(crate) fn is_long(games: usize, written_bytes: usize) -> bool {
    games >= MANY_GAMES || written_bytes >= MANY_BYTES
}

/// Many games stepped side by side; `ludovec.VectorEnv` is its public face.
///
/// One call at a time: while a thread is inside a method, or between `begin` and `finish`, other calls raise.
#[pyclass(frozen, module = "ludovec._core")]
pub(crate) struct Batch {
    games: Arc<BatchGames>,
    calls: Calls,
    spec: String,
    /// The name of the observation format.
    obs: &'static str,
    num_envs: usize,
    /// Whether its calls may wait for another process and check for signals themselves.
    waits: bool,
    /// Whether its calls count as long.
    long: bool,
}

/// The games of a batch, shared with abandoned calls that still run.
pub(crate) struct BatchGames {
    state: Mutex<State>,
    /// Number of calls that changed positions.
    changes: AtomicU64,
}

/// The effect of a call on the positions.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Effect {
    Reads,
    Moves,
}

enum State {
    Idle(Box<dyn VectorEnv>),
    /// A worker thread is stepping the batch.
    Busy(PendingCall<(Box<dyn VectorEnv>, Result<(), CallError>)>),
    /// A panic left the batch inconsistent.
    Broken,
    /// A failing rule left the batch inconsistent.
    Failed,
    /// The caller has closed the batch.
    Closed,
}

impl BatchGames {
    /// The state; another thread that uses it is an error.
    fn lock(&self) -> Result<MutexGuard<'_, State>, CallError> {
        self.state.try_lock().map_err(|e| match e {
            TryLockError::WouldBlock => {
                CallError::Misuse("another thread is using this environment: one call at a time")
            }
            TryLockError::Poisoned(_) => BROKEN,
        })
    }

    /// Runs `call` on the idle games.
    pub(crate) fn call<T>(
        &self,
        effect: Effect,
        call: impl FnOnce(&mut dyn VectorEnv) -> Result<T, Error>,
    ) -> Result<T, CallError> {
        let mut state = self.lock()?;
        let env = state.idle()?;
        let result = catch(|| Ok(call(env)?));
        let moves = effect == Effect::Moves;
        match &result {
            Err(CallError::Panic(_)) => *state = State::Broken,
            // Some games have moved and others have not.
            Err(CallError::Engine(Error::Rules(_))) if moves => *state = State::Failed,
            Err(CallError::Engine(error)) if is_refusal(error) => {}
            // Games of a fleet that did not answer may have moved.
            _ if moves => self.count_change(),
            _ => {}
        }
        result
    }

    /// Counts a change of positions.
    fn count_change(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Number of changes of positions, including a step in progress.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }
}

impl Batch {
    pub(crate) fn from_env(env: Box<dyn VectorEnv>) -> Result<Self, Error> {
        let languages = guest::languages(env.game().spec().env);
        Self::with_languages(env, languages)
    }

    fn with_languages(env: Box<dyn VectorEnv>, languages: Languages) -> Result<Self, Error> {
        let spec = config::spec_json(&*env.game())?;
        let obs = env.config().observation.name();
        let num_envs = env.config().num_envs;
        // Python's own code runs in a thread that no signal interrupts, unless the call is short.
        let long =
            languages.python && num_envs >= MANY_INTERPRETED || is_long(num_envs, bytes(env.columns()));
        let games = BatchGames { state: Mutex::new(State::Idle(env)), changes: AtomicU64::new(0) };
        let calls = Calls::new(ELSEWHERE, languages);
        Ok(Self { games: Arc::new(games), calls, spec, obs, num_envs, waits: false, long })
    }

    /// Makes a batch with calls that may wait for another process; Ctrl-C ends them.
    #[cfg(target_os = "linux")]
    pub(crate) fn waiting(env: Box<dyn VectorEnv>) -> Result<Self, Error> {
        // Functions of C run in the other process.
        let languages = Languages { c: false, ..guest::languages(env.game().spec().env) };
        let batch = Self { waits: true, long: false, ..Self::with_languages(env, languages)? };
        let interrupt = batch.calls.signals.interrupt();
        let watched = batch.games.call(Effect::Reads, |env| {
            env.interrupt_by(interrupt);
            Ok(())
        });
        watched.expect("the games have just been made");
        Ok(batch)
    }

    /// Waits for an abandoned call and returns the games.
    pub(crate) fn games(&self, py: Python<'_>) -> PyResult<&Arc<BatchGames>> {
        self.calls.settle(py)?;
        Ok(&self.games)
    }

    /// Runs `call` on the games without the interpreter's lock.
    fn call<T: Send + 'static>(
        &self,
        py: Python<'_>,
        effect: Effect,
        call: impl FnOnce(&mut dyn VectorEnv) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let games = self.games.clone();
        self.calls.run(py, self.long, move || games.call(effect, call))
    }

    /// Runs a call that changes no position.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut dyn VectorEnv) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        self.call(py, Effect::Reads, call)
    }

    /// Runs a call that asks players in another thread, while this thread runs Python callbacks from the `queue`.
    fn ask_players<T: Send + 'static>(
        &self,
        py: Python<'_>,
        queue: &CallbackQueue,
        effect: Effect,
        call: impl FnOnce(&mut dyn VectorEnv) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let games = self.games(py)?.clone();
        let (interrupt, signals) = (Interrupt::default(), &self.calls.signals);
        let watched = interrupt.clone();
        let usual = if self.waits { signals.interrupt() } else { Interrupt::default() };
        let (failed, result) = queue.serve(py, &self.calls, &interrupt, move || {
            games.call(effect, |env| {
                env.interrupt_by(watched);
                let result = call(env);
                env.interrupt_by(usual);
                result
            })
        });
        signals.raise()?;
        failed.map_or(Ok(()), Err)?;
        Ok(result?)
    }
}

const ELSEWHERE: &str = "this environment was made in another process: make one here, or send it pickled";
const BROKEN: CallError =
    CallError::Misuse("this environment is unusable after an internal error: make a new one");

impl State {
    fn idle(&mut self) -> Result<&mut dyn VectorEnv, CallError> {
        match self {
            Self::Idle(env) => Ok(&mut **env),
            Self::Busy(_) => Err(CallError::Misuse("a step is under way: receive it first")),
            Self::Broken => Err(BROKEN),
            Self::Failed => Err(CallError::Misuse(
                "this environment is unusable because a rule of its game has failed: make a new one",
            )),
            Self::Closed => Err(CallError::Misuse("this environment is closed")),
        }
    }
}

#[pymethods]
impl Batch {
    /// A batch of environment `id`; the columns in `out` are written directly into the caller's arrays.
    #[new]
    fn new(
        py: Python<'_>,
        id: &str,
        options: &Bound<'_, PyDict>,
        config: Config,
        out: &Arrays<'_>,
    ) -> PyResult<Self> {
        let options = config::options(options)?;
        let mut buffers = Buffers::read(out)?;
        guard(|| ludovec::games::find(id).map(drop))?;
        let languages = guest::languages(id);
        let interpreted = config.num_envs >= MANY_INTERPRETED && languages.python;
        let (id, long) = (id.to_string(), interpreted || config.num_envs >= MANY_NEW_GAMES);
        let made = move || {
            let rules = config::rules(&id, options)?;
            let config = config.read()?;
            let columns = rules.widths(&config).list();
            let mut fault = None;
            let mut place = |name: &'static str, dtype, bytes| {
                // Of the columns that exist only on request, arrays may have the copy of the mask bits.
                columns.iter().find(|(column, ..)| *column == name || name == "mask_bits_shown")?;
                buffers.take(name, dtype, bytes).unwrap_or_else(|e| {
                    fault.get_or_insert(e);
                    None
                })
            };
            // Safety: a buffer's memory lives as long as its owner and is plain data. Python code may overwrite
            // these outputs; the engine never reads them back.
            let env = unsafe { rules.vector_placed(config, &mut place) }?;
            fault.map_or(Ok(()), Err)?;
            buffers.finish()?;
            Ok(Self::from_env(env)?)
        };
        Calls::new("", languages).run(py, long, move || catch(made))
    }

    /// Makes the batch known to compiled programs of JAX, which return these columns; returns its number.
    fn register_for_xla(&self, py: Python<'_>, columns: Vec<String>) -> PyResult<i64> {
        Ok(jax_ffi::register_games(self.games(py)?.clone(), columns))
    }

    /// Pauses the work of later calls, or resumes it. Tests of Ctrl-C interrupt a paused call.
    fn hold(&self, held: bool) {
        self.calls.hold(held);
    }

    /// Releases the games. Arrays over their columns keep the memory alive.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.calls.may_never_end() {
            // The games are freed with the thread of the call.
            return Ok(());
        }
        let games = self.games.clone();
        self.calls.run(py, false, move || {
            // A step in progress ends when its worker finishes.
            *games.lock()? = State::Closed;
            Ok(())
        })
    }

    /// The spec as JSON.
    #[getter]
    fn spec_json(&self) -> &str {
        &self.spec
    }

    /// The observation format: `"u8"`, `"f32"`, `"packed"` or `"none"`.
    #[getter]
    fn obs(&self) -> &'static str {
        self.obs
    }

    /// Every column as an array `[num_envs, width]` over the engine's memory, by name.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Arrays<'py>> {
        arrays::views(py, self.games(py)?.lock()?.idle()?.columns())
    }

    /// Every column of the states as a read-only array over the engine's memory, by name.
    fn state_columns<'py>(&self, py: Python<'py>) -> PyResult<Arrays<'py>> {
        let mut state = self.games(py)?.lock()?;
        let env = state.idle()?;
        let Some(states) = env.states() else {
            let other = "state_columns: the games are in another process; make() has them here";
            return Err(CallError::Engine(Error::config(other)).into());
        };
        arrays::state_views(py, self.num_envs, &states, &env.game().spec().state)
    }

    /// Starts a new episode in every game; with a seed, the first episode of that seed.
    fn reset(&self, py: Python<'_>, seed: Option<u64>) -> PyResult<()> {
        self.call(py, Effect::Moves, move |env| env.reset(seed))
    }

    /// Starts a new episode in the games `ids`.
    fn reset_games(&self, py: Python<'_>, ids: PyReadonlyArray1<'_, u32>, seed: Option<u64>) -> PyResult<()> {
        let ids = ids.as_array().to_vec();
        self.call(py, Effect::Moves, move |env| env.reset_games(&ids, seed))
    }

    /// Plays one action in every game; returns the ids of the games that ended.
    fn step<'py>(&self, py: Python<'py>, actions: &ActionArray<'py>) -> PyResult<Ended> {
        let actions = arrays::actions(actions)?;
        self.call(py, Effect::Moves, move |env| {
            let moved = env.step(&actions.indices);
            moved.map_err(|refused| actions.as_given(None, refused)).map(|()| ended(env))
        })
    }

    /// Plays one action in each of the games `ids`; returns all games that ended in their last step.
    fn step_games<'py>(
        &self,
        py: Python<'py>,
        ids: PyReadonlyArray1<'py, u32>,
        actions: &ActionArray<'py>,
    ) -> PyResult<Ended> {
        let ids = ids.as_array().to_vec();
        let actions = arrays::actions(actions)?;
        self.call(py, Effect::Moves, move |env| {
            let moved = env.step_games(&ids, &actions.indices);
            moved.map_err(|refused| actions.as_given(Some(&ids), refused)).map(|()| ended(env))
        })
    }

    /// Plays one action in each of the games `ids`, in order, with given chance outcomes; returns all games that
    /// ended in their last step.
    fn step_scripted<'py>(
        &self,
        py: Python<'py>,
        ids: PyReadonlyArray1<'py, u32>,
        actions: &ActionArray<'py>,
        outcomes: Vec<Vec<u32>>,
    ) -> PyResult<Ended> {
        let ids = ids.as_array().to_vec();
        let actions = arrays::actions(actions)?;
        self.call(py, Effect::Moves, move |env| {
            let moved = env.step_scripted(&ids, &actions.indices, &outcomes);
            moved.map_err(|refused| actions.as_given(Some(&ids), refused)).map(|()| ended(env))
        })
    }

    /// Samples and plays a legal action in every game, `steps` times; returns the games that ended in the last step.
    fn step_sampled<'py>(&self, py: Python<'py>, steps: usize) -> PyResult<Ended> {
        if self.long || self.calls.are_held() {
            // One call per step, so that Ctrl-C ends the loop after a step.
            let mut last = Ended::default();
            for _ in 0..steps {
                last = self.call(py, Effect::Moves, |env| env.step_sampled().map(|()| ended(env)))?;
            }
            return Ok(last);
        }
        let (games, signals) = (self.games.clone(), self.calls.signals.clone());
        self.call(py, Effect::Moves, move |env| {
            let mut looked = Instant::now();
            for _ in 0..steps {
                env.step_sampled()?;
                // A later step may be refused.
                games.count_change();
                if looked.elapsed() < TICK {
                    continue;
                }
                looked = Instant::now();
                if signals.came() {
                    return Err(Error::interrupted("step_sampled"));
                }
            }
            Ok(ended(env))
        })
    }

    /// Samples one legal action per game, uniformly.
    fn sample_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let sampled = self.read(py, |env| {
            let mut actions = vec![0; env.config().num_envs];
            env.sample_actions(&mut actions)?;
            Ok(actions)
        })?;
        Ok(arrays::action_array(py, sampled))
    }

    /// One action per game, or per game of `ids`, chosen by the bot of the current player.
    fn bot_actions<'py>(
        &self,
        py: Python<'py>,
        seats: Vec<String>,
        ids: Option<PyReadonlyArray1<'_, u32>>,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let ids = ids.map(|ids| ids.as_array().to_vec());
        let count = ids.as_ref().map(Vec::len);
        let mut actions = vec![0; count.unwrap_or(self.num_envs)];
        let actions = self.ask_players(py, &CallbackQueue::default(), Effect::Reads, move |env| {
            bots::bot_actions(env, ids.as_deref(), &seats, &mut actions)?;
            Ok(actions)
        })?;
        Ok(arrays::action_array(py, actions))
    }

    /// Tells players that read moves of those that the batch is about to make: one action per game, or per game of
    /// `ids`.
    fn note_moves(
        &self,
        py: Python<'_>,
        players: &Players,
        ids: Option<PyReadonlyArray1<'_, u32>>,
        actions: PyReadonlyArray1<'_, i32>,
    ) -> PyResult<()> {
        let players = players.players.clone();
        let ids = ids.map(|ids| ids.as_array().to_vec());
        let actions: Vec<ActionId> = actions.as_array().iter().map(|&action| action as ActionId).collect();
        self.read(py, move |env| note_moves(&players, env, ids.as_deref(), &actions))
    }

    /// Plays every unfinished game on while the current player is one of `players`: `who[game][seat]` is the index of
    /// the player, or -1 for the caller. Returns the lost moves, each with the player's name, game, seat and reason.
    fn play_on(&self, py: Python<'_>, players: &Players, who: PyReadonlyArray2<'_, i32>) -> PyResult<Faults> {
        let seats = Seats::read(&who, &players.players);
        let playing = players.players.clone();
        let faults = self.ask_players(py, &players.queue, Effect::Moves, move |env| {
            let mut faults = Vec::new();
            seats.check(env)?;
            play_on(&playing, |game, seat| seats.at(game, seat), env, &mut faults)?;
            Ok(faults)
        })?;
        Ok(listed_faults(faults))
    }

    /// Chooses an action in every running game with a current player in `who`, as for `play_on`.
    ///
    /// Returns an action per game, 0 without a player; of the players that tell, the policy as offsets `[N + 1]`, the
    /// probabilities of the legal actions and the visits of a search; values `[N, P]`, NaN where unknown; the lost moves.
    /// Without `tells`, actions alone.
    fn choose<'py>(
        &self,
        py: Python<'py>,
        players: &Players,
        who: PyReadonlyArray2<'py, i32>,
        tells: bool,
    ) -> PyResult<Chosen<'py>> {
        let seats = Seats::read(&who, &players.players);
        let ask = move |players: &[Player], seats: &Seats, env: &mut dyn VectorEnv| {
            seats.check(env)?;
            let mut faults = Vec::new();
            let choices = choose(players, |game, seat| seats.at(game, seat), env, tells, &mut faults)?;
            Ok((choices, faults, env.columns().widths().rewards))
        };
        let playing = players.players.clone();
        let (choices, faults, seats) = if playing.iter().all(Player::is_quick) {
            self.read(py, move |env| ask(&playing, &seats, env))?
        } else {
            self.ask_players(py, &players.queue, Effect::Reads, move |env| ask(&playing, &seats, env))?
        };
        let faults = listed_faults(faults);
        let Choices { actions, found } = choices;
        let games = actions.len();
        let actions = arrays::action_array(py, actions);
        if !tells || found.iter().all(Option::is_none) {
            return Ok((actions, None, None, faults));
        }
        let (mut offsets, mut policy, mut visits) = (vec![0_i64], Vec::new(), Vec::new());
        let mut values = vec![f32::NAN; games * seats];
        for (found, row) in found.iter().zip(values.chunks_exact_mut(seats)) {
            if let Some(found) = found {
                policy.extend_from_slice(&found.policy);
                visits.extend(found.visits.iter().map(|&visits| visits as i32));
                // Without a search, there are no visits.
                visits.resize(policy.len(), 0);
                if found.values.len() == seats {
                    row.copy_from_slice(&found.values);
                }
            }
            offsets.push(policy.len() as i64);
        }
        let offsets = PyArray1::from_vec(py, offsets);
        let policy = (offsets, PyArray1::from_vec(py, policy), PyArray1::from_vec(py, visits));
        let values = PyArray1::from_vec(py, values).reshape([games, seats])?;
        Ok((actions, Some(policy), Some(values), faults))
    }

    /// Lets players continue from memories of the games, one per player.
    fn recall(
        &self,
        py: Python<'_>,
        players: &Players,
        memories: Vec<Vec<Vec<PyBackedBytes>>>,
    ) -> PyResult<()> {
        let bytes = |game: &Vec<PyBackedBytes>| game.iter().map(|one| one.to_vec()).collect::<Vec<_>>();
        let memories: Vec<Vec<Vec<Vec<u8>>>> =
            memories.iter().map(|memory| memory.iter().map(bytes).collect::<Vec<_>>()).collect();
        let playing = players.players.clone();
        self.ask_players(py, &players.queue, Effect::Reads, move |env| {
            playing.iter().zip(&memories).try_for_each(|(player, memory)| player.recall(env, memory))
        })
    }

    /// The observation of a player: packed if the batch's observations are packed, else one byte per element.
    fn observe<'py>(&self, py: Python<'py>, id: u32, player: usize) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let seen = self.read(py, move |env| {
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

    /// Starts a step of every game in a worker thread and returns at once; `finish` waits for it.
    fn begin(&self, py: Python<'_>, workers: &Workers, actions: &ActionArray<'_>) -> PyResult<()> {
        let actions = arrays::actions(actions)?;
        let begin = || {
            let mut state = self.games.lock()?;
            state.idle()?;
            let State::Idle(mut env) = std::mem::replace(&mut *state, State::Broken) else {
                unreachable!("it was idle a moment ago")
            };
            let (job, call) = PendingCall::new(move || {
                let result = catch(|| {
                    let moved = env.step(&actions.indices);
                    Ok(moved.map_err(|refused| actions.as_given(None, refused))?)
                });
                (env, result)
            });
            *state = State::Busy(call);
            workers.give(Box::new(job))
        };
        self.calls.settle(py)?;
        py.detach(begin)?;
        self.games.count_change();
        Ok(())
    }

    /// Waits for the step that `begin` started; raises its error.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Ended> {
        let games = self.games(py)?;
        let signals = &self.calls.signals;
        let finish = || {
            let mut state = games.lock()?;
            let State::Busy(call) = &mut *state else {
                state.idle()?;
                return Err(CallError::Misuse("no step is under way"));
            };
            let Some((env, result)) = call.wait(|| signals.came()) else {
                return Err(CallError::Misuse("the step goes on: receive it later"));
            };
            if matches!(result, Err(CallError::Panic(_))) {
                *state = State::Broken;
            } else {
                *state = State::Idle(env);
            }
            result
        };
        let result = py.detach(finish);
        signals.raise()?;
        if let Err(CallError::Engine(error)) = &result
            && is_refusal(error)
        {
            // `begin` counted it as a change.
            games.changes.fetch_sub(1, Ordering::Relaxed);
        }
        result?;
        Ok(games.call(Effect::Reads, |env| Ok(ended(env)))?)
    }

    /// Saves games as a snapshot.
    fn save<'py>(&self, py: Python<'py>, ids: PyReadonlyArray1<'_, u32>) -> PyResult<Bound<'py, PyBytes>> {
        let ids = ids.as_array().to_vec();
        let saved = self.read(py, move |env| env.save(&ids))?;
        arrays::bytes(py, &saved)
    }

    /// Restores the games of a snapshot into the games `ids`.
    fn restore(
        &self,
        py: Python<'_>,
        ids: PyReadonlyArray1<'_, u32>,
        snapshot: PyBackedBytes,
    ) -> PyResult<()> {
        let ids = ids.as_array().to_vec();
        self.call(py, Effect::Moves, move |env| env.restore(&ids, &snapshot))
    }

    /// Number of action samples drawn in each game.
    fn samples<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        Ok(PyArray1::from_vec(py, self.read(py, move |env| env.samples())?))
    }

    /// Sets the number of action samples drawn in each game.
    fn set_samples(&self, py: Python<'_>, samples: PyReadonlyArray1<'_, u64>) -> PyResult<()> {
        let samples = samples.as_array().to_vec();
        self.read(py, move |env| env.set_samples(&samples))
    }

    /// Copies the positions of games `src` into games `dst`; with `show`, also updates their masks and observations.
    fn fork(
        &self,
        py: Python<'_>,
        src: PyReadonlyArray1<'_, u32>,
        dst: PyReadonlyArray1<'_, u32>,
        show: bool,
    ) -> PyResult<()> {
        let (src, dst) = (src.as_array().to_vec(), dst.as_array().to_vec());
        self.call(py, Effect::Moves, move |env| env.fork(&src, &dst, show))
    }

    /// Determinization: resamples everything unknown to `seat`, by default the current player.
    fn determinize(
        &self,
        py: Python<'_>,
        ids: PyReadonlyArray1<'_, u32>,
        seat: Option<usize>,
        seed: u64,
    ) -> PyResult<()> {
        let ids = ids.as_array().to_vec();
        self.call(py, Effect::Moves, move |env| env.determinize(&ids, seat, seed))
    }

    /// A copy of one game.
    fn game(&self, py: Python<'_>, id: u32) -> PyResult<SingleGame> {
        Ok(SingleGame::new(self.read(py, move |env| env.single(id))?))
    }

    /// Replaces the position of a game: JSON, or a snapshot of one game.
    fn set_position(&self, py: Python<'_>, id: u32, position: GivenPosition) -> PyResult<()> {
        self.call(py, Effect::Moves, move |env| {
            env.set_position(id, position.read(env.game().spec())?.borrowed())
        })
    }

    /// Sets the positions from which later episodes start, with their weights; none are equal ones.
    fn set_starts(&self, py: Python<'_>, positions: Vec<GivenPosition>, weights: Vec<f64>) -> PyResult<()> {
        self.call(py, Effect::Moves, move |env| {
            let game = env.game();
            let spec = game.spec();
            let read = positions.iter().map(|position| position.read(spec)).collect::<Result<Vec<_>, _>>()?;
            env.set_starts(&read.iter().map(ReadPosition::borrowed).collect::<Vec<_>>(), &weights)
        })
    }

    /// Adds rewards to the rewards of the last step: one row per game with one number per player.
    fn add_reward(&self, py: Python<'_>, extra: PyReadonlyArray2<'_, f32>) -> PyResult<()> {
        let extra: Vec<f32> = extra.as_array().iter().copied().collect();
        self.call(py, Effect::Moves, move |env| env.add_reward(&extra))
    }
}

/// Game ids in increasing order; in Python an array, or `None` if there are none.
#[derive(Default)]
struct Ended(Vec<i64>);

impl<'py> IntoPyObject<'py> for Ended {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Infallible> {
        Ok(match self.0.is_empty() {
            true => py.None().into_bound(py),
            false => PyArray1::from_vec(py, self.0).into_any(),
        })
    }
}

/// Actions; offsets, probabilities and visits of the policies; values; lost moves.
type Chosen<'py> =
    (Bound<'py, PyArray1<i32>>, Option<Policies<'py>>, Option<Bound<'py, PyArray2<f32>>>, Faults);
type Policies<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<i32>>);

/// Lost moves: the player's name, game, seat and reason of each.
type Faults = Vec<(String, u64, usize, String)>;

fn listed_faults(faults: Vec<Fault>) -> Faults {
    faults.into_iter().map(|f| (f.bot, f.game, f.player, f.reason)).collect()
}

/// The players of all seats: `[N, P]`, -1 for the caller.
struct Seats {
    players: Vec<i32>,
    shape: (usize, usize),
    /// Number of players.
    count: usize,
}

impl Seats {
    fn read(who: &PyReadonlyArray2<'_, i32>, players: &[Player]) -> Self {
        let who = who.as_array();
        Self { players: who.iter().copied().collect(), shape: who.dim(), count: players.len() }
    }

    fn check(&self, env: &dyn VectorEnv) -> Result<(), Error> {
        let needed = (env.config().num_envs, env.columns().widths().rewards);
        match self.shape == needed {
            true => Ok(()),
            false => {
                let given = self.shape;
                Err(Error::config(format!("who: shape {needed:?} is needed, {given:?} was given")))
            }
        }
    }

    fn at(&self, game: usize, seat: usize) -> Option<usize> {
        let player = usize::try_from(self.players[game * self.shape.1 + seat]).ok();
        player.filter(|&player| player < self.count)
    }
}

/// Whether this error means that the call changed nothing.
fn is_refusal(error: &Error) -> bool {
    matches!(error, Error::Refused(_) | Error::InvalidConfig(_) | Error::InvalidState(_))
}

/// The games that ended in their last step.
fn ended(env: &dyn VectorEnv) -> Ended {
    let mut ended = Vec::new();
    // Few games end per step, so flags are scanned 64 at a time.
    for (run, first) in env.columns().done.chunks(64).zip((0..).step_by(64)) {
        if run.iter().fold(0, |any, done| any | done) != 0 {
            ended.extend((first..).zip(run).filter(|(_, done)| **done != 0).map(|(id, _)| id));
        }
    }
    Ended(ended)
}

/// Total size of all columns in bytes.
fn bytes(columns: &Columns) -> usize {
    columns.list().iter().map(|column| columns.num_envs() * column.width * column.dtype.size()).sum()
}
