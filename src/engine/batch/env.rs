//! Many games of one environment, stepped side by side.
//!
//! The trait of a batch is implemented in one block, so the file is long.

use std::sync::{Arc, Mutex, PoisonError};

use crate::batch::claim::Claim;
use crate::batch::layout;
use crate::batch::next_sample::NextSample;
use crate::batch::observer::Observer;
use crate::batch::part::{BatchPart, CHUNK, Games};
use crate::batch::slot::{GameCall, Slot, Stepper};
use crate::batch::slots::Slots;
use crate::batch::snapshot;
use crate::batch::starts::{Starts, state_of};
use crate::bots::named_bot::NamedBot;
use crate::bots::random::bot_chance;
use crate::contract::chance::{SeededChance, StreamId, split_mix};
use crate::contract::options::CommonOptions;
use crate::contract::rules::{Rules, Status};
use crate::contract::spec::{ActionId, MAX_PLAYERS};
use crate::contract::support::error::{Error, Refusal, RefusalKind, Result};
use crate::contract::support::memory;
use crate::contract::{Game, mask};
use crate::dynamic::analysis::Found;
use crate::dynamic::any_game::AnyGame;
use crate::dynamic::calls::{self, refuses_illegal};
use crate::dynamic::columns::{Columns, PlaceColumn};
use crate::dynamic::config::{AutoReset, BatchConfig};
use crate::dynamic::interrupt::Interrupt;
use crate::dynamic::vector::{Position, States, VectorEnv};
use crate::search::game_tree::SearchRoot;
use crate::single::erased::erase;
use crate::single::game::SingleGame;
use crate::threads::{Threads, share};

/// Separates the random streams of determinization from all other streams.
const DETERMINIZE_SALT: u64 = 0x6465_7465_726d_696e;

/// Many games of one environment, stepped side by side. See [`VectorEnv`] for its methods.
pub struct BatchEnv<G: Game> {
    stepper: Stepper<G>,
    slots: Slots<G>,
    /// The next action sample of every game.
    next: Vec<NextSample>,
    /// Whether actions were sampled since the last step. If so, the caller probably samples after the next step too,
    /// and the samples are drawn during that step.
    sampled: bool,
    /// Whether `mask_bits` is out of date (still at earlier positions); see [`Stepper::skips_own_masks`].
    masks_stale: bool,
    /// Games, in increasing order, with a position set by a fork and mask bits still of the previous position.
    unshown: Vec<u32>,
    columns: Columns,
    threads: Option<Threads>,
    interrupt: Interrupt,
    /// Claims on the callers' memory that holds some of `columns`.
    _claims: Vec<Claim>,
}

impl<G: Game> std::fmt::Debug for BatchEnv<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BatchEnv")
            .field("env", &Rules::spec(&*self.stepper.game).env)
            .field("config", &self.stepper.config)
            .finish_non_exhaustive()
    }
}

/// How to choose the action of each game of a call.
#[derive(Clone, Copy)]
enum Actions<'a> {
    /// One action per selected game.
    Given(&'a [ActionId]),
    /// One action per selected game, and the chance outcomes of its step.
    Scripted(&'a [ActionId], &'a [Vec<u32>]),
    /// Sample the actions.
    Sampled,
}

/// A function that chooses an action in a game, given the game's index in the selection and its mask.
type ChooseAction<'a, G> =
    dyn Fn(&Stepper<G>, usize, &mut Slot<G>, &mut NextSample, &[u64]) -> ActionId + Sync + 'a;

/// The work of a call on each selected game.
type Task<'a, G> = dyn Fn(&Stepper<G>, GameCall<'_, '_, G>) + Sync + 'a;

impl<G: Game> BatchEnv<G> {
    /// A batch in its own memory, reset and ready to step.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the number of games or threads is 0, [`Error::OutOfMemory`].
    pub fn new(game: Arc<G>, config: BatchConfig) -> Result<Self> {
        // Safety: no memory is provided.
        unsafe { Self::placed(game, config, &mut |_, _, _| None) }
    }

    /// A batch that writes some of its columns to the memory returned by `place`; see [`Columns::placed`].
    ///
    /// The mask bits are always in the engine's own memory, because legality is checked against them. Memory for
    /// `mask_bits_shown` receives a copy; memory for `next_sample` receives the ready samples, or -1 if there is
    /// none. With `mask_bits_shown`, `mask_bits` is updated only when the engine needs it.
    ///
    /// # Safety
    /// As for [`Columns::placed`].
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the number of games or threads is 0, a place does not fit, or another batch of
    /// this process writes there; [`Error::OutOfMemory`].
    pub unsafe fn placed(game: Arc<G>, config: BatchConfig, place: &mut PlaceColumn<'_>) -> Result<Self> {
        let spec = Rules::spec(&*game);
        layout::check(&config)?;
        let num_envs = config.num_envs;
        let what = &format!("num_envs={num_envs}: the games");
        let mut slots: Vec<Slot<G>> = memory::vec_of(num_envs, what)?;
        let mut next = memory::vec_of(num_envs, what)?;
        let threads = Threads::for_rules(&*game, config.threads, config.pinned)?;
        let mut given = 0;
        let mut place = |name: &'static str, dtype, bytes| {
            let memory = place(name, dtype, bytes);
            given += memory.as_ref().map_or(0, |_| bytes);
            memory
        };
        // Safety: the caller vouches for the results of `place`.
        let (columns, claims) = unsafe { layout::allocate(spec, &config, &mut place) }?;
        // The memory is allocated but not written yet: an operating system that overcommits would kill the process at
        // the first write.
        let columns_bytes = num_envs.saturating_mul(columns.widths().row_bytes()).saturating_sub(given);
        let game_bytes = size_of::<Slot<G>>() + size_of::<NextSample>();
        memory::enough(num_envs.saturating_mul(game_bytes).saturating_add(columns_bytes), what)?;
        let stepper = Stepper {
            observer: Observer::new(spec, &config),
            players: spec.players,
            num_actions: spec.num_actions,
            common: CommonOptions::read(&spec.options),
            samples_early: false,
            starts: Starts::default(),
            config,
            game,
        };
        next.resize(num_envs, NextSample::EMPTY);
        match threads.as_ref().filter(|threads| threads.pinned) {
            Some(threads) => begin_on_each(&mut slots, &stepper, threads),
            None => slots.extend((0..num_envs).map(|i| stepper.begun(i))),
        }
        let mut batch = Self {
            stepper,
            slots: Slots::new(slots),
            next,
            sampled: false,
            masks_stale: false,
            unshown: Vec::new(),
            columns,
            threads,
            interrupt: Interrupt::default(),
            _claims: claims,
        };
        batch.for_each(None, &|stepper, call| stepper.write_reset(call));
        Ok(batch)
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &Arc<G> {
        &self.stepper.game
    }

    /// The state of game `id`.
    ///
    /// # Panics
    /// If there is no such game.
    #[must_use]
    pub fn state(&self, id: usize) -> &G::State {
        &self.slots[id].state
    }

    /// The position of game `id`, for a search.
    pub(crate) fn position(&self, id: usize) -> SearchRoot<'_, G::State> {
        self.slots[id].position()
    }

    /// The games of a snapshot.
    ///
    /// # Errors
    /// [`Error::InvalidState`] if the snapshot is malformed.
    pub(crate) fn copy_games(game: &G, snapshot: &[u8]) -> Result<Vec<Slot<G>>> {
        Ok(snapshot::read(game, snapshot)?.iter().map(snapshot::Saved::slot).collect())
    }

    /// Runs `task`, which writes masks, for every selected game, in parallel over parts.
    ///
    /// Tasks are trait objects, so rarely used calls share one compiled loop. [`BatchEnv::play`], the hot path, uses
    /// a generic one.
    fn for_each(&mut self, ids: Option<&[u32]>, task: &Task<'_, G>) {
        self.run(ids, &mut [], CHUNK, task);
        self.note_masks(ids);
    }

    /// Runs `task` for every selected game, in parallel over parts of `grain` games at most.
    fn run<F>(&mut self, ids: Option<&[u32]>, actions: &mut [ActionId], grain: usize, task: &F)
    where
        F: Fn(&Stepper<G>, GameCall<'_, '_, G>) + Sync + ?Sized,
    {
        let Self { stepper, slots, next, columns, threads, .. } = self;
        let (len, games) = (slots.len(), Games { slots, next, rows: columns.rows() });
        let part = BatchPart { first: 0, len, selected_index: 0, ids, games, selected: actions };
        part.run(grain, threads.as_ref(), &|part: BatchPart<'_, G>| part.for_each(stepper, task));
        self.show_samples();
    }

    /// Updates `masks_stale` after a step of the games `ids`. Actions are checked against `mask_bits`; the step may
    /// have skipped writing it.
    fn note_masks(&mut self, ids: Option<&[u32]>) {
        let skipped = self.stepper.skips_own_masks(self.columns.widths());
        self.masks_stale = skipped || (self.masks_stale && ids.is_some());
    }

    /// Copies the ready samples into the column `next_sample`.
    fn show_samples(&mut self) {
        for (shown, next) in self.columns.next_sample.iter_mut().zip(&self.next) {
            *shown = next.peek().map_or(-1, |action| action as i32);
        }
    }

    /// Updates `mask_bits` to the current positions.
    fn refresh_masks(&mut self) {
        let unshown = std::mem::take(&mut self.unshown);
        let ids = if self.masks_stale { None } else { Some(&unshown[..]) };
        if ids.is_none_or(|ids| !ids.is_empty()) {
            self.run(ids, &mut [], CHUNK, &|stepper: &Stepper<G>, call: GameCall<'_, '_, G>| {
                stepper.legal(call.slot, call.rows.mask_bits(call.row));
            });
            self.masks_stale = false;
        }
    }

    /// Checks the actions of a call before any game moves.
    fn check_actions(&mut self, ids: Option<&[u32]>, actions: &[ActionId]) -> Result<()> {
        let expected = ids.map_or(self.slots.len(), <[u32]>::len);
        calls::check_actions(actions.len(), expected)?;
        let game = |k: usize| ids.map_or(k, |ids| ids[k] as usize);
        // Fast path for sampled actions: they are legal, and comparing them with the samples reads one short array.
        if (0..actions.len()).all(|k| self.next[game(k)].is(actions[k])) {
            return Ok(());
        }
        self.refresh_masks();
        let width = self.columns.widths().mask_bits;
        let on_illegal = self.stepper.common.on_illegal;
        let wrong = |k: usize| {
            let game = game(k);
            let row = &self.columns.mask_bits[game * width..(game + 1) * width];
            // A negative action becomes an index past every row. A finished game has no legal action.
            if self.next[game].is(actions[k]) || mask::contains(row, actions[k]) {
                return false;
            }
            refuses_illegal(&self.stepper.config, on_illegal, self.slots[game].done)
        };
        match self.find_first(actions.len(), &wrong) {
            None => Ok(()),
            Some(k) => Err(self.refusal(game(k), actions[k])),
        }
    }

    /// The first of `count` indices for which `wrong` is true, searched on all threads.
    fn find_first(&self, count: usize, wrong: &(impl Fn(usize) -> bool + Sync)) -> Option<usize> {
        match &self.threads {
            Some(threads) => threads.find_first(count, &|mut range| range.find(|&k| wrong(k))),
            None => (0..count).find(|&k| wrong(k)),
        }
    }

    /// Checks, before any game moves, that the action of each game draws exactly the chance outcomes of its script.
    fn check_scripts(&mut self, ids: &[u32], actions: &[ActionId], scripts: &[Vec<u32>]) -> Result<()> {
        self.refresh_masks();
        let width = self.columns.widths().mask_bits;
        let check = |k: usize| {
            let game = ids[k] as usize;
            let mask = &self.columns.mask_bits[game * width..(game + 1) * width];
            self.stepper.check_script(&self.slots[game], &self.next[game], mask, actions[k], &scripts[k])
        };
        self.find_first(ids.len(), &|k| check(k).is_err()).map_or(Ok(()), |k| {
            check(k).map_err(|error| match error {
                Error::InvalidState(what) => Error::state(format!("game {}: {what}", ids[k])),
                other => other,
            })
        })
    }

    /// Why `action` is refused in `game`.
    fn refusal(&self, game: usize, action: ActionId) -> Error {
        let slot = &self.slots[game];
        let stepper = &self.stepper;
        if slot.done {
            let refusal = Refusal::game_over("finished, reset it before the next step");
            return Refusal { game: Some(game), ..refusal }.into();
        }
        let refusal = if action >= stepper.num_actions {
            Refusal::illegal(format!("actions are 0 to {}", stepper.num_actions - 1))
        } else {
            stepper.game.explain_illegal(&slot.state, action)
        };
        let kind = match refusal.kind {
            // The batch has checked above that the game is not over. If the game's own refusal says that it is, the
            // action is reported as illegal.
            RefusalKind::GameOver => RefusalKind::IllegalAction,
            kind => kind,
        };
        let player = Some(stepper.game.current_player(&slot.state));
        Refusal { kind, game: Some(game), player, action: Some(as_given(action)), ..refusal }.into()
    }

    /// Writes the choice of `choose` for every selected game, in parallel over parts of `grain` games at most.
    fn choose_actions(
        &mut self,
        ids: Option<&[u32]>,
        actions: &mut [ActionId],
        grain: usize,
        choose: &ChooseAction<'_, G>,
    ) -> Result<()> {
        let expected = ids.map_or(self.slots.len(), <[u32]>::len);
        if actions.len() != expected {
            return Err(Error::config(format!(
                "room for {} actions was given, {expected} are needed",
                actions.len()
            )));
        }
        self.refresh_masks();
        let task: &Task<'_, G> = &|stepper, GameCall { slot, next, rows, row, action, selected_index }| {
            *action = choose(stepper, selected_index, slot, next, rows.mask_bits(row));
        };
        self.run(ids, actions, grain, task);
        Ok(())
    }

    /// The actions of bots; where they search, also their findings, by index in the selection.
    fn choose_by_bots(
        &mut self,
        ids: Option<&[u32]>,
        seats: &[String],
        actions: &mut [ActionId],
        searches: Option<&Mutex<Vec<Option<Found>>>>,
    ) -> Result<()> {
        calls::check_ids(ids.unwrap_or(&[]), self.slots.len())?;
        let players = self.stepper.players;
        calls::check_seats("bots", seats.len(), players)?;
        let game: &G = &self.stepper.game;
        let bots = seats.iter().map(|name| NamedBot::find(game, name)).collect::<Result<Vec<_>>>()?;
        let grain = if bots.iter().any(|bot| bot.is_slow()) { 1 } else { CHUNK };
        let interrupt = self.interrupt.clone();
        // Bots advance the sampling streams of their games. The streams' positions are kept here, and restored if the
        // call is interrupted.
        let all: Vec<u32>;
        let asked = match ids {
            Some(ids) => ids,
            None => {
                all = (0..self.slots.len() as u32).collect();
                &all
            }
        };
        let drawn = |&id: &u32| (self.slots[id as usize].samples, self.next[id as usize]);
        let before: Vec<_> = asked.iter().map(drawn).collect();
        self.choose_actions(ids, actions, grain, &|stepper, index, slot, next, mask| {
            if slot.done || interrupt.is_raised() {
                return 0;
            }
            match bots[stepper.game.current_player(&slot.state)] {
                NamedBot::Random => stepper.sample(slot, next, mask),
                bot => {
                    next.settle(&mut slot.samples);
                    let StreamId { seed, game, .. } = slot.chance.id();
                    let mut chance = bot_chance(StreamId { seed, game, episode: slot.samples });
                    slot.samples += 1;
                    if let Some(searches) = searches
                        && let Some(search) = bot.search(&stepper.game, &slot.state, &mut chance, &interrupt)
                    {
                        searches.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(search.found());
                        return search.action();
                    }
                    bot.choose(&stepper.game, &slot.state, mask, &mut chance, &interrupt)
                }
            }
        })?;
        if interrupt.is_raised() {
            for (&id, drawn) in asked.iter().zip(before) {
                (self.slots[id as usize].samples, self.next[id as usize]) = drawn;
            }
            self.show_samples();
            return Err(Error::interrupted("the bots have not chosen"));
        }
        Ok(())
    }

    fn play(&mut self, ids: Option<&[u32]>, actions: Actions<'_>) {
        self.stepper.samples_early = std::mem::take(&mut self.sampled);
        self.run(ids, &mut [], CHUNK, &|stepper: &Stepper<G>, call: GameCall<'_, '_, G>| {
            let GameCall { slot, next, rows, row, selected_index, .. } = call;
            let action = match actions {
                Actions::Given(actions) | Actions::Scripted(actions, _) => actions[selected_index],
                Actions::Sampled => stepper.sample(slot, next, rows.mask_bits(row)),
            };
            let script = match actions {
                Actions::Scripted(_, scripts) => Some(&scripts[selected_index][..]),
                Actions::Given(_) | Actions::Sampled => None,
            };
            stepper.step(slot, next, rows, row, action, script);
        });
        self.note_masks(ids);
    }
}

/// The games of `dst` in increasing order, each with the index of its last occurrence: the last of several forks into
/// one game wins, as if they were made one after the other.
fn last_of_each(dst: &[u32]) -> Vec<(u32, usize)> {
    let mut order: Vec<(u32, usize)> = dst.iter().copied().zip(0..).collect();
    order.sort_unstable();
    order.reverse();
    order.dedup_by_key(|(id, _)| *id);
    order.reverse();
    order
}

/// Adds numbers to a sorted set.
fn add_sorted(set: &mut Vec<u32>, numbers: &[u32]) {
    set.extend_from_slice(numbers);
    set.sort_unstable();
    set.dedup();
}

/// First-touch NUMA placement: begins each game of a batch in the thread that will step it. The operating system
/// allocates a page in the memory near the core that first writes to it.
fn begin_on_each<G: Game>(slots: &mut Vec<Slot<G>>, stepper: &Stepper<G>, threads: &Threads) {
    let games = stepper.config.num_envs;
    let mut room = &mut slots.spare_capacity_mut()[..games];
    let mut shares = Vec::with_capacity(threads.count());
    for thread in 0..threads.count() {
        let range = share(games, threads.count(), thread);
        let (left, right) = room.split_at_mut(range.len());
        shares.push(Mutex::new((range, left)));
        room = right;
    }
    threads.run_on_each(&|thread| {
        let mut share = shares[thread].lock().unwrap_or_else(PoisonError::into_inner);
        let (range, room) = &mut *share;
        for (game, slot) in range.clone().zip(room.iter_mut()) {
            slot.write(stepper.begun(game));
        }
    });
    // Safety: the shares cover all games, and every thread has written its share.
    unsafe { slots.set_len(games) };
}

impl<G: Game> VectorEnv for BatchEnv<G> {
    fn game(&self) -> Arc<dyn AnyGame> {
        self.stepper.game.clone()
    }
    fn config(&self) -> &BatchConfig {
        &self.stepper.config
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
        self.stepper.config.seed = seed.unwrap_or(self.stepper.config.seed);
        self.reset_selected(None, seed);
        Ok(())
    }

    fn reset_games(&mut self, ids: &[u32], seed: Option<u64>) -> Result<()> {
        calls::check_ids(ids, self.slots.len())?;
        self.reset_selected(Some(ids), seed);
        Ok(())
    }

    fn step(&mut self, actions: &[ActionId]) -> Result<()> {
        self.check_actions(None, actions)?;
        self.play(None, Actions::Given(actions));
        Ok(())
    }

    fn step_games(&mut self, ids: &[u32], actions: &[ActionId]) -> Result<()> {
        let (ids, actions) = calls::by_game(ids, actions, self.slots.len())?;
        self.check_actions(Some(&ids), &actions)?;
        self.play(Some(&ids), Actions::Given(&actions));
        Ok(())
    }

    fn step_scripted(&mut self, ids: &[u32], actions: &[ActionId], scripts: &[Vec<u32>]) -> Result<()> {
        calls::check_ids(ids, self.slots.len())?;
        calls::check_scripts(scripts.len(), ids.len())?;
        self.check_actions(Some(ids), actions)?;
        self.check_scripts(ids, actions, scripts)?;
        self.play(Some(ids), Actions::Scripted(actions, scripts));
        Ok(())
    }

    fn sample_actions(&mut self, actions: &mut [ActionId]) -> Result<()> {
        self.sampled = true;
        // If all samples are ready, copying them from one short array is faster than waking threads.
        if NextSample::take_all(&mut self.next, actions) {
            self.show_samples();
            return Ok(());
        }
        self.choose_actions(None, actions, CHUNK, &|stepper, _, slot, next, mask| {
            stepper.sample(slot, next, mask)
        })
    }

    fn step_sampled(&mut self) -> Result<()> {
        if self.stepper.config.autoreset == AutoReset::Disabled
            && let Some(game) = self.slots.iter().position(|s| s.done)
        {
            return Err(self.refusal(game, 0));
        }
        if self.next.iter().any(|sample| sample.peek().is_none()) {
            self.refresh_masks();
        }
        self.sampled = true;
        self.play(None, Actions::Sampled);
        Ok(())
    }

    fn bot_actions(&mut self, ids: Option<&[u32]>, seats: &[String], actions: &mut [ActionId]) -> Result<()> {
        self.choose_by_bots(ids, seats, actions, None)
    }

    fn bot_searches(
        &mut self,
        ids: &[u32],
        seats: &[String],
        actions: &mut [ActionId],
    ) -> Result<Vec<Option<Found>>> {
        let found = Mutex::new(vec![None; ids.len()]);
        self.choose_by_bots(Some(ids), seats, actions, Some(&found))?;
        Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn states(&self) -> Option<States> {
        self.slots.states()
    }

    fn save(&self, ids: &[u32]) -> Result<Vec<u8>> {
        calls::check_range(ids, self.slots.len())?;
        let games = ids.iter().map(|&id| &self.slots[id as usize]);
        snapshot::write(&*self.stepper.game, games)
    }

    fn restore(&mut self, ids: &[u32], bytes: &[u8]) -> Result<()> {
        calls::check_ids(ids, self.slots.len())?;
        let games = snapshot::read(&*self.stepper.game, bytes)?;
        if games.len() != ids.len() {
            return Err(Error::state(format!(
                "the snapshot has {} games, {} were requested",
                games.len(),
                ids.len()
            )));
        }
        self.for_each(Some(ids), &|stepper, call| {
            *call.slot = Slot { samples: call.slot.samples, ..games[call.selected_index].slot() };
            stepper.write_resumed(call, true);
        });
        Ok(())
    }

    fn stream(&self, id: u32) -> Result<(StreamId, u64)> {
        calls::check_range(&[id], self.slots.len())?;
        let chance = &self.slots[id as usize].chance;
        Ok((chance.id(), chance.position()))
    }

    fn samples(&self) -> Result<Vec<u64>> {
        let drawn = |(slot, next): (&Slot<G>, &NextSample)| slot.samples + u64::from(next.is_taken());
        Ok(self.slots.iter().zip(&self.next).map(drawn).collect())
    }

    fn set_samples(&mut self, samples: &[u64]) -> Result<()> {
        calls::check_actions(samples.len(), self.slots.len())?;
        self.refresh_masks();
        for ((slot, next), &samples) in self.slots.iter_mut().zip(&mut self.next).zip(samples) {
            slot.samples = samples;
            *next = NextSample::EMPTY;
        }
        self.show_samples();
        Ok(())
    }

    fn fork(&mut self, src: &[u32], dst: &[u32], show: bool) -> Result<()> {
        calls::check_fork(src, dst, self.slots.len())?;
        let saved: Vec<_> = src
            .iter()
            .map(|&id| {
                let slot = &self.slots[id as usize];
                (slot.state, slot.length, slot.done, slot.credit)
            })
            .collect();
        let order = last_of_each(dst);
        let ids: Vec<u32> = order.iter().map(|(id, _)| *id).collect();
        let task: &Task<'_, G> = &|stepper, call| {
            let source = if src.len() == 1 { 0 } else { order[call.selected_index].1 };
            let (state, length, done, credit) = &saved[source];
            call.slot.state = *state;
            call.slot.length = *length;
            call.slot.done = *done;
            call.slot.credit = *credit;
            stepper.write_resumed(call, show);
        };
        if show {
            self.for_each(Some(&ids), task);
        } else {
            self.run(Some(&ids), &mut [], CHUNK, task);
            add_sorted(&mut self.unshown, &ids);
        }
        Ok(())
    }

    fn determinize(&mut self, ids: &[u32], seat: Option<usize>, seed: u64) -> Result<()> {
        calls::check_ids(ids, self.slots.len())?;
        seat.map_or(Ok(()), |seat| calls::check_seat(seat, Rules::spec(&*self.stepper.game).players))?;
        self.for_each(Some(ids), &|stepper, call| {
            let slot = &mut *call.slot;
            if !slot.done {
                let StreamId { game, episode, .. } = slot.chance.id();
                let episode = episode << 32 | u64::from(slot.length);
                let seed = split_mix(seed ^ DETERMINIZE_SALT);
                let mut chance = SeededChance::new(StreamId { seed, game, episode });
                let seat = seat.unwrap_or_else(|| stepper.game.current_player(&slot.state));
                slot.state = stepper.game.determinize(&slot.state, seat, &mut chance);
            }
            stepper.write_resumed(call, true);
        });
        Ok(())
    }

    fn single(&self, id: u32) -> Result<SingleGame> {
        calls::check_range(&[id], self.slots.len())?;
        let slot = &self.slots[id as usize];
        let (game, state) = (erase(self.stepper.game.clone()), Arc::new(slot.state));
        Ok(SingleGame::from_position(game, state, slot.chance.clone(), slot.length as usize))
    }

    fn set_position(&mut self, id: u32, position: Position<'_>) -> Result<()> {
        calls::check_range(&[id], self.slots.len())?;
        let state = state_of(&*self.stepper.game, &position)?;
        let done = self.stepper.game.status(&state) != Status::Running;
        self.for_each(Some(&[id]), &|stepper, call| {
            call.slot.state = state;
            call.slot.length = 0;
            call.slot.done = done;
            call.slot.credit = [0.0; MAX_PLAYERS];
            stepper.write_reset(call);
        });
        Ok(())
    }

    fn set_starts(&mut self, positions: &[Position<'_>], weights: &[f64]) -> Result<()> {
        self.stepper.starts = Starts::read(&*self.stepper.game, positions, weights)?;
        Ok(())
    }

    fn add_reward(&mut self, extra: &[f32]) -> Result<()> {
        let players = self.stepper.players;
        if extra.len() != self.slots.len() * players || extra.iter().any(|x| !x.is_finite()) {
            let what =
                format!("{} finite numbers are needed, one per game and player", self.slots.len() * players);
            return Err(Error::config(format!("add_reward: {what}")));
        }
        // Only rewards change, so no mask is marked as stale.
        self.run(None, &mut [], CHUNK, &|stepper: &Stepper<G>, call: GameCall<'_, '_, G>| {
            let of_game = &extra[call.selected_index * players..][..players];
            stepper.add_reward(call, of_game);
        });
        Ok(())
    }
}

impl<G: Game> BatchEnv<G> {
    fn reset_selected(&mut self, ids: Option<&[u32]>, seed: Option<u64>) {
        let first = self.stepper.config.first_game;
        self.for_each(ids, &|stepper, call| {
            let id = match seed {
                None => call.slot.chance.id().next_episode(),
                Some(seed) => {
                    *call.next = NextSample::EMPTY;
                    call.slot.samples = 0;
                    let game =
                        first + ids.map_or(call.selected_index as u64, |ids| ids[call.selected_index].into());
                    StreamId { seed, game, episode: 0 }
                }
            };
            stepper.start(call.slot, id);
            stepper.write_reset(call);
        });
    }
}

/// The number that the caller gave as `action`: indices from 2^31 on are the negative numbers of int32 arrays.
fn as_given(action: ActionId) -> i64 {
    i64::from(action as i32)
}
