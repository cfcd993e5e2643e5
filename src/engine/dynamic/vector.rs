//! The dynamic trait of a batch: one virtual call steps all games.

use std::any::Any;
use std::sync::Arc;

use serde_json::Value;

use crate::contract::chance::StreamId;
use crate::contract::spec::ActionId;
use crate::contract::support::error::{Error, Result};
use crate::dynamic::analysis::Found;
use crate::dynamic::any_game::AnyGame;
use crate::dynamic::columns::{Columns, Owner};
use crate::dynamic::config::BatchConfig;
use crate::dynamic::interrupt::Interrupt;
use crate::single::game::SingleGame;

/// The location of a batch's states in memory.
#[derive(Debug)]
pub struct States {
    /// The first byte of the first game's state.
    pub first: *const u8,
    /// Bytes from a state to the next.
    pub stride: usize,
    /// Keeps the memory alive.
    pub owner: Owner,
}

/// A position from outside.
#[derive(Debug, Clone, Copy)]
pub enum Position<'a> {
    /// As the game writes it.
    Json(&'a Value),
    /// The state of the only game of a snapshot; streams and credits are not read.
    Snapshot(&'a [u8]),
}

/// A batch of games of one environment.
///
/// Games are numbered `0..num_envs` here, independent of `first_game`. Lists of games (`ids`) are strictly
/// increasing. Methods that return an error have changed nothing.
///
/// ```
/// use ludovec_engine::{BatchConfig, VectorEnv};
/// # use ludovec_engine::{Dialect, Guide, Picture, Words};
/// # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/nim.rs")); }
/// # use nim::*;
/// # impl Words for Nim {}
/// # impl Picture for Nim {}
/// # impl Guide for Nim {}
/// # impl Dialect for Nim {}
/// # let nim: Arc<dyn AnyGame> = Arc::new(Nim::new(&options()));
///
/// let mut env = nim.vector(BatchConfig { num_envs: 4, ..BatchConfig::default() })?;
/// env.step(&[0, 1, 2, 0])?;
/// assert_eq!(env.columns().observations[..], [20, 19, 18, 20]);
/// let saved = env.save(&[2])?;
/// env.step_games(&[2], &[0])?;
/// env.restore(&[2], &saved)?;
/// assert_eq!(env.single(2)?.observation(0)?, [18]);
/// assert!(env.step(&[0, 0, 0, 3]).is_err());
/// # Ok::<(), Error>(())
/// ```
pub trait VectorEnv: Any + Send {
    /// The rules.
    fn game(&self) -> Arc<dyn AnyGame>;
    /// The configuration of the batch.
    fn config(&self) -> &BatchConfig;
    /// The output arrays after the last call.
    fn columns(&self) -> &Columns;
    /// The flag that interrupts [`bot_actions`](Self::bot_actions). For a fleet, it interrupts every call.
    fn interrupt(&self) -> &Interrupt;
    /// Sets the flag that interrupts such calls.
    fn interrupt_by(&mut self, interrupt: Interrupt);

    /// Starts a new episode in every game; with a seed, the first episode of that seed.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) if the games are in another process that has ended. Every
    /// method of such a batch may return it.
    fn reset(&mut self, seed: Option<u64>) -> Result<()>;
    /// Starts a new episode in some games.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for an id out of range or order.
    fn reset_games(&mut self, ids: &[u32], seed: Option<u64>) -> Result<()>;
    /// Plays `actions[i]` in game `i`.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) names game, player and action; no game has moved. `InvalidConfig` if
    /// the number of actions is wrong.
    fn step(&mut self, actions: &[ActionId]) -> Result<()>;
    /// Plays `actions[k]` in game `ids[k]`, in any order; the rows of other games stay unchanged.
    ///
    /// # Errors
    /// As for [`VectorEnv::step`], and `InvalidConfig` for an id that is out of range or appears twice.
    fn step_games(&mut self, ids: &[u32], actions: &[ActionId]) -> Result<()>;
    /// Plays `actions[k]` in game `ids[k]` with the chance outcomes `scripts[k]`, as listed by
    /// [`SingleGame::outcomes`]; all of them must be drawn. Random streams do not advance: later steps, and a reset
    /// in this step, draw from the game's own stream.
    ///
    /// # Errors
    /// As for [`VectorEnv::step`]; `InvalidConfig` for an id out of range or order;
    /// [`Error::InvalidState`](crate::Error::InvalidState) if outcomes do not match the draws.
    fn step_scripted(&mut self, ids: &[u32], actions: &[ActionId], scripts: &[Vec<u32>]) -> Result<()>;
    /// Samples one legal action per game, uniformly; 0 if no action is legal.
    ///
    /// The draw depends only on the seed, the game and the number of its earlier samples.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) unless `actions` has one element per game.
    fn sample_actions(&mut self, actions: &mut [ActionId]) -> Result<()>;
    /// [`VectorEnv::sample_actions`] and [`VectorEnv::step`] in one pass.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) if a game is finished and resets are disabled.
    fn step_sampled(&mut self) -> Result<()>;
    /// Chooses an action in every game, or in the games `ids`, by the bot of the current player.
    ///
    /// `seats[p]` is the name of seat `p`'s bot; `actions` has one element per selected game. Actions of finished
    /// games are 0.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for an unknown bot, the wrong number of seats, an id out
    /// of range or order; [`Error::Interrupted`](crate::Error::Interrupted) after an interruption.
    fn bot_actions(&mut self, ids: Option<&[u32]>, seats: &[String], actions: &mut [ActionId]) -> Result<()>;
    /// [`VectorEnv::bot_actions`] of the games `ids`, with the findings of bots that search. Games in another process
    /// have the actions alone.
    ///
    /// # Errors
    /// As for [`VectorEnv::bot_actions`].
    fn bot_searches(
        &mut self,
        ids: &[u32],
        seats: &[String],
        actions: &mut [ActionId],
    ) -> Result<Vec<Option<Found>>> {
        self.bot_actions(Some(ids), seats, actions)?;
        Ok(vec![None; ids.len()])
    }

    /// The states of the games in memory, in game order; `None` if they are in another process.
    ///
    /// The memory never moves. [`Spec::state`](crate::Spec::state) describes the layout of a state.
    fn states(&self) -> Option<States> {
        None
    }

    /// Saves games as a snapshot; see [`snapshot`](crate::batch::snapshot) for the format.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for an id out of range.
    fn save(&self, ids: &[u32]) -> Result<Vec<u8>>;
    /// Restores saved games into the games `ids`, which continue exactly as the saved ones would.
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::Error::InvalidState) unless the bytes are a snapshot of this environment under
    /// these options with this number of games.
    fn restore(&mut self, ids: &[u32], snapshot: &[u8]) -> Result<()>;
    /// The random stream of a game, and the number of 32-bit words that its chance outcomes took from it.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for an id out of range, and if the games are in another
    /// process.
    fn stream(&self, id: u32) -> Result<(StreamId, u64)> {
        let _ = id;
        Err(Error::config("stream: the games live in another process"))
    }
    /// Number of action samples drawn in each game. The next draw of [`VectorEnv::sample_actions`] depends on it;
    /// snapshots do not contain it.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) if the games are in another process.
    fn samples(&self) -> Result<Vec<u64>> {
        Err(Error::config("samples: the games live in another process"))
    }
    /// Sets the number of action samples drawn in each game.
    ///
    /// # Errors
    /// As for [`VectorEnv::samples`], and for another number of games.
    fn set_samples(&mut self, samples: &[u64]) -> Result<()> {
        let _ = samples;
        Err(Error::config("samples: the games live in another process"))
    }
    /// Copies the position of game `src[k]`, or of a single `src`, into game `dst[k]`. The target keeps its own
    /// random stream, so forks of one game see different futures. All sources are read before any target is written.
    ///
    /// Without `show` the masks and observations of the forks are not written, which saves time if the forks are
    /// stepped next. They must not be read before the games have moved. Legality is still checked in the new
    /// positions. The games of a fleet are always shown.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for ids out of range or lengths that do not match.
    fn fork(&mut self, src: &[u32], dst: &[u32], show: bool) -> Result<()>;
    /// Determinizes games: resamples everything unknown to `seat`, by default the current player of each game (hidden
    /// cards, unseen chance outcomes), from all possibilities consistent with its observations. Games without hidden
    /// information stay unchanged, and so do random streams, rewards and finished games.
    ///
    /// The draw depends on `seed`, the game, its episode and its number of decisions so far.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for an id out of range or order, or a seat that does not
    /// exist.
    fn determinize(&mut self, ids: &[u32], seat: Option<usize>, seed: u64) -> Result<()>;
    /// An independent copy of one game.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for an id out of range.
    fn single(&self, id: u32) -> Result<SingleGame>;
    /// Replaces the position of a game; its random stream continues.
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::Error::InvalidState) if the position is invalid.
    fn set_position(&mut self, id: u32, position: Position<'_>) -> Result<()>;
    /// Sets the positions from which later episodes start: each draws one from its own stream, with probabilities in
    /// proportion to `weights`, one per position, or equal ones if there are none. No positions restore the start of the
    /// rules. Snapshots of batches do not contain them.
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::Error::InvalidState) names a position that is invalid or finished;
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for wrong weights, and if the games are in another process.
    fn set_starts(&mut self, positions: &[Position<'_>], weights: &[f64]) -> Result<()> {
        let _ = (positions, weights);
        Err(Error::config("starts: the games live in another process"))
    }
    /// Adds `extra`, one number per game and player, to the rewards of the last step, and so to the credit of the
    /// players until their next decisions. Outcomes and scores do not change.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for another number of elements, one that is not finite,
    /// and if the games are in another process.
    fn add_reward(&mut self, extra: &[f32]) -> Result<()> {
        let _ = extra;
        Err(Error::config("add_reward: the games live in another process"))
    }
}
