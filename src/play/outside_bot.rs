//! The trait of bots outside the engine: code of the caller, or another program.

use crate::engine::{Interrupt, Result, SingleGame, VectorEnv};

/// A bot outside the engine.
pub trait OutsideBot: Send {
    /// Chooses in every one of `games`, in each of which it is to move: an action, or why there is none.
    ///
    /// An action that is not legal counts as a fault; it needs no check here. Once `interrupt` is raised the answers
    /// are not used: a bot that takes long for each game should then leave the others out.
    fn choose(&mut self, games: &[&dyn SingleGame], interrupt: &Interrupt) -> Vec<Result<u32, String>>;

    /// The same in the games `ids` of a batch, whose [interrupt](VectorEnv::interrupt) it heeds. A bot that reads rows
    /// of observations and masks overrides this and [`OutsideBot::rows`].
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::engine::Error::InvalidConfig) for an id out of range.
    fn choose_in(&mut self, env: &dyn VectorEnv, ids: &[u32]) -> Result<Vec<Result<u32, String>>> {
        let games = ids.iter().map(|&id| env.single(id)).collect::<Result<Vec<_>>>()?;
        let games: Vec<&dyn SingleGame> = games.iter().map(|game| &**game).collect();
        Ok(self.choose(&games, env.interrupt()))
    }

    /// The number of games that it is to be asked about at a time, at most, if it reads the rows of a batch.
    fn rows(&self) -> Option<usize> {
        None
    }
}
