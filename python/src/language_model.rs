//! Language models as players: `ludovec.text.players` makes them, the engine asks them.
//!
//! They are called in the engine's threads and not through the callback queue: they use no settings of the calling
//! thread, wait for a network most of the time, and are also asked where no Python code waits, as in the program.

use std::path::Path;
use std::time::Duration;

use ludovec::engine::{ActionId, Error, Interrupt, Result, SingleGame as EngineGame, VectorEnv};
use ludovec::play::language_model::Usage;
use ludovec::play::outside_bot::OutsideBot;
use ludovec::play::player::Player;
use ludovec::play::recent_moves::RecentMoves;
use pyo3::prelude::*;

use crate::errors::words;
use crate::players::Answer;
use crate::single::SingleGame;

/// Makes the player of a text; registered as the engine's maker.
pub(crate) fn make(text: &str, time_limit: Option<Duration>) -> Result<Player> {
    let seconds = time_limit.map(|limit| limit.as_secs_f64());
    Python::attach(|py| {
        let made =
            py.import("ludovec.text.players").and_then(|module| module.call_method1("make", (text, seconds)));
        match made {
            Ok(bot) => {
                Ok(Player::outside(text, LanguageModel { bot: bot.unbind(), recent: RecentMoves::default() }))
            }
            Err(error) => Err(Error::config(words(py, &error))),
        }
    })
}

/// A Python object with `games`, `usage` and `write_transcript`.
struct LanguageModel {
    bot: Py<PyAny>,
    /// The moves of games in batches.
    recent: RecentMoves,
}

/// Returns whether the call that asks a player was interrupted.
#[pyclass(frozen)]
struct Stopped(Interrupt);

#[pymethods]
impl Stopped {
    fn __call__(&self) -> bool {
        self.0.is_raised()
    }
}

impl LanguageModel {
    fn ask(&self, py: Python<'_>, games: &[&EngineGame], interrupt: &Interrupt) -> PyResult<Vec<Answer>> {
        let shown: Vec<SingleGame> =
            games.iter().map(|game| SingleGame::new(EngineGame::clone(game))).collect();
        self.bot.bind(py).call_method1("games", (shown, Stopped(interrupt.clone())))?.extract()
    }
}

impl OutsideBot for LanguageModel {
    fn choose(&mut self, games: &[&EngineGame], interrupt: &Interrupt) -> Vec<Result<u32, String>> {
        Python::attach(|py| match self.ask(py, games, interrupt) {
            Ok(answers) => answers.into_iter().map(Answer::read).collect(),
            Err(error) => vec![Err(words(py, &error)); games.len()],
        })
    }

    fn choose_in(&mut self, env: &dyn VectorEnv, ids: &[u32]) -> Result<Vec<Result<u32, String>>> {
        let games = ids.iter().map(|&id| self.recent.game(env, id)).collect::<Result<Vec<_>>>()?;
        let games: Vec<&EngineGame> = games.iter().collect();
        Ok(self.choose(&games, env.interrupt()))
    }

    fn reads_moves(&self) -> bool {
        true
    }

    fn note_moves(&mut self, env: &dyn VectorEnv, ids: &[u32], actions: &[ActionId]) -> Result<()> {
        self.recent.note(env, ids, actions)
    }

    fn usage(&self) -> Option<Usage> {
        Python::attach(|py| {
            let counts = self.bot.bind(py).call_method0("usage").ok()?;
            let [requests, retries, prompt_tokens, completion_tokens] = counts.extract().ok()?;
            Some(Usage { requests, retries, prompt_tokens, completion_tokens })
        })
    }

    fn write_transcript(&mut self, file: &Path) {
        // The method only stores the name.
        Python::attach(|py| drop(self.bot.call_method1(py, "write_transcript", (file,))));
    }
}
