//! Recording the games of a batch.

use std::sync::Arc;

use crate::engine::chance::StreamId;
use crate::engine::{ActionId, AnyGame, Error, Record, Result, VectorEnv};

/// Follows the games of a batch from their first step and produces the records of finished games.
///
/// It stores the actions and the networks' expected values of the games in progress, and nothing of finished games.
pub struct Recorder<'a> {
    game: Arc<dyn AnyGame>,
    games: Vec<Followed>,
    left: u64,
    keep: Box<dyn FnMut(Record) -> Result<()> + 'a>,
}

impl std::fmt::Debug for Recorder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("game", &self.game).field("left", &self.left).finish_non_exhaustive()
    }
}

/// A game in progress.
struct Followed {
    stream: StreamId,
    actions: Vec<u32>,
    /// The expected values of the acting players for themselves.
    estimates: Vec<Option<f32>>,
}

impl<'a> Recorder<'a> {
    /// Calls `keep` with the records of the first `most` finished games, named by their streams.
    pub fn new(env: &dyn VectorEnv, most: u64, keep: impl FnMut(Record) -> Result<()> + 'a) -> Self {
        let config = env.config();
        let stream = |i| StreamId { seed: config.seed, game: config.first_game + i as u64, episode: 0 };
        let followed = |i| Followed { stream: stream(i), actions: Vec::new(), estimates: Vec::new() };
        let games = (0..config.num_envs).map(followed).collect();
        Self { game: env.game(), games, left: most, keep: Box::new(keep) }
    }

    /// Whether more games are to be recorded.
    pub(super) fn active(&self) -> bool {
        self.left > 0
    }

    /// Records an action of every game, and the expected value of the acting player.
    pub(super) fn note(&mut self, actions: &[ActionId], estimates: &[Option<f32>]) {
        for (game, (&action, &estimate)) in self.games.iter_mut().zip(actions.iter().zip(estimates)) {
            game.actions.push(action);
            game.estimates.push(estimate);
        }
    }

    /// Handles the end of game `i` with these scores; its record is kept if `wanted`.
    ///
    /// # Errors
    /// Errors of `keep`, and [`Error::InvalidState`] if the game cannot be replayed.
    pub(super) fn finish(&mut self, i: usize, scores: &[f32], wanted: bool) -> Result<()> {
        let Followed { stream, actions, estimates } = &mut self.games[i];
        if wanted {
            let mut play = self.game.clone().single_at(*stream);
            play.step_all(actions)?;
            let mut record = play.record();
            if estimates.iter().any(Option::is_some) {
                record.estimates.clone_from(estimates);
            }
            if record.scores != scores {
                return Err(Error::state(format!(
                    "game {i}: played again it scores {:?}, not {scores:?}",
                    record.scores
                )));
            }
            self.left -= 1;
            (self.keep)(record)?;
        }
        *stream = stream.next_episode();
        actions.clear();
        estimates.clear();
        if self.left == 0 {
            self.games = Vec::new();
        }
        Ok(())
    }
}
