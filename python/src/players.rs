//! Players: texts, and bots written in Python.
//!
//! This file and `batch` import each other: a batch asks players for actions, and players are made for a batch's game.

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use ludovec::engine::{
    ActionId, Analysis, AnyGame, EXPLORE, Error, Found, Interrupt, LegalActions, Result,
    SingleGame as EngineGame, Spec, VectorEnv, mask,
};
use ludovec::network::Answers as NetworkAnswers;
use ludovec::play::network::{advise_by, analyse_by};
use ludovec::play::outside_bot::{Answer as Told, OutsideBot};
use ludovec::play::player::{Player, searches};
use numpy::{
    PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArrayDyn,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyTuple};

use crate::batch::Batch;
use crate::callback_queue::{CallbackQueue, Message};
use crate::errors::CallError;
use crate::single::SingleGame;

/// A network's text with the content of its file.
#[derive(FromPyObject)]
pub(crate) struct Sent {
    text: String,
    network: PyBackedBytes,
}

/// The player named by a text, by a text and the bytes of its network, or a bot written in Python: an object with `games`
/// (a list of games in, a list of answers out) and `rows` (`None`, or the number of games of a batch per call of
/// `arrays`). With `explores`, searches have the noise of self-play.
pub(crate) fn player(
    game: &dyn AnyGame,
    name: String,
    bot: Bound<'_, PyAny>,
    time_limit: Option<Duration>,
    explores: bool,
    queue: &CallbackQueue,
) -> PyResult<Player> {
    let exploring = |text: String| match explores && searches(&text) && !text.ends_with(EXPLORE) {
        true => text + EXPLORE,
        false => text,
    };
    let player = if let Ok(text) = bot.extract::<String>() {
        Player::parse(game, &exploring(text), time_limit).map_err(CallError::from)?
    } else if let Ok(Sent { text, network }) = bot.extract() {
        Player::of_bytes(game, &exploring(text), &network).map_err(CallError::from)?
    } else {
        Player::outside("", PythonBot::new(&bot, queue.sender())?)
    };
    Ok(player.named(name))
}

/// The file of a network's text, its precision and number of simulations; `None` for other players.
#[pyfunction]
pub(crate) fn network_parts(text: &str) -> Option<(&str, Option<&str>, Option<&str>)> {
    ludovec::play::player::network_parts(text)
}

/// Seconds as a duration.
pub(crate) fn seconds(time_limit: Option<f64>) -> Result<Option<Duration>> {
    let Some(time_limit) = time_limit else { return Ok(None) };
    let limit = Duration::try_from_secs_f64(time_limit);
    limit.map(Some).map_err(|_| Error::config(format!("time_limit={time_limit}: seconds are needed")))
}

struct PythonBot {
    games: Py<PyAny>,
    rows: Option<Rows>,
    queue: Sender<Message>,
}

/// Calling convention of a function on arrays.
struct Rows {
    function: Py<PyAny>,
    /// Number of rows per call, at most.
    count: usize,
    /// Whether every call has this many rows.
    fixed: bool,
    /// Whether the function also takes the games.
    takes_games: bool,
    /// Observations and masks of the last call, reused unless Python still refers to them.
    observations: Option<Py<PyArray2<u8>>>,
    masks: Option<Py<PyArray2<u8>>>,
}

/// The answer of a bot written in Python for one game.
#[derive(FromPyObject)]
pub(crate) enum Answer {
    Action(u32),
    Reason(String),
}

type Answers = Vec<std::result::Result<u32, String>>;

/// The reason of a move that was not chosen after an interrupt.
const INTERRUPTED: &str = "interrupted";

/// The answers of a function on arrays: actions or reasons, of logits the policies as offsets and probabilities of the
/// legal actions, and values `[n, P]` by seat.
#[derive(FromPyObject)]
struct RowAnswers<'py>(
    Bound<'py, PyAny>,
    Option<(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, f32>)>,
    Option<PyReadonlyArray2<'py, f32>>,
);

impl RowAnswers<'_> {
    /// The first `asked` answers; `tells`: with policies and values.
    fn read(&self, asked: usize, tells: bool) -> Vec<Told> {
        let Self(actions, policy, values) = self;
        let tells = tells && (policy.is_some() || values.is_some());
        let found = |row: usize| {
            let policy = policy.as_ref().map_or(Vec::new(), |(offsets, shares)| {
                let (offsets, shares) = (offsets.as_array(), shares.as_array());
                (offsets[row]..offsets[row + 1]).map(|i| shares[i as usize]).collect()
            });
            let values = values.as_ref().map_or(Vec::new(), |values| values.as_array().row(row).to_vec());
            Found { policy, visits: Vec::new(), values }
        };
        let told = |(row, answer): (usize, std::result::Result<u32, String>)| {
            Ok((answer?, tells.then(|| found(row))))
        };
        answers(actions, asked).into_iter().enumerate().map(told).collect()
    }
}

impl PythonBot {
    fn new(bot: &Bound<'_, PyAny>, queue: Sender<Message>) -> PyResult<Self> {
        let rows = match bot.getattr("rows")?.extract::<Option<usize>>()? {
            None => None,
            Some(count) => Some(Rows {
                function: bot.getattr("arrays")?.unbind(),
                count,
                fixed: bot.getattr("fixed")?.extract()?,
                takes_games: bot.getattr("takes_games")?.extract()?,
                observations: None,
                masks: None,
            }),
        };
        Ok(Self { games: bot.getattr("games")?.unbind(), rows, queue })
    }

    /// Answers for games of a batch, at most one call's number of rows.
    fn ask_rows(&mut self, env: &dyn VectorEnv, asked: &[u32], tells: bool) -> Result<Vec<Told>> {
        let Some(rows) = &mut self.rows else { unreachable!("it is asked by rows") };
        let shown = if rows.takes_games { asked } else { &[] };
        let games =
            shown.iter().map(|&id| env.single(id).map(SingleGame::new)).collect::<Result<Vec<_>>>()?;
        Ok(Python::attach(|py| match rows.arguments(py, env, asked, games) {
            Ok(arguments) => {
                let Some(reply) = reply(py, &self.queue, &rows.function, arguments) else {
                    return vec![Err(INTERRUPTED.into()); asked.len()];
                };
                let told = reply.extract::<RowAnswers<'_>>(py).map(|told| told.read(asked.len(), tells));
                told.unwrap_or_else(|error| vec![Err(error.to_string()); asked.len()])
            }
            Err(error) => vec![Err(error.to_string()); asked.len()],
        }))
    }

    /// Answers for games of a batch.
    fn ask_in(&mut self, env: &dyn VectorEnv, ids: &[u32], tells: bool) -> Result<Vec<Told>> {
        let Some(Rows { count, .. }) = self.rows else {
            let games = ids.iter().map(|&id| env.single(id)).collect::<Result<Vec<_>>>()?;
            let games: Vec<&EngineGame> = games.iter().collect();
            let answers = self.choose(&games, env.interrupt());
            return Ok(answers.into_iter().map(|answer| Ok((answer?, None))).collect());
        };
        let mut answers = Vec::new();
        for asked in ids.chunks(count).take_while(|_| !env.interrupt().is_raised()) {
            answers.extend(self.ask_rows(env, asked, tells)?);
        }
        Ok(answers)
    }
}

impl Answer {
    pub(crate) fn read(self) -> std::result::Result<u32, String> {
        match self {
            Self::Action(action) => Ok(action),
            Self::Reason(reason) => Err(reason),
        }
    }
}

/// Calls a Python function through the callback queue; `None` if it failed, or if the queue's thread has ended after an
/// interrupt.
fn reply(
    py: Python<'_>,
    queue: &Sender<Message>,
    function: &Py<PyAny>,
    arguments: Bound<'_, PyTuple>,
) -> Option<Py<PyAny>> {
    let (sender, answer) = channel();
    let message = Message::Call(function.clone_ref(py), arguments.unbind(), sender);
    py.detach(move || queue.send(message).ok().and_then(|()| answer.recv().ok()))
}

/// Evaluates positions by a Python function through the callback queue: observations and mask bits in, logits `[n, A]`
/// and values out.
fn evaluate(
    queue: &Sender<Message>,
    function: &Py<PyAny>,
    spec: &Spec,
    observations: &[u8],
    legal: &LegalActions,
) -> Result<NetworkAnswers> {
    let (actions, words) = (spec.num_actions as usize, spec.mask_words());
    let rows: Vec<&[ActionId]> =
        legal.offsets.windows(2).map(|row| &legal.actions[row[0] as usize..row[1] as usize]).collect();
    let mut bits = vec![0_u64; rows.len() * words];
    for (row, bits) in rows.iter().zip(bits.chunks_exact_mut(words)) {
        row.iter().for_each(|&action| bits[action as usize / 64] |= 1 << (action % 64));
    }
    Python::attach(|py| {
        let observations =
            PyArray1::from_slice(py, observations).reshape([rows.len(), spec.observation_len()])?;
        let bits = PyArray1::from_vec(py, bits).reshape([rows.len(), words])?;
        let Some(reply) = reply(py, queue, function, (observations, bits).into_pyobject(py)?) else {
            return Ok(Err(Error::interrupted("the function has not answered")));
        };
        let (logits, values): (PyReadonlyArray2<'_, f32>, PyReadonlyArrayDyn<'_, f32>) = reply.extract(py)?;
        let logits = logits.as_array();
        if logits.dim() != (rows.len(), actions) {
            let what = format!(
                "logits: shape {:?} is needed, {:?} was returned",
                (rows.len(), actions),
                logits.dim()
            );
            return Ok(Err(Error::config(what)));
        }
        let of_row = |(row, actions): (usize, &&[ActionId])| {
            actions.iter().map(|&action| logits[(row, action as usize)]).collect::<Vec<_>>()
        };
        let logits = rows.iter().enumerate().flat_map(of_row).collect();
        Ok(Ok(NetworkAnswers { logits, values: values.as_array().iter().copied().collect() }))
    })
    .unwrap_or_else(|error: PyErr| Err(Error::config(error.to_string())))
}

/// A player that analyses positions: a text, a network in bytes; or a name, a function from uint8 observations `[n, L]` and mask bits
/// `[n, W]` to float32 logits `[n, A]` and values `[n]` or `[n, P]`, and a number of simulations.
#[derive(FromPyObject)]
pub(crate) enum Adviser {
    Text(String),
    Sent(Sent),
    Function(String, Py<PyAny>, u32),
}

impl Adviser {
    /// The player in a game.
    pub(crate) fn player(&self, game: &EngineGame, queue: &Sender<Message>) -> Result<Player> {
        match self {
            Self::Text(text) => Player::parse(&*game.game(), text, None),
            Self::Sent(Sent { text, network }) => Player::of_bytes(&*game.game(), text, network),
            Self::Function(name, function, simulations) => {
                let function = Python::attach(|py| function.clone_ref(py));
                let evaluator = Evaluator { function, simulations: *simulations, queue: queue.clone() };
                Ok(Player::outside(name.clone(), evaluator))
            }
        }
    }
}

/// A function that evaluates positions, as a player.
struct Evaluator {
    function: Py<PyAny>,
    simulations: u32,
    queue: Sender<Message>,
}

impl OutsideBot for Evaluator {
    fn choose(&mut self, games: &[&EngineGame], interrupt: &Interrupt) -> Answers {
        let mut choose = |game: &&EngineGame| match self.analyse(game, interrupt) {
            Some(Ok(analysis)) => Ok(analysis.action),
            Some(Err(error)) => Err(error.to_string()),
            None => Err(INTERRUPTED.into()),
        };
        games.iter().map(&mut choose).collect()
    }

    fn analyse(&mut self, game: &EngineGame, interrupt: &Interrupt) -> Option<Result<Analysis>> {
        let spec = game.game().spec().clone();
        let evaluate = &mut |observations: &[u8], legal: &LegalActions| {
            evaluate(&self.queue, &self.function, &spec, observations, legal)
        };
        Some(analyse_by(game, self.simulations, evaluate, interrupt))
    }

    fn advise(&mut self, game: &EngineGame, effort: u32, interrupt: &Interrupt) -> Option<Result<Analysis>> {
        let spec = game.game().spec().clone();
        let evaluate = &mut |observations: &[u8], legal: &LegalActions| {
            evaluate(&self.queue, &self.function, &spec, observations, legal)
        };
        Some(advise_by(game, self.simulations.saturating_mul(effort), evaluate, interrupt))
    }
}

/// Lets a Python function choose actions through the callback queue.
fn call(
    py: Python<'_>,
    queue: &Sender<Message>,
    function: &Py<PyAny>,
    arguments: Bound<'_, PyTuple>,
    asked: usize,
) -> Answers {
    match reply(py, queue, function, arguments) {
        Some(reply) => answers(reply.bind(py), asked),
        None => vec![Err(INTERRUPTED.into()); asked],
    }
}

/// Actions in an array, or a list of actions and reasons.
fn answers(reply: &Bound<'_, PyAny>, asked: usize) -> Answers {
    if let Ok(actions) = reply.extract::<PyReadonlyArray1<'_, i64>>() {
        let action = |&action: &i64| {
            u32::try_from(action).map_err(|_| format!("action {action}: actions are not negative"))
        };
        return actions.as_array().iter().map(action).collect();
    }
    match reply.extract::<Vec<Answer>>() {
        Ok(answers) => answers.into_iter().map(Answer::read).collect(),
        Err(error) => vec![Err(error.to_string()); asked],
    }
}

impl OutsideBot for PythonBot {
    fn choose(&mut self, games: &[&EngineGame], _: &Interrupt) -> Answers {
        Python::attach(|py| {
            let shown: Vec<SingleGame> =
                games.iter().map(|game| SingleGame::new(EngineGame::clone(game))).collect();
            match PyTuple::new(py, [shown]) {
                Ok(arguments) => call(py, &self.queue, &self.games, arguments, games.len()),
                Err(error) => vec![Err(error.to_string()); games.len()],
            }
        })
    }

    fn choose_in(&mut self, env: &dyn VectorEnv, ids: &[u32]) -> Result<Answers> {
        let actions = self.ask_in(env, ids, false)?.into_iter().map(|answer| Ok(answer?.0));
        Ok(actions.collect())
    }

    fn answer_in(&mut self, env: &dyn VectorEnv, ids: &[u32]) -> Result<Vec<Told>> {
        self.ask_in(env, ids, true)
    }

    fn rows(&self) -> Option<usize> {
        self.rows.as_ref().map(|rows| rows.count)
    }

    fn pays_for_all_rows(&self) -> bool {
        self.rows.as_ref().is_some_and(|rows| rows.fixed)
    }
}

impl Rows {
    /// Observations, masks, current players, games and number of valid rows; the remaining rows repeat the first one.
    fn arguments<'py>(
        &mut self,
        py: Python<'py>,
        env: &dyn VectorEnv,
        asked: &[u32],
        games: Vec<SingleGame>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let columns = env.columns();
        let widths = columns.widths();
        let actions = env.game().spec().num_actions as usize;
        // Otherwise a power of two: few sizes, for functions that are compiled for each.
        let count = if self.fixed { self.count } else { asked.len().next_power_of_two().min(self.count) };
        let observations = room(py, &mut self.observations, [count, widths.observations]);
        let masks = room(py, &mut self.masks, [count, actions]);
        let ids: Vec<usize> = (0..count).map(|row| *asked.get(row).unwrap_or(&asked[0]) as usize).collect();
        {
            let (mut observations, mut masks) = (observations.try_readwrite()?, masks.try_readwrite()?);
            let (observations, masks) = (observations.as_slice_mut()?, masks.as_slice_mut()?);
            for (row, &id) in ids.iter().enumerate() {
                let (width, words) = (widths.observations, widths.mask_bits);
                observations[row * width..][..width]
                    .copy_from_slice(&columns.observations[id * width..][..width]);
                mask::write_bytes(
                    &columns.mask_bits[id * words..][..words],
                    &mut masks[row * actions..][..actions],
                );
            }
        }
        let players = ids.iter().map(|&id| columns.current_player[id]).collect();
        let players = PyArray1::from_vec(py, players);
        (observations, masks, players, games, asked.len()).into_pyobject(py)
    }
}

/// Arrays for the rows of a call: the arrays of the last call, unless Python still refers to them.
fn room<'py>(
    py: Python<'py>,
    kept: &mut Option<Py<PyArray2<u8>>>,
    shape: [usize; 2],
) -> Bound<'py, PyArray2<u8>> {
    let fits = |array: &Bound<'py, PyArray2<u8>>| references(array) == 1 && array.shape() == shape;
    let free = kept.take().map(|array| array.into_bound(py)).filter(fits);
    let array = free.unwrap_or_else(|| PyArray2::zeros(py, shape, false));
    *kept = Some(array.clone().unbind());
    array
}

/// Reference count of an array.
fn references(array: &Bound<'_, PyArray2<u8>>) -> isize {
    // Safety: the pointer is to a live object, and the interpreter's lock is held.
    unsafe { pyo3::ffi::Py_REFCNT(array.as_ptr()) }
}

/// Players with their names: texts, or bots written in Python.
pub(crate) type NamedPlayers<'py> = Vec<(String, Bound<'py, PyAny>)>;

/// Players for the games of a batch, which choose there by `Batch.choose` and `Batch.play_on`.
#[pyclass(frozen, module = "ludovec._core")]
pub(crate) struct Players {
    pub(crate) players: Vec<Player>,
    pub(crate) queue: CallbackQueue,
}

#[pymethods]
impl Players {
    /// Named players, texts or bots written in Python, for the games of a batch. With `explore`, searches have the noise
    /// of self-play.
    #[new]
    fn new(
        py: Python<'_>,
        batch: &Batch,
        players: NamedPlayers<'_>,
        time_limit: Option<f64>,
        explore: bool,
    ) -> PyResult<Self> {
        let game = batch.read(py, |env| Ok(env.game()))?;
        let limit = seconds(time_limit).map_err(CallError::from)?;
        let queue = CallbackQueue::default();
        let players =
            players.into_iter().map(|(name, bot)| player(&*game, name, bot, limit, explore, &queue));
        Ok(Self { players: players.collect::<PyResult<_>>()?, queue })
    }

    /// Notes from now on what `memory` needs.
    fn remember(&self) {
        self.players.iter().for_each(Player::remember);
    }

    /// What each player keeps of the games: by game, snapshots of the positions that it has searched.
    fn memory<'py>(&self, py: Python<'py>) -> Vec<Vec<Vec<Bound<'py, PyBytes>>>> {
        let shown = |positions: Vec<Vec<u8>>| positions.iter().map(|one| PyBytes::new(py, one)).collect();
        self.players.iter().map(|player| player.memory().into_iter().map(shown).collect()).collect()
    }

    /// Whether any player reads the moves of games, and not only their positions.
    fn reads_moves(&self) -> bool {
        self.players.iter().any(Player::reads_moves)
    }
}
