//! A connection to a fleet: an open segment, requests and answers.

use std::ops::Range;
use std::os::fd::AsFd;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;

use super::abi::{
    self, CLIENT_PID, ColumnRecord, Command, DOORBELL, GIVEN_UP, HAS_SEED, Preamble, REPLY, Reply, SAMPLED,
    STATE, STOPPED, SegmentLayout,
};
use super::error::fleet_error;
use super::futex;
use super::lock::{self, Guard};
use super::segment::{Mapping, Segment};
use crate::engine::{AnyGame, BatchConfig, Error, Interrupt, Named, OptionValue, Result};
use crate::games;
use crate::games::trusted_options::TrustedOptions;

/// Interval at which a waiting client checks that the fleet is alive and that it should keep waiting.
const TICK: Duration = Duration::from_millis(100);
/// Maximum time that a client waits for other clients: for their claims, or for their turn as spectators.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(2);

/// The parts of the fleet's document used by clients; the spec is compared as a whole.
#[derive(Deserialize)]
struct Document {
    ludovec: String,
    seed: u64,
    threads: usize,
    autoreset: String,
    obs: String,
    mask: String,
    spec: Value,
}

/// An open segment with a validated header.
pub(super) struct Connection {
    pub(super) name: String,
    pub(super) segment: Segment,
    pub(super) preamble: Preamble,
    pub(super) columns: Vec<ColumnRecord>,
    pub(super) game: Arc<dyn AnyGame>,
    /// The configuration of the whole fleet.
    pub(super) config: BatchConfig,
}

impl Connection {
    pub(super) fn open(name: &str) -> Result<Self> {
        let segment = Segment::open(name)?;
        let memory = &segment.memory;
        let preamble: Preamble = memory.read(0);
        let damaged = |what: String| fleet_error(format!("{name}: {what}"));
        abi::check(&preamble, memory.len()).map_err(damaged)?;
        if !segment.is_served(preamble.pid) {
            return Err(damaged("the fleet has died: start it again".into()));
        }
        let text: Vec<u8> =
            memory.read_slice(preamble.document_offset as usize, preamble.document_bytes as usize);
        let document: Document =
            serde_json::from_slice(&text).map_err(|e| damaged(format!("its document is damaged: {e}")))?;
        let game = rules(&document, segment.is_private()).map_err(damaged)?;
        let config = config(&document, preamble.num_envs as usize).map_err(damaged)?;
        let columns = memory.read_slice(preamble.columns_offset as usize, preamble.num_columns as usize);
        // Game and configuration determine the layout; the fleet's layout must match.
        let layout = SegmentLayout {
            num_envs: config.num_envs,
            num_blocks: preamble.num_blocks as usize,
            columns: game.widths(&config).list(),
            observation_shape: &config.observation.shape(game.spec()),
            document_bytes: text.len(),
            transfer_bytes: preamble.transfer_bytes as usize,
        };
        if layout.lay_out(preamble.pid) != (preamble, columns.clone()) {
            return Err(damaged("its column layout is not the one that this program expects".into()));
        }
        Ok(Self { name: name.into(), segment, preamble, columns, game, config })
    }

    pub(super) fn memory(&self) -> &Mapping {
        &self.segment.memory
    }

    /// Claims `wanted` adjacent blocks, or the longest free run.
    pub(super) fn claim(&self, wanted: Option<usize>) -> Result<Range<usize>> {
        let all = self.preamble.num_blocks as usize;
        if wanted.is_some_and(|n| n == 0 || n > all) {
            return Err(Error::config(format!(
                "blocks={}: the fleet {} has blocks for 1 to {all}",
                wanted.unwrap_or(0),
                self.name
            )));
        }
        let file = self.segment.file.as_fd();
        let lock_byte = |k| self.preamble.mailbox(k) + CLIENT_PID;
        // One client claims at a time: each sees all blocks that are free, none that another one is about to release.
        let Some(_claiming) = Guard::take(file, lock::CLAIM, TIME_LIMIT) else {
            return Err(fleet_error(format!(
                "{}: another process is claiming blocks and does not end",
                self.name
            )));
        };
        let free: Vec<usize> = (0..all).filter(|&k| lock::take(file, lock_byte(k))).collect();
        let mut runs: Vec<Range<usize>> = Vec::new();
        for &k in &free {
            match runs.last_mut() {
                Some(run) if run.end == k => run.end += 1,
                _ => runs.push(k..k + 1),
            }
        }
        let longest = runs.iter().max_by_key(|run| (run.len(), std::cmp::Reverse(run.start))).cloned();
        let chosen = match wanted {
            None => longest.clone(),
            Some(n) => runs.iter().find(|run| run.len() >= n).map(|run| run.start..run.start + n),
        };
        for &k in free.iter().filter(|k| chosen.as_ref().is_none_or(|run| !run.contains(k))) {
            lock::release(file, lock_byte(k));
        }
        let Some(chosen) = chosen else {
            let pids: Vec<String> = (0..all)
                .filter(|k| !free.contains(k))
                .map(|k| self.memory().read::<u32>(lock_byte(k)).to_string())
                .collect();
            return Err(fleet_error(format!(
                "{}: {} of {all} blocks side by side are free, {} needed; the others belong to processes {}",
                self.name,
                longest.map_or(0, |run| run.len()),
                wanted.map_or("1 is".into(), |n| format!("{n} are")),
                pids.join(", ")
            )));
        };
        for k in chosen.clone() {
            self.memory().write(lock_byte(k), process::id());
            // An unfinished request of the previous client is abandoned.
            let request = self.memory().word(self.preamble.mailbox(k)).load(Ordering::Acquire);
            self.give_up(k, request);
        }
        Ok(chosen)
    }

    pub(super) fn release(&self, block: usize) {
        lock::release(self.segment.file.as_fd(), self.preamble.mailbox(block) + CLIENT_PID);
    }

    /// Checks that the fleet is alive and the segment intact.
    pub(super) fn check(&self) -> Result<()> {
        let gone = |what: &str| Err(fleet_error(format!("{}: {what}", self.name)));
        let whole = rustix::fs::fstat(&self.segment.file)
            .is_ok_and(|stat| stat.st_size as u64 == self.preamble.total_bytes);
        if !whole || self.memory().truncated() {
            return gone("its segment was truncated by another program");
        }
        if self.memory().read::<Preamble>(0) != self.preamble {
            return gone("its segment was overwritten by another program");
        }
        if self.memory().word(STATE).load(Ordering::Acquire) == STOPPED {
            return gone("the fleet was stopped");
        }
        if !self.segment.is_served(self.preamble.pid) {
            return gone("the fleet has died");
        }
        Ok(())
    }

    fn reply_word(&self, block: usize) -> &AtomicU32 {
        self.memory().word(self.preamble.mailbox(block) + REPLY)
    }

    /// Waits until the block has answered request `sequence`: spins for `spin`, then sleeps.
    pub(super) fn wait(
        &self,
        block: usize,
        sequence: u32,
        spin: Duration,
        deadline: &Deadline<'_>,
    ) -> Result<()> {
        let reply = self.reply_word(block);
        loop {
            let seen = reply.load(Ordering::Acquire);
            if seen == sequence {
                return Ok(());
            }
            if !futex::wait_while(reply, seen, deadline.left().min(TICK), spin) {
                self.check()?;
                deadline.check(&self.name)?;
                if self.memory().word(self.preamble.mailbox(block)).load(Ordering::Acquire) != sequence {
                    return Err(fleet_error(format!("{}: its segment was overwritten", self.name)));
                }
            }
        }
    }

    /// Waits until the block can take a request: an earlier request, abandoned or left by a client that died, may
    /// still be in progress.
    pub(super) fn settle(&self, block: usize, deadline: &Deadline<'_>) -> Result<()> {
        let last = self.memory().word(self.preamble.mailbox(block)).load(Ordering::Acquire);
        self.wait(block, last, futex::SPIN, deadline)
    }

    /// Posts a request to a settled block without waking any worker; returns its number.
    pub(super) fn post(&self, block: usize, call: &Call<'_>) -> u32 {
        let memory = self.memory();
        let mailbox = self.preamble.mailbox(block);
        let request = memory.word(mailbox);
        let last = request.load(Ordering::Acquire);
        memory.write_slice(self.preamble.transfer(block), call.payload);
        memory.write(mailbox + 4, call.command as u32);
        memory.write(mailbox + 8, call.count as u32);
        let seed = if call.seed.is_some() { HAS_SEED } else { 0 };
        let sampled = if call.sampled { SAMPLED } else { 0 };
        memory.write(mailbox + 12, seed | sampled);
        memory.write(mailbox + 16, call.seed.unwrap_or(0));
        memory.write(mailbox + 24, call.payload.len() as u64);
        let sequence = last.wrapping_add(1);
        request.store(sequence, Ordering::Release);
        sequence
    }

    /// Tells the fleet that the client no longer waits for the answer to a request; has no effect if the answer has
    /// arrived.
    pub(super) fn give_up(&self, block: usize, sequence: u32) {
        let given_up = self.memory().word(self.preamble.mailbox(block) + GIVEN_UP);
        given_up.store(sequence, Ordering::Release);
    }

    pub(super) fn ring(&self, requests: usize) {
        let doorbell = self.memory().word(DOORBELL);
        doorbell.fetch_add(1, Ordering::Release);
        futex::wake(doorbell, requests);
    }

    /// The answer to the last request, which must have arrived.
    pub(super) fn answer(&self, block: usize) -> Result<Vec<u8>> {
        let reply: Reply = self.memory().read(self.preamble.mailbox(block) + REPLY);
        if self.memory().truncated() {
            self.check()?;
        }
        let bytes = reply.payload_bytes.min(self.preamble.transfer_bytes) as usize;
        let payload = self.memory().read_slice(self.preamble.transfer(block), bytes);
        match reply.status {
            abi::OK => Ok(payload),
            status => Err(abi::error(status, String::from_utf8_lossy(&payload).into_owned())),
        }
    }
}

/// The deadline of a call that waits for the fleet.
pub(super) struct Deadline<'a> {
    interrupt: &'a Interrupt,
    limit: Option<Duration>,
    start: Instant,
}

impl<'a> Deadline<'a> {
    pub(super) fn new(interrupt: &'a Interrupt, limit: Option<Duration>) -> Self {
        Self { interrupt, limit, start: Instant::now() }
    }

    /// The remaining time.
    fn left(&self) -> Duration {
        self.limit.map_or(Duration::MAX, |limit| limit.saturating_sub(self.start.elapsed()))
    }

    /// Returns an error if the call must stop waiting.
    fn check(&self, fleet: &str) -> Result<()> {
        if self.interrupt.is_raised() {
            return Err(Error::interrupted(format!("the fleet {fleet} has not answered yet")));
        }
        match self.limit {
            Some(limit) if self.start.elapsed() >= limit => Err(fleet_error(format!(
                "{fleet}: no answer within {limit:?}: it is busy, or its process is stopped"
            ))),
            _ => Ok(()),
        }
    }
}

/// A request to one block.
pub(super) struct Call<'a> {
    pub(super) command: Command,
    /// Number of valid rows in `ids`.
    pub(super) count: usize,
    pub(super) seed: Option<u64>,
    pub(super) payload: &'a [u8],
    /// Whether the samples shown by the block were taken.
    pub(super) sampled: bool,
}

impl Call<'_> {
    pub(super) fn new(command: Command) -> Self {
        Self { command, count: 0, seed: None, payload: &[], sampled: false }
    }
}

/// The fleet's rules, built by this program. A document that other users can write names no file to open.
fn rules(document: &Document, is_private: bool) -> Result<Arc<dyn AnyGame>, String> {
    let env = document.spec["env"].as_str().unwrap_or("");
    let differ = |what: String| {
        format!(
            "it serves {env} of ludovec {}, this program is ludovec {}: {what}",
            document.ludovec,
            env!("CARGO_PKG_VERSION")
        )
    };
    let options: Vec<(String, OptionValue)> = document.spec["options"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| Ok((key.clone(), OptionValue::deserialize(value)?)))
        .collect::<Result<_, serde_json::Error>>()
        .map_err(|e| differ(format!("options: {e}")))?;
    let allowed = if is_private { TrustedOptions::new(options.clone()) } else { TrustedOptions::default() };
    let game = allowed.make(env, options).map_err(|e| differ(e.to_string()))?;
    let ours = games::document(&*game).map_err(|e| differ(e.to_string()))?;
    if ours["version"] != document.spec["version"] {
        return Err(differ(format!(
            "its version of {env} is {}, ours is {}",
            document.spec["version"], ours["version"]
        )));
    }
    if ours != document.spec {
        return Err(differ("their specs differ".into()));
    }
    Ok(game)
}

/// The configuration of the fleet.
fn config(document: &Document, num_envs: usize) -> Result<BatchConfig, String> {
    fn find<T: Named>(what: &str, name: &str) -> Result<T, String> {
        T::named(name).ok_or_else(|| format!("{what} {name:?} is not known here"))
    }
    Ok(BatchConfig {
        num_envs,
        first_game: 0,
        total_games: None,
        pinned: false,
        seed: document.seed,
        threads: Some(document.threads),
        autoreset: find("auto-reset", &document.autoreset)?,
        observation: find("observations", &document.obs)?,
        mask: find("masks", &document.mask)?,
    })
}
