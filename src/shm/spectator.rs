//! Spectators: read-only access to the games of a fleet while others play them.

use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};

use super::abi::{CLIENT_PID, Command};
use super::connection::{Call, Connection, Deadline, TIME_LIMIT};
use super::error::fleet_error;
use super::{futex, lock};
use crate::engine::calls::check_ids;
use crate::engine::{AnyGame, BatchConfig, Interrupt, MaskFormat, ObservationFormat, Result, SingleGame};

/// Reads the games of a fleet while others play them, without claiming blocks or changing anything.
pub struct Spectator {
    fleet: Connection,
    /// Allows one request at a time: the lock on the mailbox belongs to the connection, not to a thread.
    looking: Mutex<()>,
}

impl std::fmt::Debug for Spectator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Spectator").field("fleet", &self.fleet.name).finish_non_exhaustive()
    }
}

impl Spectator {
    /// Opens the fleet `name`.
    ///
    /// # Errors
    /// As for [`attach`](super::attach), except that no free blocks are needed.
    pub fn open(name: &str) -> Result<Self> {
        Ok(Self { fleet: Connection::open(name)?, looking: Mutex::default() })
    }

    /// The rules of the fleet's games.
    pub fn game(&self) -> Arc<dyn AnyGame> {
        self.fleet.game.clone()
    }

    /// Number of games.
    pub fn num_games(&self) -> usize {
        self.fleet.preamble.num_envs as usize
    }

    /// The current positions of the games `ids` (increasing), without their history.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::engine::Error::InvalidConfig) for ids out of range or order;
    /// [`Error::Unavailable`](crate::engine::Error::Unavailable) if the fleet is gone or does not answer, or if bots
    /// are choosing in one of the games.
    pub fn games(&self, ids: &[u32]) -> Result<Vec<SingleGame>> {
        check_ids(ids, self.num_games())?;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let config = BatchConfig {
            num_envs: ids.len(),
            threads: Some(1),
            observation: ObservationFormat::None,
            mask: MaskFormat::Bits,
            ..self.fleet.config.clone()
        };
        let mut local = self.game().vector(config)?;
        let size = self.fleet.preamble.block_games;
        let mut rows = 0;
        for part in ids.chunk_by(|a, b| a / size == b / size) {
            let here: Vec<u32> = (rows..rows + part.len() as u32).collect();
            rows += part.len() as u32;
            local.restore(&here, &self.look(part)?)?;
        }
        (0..rows).map(|row| local.single(row)).collect()
    }

    /// A snapshot of games of one block.
    fn look(&self, ids: &[u32]) -> Result<Vec<u8>> {
        let fleet = &self.fleet;
        let (mailbox, size) = (fleet.preamble.num_blocks as usize, fleet.preamble.block_games);
        let words: Vec<u32> = [ids[0] / size].into_iter().chain(ids.iter().map(|id| id % size)).collect();
        let _looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let byte = fleet.preamble.mailbox(mailbox) + CLIENT_PID;
        let Some(_turn) = lock::Guard::take(fleet.segment.file.as_fd(), byte, TIME_LIMIT) else {
            return Err(fleet_error(format!("{}: too many other spectators", fleet.name)));
        };
        let interrupt = Interrupt::default();
        let deadline = Deadline::new(&interrupt, Some(TIME_LIMIT));
        fleet.check()?;
        fleet.settle(mailbox, &deadline)?;
        let payload: &[u8] = bytemuck::cast_slice(&words);
        let posted = fleet.post(mailbox, &Call { count: ids.len(), payload, ..Call::new(Command::Look) });
        fleet.ring(1);
        if let Err(error) = fleet.wait(mailbox, posted, futex::SPIN, &deadline) {
            fleet.give_up(mailbox, posted);
            return Err(error);
        }
        fleet.answer(mailbox)
    }
}
