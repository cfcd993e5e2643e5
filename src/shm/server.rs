//! The threads of the process that owns the games; they serve the requests of clients.
//!
//! Worker threads scan the mailboxes, serve the requests they find, and wait on the doorbell if there are none. A
//! request is copied before it is read, and no memory address or length is taken from the segment, because any
//! process with access can write anything to it.
//!
//! Bots may take long. Each request for bots runs in its own thread, so other clients are served meanwhile. It is
//! interrupted when the fleet stops or no client waits for it any more.

use std::mem;
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::abi::{
    self, CLIENT_PID, Command, DOORBELL, GIVEN_UP, HAS_SEED, Preamble, REPLY, Request, SAMPLED, STATE,
    STOPPED,
};
use super::error::fleet_error;
use super::segment::{Mapping, Segment};
use super::{futex, lock};
use crate::engine::{ActionId, Error, Interrupt, Result, VectorEnv, playout_count};

/// Interval at which an idle worker checks that the segment is undamaged.
const TICK: Duration = Duration::from_millis(100);

/// Maximum length of an error text in bytes.
pub(super) const MESSAGE_BYTES: usize = 2048;

/// Maximum number of bot playouts per request: a few minutes of processor time.
const MOST_PLAYOUTS: u64 = 10_000_000;

/// The state shared by the threads of a fleet.
pub(super) struct FleetState {
    pub(super) name: String,
    pub(super) segment: Segment,
    pub(super) preamble: Preamble,
    /// Offsets of the columns written by clients.
    pub(super) actions: usize,
    pub(super) ids: usize,
    /// The blocks of games, then the block of spectators.
    pub(super) blocks: Vec<Block>,
    /// Threads of bots; some of them may have ended.
    pub(super) thinking: Mutex<Vec<JoinHandle<()>>>,
    /// Number of worker threads.
    pub(super) threads: usize,
    /// The result of the fleet, once ended.
    pub(super) end: Mutex<Option<Result<()>>>,
    pub(super) ended: Condvar,
    pub(super) stopping: AtomicBool,
}

/// A run of games claimed as a unit, and its mailbox.
pub(super) struct Block {
    pub(super) index: usize,
    /// Number of the last request taken by a worker.
    pub(super) taken: AtomicU32,
    pub(super) games: Mutex<Games>,
}

/// The games of a block.
pub(super) enum Games {
    Here(Box<dyn VectorEnv>),
    /// Bots are choosing; their thread owns the games and returns them.
    Thinking(Interrupt),
    /// A panic has left the games in an undefined state.
    Broken,
    /// The spectators' block, which has no games of its own.
    Elsewhere,
}

impl Block {
    /// Locks the games.
    fn lock(&self) -> MutexGuard<'_, Games> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FleetState {
    fn memory(&self) -> &Mapping {
        &self.segment.memory
    }

    pub(super) fn thinking(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.thinking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn end(&self) -> MutexGuard<'_, Option<Result<()>>> {
        self.end.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Stops the fleet; only the first reason is kept.
    pub(super) fn stop(&self, end: Result<()>) {
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

    /// Interrupts bots without a waiting client: the client is gone, or has abandoned the request.
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

    /// The main loop of a worker thread; it starts at block `first`.
    pub(super) fn work(self: &Arc<Self>, first: usize) {
        let doorbell = self.memory().word(DOORBELL);
        let mut spin = futex::SPIN;
        let mut dismissed = Instant::now();
        while !self.stopping.load(Ordering::Acquire) {
            let rung = doorbell.load(Ordering::Acquire);
            let mut idle = true;
            // Work stealing: a worker begins with its own blocks and continues with the blocks of other workers.
            let (own, others) = self.blocks.split_at(first);
            for block in others.iter().chain(own) {
                idle &= !self.serve(block);
            }
            if dismissed.elapsed() >= TICK {
                self.dismiss();
                dismissed = Instant::now();
            }
            if self.memory().truncated() {
                self.stop(Err(fleet_error(format!(
                    "{}: its segment was truncated by another program",
                    self.name
                ))));
            } else if idle {
                let start = Instant::now();
                if !futex::wait_while(doorbell, rung, TICK, spin) {
                    self.inspect();
                }
                // Plus one for a client, which spins as well.
                spin = futex::next_spin(start.elapsed(), self.threads + 1);
            }
        }
    }

    /// Stops the fleet if another process has written to a part of the segment reserved for the fleet.
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
            self.stop(Err(fleet_error(format!("{}: its segment was {what} by another program", self.name))));
        }
    }

    /// Serves the block's request, unless there is none or another worker serves it; returns whether it did.
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
            Games::Elsewhere => {
                *games = Games::Elsewhere;
                let shown = catch_unwind(AssertUnwindSafe(|| self.show(block, request)));
                shown.unwrap_or_else(|_| Err(fleet_error("internal error while serving a spectator")))
            }
            Games::Broken | Games::Thinking(_) => {
                Err(fleet_error("this block is unusable after an internal error: restart the fleet"))
            }
        };
        self.answer(block, answer);
        true
    }

    /// Runs bots in a separate thread, which also answers the request; returns the games if the thread cannot be
    /// started.
    fn think(
        self: &Arc<Self>,
        index: usize,
        mut env: Box<dyn VectorEnv>,
        request: Request,
    ) -> Result<Interrupt, (Box<dyn VectorEnv>, Error)> {
        let (hand_over, games) = channel::<Box<dyn VectorEnv>>();
        let state = self.clone();
        let work = move || {
            let Ok(env) = games.recv() else { return };
            let block = &state.blocks[index];
            let (env, mut answer) = state.run(block, env, request);
            if let Err(Error::Interrupted(_)) = answer {
                answer = Err(fleet_error("the bots were stopped: no client waits, or the fleet is stopping"));
            }
            let mut games = block.lock();
            *games = env;
            state.answer(block, answer);
        };
        match thread::Builder::new().name(format!("fleet bots {index}")).spawn(work) {
            Err(e) => Err((env, fleet_error(format!("no thread could be started: {e}")))),
            Ok(thread) => {
                let interrupt = Interrupt::default();
                env.interrupt_by(interrupt.clone());
                // No race with stopping the fleet, because the games are locked: either this test sees the stop, or
                // `stop` sees the bots and interrupts them.
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

    /// Executes a request; after a panic, the games are marked as broken.
    fn run(&self, block: &Block, mut env: Box<dyn VectorEnv>, request: Request) -> (Games, Result<Vec<u8>>) {
        match catch_unwind(AssertUnwindSafe(|| self.execute(block, &mut *env, request))) {
            Ok(answer) => (Games::Here(env), answer),
            // Wrong rules end a call with an error; see `Error::unwind`.
            Err(panic) if panic.is::<Error>() => {
                (Games::Broken, Err(panic.downcast_ref::<Error>().expect("it is an error").clone()))
            }
            Err(panic) => {
                let text = panic.downcast_ref::<&str>().map(|s| (*s).to_string());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
                (Games::Broken, Err(fleet_error(format!("internal error, please report it: {text}"))))
            }
        }
    }

    /// Writes the answer to the block's last request. The block's games must be locked.
    fn answer(&self, block: &Block, answer: Result<Vec<u8>>) {
        let (status, payload) = match answer {
            Ok(payload) => (abi::OK, payload),
            Err(error) => {
                let (status, mut text) = abi::status(&error);
                let end = (0..=text.len().min(MESSAGE_BYTES)).rev().find(|&end| text.is_char_boundary(end));
                text.truncate(end.unwrap_or(0));
                (status, text.into_bytes())
            }
        };
        self.memory().write_slice(self.preamble.transfer(block.index), &payload[..]);
        let reply = self.preamble.mailbox(block.index) + REPLY;
        self.memory().write(reply + 4, status);
        self.memory().write(reply + 8, payload.len() as u64);
        self.memory().word(reply).store(block.taken.load(Ordering::Acquire), Ordering::Release);
        futex::wake(self.memory().word(reply), usize::MAX);
    }

    /// A snapshot of games of one block, for a spectator. The spectators' transfer area holds the block's index, then
    /// the indices of the games in the block.
    fn show(&self, spectators: &Block, request: Request) -> Result<Vec<u8>> {
        if Command::from_number(request.command) != Some(Command::Look) {
            return Err(fleet_error("spectators may only look, not play"));
        }
        let games = self.preamble.block_games as usize;
        let (count, most) = (request.count as usize, self.preamble.transfer_bytes as usize / 4 - 1);
        if count > games.min(most) {
            return Err(Error::config(format!("{count} games were given, a block has {games}")));
        }
        let words: Vec<u32> = self.memory().read_slice(self.preamble.transfer(spectators.index), count + 1);
        let block = self.blocks.get(words[0] as usize).filter(|block| block.index != spectators.index);
        let Some(block) = block else {
            return Err(Error::config(format!("block {}: there is no such block", words[0])));
        };
        match &*block.lock() {
            Games::Here(env) => env.save(&words[1..]),
            Games::Thinking(_) => Err(fleet_error("bots are choosing in these games")),
            Games::Broken | Games::Elsewhere => Err(fleet_error("this block is unusable")),
        }
    }

    /// Executes a request; returns the payload of the answer.
    fn execute(&self, block: &Block, env: &mut dyn VectorEnv, request: Request) -> Result<Vec<u8>> {
        let Some(command) = Command::from_number(request.command) else {
            return Err(fleet_error(format!("there is no command {}", request.command)));
        };
        let (first, games) = self.preamble.games(block.index);
        let count = request.count as usize;
        if count > games {
            return Err(Error::config(format!("{count} games were given, the block has {games}")));
        }
        let ids = || self.memory().read_slice::<u32>(self.ids + 4 * first, count);
        let actions = |n| self.memory().read_slice::<ActionId>(self.actions + 4 * first, n);
        let show_actions =
            |actions: &[ActionId]| self.memory().write_slice(self.actions + 4 * first, actions);
        let seed = (request.flags & HAS_SEED != 0).then_some(request.seed);
        let payload = || -> Result<Vec<u8>> {
            if request.payload_bytes > self.preamble.transfer_bytes {
                return Err(Error::config(format!(
                    "{} payload bytes were given, the transfer area has {}",
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
            Command::Look => return Err(fleet_error("only spectators may look: a client saves its games")),
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

/// Rejects bots with too many playouts.
fn check_playouts(seats: &[String], games: usize) -> Result<()> {
    let playouts = seats.iter().map(|bot| playout_count(bot)).collect::<Result<Vec<_>>>()?;
    let most = playouts.into_iter().max().unwrap_or(0);
    if u64::from(most) * games as u64 > MOST_PLAYOUTS {
        return Err(Error::config(format!(
            "{most} playouts in {games} games: a fleet makes {MOST_PLAYOUTS} a request, ask for fewer games at a time"
        )));
    }
    Ok(())
}
