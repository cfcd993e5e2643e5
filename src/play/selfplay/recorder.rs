//! Keeping the games of a batch.

use std::sync::Arc;

use crate::engine::chance::StreamId;
use crate::engine::{AnyGame, Error, Record, Result, VectorEnv};

/// Follows the games of a batch from their first step and hands out the records of those that end.
///
/// It holds the actions of the games in progress, one number a decision, and nothing of finished ones.
pub struct Recorder<'a> {
    game: Arc<dyn AnyGame>,
    games: Vec<(StreamId, Vec<u32>)>,
    left: u64,
    keep: Box<dyn FnMut(Record) -> Result<()> + 'a>,
}

impl<'a> Recorder<'a> {
    /// Will call `keep` with the records of the first `most` games that end, by the name of their stream.
    pub fn new(env: &dyn VectorEnv, most: u64, keep: impl FnMut(Record) -> Result<()> + 'a) -> Self {
        let config = env.config();
        let stream = |i| StreamId { seed: config.seed, game: config.first_game + i as u64, episode: 0 };
        let games = (0..config.num_envs).map(|i| (stream(i), Vec::new())).collect();
        Self { game: env.game(), games, left: most, keep: Box::new(keep) }
    }

    /// Whether more games are wanted.
    pub(super) fn active(&self) -> bool {
        self.left > 0
    }

    /// Notes an action of every game.
    pub(super) fn note(&mut self, actions: &[i32]) {
        for ((_, taken), &action) in self.games.iter_mut().zip(actions) {
            taken.push(action as u32);
        }
    }

    /// Game `i` has ended with these scores: its record is kept when it is `wanted`.
    ///
    /// # Errors
    /// Those of the function that keeps, and [`Error::InvalidState`] when the game cannot be played again.
    pub(super) fn finish(&mut self, i: usize, scores: &[f32], wanted: bool) -> Result<()> {
        let (stream, actions) = &mut self.games[i];
        if wanted {
            let mut play = self.game.clone().single_at(*stream);
            play.step_all(actions)?;
            let record = play.record();
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
        if self.left == 0 {
            self.games = Vec::new();
        }
        Ok(())
    }
}
