//! The dynamic face of a batch: one virtual call steps all games.

use std::any::Any;
use std::sync::Arc;

use serde_json::Value;

use crate::contract::error::{Error, Result};
use crate::faces::any_game::AnyGame;
use crate::faces::columns::{Columns, Owner};
use crate::faces::config::BatchConfig;
use crate::faces::interrupt::Interrupt;
use crate::faces::single::SingleGame;

/// Where the states of a batch are in memory.
pub struct States {
    /// The first byte of the first game's state.
    pub first: *const u8,
    /// Bytes from a state to the next.
    pub stride: usize,
    /// Keeps the memory alive.
    pub owner: Owner,
}

/// A batch of games of some kind.
///
/// Games are numbered `0..num_envs` here, whatever `first_game` says. Lists of games (`ids`) are strictly
/// increasing. Methods that return an error have changed nothing.
pub trait VectorEnv: Any + Send {
    /// The rules.
    fn game(&self) -> Arc<dyn AnyGame>;
    /// How the batch is run.
    fn config(&self) -> &BatchConfig;
    /// The output arrays, as the last call left them.
    fn columns(&self) -> &Columns;
    /// The flag that ends [`bot_actions`](Self::bot_actions) early, and in a fleet's games every call.
    fn interrupt(&self) -> &Interrupt;
    /// Lets `interrupt` end such calls.
    fn interrupt_by(&mut self, interrupt: Interrupt);

    /// Starts a new episode in every game; with a seed, from the first episode of that seed.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) when the games live in another process that is gone. Every
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
    /// [`Error::Refused`](crate::Error::Refused) names game,
    /// player and action; nothing has moved. `InvalidConfig` when the number of actions is wrong.
    fn step(&mut self, actions: &[i32]) -> Result<()>;
    /// Plays `actions[k]` in game `ids[k]`, in any order; the rows of other games stay as they are.
    ///
    /// # Errors
    /// As for [`VectorEnv::step`], and `InvalidConfig` for an id that is out of range or comes twice.
    fn step_games(&mut self, ids: &[u32], actions: &[i32]) -> Result<()>;
    /// Plays `actions[k]` in game `ids[k]` under the chance outcomes `scripts[k]`, all of which must be drawn, as
    /// [`SingleGame::outcomes`] lists them. Random streams stay where they are: the chance of later steps, and of a reset in
    /// this one, is that of the game.
    ///
    /// # Errors
    /// As for [`VectorEnv::step`]; `InvalidConfig` for an id out of range or order;
    /// [`Error::InvalidState`](crate::Error::InvalidState) when outcomes do not fit.
    fn step_scripted(&mut self, ids: &[u32], actions: &[i32], scripts: &[Vec<u32>]) -> Result<()>;
    /// Draws one legal action a game, uniformly; 0 where nothing is legal.
    ///
    /// The draw depends on seed, game and how often that game was sampled, and on nothing else.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) when `actions` is not one a game long.
    fn sample_actions(&mut self, actions: &mut [i32]) -> Result<()>;
    /// [`VectorEnv::sample_actions`] and [`VectorEnv::step`] in one pass.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) when a game is finished and resets are disabled.
    fn step_sampled(&mut self) -> Result<()>;
    /// Chooses an action in every game, or in the games `ids`, by the bot of the seat to move.
    ///
    /// `seats[p]` is the name of seat `p`'s bot; `actions` has room for one a game that is asked about. Actions
    /// of finished games are 0.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for an unknown bot, the wrong number of seats, an
    /// id out of range or order; [`Error::Interrupted`](crate::Error::Interrupted) when it was ended.
    fn bot_actions(&mut self, ids: Option<&[u32]>, seats: &[String], actions: &mut [i32]) -> Result<()>;

    /// The states of the games in memory, in order of the games; `None` when they are in another process.
    ///
    /// The memory stays where it is. [`Spec::state`](crate::Spec::state) says what is
    /// in a state.
    fn states(&self) -> Option<States> {
        None
    }

    /// Copies games out: see [`snapshot`](crate::batch::snapshot) for the format.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for an id out of range.
    fn save(&self, ids: &[u32]) -> Result<Vec<u8>>;
    /// Puts saved games into the games `ids`, which go on exactly as the saved ones would have.
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::Error::InvalidState) for bytes that are no snapshot of this
    /// environment under these options, or hold another number of games.
    fn restore(&mut self, ids: &[u32], snapshot: &[u8]) -> Result<()>;
    /// How often each game was sampled: what [`VectorEnv::sample_actions`] draws next depends on it, and no snapshot
    /// holds it.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) when the games live in another process.
    fn samples(&self) -> Result<Vec<u64>> {
        Err(Error::config("samples: the games live in another process"))
    }
    /// Sets how often each game counts as sampled so far.
    ///
    /// # Errors
    /// As for [`VectorEnv::samples`], and for another number of games.
    fn set_samples(&mut self, samples: &[u64]) -> Result<()> {
        let _ = samples;
        Err(Error::config("samples: the games live in another process"))
    }
    /// Copies the position of game `src[k]`, or of a single `src`, into game `dst[k]`, which keeps its own random stream:
    /// forks of one game see different futures. Sources are read before anything is written.
    ///
    /// Without `show` the masks and observations of the forks are not written, which saves time when the forks are
    /// stepped next: they must not be read before the games have moved. Legality is checked in the new positions all
    /// the same. The games of a fleet are always shown.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for ids out of range or lengths that do not fit.
    fn fork(&mut self, src: &[u32], dst: &[u32], show: bool) -> Result<()>;
    /// Determinizes games: replaces everything that `seat`, or in each game the seat to move, does not know (hidden
    /// cards, outcomes of chance that it has not seen) by a draw from all possibilities that agree with what the seat
    /// has seen. Games without hidden information stay as they are, and so do random streams, rewards and finished
    /// games.
    ///
    /// The draw depends on `seed`, the game, its episode and how many decisions were taken in it.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for an id out of range or order, or a seat that does not
    /// exist.
    fn determinize(&mut self, ids: &[u32], seat: Option<usize>, seed: u64) -> Result<()>;
    /// A copy of one game, to look at and play on alone.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for an id out of range.
    fn single(&self, id: u32) -> Result<Box<dyn SingleGame>>;
    /// Replaces the position of a game by one in JSON.
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::Error::InvalidState) says what is wrong with it.
    fn set_position(&mut self, id: u32, json: &Value) -> Result<()>;
}
