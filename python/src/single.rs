//! One game with its history: `_core.SingleGame`.

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use ludovec::engine::chance::{ChanceOutcome, StreamId, at_most};
use ludovec::engine::{
    Analysis, AnyGame, Error, ImportedGame, Interrupt, Marks, Named, SingleGame as EngineGame, Status, View,
    mask,
};
use ludovec::raster;
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::Text;
use crate::bots;
use crate::callback_queue::CallbackQueue;
use crate::config::{self, from_json, to_json};
use crate::ctrl_c::{Calls, Stop, run_rules};
use crate::drawing_options::DrawingOptions;
use crate::errors::{CallError, catch, guard};
use crate::guest::{self, Languages};
use crate::players::Adviser;
use crate::trust::Trust;

/// Number of bytes of a record, and of outcomes of a step, from which a call counts as long.
const LONG_RECORD: usize = 1 << 18;
const MANY_OUTCOMES: usize = 1000;

/// Iterator over the outcomes of an action.
#[pyclass(frozen, module = "ludovec._core")]
struct Outcomes(Mutex<Option<ludovec::engine::Outcomes>>, Languages);

/// Probability, chance script and resulting game.
type Outcome = (f64, Vec<u32>, SingleGame);

fn outcome(outcome: ChanceOutcome<EngineGame>) -> Outcome {
    (outcome.probability, outcome.script, SingleGame::new(outcome.result))
}

#[pymethods]
impl Outcomes {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }
    fn __next__(&self) -> PyResult<Option<Outcome>> {
        let mut outcomes = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Some(mut left) = outcomes.take() else { return Ok(None) };
        let (next, left) = run_rules(self.1, move || Ok((left.next().map(outcome), left)))?;
        *outcomes = Some(left);
        Ok(next)
    }
}

fn analysis_json(analysis: Analysis) -> String {
    let (actions, shares): (Vec<u32>, Vec<f32>) = analysis.shares.into_iter().unzip();
    to_json(&serde_json::json!({
        "action": analysis.action,
        "actions": actions,
        "shares": shares,
        "values": analysis.values,
        "forecast": analysis.forecast.name(),
    }))
}

/// One game with its history; `ludovec.Game` is its public face. Objects cross the boundary as JSON text.
#[pyclass(frozen, module = "ludovec._core")]
pub(crate) struct SingleGame {
    game: Mutex<EngineGame>,
    languages: Languages,
}

impl SingleGame {
    /// A copy of the engine's game.
    pub(crate) fn engine_game(&self) -> EngineGame {
        self.lock().clone()
    }

    pub(crate) fn new(game: EngineGame) -> Self {
        let languages = guest::languages(game.game().spec().env);
        Self { game: Mutex::new(game), languages }
    }

    /// The game. A panic in a method leaves it unchanged, because steps replace the position only at the end.
    ///
    /// Rules written in Python let other threads run: a waiter for the game must not hold the interpreter's lock.
    fn lock(&self) -> MutexGuard<'_, EngineGame> {
        loop {
            match self.game.try_lock() {
                Ok(game) => return game,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => Python::attach(|py| py.detach(|| drop(self.game.lock()))),
            }
        }
    }

    /// A game of the environment `id`.
    fn begin(
        id: &str,
        options: &Bound<'_, PyDict>,
        begin: impl FnOnce(&Arc<dyn AnyGame>) -> Result<EngineGame, Error> + Send + 'static,
    ) -> PyResult<Self> {
        let options = config::options(options)?;
        let entry = guard(|| ludovec::games::find(id))?;
        run_rules(guest::languages(id), move || Ok(Self::new(begin(&entry.make(options)?)?)))
    }

    /// Runs `call` on the game; on rules with functions of C, on a copy, which Ctrl-C abandons.
    fn with<T: Send + 'static>(
        &self,
        call: impl FnOnce(&mut EngineGame) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let mut game = self.lock();
        if !self.languages.c {
            return guard(|| call(&mut game));
        }
        let mut copy = game.clone();
        let (result, after) = run_rules(self.languages, move || Ok((call(&mut copy)?, copy)))?;
        *game = after;
        Ok(result)
    }

    /// Runs players on a copy of the game. The call may take long, and the program behind an address may be this
    /// process. So signals interrupt it, and Python functions may be called.
    fn think<T: Send + 'static>(
        &self,
        py: Python<'_>,
        queue: &CallbackQueue,
        stop: Option<&Stop>,
        think: impl FnOnce(&EngineGame, &Interrupt) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let game = self.lock().clone();
        let interrupt = stop.map_or_else(Interrupt::default, |stop| stop.0.clone());
        let (calls, watched) = (Calls::new("", self.languages), interrupt.clone());
        let (failed, found) = queue.serve(py, &calls, &interrupt, move || Ok(think(&game, &watched)?));
        failed.map_or(Ok(()), Err)?;
        Ok(found?)
    }
}

#[pymethods]
impl SingleGame {
    /// The game that a batch of this seed plays as its game 0.
    #[staticmethod]
    fn start(id: &str, options: &Bound<'_, PyDict>, seed: u64) -> PyResult<Self> {
        Self::begin(id, options, move |rules| Ok(rules.single(seed)))
    }
    /// A game with exactly the set-up outcomes `setup`.
    #[staticmethod]
    fn scripted(id: &str, options: &Bound<'_, PyDict>, setup: Vec<u32>) -> PyResult<Self> {
        Self::begin(id, options, move |rules| rules.single_scripted(&setup))
    }
    /// A game from a position.
    #[staticmethod]
    fn from_position(id: &str, options: &Bound<'_, PyDict>, position: String, seed: u64) -> PyResult<Self> {
        Self::begin(id, options, move |rules| rules.single_from_position(&from_json(&position)?, seed))
    }
    /// Replays a record and checks every step.
    #[staticmethod]
    fn from_record(py: Python<'_>, record: String, allowed: &Trust) -> PyResult<Self> {
        use ludovec::replay;
        let (long, allowed) = (record.len() > LONG_RECORD, allowed.texts.clone());
        // The game may have functions of C.
        let calls = Calls::new("", Languages { python: false, c: true });
        let replayed =
            move || Ok(Self::new(replay::replay(&replay::parse(&record, &allowed)?, |_, _| Ok(()))?));
        calls.run(py, long, move || catch(replayed))
    }

    /// The spec as JSON.
    fn spec_json(&self) -> PyResult<Text> {
        self.with(move |game| config::spec_json(&*game.game())).map(Text)
    }
    /// The seat of the current player.
    fn current_player(&self) -> PyResult<usize> {
        self.with(move |game| Ok(game.current_player()))
    }
    /// `running`, `terminated` or `truncated`.
    fn status(&self) -> PyResult<&'static str> {
        self.with(move |game| {
            Ok(match game.status() {
                Status::Running => "running",
                Status::Terminated => "terminated",
                Status::Truncated => "truncated",
            })
        })
    }
    /// Legal action indices in increasing order.
    fn legal_actions(&self) -> PyResult<Vec<u32>> {
        self.with(move |game| Ok(game.legal_actions()))
    }
    /// Legal actions as objects, in the same order.
    fn legal_moves(&self) -> PyResult<Text> {
        self.with(move |game| Ok(to_json(&game.legal_moves()))).map(Text)
    }
    /// Plays an action.
    fn step(&self, action: u32) -> PyResult<()> {
        self.with(move |game| game.step(action))
    }
    /// Plays an action with given chance outcomes.
    fn step_scripted(&self, action: u32, outcomes: Vec<u32>) -> PyResult<()> {
        self.with(move |game| game.step_scripted(action, &outcomes))
    }
    /// Plays several actions, all or none.
    fn step_all(&self, actions: Vec<u32>) -> PyResult<()> {
        self.with(move |game| game.step_all(&actions))
    }
    /// Compound actions in the game's own terms: their parts as JSON, and the sequence of decisions.
    fn compound_actions(&self) -> PyResult<Vec<(String, Vec<u32>)>> {
        self.with(move |game| {
            Ok(game.compound_actions().into_iter().map(|c| (to_json(&c.sub_actions), c.actions)).collect())
        })
    }
    /// Plays an action given as an object.
    fn submit(&self, player: usize, action: String) -> PyResult<()> {
        self.with(move |game| game.submit(player, &from_json(&action)?))
    }
    /// Undoes the last step; false at the start of the game.
    fn undo(&self) -> PyResult<bool> {
        self.with(move |game| Ok(game.undo()))
    }
    /// Probability, chance script and resulting game of every outcome of an action, one by one.
    fn outcomes(&self, action: u32) -> PyResult<Outcomes> {
        Ok(Outcomes(Mutex::new(Some(self.with(move |game| game.outcomes(action))?)), self.languages))
    }
    /// The same as a list, if there are at most `limit`.
    fn list_outcomes(&self, py: Python<'_>, action: u32, limit: usize) -> PyResult<Vec<Outcome>> {
        let outcomes = self.with(move |game| game.outcomes(action))?;
        let calls = Calls::new("", self.languages);
        let listed = calls.run(py, limit > MANY_OUTCOMES, move || catch(|| Ok(at_most(limit, outcomes)?)))?;
        Ok(listed.into_iter().map(outcome).collect())
    }
    /// The weights of the draw that follows a chance script after an action, or in the set-up of a new game.
    #[pyo3(signature = (action, script))]
    fn next_draw(&self, action: Option<u32>, script: Vec<u32>) -> PyResult<Option<Vec<u32>>> {
        self.with(move |game| game.next_draw(action, &script))
    }
    /// The action of a bot.
    #[pyo3(signature = (name, stop=None))]
    fn bot_action(&self, py: Python<'_>, name: &str, stop: Option<&Stop>) -> PyResult<u32> {
        let name = name.to_string();
        let think = move |game: &EngineGame, interrupt: &Interrupt| bots::bot_action(game, &name, interrupt);
        self.think(py, &CallbackQueue::default(), stop, think)
    }
    /// The refused first attempt of a bot, with the reason; `None` if it has none.
    fn bot_attempt(&self, name: String) -> PyResult<Option<String>> {
        self.with(move |game| game.bot_attempt(&name))
    }
    /// A player's analysis of the position, as JSON.
    #[pyo3(signature = (player, stop=None))]
    fn analyse(&self, py: Python<'_>, player: Adviser, stop: Option<&Stop>) -> PyResult<Text> {
        let queue = CallbackQueue::default();
        let sender = queue.sender();
        let think =
            move |game: &EngineGame, interrupt: &Interrupt| bots::analyse(game, player, &sender, interrupt);
        Ok(Text(analysis_json(self.think(py, &queue, stop, think)?)))
    }
    /// A player's review of the game so far: as JSON, and as a page.
    fn review(&self, py: Python<'_>, player: Adviser) -> PyResult<(String, String)> {
        let queue = CallbackQueue::default();
        let sender = queue.sender();
        let think =
            move |game: &EngineGame, interrupt: &Interrupt| bots::review(game, player, &sender, interrupt);
        self.think(py, &queue, None, think)
    }
    /// The current turn or round, if the game counts them.
    fn turn(&self) -> PyResult<Option<u32>> {
        self.with(move |game| Ok(game.turn()))
    }
    /// The action of a step and its effects.
    fn describe(&self, step: usize) -> PyResult<Option<String>> {
        self.with(move |game| Ok(game.narrate(step, None).into_iter().next().map(|(_, text)| text)))
    }
    /// The request sent to a bot in another program, as JSON.
    fn bot_request(&self) -> PyResult<Text> {
        self.with(move |game| Ok(to_json(&game.bot_request()))).map(Text)
    }
    /// The legal action in the reply of such a bot.
    fn action_from_bot_reply(&self, reply: String) -> PyResult<u32> {
        self.with(move |game| game.action_from_bot_reply(&from_json(&reply)?))
    }
    /// An action as text.
    fn action_to_string(&self, action: u32) -> PyResult<Text> {
        self.with(move |game| game.action_to_string(action)).map(Text)
    }
    /// The legal action with this text.
    fn string_to_action(&self, text: String) -> PyResult<u32> {
        self.with(move |game| game.string_to_action(&text))
    }
    /// An action as an object.
    fn action_to_json(&self, action: u32) -> PyResult<Text> {
        self.with(move |game| Ok(to_json(&game.action_to_json(action)?))).map(Text)
    }
    /// The action that an object describes.
    fn action_from_json(&self, action: String) -> PyResult<u32> {
        self.with(move |game| game.action_from_json(&from_json(&action)?))
    }
    /// Outcome by seat.
    fn returns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        Ok(PyArray1::from_vec(py, self.with(move |game| Ok(game.returns()))?))
    }
    /// Scores by seat.
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        Ok(PyArray1::from_vec(py, self.with(move |game| Ok(game.scores()))?))
    }
    /// The observation of a player, by default the current one.
    fn observation<'py>(
        &self,
        py: Python<'py>,
        player: Option<usize>,
    ) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
        let (seen, shape) = self.with(move |game| {
            let seen = game.observation(player.unwrap_or_else(|| game.current_player()))?;
            Ok((seen, game.game().spec().observation_shape.clone()))
        })?;
        PyArray1::from_vec(py, seen).reshape(shape)
    }
    /// Action mask: one byte per action, 1 if legal.
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let bytes = self.with(move |game| {
            let mut bytes = vec![0; game.game().spec().num_actions as usize];
            if game.status() == Status::Running {
                mask::write_bytes(&game.mask(), &mut bytes);
            }
            Ok(bytes)
        })?;
        Ok(PyArray1::from_vec(py, bytes.into_iter().map(|byte| byte as i8).collect()))
    }
    /// The position as bytes; equal positions give equal bytes.
    fn position_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.with(move |game| Ok(game.position_bytes()))?))
    }
    /// The observation of a player, as an object.
    fn observation_to_json(&self, player: usize) -> PyResult<Text> {
        self.with(move |game| Ok(to_json(&game.observation_to_json(player)?))).map(Text)
    }
    /// The information state of a player, as an object.
    fn information_state(&self, player: usize) -> PyResult<Text> {
        self.with(move |game| Ok(to_json(&game.information_state(player)?))).map(Text)
    }
    /// A determinization: a game that the seat cannot distinguish from this one.
    fn determinize(&self, player: usize, seed: u64) -> PyResult<Self> {
        self.with(move |game| Ok(Self::new(game.determinize(player, seed)?)))
    }
    /// The whole position as an object.
    fn to_json(&self) -> PyResult<Text> {
        self.with(move |game| Ok(to_json(&game.position()))).map(Text)
    }
    /// A copy: position, history, random stream.
    fn copy(&self) -> PyResult<Self> {
        self.with(move |game| Ok(Self::new(game.clone())))
    }
    /// Seed, game, episode and position of the random stream.
    fn stream(&self) -> PyResult<(u64, u64, u64, u64)> {
        self.with(move |game| {
            let (StreamId { seed, game, episode }, position) = game.stream();
            Ok((seed, game, episode, position))
        })
    }
    /// Continues the random stream at a point returned by `stream`.
    fn set_stream(&self, seed: u64, game: u64, episode: u64, position: u64) -> PyResult<()> {
        self.with(move |play| {
            play.set_stream(StreamId { seed, game, episode }, position);
            Ok(())
        })
    }
    /// Number of steps played.
    fn steps(&self) -> PyResult<usize> {
        self.with(move |game| Ok(game.steps()))
    }
    /// The steps so far, in words.
    fn log(&self) -> PyResult<Text> {
        self.with(move |game| Ok(to_json(&game.log()))).map(Text)
    }
    /// The record of the game so far.
    fn record(&self) -> PyResult<Text> {
        self.with(move |game| Ok(to_json(&game.record()))).map(Text)
    }
    /// The record in a format of other programs.
    fn export(&self, format: String) -> PyResult<Text> {
        self.with(move |game| {
            let record = game.record();
            ludovec::games::find(&record.env)?.export(&record, &format)
        })
        .map(Text)
    }
    /// The games in a text in a format of other programs: each game with its tags as an object, and a sentence if its
    /// result contradicts the rules.
    #[staticmethod]
    fn imported(
        py: Python<'_>,
        id: &str,
        format: &str,
        text: &str,
    ) -> PyResult<Vec<(Self, String, Option<String>)>> {
        let entry = guard(|| ludovec::games::find(id))?;
        let known = entry.imports();
        let Some((_, read)) = known.iter().find(|(name, _)| *name == format) else {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            let what = format!("format {format:?}: {id} reads {}", names.join(", "));
            return Err(CallError::from(Error::config(what)).into());
        };
        let found = py.detach(|| {
            let mut games = Ok(Vec::new());
            read(&mut text.as_bytes(), &[], &mut |found| {
                let game = found.and_then(ImportedGame::whole).and_then(|game| {
                    let tags: serde_json::Map<_, _> =
                        game.tags.into_iter().map(|(name, value)| (name, value.into())).collect();
                    let played = ludovec::replay::replay(&game.record, |_, _| Ok(()))?;
                    Ok((played, to_json(&tags), game.contradiction))
                });
                match (game, &mut games) {
                    (Ok(game), Ok(games)) => games.push(game),
                    (Err(error), games) => *games = Err(error),
                    (Ok(_), Err(_)) => {}
                }
                games.is_ok()
            });
            games
        });
        let found = found.map_err(CallError::from)?;
        Ok(found
            .into_iter()
            .map(|(game, tags, contradiction)| (Self::new(game), tags, contradiction))
            .collect())
    }
    /// The position as plain text.
    fn to_text(&self, player: Option<usize>) -> PyResult<Text> {
        self.with(move |game| game.to_text(View { seat: player, ..View::default() })).map(Text)
    }
    /// The position as an SVG document, with marked actions.
    fn to_svg(&self, look: DrawingOptions, actions: Vec<u32>, weights: Vec<f32>) -> PyResult<Text> {
        self.with(move |game| {
            game.to_marked_svg(look.view()?, &Marks { actions, weights, ..Marks::default() })
        })
        .map(Text)
    }
    /// The position as a PNG file, with marked actions.
    fn to_png<'py>(
        &self,
        py: Python<'py>,
        look: DrawingOptions,
        actions: Vec<u32>,
        weights: Vec<f32>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let svg = self.to_svg(look, actions, weights)?;
        crate::arrays::bytes(py, &guard(|| raster::draw(&svg.0)?.png())?)
    }
    /// The position as pixels, in a frame of the given size or of its own: uint8 `[height, width, 3]`.
    fn to_rgb<'py>(
        &self,
        py: Python<'py>,
        look: DrawingOptions,
        frame: Option<(u32, u32)>,
    ) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
        let svg = self.to_svg(look, Vec::new(), Vec::new())?;
        let picture = guard(|| match frame {
            Some((width, height)) => raster::draw_within(&svg.0, width, height),
            None => raster::draw(&svg.0),
        })?;
        crate::arrays::picture(py, picture)
    }
    /// The players' names, by seat.
    fn names(&self) -> PyResult<Vec<String>> {
        self.with(move |game| Ok(game.names()))
    }
    /// Sets the players' names.
    fn set_names(&self, names: Vec<String>) -> PyResult<()> {
        self.with(move |game| game.set_names(&names))
    }
    /// The name of the game, and the current standing.
    fn headline(&self) -> PyResult<(String, String)> {
        self.with(move |game| Ok((game.title(), game.standing())))
    }
    /// An action as a sentence.
    fn action_in_words(&self, action: u32) -> PyResult<Text> {
        self.with(move |game| game.action_in_words(action)).map(Text)
    }
}
