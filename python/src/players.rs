//! Who plays: texts, and bots written in Python.
//!
//! This file and `batch` import each other: a batch plays with players, and players are made for the game of a batch.

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use ludovec::engine::{AnyGame, Error, Interrupt, Result, SingleGame as EngineGame, VectorEnv, mask};
use ludovec::play::outside_bot::OutsideBot;
use ludovec::play::player::Player;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::batch::Batch;
use crate::desk::{Desk, Message};
use crate::errors::CallError;
use crate::single::SingleGame;

/// The player that a text means, or a bot written in Python: an object with `games` (a list of games in, a list of
/// answers out) and `rows` (`None`, or how many games of a batch it is asked about at a time by `arrays`).
pub(crate) fn player(
    game: &dyn AnyGame,
    name: String,
    bot: Bound<'_, PyAny>,
    time_limit: Duration,
    desk: &Desk,
) -> PyResult<Player> {
    let player = match bot.extract::<String>() {
        Ok(text) => Player::parse(game, &text, time_limit).map_err(CallError::from)?,
        Err(_) => Player::outside("", PythonBot::new(&bot, desk.sender())?),
    };
    Ok(player.named(name))
}

/// Seconds as a duration.
pub(crate) fn seconds(time_limit: f64) -> Result<Duration> {
    let limit = Duration::try_from_secs_f64(time_limit);
    limit.map_err(|_| Error::config(format!("time_limit={time_limit}: seconds are needed")))
}

struct PythonBot {
    games: Py<PyAny>,
    rows: Option<Rows>,
    desk: Sender<Message>,
}

/// How a function on arrays is asked.
struct Rows {
    function: Py<PyAny>,
    /// Rows of every call.
    count: usize,
    /// Whether it wants the games, too.
    takes_games: bool,
    /// Observations and masks of the last call: written again unless somebody holds on to them.
    observations: Option<Py<PyArray2<u8>>>,
    masks: Option<Py<PyArray2<u8>>>,
}

/// What a bot written in Python returns for a game.
#[derive(FromPyObject)]
enum Answer {
    Action(u32),
    Reason(String),
}

type Answers = Vec<std::result::Result<u32, String>>;

impl PythonBot {
    fn new(bot: &Bound<'_, PyAny>, desk: Sender<Message>) -> PyResult<Self> {
        let rows = match bot.getattr("rows")?.extract::<Option<usize>>()? {
            None => None,
            Some(count) => Some(Rows {
                function: bot.getattr("arrays")?.unbind(),
                count,
                takes_games: bot.getattr("takes_games")?.extract()?,
                observations: None,
                masks: None,
            }),
        };
        Ok(Self { games: bot.getattr("games")?.unbind(), rows, desk })
    }

    /// Answers for at most as many games of a batch as a call has rows.
    fn ask_rows(&mut self, env: &dyn VectorEnv, asked: &[u32]) -> Result<Answers> {
        let Some(rows) = &mut self.rows else { unreachable!("it is asked by rows") };
        let shown = if rows.takes_games { asked } else { &[] };
        let games =
            shown.iter().map(|&id| env.single(id).map(SingleGame::new)).collect::<Result<Vec<_>>>()?;
        Ok(Python::attach(|py| match rows.arguments(py, env, asked, games) {
            Ok(arguments) => call(py, &self.desk, &rows.function, arguments, asked.len()),
            Err(error) => vec![Err(error.to_string()); asked.len()],
        }))
    }
}

impl Answer {
    fn read(self) -> std::result::Result<u32, String> {
        match self {
            Self::Action(action) => Ok(action),
            Self::Reason(reason) => Err(reason),
        }
    }
}

/// Has a function called at the desk.
fn call(
    py: Python<'_>,
    desk: &Sender<Message>,
    function: &Py<PyAny>,
    arguments: Bound<'_, PyTuple>,
    asked: usize,
) -> Answers {
    let (sender, answer) = channel();
    let message = Message::Call(function.clone_ref(py), arguments.unbind(), sender);
    let reply = py.detach(move || desk.send(message).ok().and_then(|()| answer.recv().ok()));
    // Nobody serves any more, or the function failed: whoever plays is interrupted.
    let Some(reply) = reply else { return vec![Err("interrupted".into()); asked] };
    if let Ok(actions) = reply.extract::<PyReadonlyArray1<'_, i64>>(py) {
        let action = |&action: &i64| {
            u32::try_from(action).map_err(|_| format!("action {action}: actions are not negative"))
        };
        return actions.as_array().iter().map(action).collect();
    }
    match reply.extract::<Vec<Answer>>(py) {
        Ok(answers) => answers.into_iter().map(Answer::read).collect(),
        Err(error) => vec![Err(error.to_string()); asked],
    }
}

impl OutsideBot for PythonBot {
    fn choose(&mut self, games: &[&dyn EngineGame], _: &Interrupt) -> Answers {
        Python::attach(|py| {
            let shown: Vec<SingleGame> = games.iter().map(|game| SingleGame::new(game.clone_box())).collect();
            match PyTuple::new(py, [shown]) {
                Ok(arguments) => call(py, &self.desk, &self.games, arguments, games.len()),
                Err(error) => vec![Err(error.to_string()); games.len()],
            }
        })
    }

    fn choose_in(&mut self, env: &dyn VectorEnv, ids: &[u32]) -> Result<Answers> {
        let Some(Rows { count, .. }) = self.rows else {
            let games = ids.iter().map(|&id| env.single(id)).collect::<Result<Vec<_>>>()?;
            let games: Vec<&dyn EngineGame> = games.iter().map(|game| &**game).collect();
            return Ok(self.choose(&games, env.interrupt()));
        };
        let mut answers = Vec::new();
        for asked in ids.chunks(count).take_while(|_| !env.interrupt().is_raised()) {
            answers.extend(self.ask_rows(env, asked)?);
        }
        Ok(answers)
    }

    fn rows(&self) -> Option<usize> {
        self.rows.as_ref().map(|rows| rows.count)
    }
}

impl Rows {
    /// Observations, masks, seats to move, games, and how many rows are asked about: the others repeat the first one.
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
        let observations = room(py, &mut self.observations, [self.count, widths.observations]);
        let masks = room(py, &mut self.masks, [self.count, actions]);
        let ids: Vec<usize> =
            (0..self.count).map(|row| *asked.get(row).unwrap_or(&asked[0]) as usize).collect();
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

/// Room for the rows of a call: that of the last one, unless somebody keeps what it was given then.
fn room<'py>(
    py: Python<'py>,
    kept: &mut Option<Py<PyArray2<u8>>>,
    shape: [usize; 2],
) -> Bound<'py, PyArray2<u8>> {
    let free = kept.take().map(|array| array.into_bound(py)).filter(|array| references(array) == 1);
    let array = free.unwrap_or_else(|| PyArray2::zeros(py, shape, false));
    *kept = Some(array.clone().unbind());
    array
}

/// How many hold on to an array.
fn references(array: &Bound<'_, PyArray2<u8>>) -> isize {
    // Safety: the pointer is to a live object, and the interpreter's lock is held.
    unsafe { pyo3::ffi::Py_REFCNT(array.as_ptr()) }
}

/// The players of a batch's seats; `ludovec.make(..., opponents=...)` has them.
#[pyclass(frozen, module = "ludovec._core")]
pub(crate) struct Players {
    pub(crate) players: Vec<Player>,
    pub(crate) desk: Desk,
}

#[pymethods]
impl Players {
    /// Named players, texts or bots written in Python, for the games of a batch.
    #[new]
    fn new(
        py: Python<'_>,
        batch: &Batch,
        players: Vec<(String, Bound<'_, PyAny>)>,
        time_limit: f64,
    ) -> PyResult<Self> {
        let game = py.detach(|| batch.show(|env| Ok(env.game())))?;
        let limit = seconds(time_limit).map_err(CallError::from)?;
        let desk = Desk::default();
        let players = players.into_iter().map(|(name, bot)| player(&*game, name, bot, limit, &desk));
        Ok(Self { players: players.collect::<PyResult<_>>()?, desk })
    }
}
