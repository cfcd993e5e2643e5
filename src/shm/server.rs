//! The process that owns the games.
//!
//! Worker threads look through the mailboxes for requests, serve what they find and wait on the doorbell when
//! there is nothing. A request is copied before it is looked at, and nothing that decides where memory is
//! read or written comes from the segment: whoever can open it can write anything there.
//!
//! Bots may think for long. They choose in a thread of their own each, so that other clients are served meanwhile, and
//! are interrupted when the fleet stops or nobody waits for them any more.

use std::mem;
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::json;

use super::abi::{
    self, CLIENT_PID, Command, DOORBELL, GIVEN_UP, HAS_SEED, Layout, Preamble, REPLY, Request, SAMPLED,
    SERVING, STATE, STOPPED,
};
use super::segment::{Mapping, Segment, unlink};
use super::{futex, lock};
use crate::engine::columns::{Foreign, Owner};
use crate::engine::{AnyGame, BatchConfig, Error, Interrupt, Named, Result, VectorEnv, playouts};
use crate::games;

/// How often a worker without work looks whether the segment is still what it was.
const TICK: Duration = Duration::from_millis(100);

/// Blocks a thread unless asked otherwise: a thread that is done early can take over from another.
const BLOCKS_A_THREAD: usize = 4;

/// Games of the smallest block unless asked otherwise: fewer are stepped faster than they are handed over.
const BLOCK_GAMES: usize = 64;

/// Most text of an error that is sent.
const MESSAGE_BYTES: usize = 2048;

/// Permissions that a segment may have. Who attaches reads and writes, so there is no permission for one of them.
const MODES: [u32; 3] = [0o600, 0o660, 0o666];

/// Most playouts of bots that one request asks for: some minutes of a processor's time.
const MOST_PLAYOUTS: u64 = 10_000_000;

/// How a fleet is run.
#[derive(Debug, Clone)]
pub struct FleetConfig {
    /// What clients attach to: 1 to 64 letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// Runs of games that are claimed and stepped each on its own; when `None`, four a thread, but
    /// none with fewer than 64 games.
    pub blocks: Option<usize>,
    /// Permissions of the segment, 0o600, 0o660 or 0o666: whether the owner, the group, everybody may attach.
    pub mode: u32,
    /// The games and the threads that step them. `first_game` must be 0.
    pub batch: BatchConfig,
}

/// A running fleet. It stops, and its name is free again, when it is dropped.
pub struct Fleet {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

struct Shared {
    name: String,
    segment: Segment,
    preamble: Preamble,
    /// Offsets of the columns that clients write.
    actions: usize,
    ids: usize,
    blocks: Vec<Block>,
    /// Threads in which bots choose, and some that are done.
    thinking: Mutex<Vec<JoinHandle<()>>>,
    /// Worker threads.
    threads: usize,
    /// How the fleet ended.
    end: Mutex<Option<Result<()>>>,
    ended: Condvar,
    stopping: AtomicBool,
}

struct Block {
    index: usize,
    /// Number of the last request that a worker took up.
    taken: AtomicU32,
    games: Mutex<Games>,
}

/// The games of a block.
enum Games {
    Here(Box<dyn VectorEnv>),
    /// Bots choose in them, in a thread that brings them back.
    Thinking(Interrupt),
    /// A panic left them in pieces.
    Broken,
}

impl Block {
    /// The games, when nobody else looks at them.
    fn lock(&self) -> MutexGuard<'_, Games> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Fleet {
    /// Makes the games and their segment, and serves until it is stopped.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for a bad name or configuration, [`Error::Fleet`] when the name is taken by a
    /// running fleet or there is no room for the segment. What a crashed fleet left under the name is removed.
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
                "mode {:04o}: 0600, 0660 and 0666 are allowed: who attaches reads and writes",
                config.mode
            )));
        }
        let document = document(&*game, batch, threads)?;
        let layout = Layout {
            num_envs: batch.num_envs,
            num_blocks: blocks,
            columns: game.widths(batch).list(),
            observation_shape: &game.spec().observation_shape,
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
                // Clients see a copy of what their actions are checked against.
                let name = if name == "mask_bits_shown" { "mask_bits" } else { name };
                let start = segment.memory.at(offset(name)? + bytes / games * first, bytes);
                Some(Foreign { start, bytes, owner: owner.clone() })
            };
            // Safety: the segment lives as long as `owner`, blocks and columns do not overlap, and only the
            // batch writes there in this process. Others may write what they like: it is output, which the
            // engine does not rely on.
            let env = unsafe { game.clone().vector_placed(config, &mut place) }?;
            Ok(Block { index: k, taken: AtomicU32::new(0), games: Mutex::new(Games::Here(env)) })
        });
        let place = |name| offset(name).expect("every fleet has this column");
        let blocks = match made.collect::<Result<Vec<_>>>() {
            Ok(blocks) => blocks,
            Err(error) => {
                let _ = unlink(&config.name, segment.file.as_fd());
                return Err(error);
            }
        };
        let shared = Arc::new(Shared {
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
        let mut fleet = Self { shared, workers: Vec::new() };
        for worker in 0..fleet.shared.threads {
            let shared = fleet.shared.clone();
            let work = move || shared.work(worker * num_blocks / shared.threads);
            let spawned = thread::Builder::new().name(format!("fleet {worker}")).spawn(work);
            fleet
                .workers
                .push(spawned.map_err(|e| Error::fleet(format!("no thread could be started: {e}")))?);
        }
        Ok(fleet)
    }

    /// What stops the fleet from elsewhere, such as a signal handler's thread.
    pub fn stopper(&self) -> impl Fn() + Send + 'static {
        let shared = Arc::downgrade(&self.shared);
        move || {
            if let Some(shared) = shared.upgrade() {
                shared.stop(Ok(()));
            }
        }
    }

    /// Waits for the end of the fleet, `limit` at most; `None` while it runs.
    ///
    /// The end is an error when the segment was overwritten or truncated by somebody else.
    pub fn wait(&self, limit: Option<Duration>) -> Option<Result<()>> {
        let end = self.shared.end();
        let running = |end: &mut Option<Result<()>>| end.is_none();
        match limit {
            None => self.shared.ended.wait_while(end, running).unwrap_or_else(|e| e.into_inner()).clone(),
            Some(limit) => {
                let waited = self.shared.ended.wait_timeout_while(end, limit, running);
                waited.unwrap_or_else(|e| e.into_inner()).0.clone()
            }
        }
    }

    /// Number of blocks.
    pub fn num_blocks(&self) -> usize {
        self.shared.blocks.len()
    }
    /// Size of the segment.
    pub fn segment_bytes(&self) -> usize {
        self.shared.segment.memory.len()
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        // A forked child has a copy of this, but no threads and no say.
        if std::process::id() != self.shared.preamble.pid {
            return;
        }
        self.shared.stop(Ok(()));
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
        for bots in mem::take(&mut *self.shared.thinking()) {
            let _ = bots.join();
        }
        let _ = unlink(&self.shared.name, self.shared.segment.file.as_fd());
    }
}

impl Shared {
    fn memory(&self) -> &Mapping {
        &self.segment.memory
    }

    fn thinking(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.thinking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self) -> MutexGuard<'_, Option<Result<()>>> {
        self.end.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Ends the fleet; only the first reason counts.
    fn stop(&self, end: Result<()>) {
        self.end().get_or_insert(end);
        self.stopping.store(true, Ordering::Release);
        self.memory().word(STATE).store(STOPPED, Ordering::Release);
        let doorbell = self.memory().word(DOORBELL);
        doorbell.fetch_add(1, Ordering::Release);
        futex::wake(doorbell, usize::MAX);
        for block in &self.blocks {
            futex::wake(self.reply_word(block), usize::MAX);
        }
        self.ended.notify_all();
        for block in &self.blocks {
            if let Games::Thinking(interrupt) = &*block.lock() {
                interrupt.raise();
            }
        }
    }

    /// Interrupts bots that nobody waits for any more: their client is gone, or has given the request up.
    fn dismiss(&self) {
        for block in &self.blocks {
            let Ok(games) = block.games.try_lock() else { continue };
            let Games::Thinking(interrupt) = &*games else { continue };
            let mailbox = self.preamble.mailbox(block.index);
            let given_up = self.memory().word(mailbox + GIVEN_UP).load(Ordering::Acquire);
            let is_wanted = given_up != block.taken.load(Ordering::Acquire)
                && lock::is_held(self.segment.file.as_fd(), mailbox + CLIENT_PID);
            if !is_wanted {
                interrupt.raise();
            }
        }
    }

    fn reply_word(&self, block: &Block) -> &AtomicU32 {
        self.memory().word(self.preamble.mailbox(block.index) + REPLY)
    }

    /// What a worker thread does; it looks at block `first` first.
    fn work(self: &Arc<Self>, first: usize) {
        let doorbell = self.memory().word(DOORBELL);
        let mut spin = futex::SPIN;
        let mut dismissed = Instant::now();
        while !self.stopping.load(Ordering::Acquire) {
            let rung = doorbell.load(Ordering::Acquire);
            let mut idle = true;
            // Each begins with blocks of its own and goes on with those of others.
            let (own, others) = self.blocks.split_at(first);
            for block in others.iter().chain(own) {
                idle &= !self.serve(block);
            }
            if dismissed.elapsed() >= TICK {
                self.dismiss();
                dismissed = Instant::now();
            }
            if self.memory().truncated() {
                self.stop(Err(Error::fleet(format!(
                    "{}: its segment was truncated by another program",
                    self.name
                ))));
            } else if idle {
                let start = Instant::now();
                if !futex::wait_while(doorbell, rung, TICK, spin) {
                    self.inspect();
                }
                // A client is awake as well.
                spin = futex::next_spin(start.elapsed(), self.threads + 1);
            }
        }
    }

    /// Stops the fleet when somebody wrote where only it writes.
    fn inspect(&self) {
        let whole = rustix::fs::fstat(&self.segment.file)
            .is_ok_and(|stat| stat.st_size as u64 == self.preamble.total_bytes);
        let unchanged = whole
            && self.memory().read::<Preamble>(0) == self.preamble
            && self.blocks.iter().all(|block| {
                let games = block.games.try_lock();
                !games.is_ok_and(|games| !matches!(*games, Games::Thinking(_)))
                    || self.reply_word(block).load(Ordering::Acquire) == block.taken.load(Ordering::Acquire)
            });
        if !unchanged {
            let what = if whole { "overwritten" } else { "truncated" };
            self.stop(Err(Error::fleet(format!("{}: its segment was {what} by another program", self.name))));
        }
    }

    /// Serves the block's request, if there is one that nobody serves.
    fn serve(self: &Arc<Self>, block: &Block) -> bool {
        let mailbox = self.preamble.mailbox(block.index);
        let request = self.memory().word(mailbox);
        if request.load(Ordering::Acquire) == block.taken.load(Ordering::Acquire) {
            return false;
        }
        let Ok(mut games) = block.games.try_lock() else { return false };
        let sequence = request.load(Ordering::Acquire);
        if sequence == block.taken.load(Ordering::Acquire) || matches!(*games, Games::Thinking(_)) {
            return false;
        }
        block.taken.store(sequence, Ordering::Release);

        let request: Request = self.memory().read(mailbox);
        let bots = [Command::Bots as u32, Command::BotsGames as u32];
        let answer = match mem::replace(&mut *games, Games::Broken) {
            Games::Here(env) if bots.contains(&request.command) => {
                match self.think(block.index, env, request) {
                    Ok(interrupt) => {
                        *games = Games::Thinking(interrupt);
                        return true;
                    }
                    Err((env, error)) => {
                        *games = Games::Here(env);
                        Err(error)
                    }
                }
            }
            Games::Here(env) => {
                let answer;
                (*games, answer) = self.run(block, env, request);
                answer
            }
            Games::Broken | Games::Thinking(_) => {
                Err(Error::fleet("this block is unusable after an internal error: restart the fleet"))
            }
        };
        self.answer(block, answer);
        true
    }

    /// Lets bots choose in a thread of their own, which answers; the games come back when there is none.
    fn think(
        self: &Arc<Self>,
        index: usize,
        mut env: Box<dyn VectorEnv>,
        request: Request,
    ) -> Result<Interrupt, (Box<dyn VectorEnv>, Error)> {
        let (hand_over, games) = channel::<Box<dyn VectorEnv>>();
        let shared = self.clone();
        let work = move || {
            let Ok(env) = games.recv() else { return };
            let block = &shared.blocks[index];
            let (env, mut answer) = shared.run(block, env, request);
            if let Err(Error::Interrupted(_)) = answer {
                answer = Err(Error::fleet("the bots were stopped: nobody waits for them, or the fleet ends"));
            }
            let mut games = block.lock();
            *games = env;
            shared.answer(block, answer);
        };
        match thread::Builder::new().name(format!("fleet bots {index}")).spawn(work) {
            Err(e) => Err((env, Error::fleet(format!("no thread could be started: {e}")))),
            Ok(thread) => {
                let interrupt = Interrupt::default();
                env.interrupt_by(interrupt.clone());
                // The games are locked: either this is seen, or whoever stops the fleet sees the bots.
                if self.stopping.load(Ordering::Acquire) {
                    interrupt.raise();
                }
                hand_over.send(env).expect("the thread waits for the games");
                let mut threads = self.thinking();
                threads.retain(|thread| !thread.is_finished());
                threads.push(thread);
                Ok(interrupt)
            }
        }
    }

    /// Does what a request asks; a panic leaves no games.
    fn run(&self, block: &Block, mut env: Box<dyn VectorEnv>, request: Request) -> (Games, Result<Vec<u8>>) {
        match catch_unwind(AssertUnwindSafe(|| self.execute(block, &mut *env, request))) {
            Ok(answer) => (Games::Here(env), answer),
            Err(panic) => {
                let text = panic.downcast_ref::<&str>().map(|s| (*s).to_string());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
                (Games::Broken, Err(Error::fleet(format!("internal error, please report it: {text}"))))
            }
        }
    }

    /// Writes the answer to the request that was taken up last. The block's games are locked.
    fn answer(&self, block: &Block, answer: Result<Vec<u8>>) {
        let (status, payload) = match &answer {
            Ok(payload) => (abi::OK, &payload[..]),
            Err(error) => {
                let (status, text) = abi::status(error);
                let end = (0..=text.len().min(MESSAGE_BYTES)).rev().find(|&end| text.is_char_boundary(end));
                (status, &text.as_bytes()[..end.unwrap_or(0)])
            }
        };
        self.memory().write_slice(self.preamble.transfer(block.index), payload);
        let reply = self.preamble.mailbox(block.index) + REPLY;
        self.memory().write(reply + 4, status);
        self.memory().write(reply + 8, payload.len() as u64);
        self.memory().word(reply).store(block.taken.load(Ordering::Acquire), Ordering::Release);
        futex::wake(self.memory().word(reply), usize::MAX);
    }

    /// Does what a request asks; returns what goes into the transfer area.
    fn execute(&self, block: &Block, env: &mut dyn VectorEnv, request: Request) -> Result<Vec<u8>> {
        let Some(command) = Command::from_number(request.command) else {
            return Err(Error::fleet(format!("there is no command {}", request.command)));
        };
        let (first, games) = self.preamble.games(block.index);
        let count = request.count as usize;
        if count > games {
            return Err(Error::config(format!("{count} games are meant, the block has {games}")));
        }
        let ids = || self.memory().read_slice::<u32>(self.ids + 4 * first, count);
        let actions = |n| self.memory().read_slice::<i32>(self.actions + 4 * first, n);
        let show_actions = |actions: &[i32]| self.memory().write_slice(self.actions + 4 * first, actions);
        let seed = (request.flags & HAS_SEED != 0).then_some(request.seed);
        let payload = || -> Result<Vec<u8>> {
            if request.payload_bytes > self.preamble.transfer_bytes {
                return Err(Error::config(format!(
                    "{} bytes were handed over, the transfer area has {}",
                    request.payload_bytes, self.preamble.transfer_bytes
                )));
            }
            let transfer = self.preamble.transfer(block.index);
            Ok(self.memory().read_slice(transfer, request.payload_bytes as usize))
        };
        let sample = |env: &mut dyn VectorEnv| {
            let mut sampled = vec![0; games];
            env.sample_actions(&mut sampled).map(|()| sampled)
        };
        if request.flags & SAMPLED != 0 {
            sample(env)?;
        }
        match command {
            Command::Step => env.step(&actions(games))?,
            Command::StepGames => env.step_games(&ids(), &actions(count))?,
            Command::StepSampled => env.step_sampled()?,
            Command::Reset => env.reset(seed)?,
            Command::ResetGames => env.reset_games(&ids(), seed)?,
            Command::Restore => env.restore(&ids(), &payload()?)?,
            Command::Save => return env.save(&ids()),
            Command::Sample => show_actions(&sample(env)?),
            Command::Bots | Command::BotsGames => {
                let seats: Vec<String> = serde_json::from_slice(&payload()?)
                    .map_err(|e| Error::config(format!("a list of bots as JSON is needed: {e}")))?;
                let ids = (command == Command::BotsGames).then(ids);
                let mut chosen = vec![0; ids.as_ref().map_or(games, Vec::len)];
                check_playouts(&seats, chosen.len())?;
                env.bot_actions(ids.as_deref(), &seats, &mut chosen)?;
                show_actions(&chosen);
            }
        }
        Ok(Vec::new())
    }
}

/// Refuses bots that would think for hours.
fn check_playouts(seats: &[String], games: usize) -> Result<()> {
    let playouts = seats.iter().map(|bot| playouts(bot)).collect::<Result<Vec<_>>>()?;
    let most = playouts.into_iter().max().unwrap_or(0);
    if u64::from(most) * games as u64 > MOST_PLAYOUTS {
        return Err(Error::config(format!(
            "{most} playouts in {games} games: a fleet makes {MOST_PLAYOUTS} a request, ask for fewer games at a time"
        )));
    }
    Ok(())
}

/// Bytes that hold a snapshot of `games` games, or any text.
fn transfer_bytes(game: &Arc<dyn AnyGame>, games: usize) -> Result<usize> {
    let env = game.clone().vector(BatchConfig { num_envs: 1, threads: Some(1), ..BatchConfig::default() })?;
    let (none, one) = (env.save(&[])?.len(), env.save(&[0])?.len());
    Ok((none + games * (one - none)).max(2 * MESSAGE_BYTES))
}

/// What clients read before anything else.
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
