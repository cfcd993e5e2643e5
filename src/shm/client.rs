//! A client of a fleet: plays its games.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::process;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::abi::Command;
use super::connection::{Call, Connection, Deadline};
use super::error::fleet_error;
use super::futex;
use crate::engine::calls::{by_game, check_actions, check_fork, check_ids, check_range, refuses_illegal};
use crate::engine::columns::{Columns, DType, Foreign, Owner};
use crate::engine::{
    ActionId, AnyGame, AutoReset, BatchConfig, CommonOptions, Error, Interrupt, Position, Refusal, Result,
    SingleGame, VectorEnv, mask,
};

/// Claims blocks of the fleet `name`: `blocks` adjacent ones, or the longest free run if `None`.
///
/// The result behaves like a batch in this process; its columns are in the fleet's segment. The games continue from
/// the state in which the last client left them: reset them first.
///
/// # Errors
/// [`Error::Unavailable`] if no such fleet runs, access is denied, its version differs, or too few blocks are free;
/// [`Error::InvalidConfig`] for an invalid name.
pub fn attach(name: &str, blocks: Option<usize>) -> Result<AttachedEnv> {
    let fleet = Arc::new(Connection::open(name)?);
    let blocks = fleet.claim(blocks)?;
    AttachedEnv::new(Arc::new(BlockClaim { fleet, blocks: blocks.clone(), process: process::id() }), blocks)
}

/// Games of a fleet, as a batch. Dropping it frees its blocks.
///
/// Every method may return [`Error::Unavailable`] if the fleet stopped, died or did not answer in time, or if its
/// segment was damaged. After a call was interrupted or timed out, the games may or may not have moved, and the next
/// call waits for the request in progress.
pub struct AttachedEnv {
    claim: Arc<BlockClaim>,
    /// The blocks with the games of this batch.
    blocks: Range<usize>,
    config: BatchConfig,
    columns: Columns,
    /// By block: whether the caller has taken its shown samples. The next request reports it to the fleet.
    taken: Vec<Cell<bool>>,
    /// The last samples, while no game has moved: they are legal and need no check. Empty otherwise.
    sampled: RefCell<Vec<ActionId>>,
    /// Spinning time for the next answer.
    spin: Cell<Duration>,
    /// Maximum time that a call waits for the fleet.
    time_limit: Option<Duration>,
    interrupt: Interrupt,
}

impl std::fmt::Debug for AttachedEnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AttachedEnv")
            .field("fleet", &self.claim.fleet.name)
            .field("blocks", &self.blocks)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// Blocks claimed by this process.
struct BlockClaim {
    fleet: Arc<Connection>,
    blocks: Range<usize>,
    /// The process that claimed them: forked children share the locks and must not release them.
    process: u32,
}

impl Drop for BlockClaim {
    fn drop(&mut self) {
        if process::id() != self.process {
            return;
        }
        for k in self.blocks.clone() {
            self.fleet.release(k);
        }
    }
}

impl AttachedEnv {
    fn new(claim: Arc<BlockClaim>, blocks: Range<usize>) -> Result<Self> {
        let fleet = &claim.fleet;
        let (first, _) = fleet.preamble.games(blocks.start);
        let (last, games) = fleet.preamble.games(blocks.end - 1);
        let num_envs = last + games - first;
        let config = BatchConfig { num_envs, first_game: first as u64, ..fleet.config.clone() };
        let owner: Owner = fleet.segment.memory.clone();
        let mut place = |name: &'static str, _: DType, bytes: usize| {
            let record = fleet.columns.iter().find(|c| c.is_named(name))?;
            let start: NonNull<u8> =
                fleet.memory().at(record.offset as usize + bytes / num_envs * first, bytes);
            Some(Foreign { start, bytes, owner: owner.clone() })
        };
        // Safety: the mapping lives as long as `owner`, and this process only reads this memory. The fleet writes
        // while a request of ours is in progress; bytes written by others are data and never used as addresses.
        let columns = unsafe { Columns::placed(num_envs, fleet.game.widths(&config), &mut place) }?;
        let taken = vec![Cell::new(false); blocks.len()];
        Ok(Self {
            columns,
            config,
            blocks,
            claim,
            taken,
            sampled: RefCell::default(),
            spin: Cell::new(futex::SPIN),
            time_limit: None,
            interrupt: Interrupt::default(),
        })
    }

    /// One batch per block, to be stepped independently: some games move while the caller processes others.
    ///
    /// # Errors
    /// As for [`attach`].
    pub fn split(self) -> Result<Vec<Self>> {
        let part = |k| {
            let part = Self::new(self.claim.clone(), k..k + 1)?;
            Ok(Self { time_limit: self.time_limit, interrupt: self.interrupt.clone(), ..part })
        };
        self.blocks.clone().map(part).collect()
    }

    /// Sets the maximum time that a call waits for the fleet, since its process may be stopped or busy. With `None`,
    /// the default, calls wait as long as the fleet lives.
    pub fn set_time_limit(&mut self, limit: Option<Duration>) {
        self.time_limit = limit;
    }

    fn fleet(&self) -> &Connection {
        &self.claim.fleet
    }

    /// First game of a block in this batch, and its number of games.
    fn games(&self, block: usize) -> (usize, usize) {
        let (first, games) = self.fleet().preamble.games(block);
        (first - self.config.first_game as usize, games)
    }

    /// The block of a game, and the game's index in the block.
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

    /// Sends a request to each of some blocks and waits for all answers; returns the first error.
    fn call_all<'a>(&self, calls: impl IntoIterator<Item = (usize, Call<'a>)>) -> Result<Vec<Vec<u8>>> {
        let fleet = self.fleet();
        fleet.check()?;
        self.sampled.borrow_mut().clear();
        let deadline = Deadline::new(&self.interrupt, self.time_limit);
        let calls: Vec<(usize, Call<'a>)> = calls.into_iter().collect();
        calls.iter().try_for_each(|(k, _)| fleet.settle(*k, &deadline))?;
        let post = |(k, call): (usize, Call<'a>)| {
            let sampled = self.taken[k - self.blocks.start].take();
            (k, fleet.post(k, &Call { sampled, ..call }))
        };
        let posted: Vec<(usize, u32)> = calls.into_iter().map(post).collect();
        fleet.ring(posted.len());
        let rung = Instant::now();
        // Blocks are served in order: when the last one is done, the others usually are too, so the client sleeps at
        // most once.
        let mut last_first = posted.iter().rev();
        if let Err(error) = last_first.try_for_each(|&(k, n)| fleet.wait(k, n, self.spin.get(), &deadline)) {
            posted.iter().for_each(|&(k, n)| fleet.give_up(k, n));
            return Err(error);
        }
        let answers: Vec<Result<Vec<u8>>> = posted.iter().map(|&(k, _)| fleet.answer(k)).collect();
        // Spinning threads: the fleet's, and one for each part of a split batch.
        let awake = self.config.threads.unwrap_or(1) + self.claim.blocks.len() / self.blocks.len();
        self.spin.set(futex::next_spin(rung.elapsed(), awake));
        answers.into_iter().collect()
    }

    /// The same request to every block.
    fn broadcast(&self, call: impl Fn() -> Call<'static>) -> Result<()> {
        self.call_all(self.blocks.clone().map(|k| (k, call()))).map(drop)
    }

    /// Sends each block its part of `ids` (increasing), each with a new `call()`.
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

    /// Whether the fleet would reject an action (`None`: any action) in a game, according to the shown masks.
    fn is_refused(&self, game: usize, action: Option<ActionId>) -> bool {
        let width = self.columns.widths().mask_bits;
        let row = &self.columns.mask_bits[game * width..(game + 1) * width];
        if action.is_some_and(|action| mask::contains(row, action)) {
            return false;
        }
        // A game without a legal action is finished.
        let finished = row.iter().all(|&word| word == 0);
        if action.is_none() && !finished {
            return false;
        }
        let options = CommonOptions::read(&self.fleet().game.spec().options);
        refuses_illegal(&self.config, options.on_illegal, finished)
    }

    /// Returns the error of the fleet for a rejected call on `game`, from a batch in this process with the same game.
    fn refusal(&self, game: usize, action: Option<ActionId>) -> Result<()> {
        let mut local = self.local(&[game as u32])?;
        let refused = match action {
            Some(action) => local.step(&[action]),
            None => local.step_sampled(),
        };
        match refused {
            Err(Error::Refused(refusal)) => Err(Refusal { game: Some(game), ..refusal }.into()),
            Err(other) => Err(other),
            Ok(()) => Err(fleet_error(format!(
                "{}: its segment was overwritten by another program",
                self.fleet().name
            ))),
        }
    }

    /// A batch in this process with copies of the games `ids`, under the same rules.
    fn local(&self, ids: &[u32]) -> Result<Box<dyn VectorEnv>> {
        let config = BatchConfig { num_envs: ids.len(), threads: Some(1), ..self.config.clone() };
        let mut local = self.fleet().game.clone().vector(config)?;
        let places: Vec<(usize, u32)> = ids.iter().map(|&id| self.place(id as usize)).collect();
        for block in self.blocks.clone() {
            let here: Vec<u32> = (0..ids.len() as u32).filter(|&k| places[k as usize].0 == block).collect();
            // A transfer area has room for all games of the block.
            for part in here.chunks(self.games(block).1) {
                self.put_ids(block, part.iter().map(|&k| places[k as usize].1));
                let call = Call { count: part.len(), ..Call::new(Command::Save) };
                let snapshot = self.call_all([(block, call)])?.remove(0);
                local.restore(part, &snapshot)?;
            }
        }
        Ok(local)
    }

    /// Copies the games of a local batch into the games `ids` (increasing).
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

    /// One action per game from a column that every fleet has.
    fn read(&self, column: &str) -> Vec<ActionId> {
        self.read_rows(column, 0, self.config.num_envs)
    }

    /// The same for `count` games, starting at `game`.
    fn read_rows(&self, column: &str, game: usize, count: usize) -> Vec<ActionId> {
        let fleet = self.fleet();
        let record = fleet.columns.iter().find(|c| c.is_named(column)).expect("every fleet has it");
        let offset = record.offset as usize + 4 * (self.config.first_game as usize + game);
        fleet.memory().read_slice(offset, count)
    }

    /// The next samples, if every block shows them. No request is needed; the next one reports it to the fleet.
    fn take_samples(&self) -> Result<Option<Vec<ActionId>>> {
        if self.taken.iter().any(Cell::get) {
            return Ok(None);
        }
        let shown = self.read("next_sample");
        // -1, an int32, is a sample that has not been drawn.
        if shown.iter().any(|&action| (action as i32) < 0) {
            return Ok(None);
        }
        self.fleet().check()?;
        self.taken.iter().for_each(|taken| taken.set(true));
        Ok(Some(shown))
    }

    /// Splits `ids` (increasing) by block.
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
    fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }
    fn interrupt_by(&mut self, interrupt: Interrupt) {
        self.interrupt = interrupt;
    }

    fn reset(&mut self, seed: Option<u64>) -> Result<()> {
        self.broadcast(|| Call { seed, ..Call::new(Command::Reset) })?;
        self.config.seed = seed.unwrap_or(self.config.seed);
        Ok(())
    }

    fn reset_games(&mut self, ids: &[u32], seed: Option<u64>) -> Result<()> {
        check_ids(ids, self.config.num_envs)?;
        self.call_games(ids, || Call { seed, ..Call::new(Command::ResetGames) })
    }

    fn step(&mut self, actions: &[ActionId]) -> Result<()> {
        check_actions(actions.len(), self.config.num_envs)?;
        if *self.sampled.borrow() != actions
            && let Some(game) = (0..actions.len()).find(|&i| self.is_refused(i, Some(actions[i])))
        {
            return self.refusal(game, Some(actions[game]));
        }
        self.put("actions", 0, actions);
        self.broadcast(|| Call::new(Command::Step))
    }

    fn step_games(&mut self, ids: &[u32], actions: &[ActionId]) -> Result<()> {
        let (ids, actions) = by_game(ids, actions, self.config.num_envs)?;
        let (ids, actions) = (&ids[..], &actions[..]);
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

    fn sample_actions(&mut self, actions: &mut [ActionId]) -> Result<()> {
        check_actions(actions.len(), self.config.num_envs)?;
        let sampled = match self.take_samples()? {
            Some(sampled) => sampled,
            None => {
                self.broadcast(|| Call::new(Command::Sample))?;
                self.read("actions")
            }
        };
        actions.copy_from_slice(&sampled);
        // With resets disabled a finished game has no legal action, so its sample (0) must not count as checked.
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

    fn bot_actions(&mut self, ids: Option<&[u32]>, seats: &[String], actions: &mut [ActionId]) -> Result<()> {
        let payload = serde_json::to_vec(seats).expect("a list of words is plain data");
        let fits = payload.len() as u64 <= self.fleet().preamble.transfer_bytes;
        if !fits {
            return Err(Error::config("the names of the bots are too long"));
        }
        let Some(ids) = ids else {
            check_actions(actions.len(), self.config.num_envs)?;
            let call = |k| (k, Call { payload: &payload, ..Call::new(Command::Bots) });
            self.call_all(self.blocks.clone().map(call))?;
            actions.copy_from_slice(&self.read("actions"));
            return Ok(());
        };
        check_ids(ids, self.config.num_envs)?;
        check_actions(actions.len(), ids.len())?;
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
        check_range(ids, self.config.num_envs)?;
        if ids.is_empty() {
            return self.local(&[0])?.save(&[]);
        }
        self.local(ids)?.save(&(0..ids.len() as u32).collect::<Vec<_>>())
    }

    fn restore(&mut self, ids: &[u32], snapshot: &[u8]) -> Result<()> {
        check_ids(ids, self.config.num_envs)?;
        let config = BatchConfig { num_envs: ids.len().max(1), threads: Some(1), ..self.config.clone() };
        let mut local = self.fleet().game.clone().vector(config)?;
        local.restore(&(0..ids.len() as u32).collect::<Vec<_>>(), snapshot)?;
        self.put_back(ids, &*local)
    }

    fn fork(&mut self, src: &[u32], dst: &[u32], _show: bool) -> Result<()> {
        check_fork(src, dst, self.config.num_envs)?;
        if dst.is_empty() {
            return Ok(());
        }
        // Sources and targets may be in different blocks, so they are copied into a batch in this process and forked
        // there.
        let mut targets = dst.to_vec();
        targets.sort_unstable();
        targets.dedup();
        let all: Vec<u32> = targets.iter().chain(src).copied().collect();
        let mut local = self.local(&all)?;
        let sources: Vec<u32> = (targets.len() as u32..all.len() as u32).collect();
        let places: Vec<u32> = dst.iter().map(|id| targets.partition_point(|t| t < id) as u32).collect();
        local.fork(&sources, &places, false)?;
        self.put_back(&targets, &*local)
    }

    fn step_scripted(&mut self, _: &[u32], _: &[ActionId], _: &[Vec<u32>]) -> Result<()> {
        Err(Error::config(
            "step_scripted: a fleet draws the chance of its games itself; a batch of your own takes copies of them",
        ))
    }

    fn determinize(&mut self, ids: &[u32], seat: Option<usize>, seed: u64) -> Result<()> {
        check_ids(ids, self.config.num_envs)?;
        let mut local = self.local(ids)?;
        local.determinize(&(0..ids.len() as u32).collect::<Vec<_>>(), seat, seed)?;
        self.put_back(ids, &*local)
    }

    fn single(&self, id: u32) -> Result<SingleGame> {
        check_range(&[id], self.config.num_envs)?;
        self.local(&[id])?.single(0)
    }

    fn set_position(&mut self, id: u32, position: Position<'_>) -> Result<()> {
        check_range(&[id], self.config.num_envs)?;
        let mut local = self.local(&[id])?;
        local.set_position(0, position)?;
        self.put_back(&[id], &*local)
    }
}
