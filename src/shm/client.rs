//! A program that plays games of a fleet.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::os::fd::AsFd;
use std::process;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::abi::{
    self, CLIENT_PID, ColumnRecord, Command, DOORBELL, HAS_SEED, Plan, Preamble, REPLY, Reply, SAMPLED,
    STATE, STOPPED,
};
use super::segment::{Mapping, Segment};
use super::{futex, lock};
use crate::engine::columns::{Columns, Foreign, Owner};
use crate::engine::{
    AnyGame, AutoReset, BatchConfig, CommonOptions, Error, Named, OnIllegal, OptionValue, Result, SingleGame,
    VectorEnv, mask,
};
use crate::games;

/// How often a waiting client looks whether the fleet is alive.
const TICK: Duration = Duration::from_millis(100);

/// Claims blocks of the fleet `name`: `blocks` of them side by side, or the longest free run when `None`.
///
/// The result behaves like a batch in this process; its columns lie in the fleet's segment. The games go on
/// from wherever their last client left them: reset them first.
///
/// # Errors
/// [`Error::Fleet`] when no such fleet runs, it may not be opened, it was made by another version, or too few
/// blocks are free; [`Error::InvalidConfig`] for a bad name.
pub fn attach(name: &str, blocks: Option<usize>) -> Result<AttachedEnv> {
    let fleet = Arc::new(Connection::open(name)?);
    let blocks = fleet.claim(blocks)?;
    AttachedEnv::new(Arc::new(Claim { fleet, blocks: blocks.clone(), process: process::id() }), blocks)
}

/// Games of a fleet, as a batch. Blocks are free again when it is dropped.
///
/// Every method may return [`Error::Fleet`]: the fleet stopped, died, or its segment was damaged.
pub struct AttachedEnv {
    claim: Arc<Claim>,
    /// The blocks that hold the games of this batch.
    blocks: Range<usize>,
    config: BatchConfig,
    columns: Columns,
    /// By block: its shown samples were handed out, which it does not know yet.
    taken: Vec<Cell<bool>>,
    /// The last samples, as long as no game has moved: the fleet will not refuse them. Empty otherwise.
    sampled: RefCell<Vec<i32>>,
}

/// Blocks held by this process.
struct Claim {
    fleet: Arc<Connection>,
    blocks: Range<usize>,
    /// The process that took them: locks are shared with its forked children, who must not give them back.
    process: u32,
}

impl Drop for Claim {
    fn drop(&mut self) {
        if process::id() != self.process {
            return;
        }
        for k in self.blocks.clone() {
            self.fleet.release(k);
        }
    }
}

/// The part of the fleet's document that a client uses; the spec is compared as a whole.
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

/// An open segment whose header was checked.
struct Connection {
    name: String,
    segment: Segment,
    preamble: Preamble,
    columns: Vec<ColumnRecord>,
    game: Arc<dyn AnyGame>,
    /// How the whole fleet is run.
    config: BatchConfig,
}

impl Connection {
    fn open(name: &str) -> Result<Self> {
        let segment = Segment::open(name)?;
        let memory = &segment.memory;
        let preamble: Preamble = memory.read(0);
        let damaged = |what: String| Error::fleet(format!("{name}: {what}"));
        abi::check(&preamble, memory.len()).map_err(damaged)?;
        if !segment.is_served(preamble.pid) {
            return Err(damaged("the fleet has died: start it again".into()));
        }
        let text: Vec<u8> =
            memory.read_slice(preamble.document_offset as usize, preamble.document_bytes as usize);
        let document: Document =
            serde_json::from_slice(&text).map_err(|e| damaged(format!("its document is damaged: {e}")))?;
        let game = rules(&document).map_err(damaged)?;
        let config = config(&document, preamble.num_envs as usize).map_err(damaged)?;
        let columns = memory.read_slice(preamble.columns_offset as usize, preamble.num_columns as usize);
        // What lies where follows from game and configuration: the fleet must have come to the same.
        let plan = Plan {
            num_envs: config.num_envs,
            num_blocks: preamble.num_blocks as usize,
            columns: game.widths(&config).list(),
            observation_shape: &game.spec().observation_shape,
            document_bytes: text.len(),
            transfer_bytes: preamble.transfer_bytes as usize,
        };
        if plan.lay_out(preamble.pid) != (preamble, columns.clone()) {
            return Err(damaged("its columns lie elsewhere than this program expects".into()));
        }
        Ok(Self { name: name.into(), segment, preamble, columns, game, config })
    }

    fn memory(&self) -> &Mapping {
        &self.segment.memory
    }

    /// Takes `wanted` blocks side by side, or the longest free run.
    fn claim(&self, wanted: Option<usize>) -> Result<Range<usize>> {
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
        // Everything free is taken first and what is not wanted given back: two clients that look at the
        // same time never end up with runs that neither can use.
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
            return Err(Error::fleet(format!(
                "{}: {} of {all} blocks side by side are free, {} needed; the others belong to processes {}",
                self.name,
                longest.map_or(0, |run| run.len()),
                wanted.map_or("1 is".into(), |n| format!("{n} are")),
                pids.join(", ")
            )));
        };
        for k in chosen.clone() {
            self.memory().write(lock_byte(k), process::id());
        }
        Ok(chosen)
    }

    fn release(&self, block: usize) {
        lock::release(self.segment.file.as_fd(), self.preamble.mailbox(block) + CLIENT_PID);
    }

    /// Refuses to go on without a live fleet and a whole segment.
    fn check(&self) -> Result<()> {
        let gone = |what: &str| Err(Error::fleet(format!("{}: {what}", self.name)));
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

    /// Waits until the block has answered request `sequence`.
    fn wait(&self, block: usize, sequence: u32) -> Result<()> {
        let reply = self.reply_word(block);
        loop {
            let seen = reply.load(Ordering::Acquire);
            if seen == sequence {
                return Ok(());
            }
            if !futex::wait_while(reply, seen, TICK) {
                self.check()?;
                if self.memory().word(self.preamble.mailbox(block)).load(Ordering::Acquire) != sequence {
                    return Err(Error::fleet(format!("{}: its segment was overwritten", self.name)));
                }
            }
        }
    }

    /// Posts a request without waking anybody; returns its number.
    fn post(&self, block: usize, call: &Call<'_>) -> Result<u32> {
        let memory = self.memory();
        let mailbox = self.preamble.mailbox(block);
        let request = memory.word(mailbox);
        // A client that died may have left a request under way.
        let last = request.load(Ordering::Acquire);
        self.wait(block, last)?;
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
        Ok(sequence)
    }

    fn ring(&self, requests: usize) {
        let doorbell = self.memory().word(DOORBELL);
        doorbell.fetch_add(1, Ordering::Release);
        futex::wake(doorbell, requests);
    }

    /// Waits for the answer to a request.
    fn receive(&self, block: usize, sequence: u32) -> Result<Vec<u8>> {
        self.wait(block, sequence)?;
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

/// A request to one block.
struct Call<'a> {
    command: Command,
    /// Rows of `ids` that are meant.
    count: usize,
    seed: Option<u64>,
    payload: &'a [u8],
    /// The samples that the block showed were taken.
    sampled: bool,
}

impl Call<'_> {
    fn new(command: Command) -> Self {
        Self { command, count: 0, seed: None, payload: &[], sampled: false }
    }
}

/// The rules that the fleet plays, as this program knows them.
fn rules(document: &Document) -> Result<Arc<dyn AnyGame>, String> {
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
    let game = games::find(env).and_then(|entry| entry.make(options)).map_err(|e| differ(e.to_string()))?;
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

/// How the fleet is run.
fn config(document: &Document, num_envs: usize) -> Result<BatchConfig, String> {
    fn find<T: Named>(what: &str, name: &str) -> Result<T, String> {
        T::named(name).ok_or_else(|| format!("{what} {name:?} is not known here"))
    }
    Ok(BatchConfig {
        num_envs,
        first_game: 0,
        seed: document.seed,
        threads: Some(document.threads),
        autoreset: find("auto-reset", &document.autoreset)?,
        observation: find("observations", &document.obs)?,
        mask: find("masks", &document.mask)?,
    })
}

impl AttachedEnv {
    fn new(claim: Arc<Claim>, blocks: Range<usize>) -> Result<Self> {
        let fleet = &claim.fleet;
        let (first, _) = fleet.preamble.games(blocks.start);
        let (last, games) = fleet.preamble.games(blocks.end - 1);
        let num_envs = last + games - first;
        let config = BatchConfig { num_envs, first_game: first as u64, ..fleet.config.clone() };
        let owner: Owner = fleet.segment.memory.clone();
        let place = |name: &'static str, _, bytes: usize| {
            let record = fleet.columns.iter().find(|c| c.is_named(name))?;
            let start: NonNull<u8> =
                fleet.memory().at(record.offset as usize + bytes / num_envs * first, bytes);
            Some(Foreign { start, bytes, owner: owner.clone() })
        };
        // Safety: the mapping lives as long as `owner` and this process only reads there. The fleet writes
        // while a request of ours is under way; what others write is data, never followed.
        let columns = unsafe { Columns::placed(num_envs, fleet.game.widths(&config), place) }?;
        let taken = vec![Cell::new(false); blocks.len()];
        Ok(Self { columns, config, blocks, claim, taken, sampled: RefCell::default() })
    }

    /// One batch a block, to be stepped each on its own: games move while the caller thinks about others.
    ///
    /// # Errors
    /// None that [`attach`] would not have met.
    pub fn split(self) -> Result<Vec<Self>> {
        self.blocks.clone().map(|k| Self::new(self.claim.clone(), k..k + 1)).collect()
    }

    fn fleet(&self) -> &Connection {
        &self.claim.fleet
    }

    /// First game of a block in this batch, and how many it has.
    fn games(&self, block: usize) -> (usize, usize) {
        let (first, games) = self.fleet().preamble.games(block);
        (first - self.config.first_game as usize, games)
    }

    /// The block that holds a game, and the game's number there.
    fn place(&self, game: usize) -> (usize, u32) {
        let size = self.fleet().preamble.block_games as usize;
        (self.blocks.start + game / size, (game % size) as u32)
    }

    fn put<T: bytemuck::Pod>(&self, column: &str, game: usize, values: &[T]) {
        let fleet = self.fleet();
        let record = fleet.columns.iter().find(|c| c.is_named(column)).expect("every fleet has this column");
        let row = self.config.first_game as usize + game;
        fleet.memory().write_slice(record.offset as usize + row * size_of::<T>(), values);
    }

    /// Sends a request to each of some blocks and waits for all; the first error counts.
    fn call_all<'a>(&self, calls: impl IntoIterator<Item = (usize, Call<'a>)>) -> Result<Vec<Vec<u8>>> {
        let fleet = self.fleet();
        fleet.check()?;
        self.sampled.borrow_mut().clear();
        let post = |(k, call): (usize, Call<'a>)| {
            let sampled = self.taken[k - self.blocks.start].take();
            Ok((k, fleet.post(k, &Call { sampled, ..call })?))
        };
        let posted: Vec<(usize, u32)> = calls.into_iter().map(post).collect::<Result<_>>()?;
        fleet.ring(posted.len());
        // The last block is served last: when it is done, there is rarely another one to sleep for.
        let answers: Vec<Result<Vec<u8>>> =
            posted.into_iter().rev().map(|(k, n)| fleet.receive(k, n)).collect();
        answers.into_iter().rev().collect()
    }

    /// The same request to every block.
    fn broadcast(&self, call: impl Fn() -> Call<'static>) -> Result<()> {
        self.call_all(self.blocks.clone().map(|k| (k, call()))).map(drop)
    }

    /// Sends each block its part of `ids` (increasing), with whatever `fill` hands over for it.
    fn call_games<'a>(&self, ids: &[u32], call: impl Fn() -> Call<'a>) -> Result<()> {
        let mut calls = Vec::new();
        for part in self.by_block(ids) {
            let (block, _) = self.place(part[0] as usize);
            self.put_ids(block, part.iter().map(|&id| self.place(id as usize).1));
            calls.push((block, Call { count: part.len(), ..call() }));
        }
        self.call_all(calls).map(drop)
    }

    fn put_ids(&self, block: usize, ids: impl Iterator<Item = u32>) {
        self.put("ids", self.games(block).0, &ids.collect::<Vec<u32>>());
    }

    /// Refuses ids out of range; any order and repetition is fine.
    fn check_range(&self, ids: &[u32]) -> Result<()> {
        let n = self.config.num_envs;
        match ids.iter().find(|&&id| id as usize >= n) {
            Some(id) => Err(Error::config(format!("game {id}: games 0 to {} exist", n - 1))),
            None => Ok(()),
        }
    }

    /// Refuses ids out of range or order.
    fn check_ids(&self, ids: &[u32]) -> Result<()> {
        self.check_range(ids)?;
        match ids.windows(2).find(|w| w[0] >= w[1]) {
            Some(w) => {
                Err(Error::config(format!("game ids must increase strictly: {} comes before {}", w[0], w[1])))
            }
            None => Ok(()),
        }
    }

    /// Whether the fleet would refuse an action (`None`: any) in a game, by the masks it shows.
    fn is_refused(&self, game: usize, action: Option<i32>) -> bool {
        let width = self.columns.widths().mask_bits;
        let row = &self.columns.mask_bits[game * width..(game + 1) * width];
        if action.is_some_and(|action| mask::contains(row, action as u32)) {
            return false;
        }
        // Only a finished game has no legal action.
        if row.iter().all(|&word| word == 0) {
            return self.config.autoreset == AutoReset::Disabled;
        }
        let options = CommonOptions::read(&self.fleet().game.spec().options);
        action.is_some() && options.on_illegal == OnIllegal::Raise
    }

    /// Lets the fleet explain why it refuses a call for `game`, before any other block has moved.
    fn refusal(&self, game: usize, action: Option<i32>) -> Result<()> {
        let (block, id) = self.place(game);
        let command = match action {
            Some(action) => {
                let (first, _) = self.games(block);
                self.put_ids(block, [id].into_iter());
                self.put("actions", first, &[action]);
                Command::StepGames
            }
            None => Command::StepSampled,
        };
        let count = usize::from(action.is_some());
        match self.call_all([(block, Call { count, ..Call::new(command) })]) {
            // The engine names the game by its number in the block.
            Err(error) => {
                let (status, what) = abi::status(&error);
                let what = match what.strip_prefix(&format!("game {id}")) {
                    Some(rest) => format!("game {game}{rest}"),
                    None => what.to_string(),
                };
                Err(abi::error(status, what))
            }
            Ok(_) => Err(Error::fleet(format!(
                "{}: its segment was overwritten by another program",
                self.fleet().name
            ))),
        }
    }

    /// A batch in this process with the games `ids`, under the same rules.
    fn local(&self, ids: &[u32]) -> Result<Box<dyn VectorEnv>> {
        let config = BatchConfig { num_envs: ids.len(), threads: Some(1), ..self.config.clone() };
        let mut local = self.fleet().game.clone().vector(config)?;
        let places: Vec<(usize, u32)> = ids.iter().map(|&id| self.place(id as usize)).collect();
        for block in self.blocks.clone() {
            let here: Vec<u32> = (0..ids.len() as u32).filter(|&k| places[k as usize].0 == block).collect();
            // A transfer area holds as many games as the block has.
            for part in here.chunks(self.games(block).1) {
                self.put_ids(block, part.iter().map(|&k| places[k as usize].1));
                let call = Call { count: part.len(), ..Call::new(Command::Save) };
                let snapshot = self.call_all([(block, call)])?.remove(0);
                local.restore(part, &snapshot)?;
            }
        }
        Ok(local)
    }

    /// Puts the games of a local batch in the places `ids` (increasing).
    fn put_back(&self, ids: &[u32], local: &dyn VectorEnv) -> Result<()> {
        let mut calls = Vec::new();
        let mut done = 0;
        for part in self.by_block(ids) {
            let (block, _) = self.place(part[0] as usize);
            let rows: Vec<u32> = (done..done + part.len() as u32).collect();
            done += part.len() as u32;
            self.put_ids(block, part.iter().map(|&id| self.place(id as usize).1));
            calls.push((block, part.len(), local.save(&rows)?));
        }
        let calls = calls.iter().map(|(block, count, payload)| {
            (*block, Call { count: *count, payload, ..Call::new(Command::Restore) })
        });
        self.call_all(calls).map(drop)
    }

    /// One number a game from a column that every fleet has.
    fn read(&self, column: &str) -> Vec<i32> {
        self.read_rows(column, 0, self.config.num_envs)
    }

    /// The same for `count` games from `game` on.
    fn read_rows(&self, column: &str, game: usize, count: usize) -> Vec<i32> {
        let fleet = self.fleet();
        let record = fleet.columns.iter().find(|c| c.is_named(column)).expect("every fleet has it");
        let offset = record.offset as usize + 4 * (self.config.first_game as usize + game);
        fleet.memory().read_slice(offset, count)
    }

    /// The next samples, if every block shows them: taken without a request, the next one tells the fleet.
    fn take_samples(&self) -> Result<Option<Vec<i32>>> {
        if self.taken.iter().any(Cell::get) {
            return Ok(None);
        }
        let shown = self.read("next_sample");
        if shown.iter().any(|&action| action < 0) {
            return Ok(None);
        }
        self.fleet().check()?;
        self.taken.iter().for_each(|taken| taken.set(true));
        Ok(Some(shown))
    }

    fn check_room(&self, actions: usize, needed: usize) -> Result<()> {
        if actions == needed {
            Ok(())
        } else {
            Err(Error::config(format!("{actions} actions were given, {needed} are needed")))
        }
    }

    /// The parts of `ids` (increasing) that lie in one block each.
    fn by_block<'a>(&self, ids: &'a [u32]) -> impl Iterator<Item = &'a [u32]> {
        ids.chunk_by(|&a, &b| self.place(a as usize).0 == self.place(b as usize).0)
    }
}

impl VectorEnv for AttachedEnv {
    fn game(&self) -> Arc<dyn AnyGame> {
        self.fleet().game.clone()
    }
    fn config(&self) -> &BatchConfig {
        &self.config
    }
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn reset(&mut self, seed: Option<u64>) -> Result<()> {
        self.broadcast(|| Call { seed, ..Call::new(Command::Reset) })?;
        self.config.seed = seed.unwrap_or(self.config.seed);
        Ok(())
    }

    fn reset_games(&mut self, ids: &[u32], seed: Option<u64>) -> Result<()> {
        self.check_ids(ids)?;
        self.call_games(ids, || Call { seed, ..Call::new(Command::ResetGames) })
    }

    fn step(&mut self, actions: &[i32]) -> Result<()> {
        self.check_room(actions.len(), self.config.num_envs)?;
        if *self.sampled.borrow() != actions
            && let Some(game) = (0..actions.len()).find(|&i| self.is_refused(i, Some(actions[i])))
        {
            return self.refusal(game, Some(actions[game]));
        }
        self.put("actions", 0, actions);
        self.broadcast(|| Call::new(Command::Step))
    }

    fn step_games(&mut self, ids: &[u32], actions: &[i32]) -> Result<()> {
        self.check_ids(ids)?;
        self.check_room(actions.len(), ids.len())?;
        let refused =
            ids.iter().zip(actions).find(|&(&id, &action)| self.is_refused(id as usize, Some(action)));
        if let Some((&id, &action)) = refused {
            return self.refusal(id as usize, Some(action));
        }
        let mut done = 0;
        for part in self.by_block(ids) {
            let (block, _) = self.place(part[0] as usize);
            self.put("actions", self.games(block).0, &actions[done..done + part.len()]);
            done += part.len();
        }
        self.call_games(ids, || Call::new(Command::StepGames))
    }

    fn sample_actions(&mut self, actions: &mut [i32]) -> Result<()> {
        self.check_room(actions.len(), self.config.num_envs)?;
        let sampled = match self.take_samples()? {
            Some(sampled) => sampled,
            None => {
                self.broadcast(|| Call::new(Command::Sample))?;
                self.read("actions")
            }
        };
        actions.copy_from_slice(&sampled);
        // Nothing may be played in a finished game, whatever is written there.
        if self.config.autoreset != AutoReset::Disabled {
            self.sampled.replace(sampled);
        }
        Ok(())
    }

    fn step_sampled(&mut self) -> Result<()> {
        if self.config.autoreset == AutoReset::Disabled
            && let Some(game) = (0..self.config.num_envs).find(|&i| self.is_refused(i, None))
        {
            return self.refusal(game, None);
        }
        self.broadcast(|| Call::new(Command::StepSampled))
    }

    fn bot_actions(&mut self, ids: Option<&[u32]>, seats: &[String], actions: &mut [i32]) -> Result<()> {
        let payload = serde_json::to_vec(seats).expect("a list of words is plain data");
        let fits = payload.len() as u64 <= self.fleet().preamble.transfer_bytes;
        if !fits {
            return Err(Error::config("the names of the bots are too long"));
        }
        let Some(ids) = ids else {
            self.check_room(actions.len(), self.config.num_envs)?;
            let call = |k| (k, Call { payload: &payload, ..Call::new(Command::Bots) });
            self.call_all(self.blocks.clone().map(call))?;
            actions.copy_from_slice(&self.read("actions"));
            return Ok(());
        };
        self.check_ids(ids)?;
        self.check_room(actions.len(), ids.len())?;
        self.call_games(ids, || Call { payload: &payload, ..Call::new(Command::BotsGames) })?;
        let mut rest = actions;
        for part in self.by_block(ids) {
            let (block, _) = self.place(part[0] as usize);
            let (here, others) = rest.split_at_mut(part.len());
            here.copy_from_slice(&self.read_rows("actions", self.games(block).0, part.len()));
            rest = others;
        }
        Ok(())
    }

    fn save(&self, ids: &[u32]) -> Result<Vec<u8>> {
        self.check_range(ids)?;
        if ids.is_empty() {
            return self.local(&[0])?.save(&[]);
        }
        self.local(ids)?.save(&(0..ids.len() as u32).collect::<Vec<_>>())
    }

    fn restore(&mut self, ids: &[u32], snapshot: &[u8]) -> Result<()> {
        self.check_ids(ids)?;
        let config = BatchConfig { num_envs: ids.len().max(1), threads: Some(1), ..self.config.clone() };
        let mut local = self.fleet().game.clone().vector(config)?;
        local.restore(&(0..ids.len() as u32).collect::<Vec<_>>(), snapshot)?;
        self.put_back(ids, &*local)
    }

    fn fork(&mut self, src: &[u32], dst: &[u32]) -> Result<()> {
        self.check_range(src)?;
        self.check_range(dst)?;
        if src.len() != dst.len() {
            return Err(Error::config(format!("{} games to fork, {} to fork into", src.len(), dst.len())));
        }
        if src.is_empty() {
            return Ok(());
        }
        // Forked here, among copies of sources and targets: they may lie in different blocks.
        let mut targets = dst.to_vec();
        targets.sort_unstable();
        targets.dedup();
        let all: Vec<u32> = targets.iter().chain(src).copied().collect();
        let mut local = self.local(&all)?;
        let sources: Vec<u32> = (targets.len() as u32..all.len() as u32).collect();
        let places: Vec<u32> = dst.iter().map(|id| targets.partition_point(|t| t < id) as u32).collect();
        local.fork(&sources, &places)?;
        self.put_back(&targets, &*local)
    }

    fn single(&self, id: u32) -> Result<Box<dyn SingleGame>> {
        self.check_range(&[id])?;
        self.local(&[id])?.single(0)
    }

    fn set_position(&mut self, id: u32, json: &Value) -> Result<()> {
        self.check_range(&[id])?;
        let mut local = self.local(&[id])?;
        local.set_position(0, json)?;
        self.put_back(&[id], &*local)
    }
}
