//! The owner's view of a fleet: start, wait, stop.

use std::mem;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::json;

use super::abi::{SERVING, STATE, SegmentLayout};
use super::error::fleet_error;
use super::segment::{Segment, unlink};
use super::server::{Block, FleetState, Games, MESSAGE_BYTES};
use crate::engine::columns::{Foreign, Owner};
use crate::engine::{AnyGame, BatchConfig, Error, Named, Result};
use crate::games;

/// Default number of blocks per thread: more than one, so that a thread that finishes early can take over blocks from
/// another.
const BLOCKS_A_THREAD: usize = 4;

/// Default minimum number of games per block: smaller blocks take longer to hand over than to step.
const BLOCK_GAMES: usize = 64;

/// Allowed permissions of a segment. Clients both read and write, so the two permissions always come together.
const MODES: [u32; 3] = [0o600, 0o660, 0o666];

/// Configuration of a fleet.
#[derive(Debug, Clone)]
pub struct FleetConfig {
    /// The name that clients attach to: 1 to 64 letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// Number of blocks: runs of games claimed and stepped separately. `None` means four per thread, but at least 64
    /// games per block.
    pub blocks: Option<usize>,
    /// Permissions of the segment: 0o600, 0o660 or 0o666 allow the owner, the group, or all users to attach.
    pub mode: u32,
    /// The games and the threads that step them. `first_game` must be 0.
    pub batch: BatchConfig,
}

/// A running fleet. Dropping it stops it and frees its name.
pub struct Fleet {
    state: Arc<FleetState>,
    workers: Vec<JoinHandle<()>>,
}

impl std::fmt::Debug for Fleet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fleet")
            .field("name", &self.state.name)
            .field("num_blocks", &self.num_blocks())
            .finish_non_exhaustive()
    }
}

impl Fleet {
    /// Creates the games and their segment, and serves until stopped.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for an invalid name or configuration, [`Error::Unavailable`] if a running fleet has
    /// the name or there is no room for the segment. The remains of a crashed fleet with this name are removed.
    pub fn start(game: Arc<dyn AnyGame>, config: FleetConfig) -> Result<Self> {
        let batch = &config.batch;
        let threads = batch.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
        let blocks =
            config.blocks.unwrap_or((threads * BLOCKS_A_THREAD).min(batch.num_envs / BLOCK_GAMES).max(1));
        if threads == 0 || blocks == 0 || blocks > batch.num_envs || batch.num_envs > i32::MAX as usize {
            return Err(Error::config(format!(
                "num_envs={} blocks={blocks} threads={threads}: at least 1 of each is needed, a game for every block, \
                 and at most {} games",
                batch.num_envs,
                i32::MAX
            )));
        }
        if !MODES.contains(&config.mode) {
            return Err(Error::config(format!(
                "mode {:04o}: 0600, 0660 and 0666 are allowed: clients both read and write",
                config.mode
            )));
        }
        let document = document(&*game, batch, threads)?;
        let layout = SegmentLayout {
            num_envs: batch.num_envs,
            num_blocks: blocks,
            columns: game.widths(batch).list(),
            observation_shape: &batch.observation.shape(game.spec()),
            document_bytes: document.len(),
            transfer_bytes: transfer_bytes(&game, batch.num_envs.div_ceil(blocks))?,
        };
        let (preamble, columns) = layout.lay_out(std::process::id());
        let segment = Segment::create(&config.name, preamble.total_bytes as usize, config.mode, |memory| {
            memory.write(0, preamble);
            memory.write_slice(preamble.columns_offset as usize, &columns);
            memory.write_slice(preamble.document_offset as usize, document.as_bytes());
            memory.word(STATE).store(SERVING, Ordering::Release);
        })?;

        let offset = |name: &str| columns.iter().find(|c| c.is_named(name)).map(|c| c.offset as usize);
        let num_blocks = preamble.num_blocks as usize;
        let owner: Owner = segment.memory.clone();
        let made = (0..num_blocks).map(|k| {
            let (first, games) = preamble.games(k);
            let threads = Some((threads / num_blocks).max(1));
            let config = BatchConfig {
                num_envs: games,
                first_game: first as u64,
                total_games: Some(batch.num_envs),
                threads,
                ..batch.clone()
            };
            let mut place = |name: &'static str, _, bytes: usize| {
                // Clients see a copy of the mask column that their actions are checked against.
                let name = if name == "mask_bits_shown" { "mask_bits" } else { name };
                let start = segment.memory.at(offset(name)? + bytes / games * first, bytes);
                Some(Foreign { start, bytes, owner: owner.clone() })
            };
            // Safety: the segment lives as long as `owner`, blocks and columns do not overlap, and in this process
            // only the batch writes to them. Other processes may write anything: the columns are output, and the
            // engine never reads them back.
            let env = unsafe { game.clone().vector_placed(config, &mut place) }?;
            Ok(Block { index: k, taken: AtomicU32::new(0), games: Mutex::new(Games::Here(env)) })
        });
        let place = |name| offset(name).expect("every fleet has this column");
        let spectators =
            Block { index: num_blocks, taken: AtomicU32::new(0), games: Mutex::new(Games::Elsewhere) };
        let blocks = match made.chain([Ok(spectators)]).collect::<Result<Vec<_>>>() {
            Ok(blocks) => blocks,
            Err(error) => {
                let _ = unlink(&config.name, segment.file.as_fd());
                return Err(error);
            }
        };
        let state = Arc::new(FleetState {
            name: config.name,
            preamble,
            actions: place("actions"),
            ids: place("ids"),
            segment,
            blocks,
            thinking: Mutex::default(),
            threads: threads.min(num_blocks),
            end: Mutex::new(None),
            ended: Condvar::new(),
            stopping: AtomicBool::new(false),
        });
        let mut fleet = Self { state, workers: Vec::new() };
        for worker in 0..fleet.state.threads {
            let state = fleet.state.clone();
            let work = move || state.work(worker * num_blocks / state.threads);
            let spawned = thread::Builder::new().name(format!("fleet {worker}")).spawn(work);
            fleet.workers.push(spawned.map_err(|e| fleet_error(format!("no thread could be started: {e}")))?);
        }
        Ok(fleet)
    }

    /// A function that stops the fleet from another thread, for instance from a signal handler.
    pub fn stopper(&self) -> impl Fn() + Send + 'static {
        let state = Arc::downgrade(&self.state);
        move || {
            if let Some(state) = state.upgrade() {
                state.stop(Ok(()));
            }
        }
    }

    /// Waits for the end of the fleet, at most for `limit`; `None` if it is still running.
    ///
    /// The end is an error if another program overwrote or truncated the segment.
    #[must_use]
    pub fn wait(&self, limit: Option<Duration>) -> Option<Result<()>> {
        let end = self.state.end();
        let running = |end: &mut Option<Result<()>>| end.is_none();
        match limit {
            None => self.state.ended.wait_while(end, running).unwrap_or_else(|e| e.into_inner()).clone(),
            Some(limit) => {
                let waited = self.state.ended.wait_timeout_while(end, limit, running);
                waited.unwrap_or_else(|e| e.into_inner()).0.clone()
            }
        }
    }

    /// Number of blocks.
    #[must_use]
    pub fn num_blocks(&self) -> usize {
        self.state.preamble.num_blocks as usize
    }
    /// Size of the segment in bytes.
    #[must_use]
    pub fn segment_bytes(&self) -> usize {
        self.state.segment.memory.len()
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        // A forked child has a copy of this value, but not the threads, and must not stop the fleet.
        if std::process::id() != self.state.preamble.pid {
            return;
        }
        self.state.stop(Ok(()));
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
        for bots in mem::take(&mut *self.state.thinking()) {
            let _ = bots.join();
        }
        let _ = unlink(&self.state.name, self.state.segment.file.as_fd());
    }
}

/// Number of bytes for a snapshot of `games` games, or any text.
fn transfer_bytes(game: &Arc<dyn AnyGame>, games: usize) -> Result<usize> {
    let env = game.clone().vector(BatchConfig { num_envs: 1, threads: Some(1), ..BatchConfig::default() })?;
    let (none, one) = (env.save(&[])?.len(), env.save(&[0])?.len());
    Ok((none + games * (one - none)).max(2 * MESSAGE_BYTES))
}

/// The fleet's document, which clients read first.
fn document(game: &dyn AnyGame, batch: &BatchConfig, threads: usize) -> Result<String> {
    let document = json!({
        "ludovec": env!("CARGO_PKG_VERSION"),
        "seed": batch.seed,
        "threads": threads,
        "autoreset": batch.autoreset.name(),
        "obs": batch.observation.name(),
        "mask": batch.mask.name(),
        "spec": games::document(game)?,
    });
    Ok(document.to_string())
}
