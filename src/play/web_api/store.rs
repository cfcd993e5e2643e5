//! Games and batches in progress: where a transport keeps them, the screens of a game, and one thinking bot per game.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use serde::Deserialize;

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
pub(super) struct GameSession {
    pub(super) game: Match,
    /// Whether a bot is thinking about it.
    thinking: bool,
}

/// A game at one screen: the people of some seats sit at other screens, each with an id of its own.
///
/// The id of a screen is its secret: who knows it plays the seats of that screen, and no other seat.
#[derive(Debug, Clone)]
pub struct Screen {
    pub(super) session: Arc<Mutex<GameSession>>,
    /// The seats of people at other screens.
    pub(super) away: Vec<usize>,
}

/// A seat for a person at another screen.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Invitation {
    revision: u64,
    seat: usize,
}

impl Screen {
    /// The only screen of a game.
    #[must_use]
    pub fn new(game: Match) -> Self {
        Self { session: Arc::new(Mutex::new(GameSession { game, thinking: false })), away: Vec::new() }
    }

    /// Whether a bot is thinking about the game.
    #[must_use]
    pub fn is_thinking(&self) -> bool {
        lock(&self.session).thinking
    }

    /// The screen for the person in an invited seat, which leaves this screen.
    ///
    /// # Errors
    /// [`Refused`] if this screen has no person in the seat, or no other person; or for another revision.
    pub fn invite(&mut self, invitation: Invitation) -> Answer<Self> {
        let seat = invitation.seat;
        let session = lock(&self.session);
        let seats = session.game.at(invitation.revision)?.seats();
        let people: Vec<usize> = (0..seats.len()).filter(|&seat| seats[seat].bot.is_none()).collect();
        let here: Vec<usize> = people.iter().copied().filter(|seat| !self.away.contains(seat)).collect();
        if !here.contains(&seat) || here.len() < 2 {
            return Err(Refused::new(
                422,
                format!(
                    "seat {seat}: one of at least two people at this screen is needed, these are {here:?}"
                ),
            ));
        }
        let away = people.into_iter().filter(|&other| other != seat).collect();
        self.away.push(seat);
        Ok(Self { session: self.session.clone(), away })
    }

    /// Refuses what one person must not do to the game of another one at another screen.
    pub(super) fn check_alone(&self) -> Answer<()> {
        match self.away.is_empty() {
            true => Ok(()),
            false => Err(Refused::conflict("a game on two screens goes on: no move is taken back")),
        }
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
