//! Games and batches in progress: where a transport keeps them, and one thinking bot per game.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use super::batch::Batch;
use super::game::Match;
use super::refused::{Answer, Refused};
use crate::seated_game::SeatedGame;

/// Values by id.
pub trait Store<T> {
    /// Keeps a value of an environment and returns its id.
    fn insert(&self, env: &str, value: T) -> String;

    /// The value with this `id`.
    ///
    /// # Errors
    /// [`Refused::unknown`].
    fn get(&self, id: &str) -> Answer<Arc<Mutex<T>>>;

    /// Deletes the value with this `id`.
    ///
    /// # Errors
    /// [`Refused::unknown`].
    fn remove(&self, id: &str) -> Answer<()>;
}

/// A game in progress.
#[derive(Debug)]
pub struct GameSession {
    /// The game.
    pub game: Match,
    /// Whether a bot is thinking about it.
    pub thinking: bool,
}

impl GameSession {
    /// A game that no bot thinks about.
    #[must_use]
    pub fn new(game: Match) -> Self {
        Self { game, thinking: false }
    }
}

/// Locks a mutex and ignores poisoning: the values behind these mutexes are changed as a whole or not at all.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks a batch, or refuses if another request has it: with slow bots requests must not accumulate.
pub(super) fn hold(batch: &Mutex<Batch>) -> Answer<MutexGuard<'_, Batch>> {
    match batch.try_lock() {
        Ok(batch) => Ok(batch),
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => Err(Refused::conflict("this batch is being stepped")),
    }
}

/// A guard for one thinking bot per game.
pub(super) struct Thinking<'a>(&'a Mutex<GameSession>);

impl<'a> Thinking<'a> {
    /// A copy of the game at `revision`, for a bot to think about during the life of this guard.
    pub(super) fn begin(session: &'a Mutex<GameSession>, revision: u64) -> Answer<(SeatedGame, Self)> {
        let mut play = lock(session);
        let seated = play.game.at(revision)?.clone();
        if std::mem::replace(&mut play.thinking, true) {
            return Err(Refused::conflict("a bot is thinking about this game"));
        }
        Ok((seated, Self(session)))
    }
}

impl Drop for Thinking<'_> {
    fn drop(&mut self) {
        lock(self.0).thinking = false;
    }
}
