//! One game of a batch: stepping it and writing its rows.

use std::sync::Arc;

use crate::batch::next_sample::NextSample;
use crate::batch::observer::Observer;
use crate::batch::starts::Starts;
use crate::contract::chance::{Chance, ScriptedChance, SeededChance, StreamId};
use crate::contract::mask;
use crate::contract::options::{CommonOptions, OnIllegal};
use crate::contract::reward::outcome_of_forfeit;
use crate::contract::rules::{Rules, Status};
use crate::contract::spec::{ActionId, MAX_PLAYERS};
use crate::contract::support::error::Result;
use crate::dynamic::columns::{Rows, Widths, row_of};
use crate::dynamic::config::{AutoReset, BatchConfig};
use crate::prefetch::prefetch;
use crate::search::game_tree::SearchRoot;
use crate::transition::{self, Transition};

/// One game of a batch: its state and the engine's bookkeeping.
pub(crate) struct Slot<G: Rules> {
    pub(super) state: G::State,
    pub(super) chance: SeededChance,
    /// Decisions taken in this episode.
    pub(super) length: u32,
    /// Whether the episode is over and waits for its reset.
    pub(super) done: bool,
    /// Number of action samples drawn for this game, excluding the current [`NextSample`]: the position in the game's
    /// sampling stream.
    pub(super) samples: u64,
    /// Each player's reward since its own last decision. The column is a copy, because callers may write to it.
    pub(super) credit: [f32; MAX_PLAYERS],
}

/// One game of a call, with everything that the call reads and writes.
pub(super) struct GameCall<'a, 'r, G: Rules> {
    pub(super) slot: &'a mut Slot<G>,
    pub(super) next: &'a mut NextSample,
    pub(super) rows: &'a mut Rows<'r>,
    /// The game's row in `rows`.
    pub(super) row: usize,
    /// Index of the game in the selection.
    pub(super) selected_index: usize,
    /// Output for the action, if the call chooses one.
    pub(super) action: &'a mut ActionId,
}

/// Data shared by all games and steps of a batch.
pub(super) struct Stepper<G: Rules> {
    pub(super) game: Arc<G>,
    pub(super) config: BatchConfig,
    pub(super) common: CommonOptions,
    pub(super) players: usize,
    pub(super) num_actions: u32,
    /// Whether every position's action sample is drawn as soon as its mask is written.
    pub(super) samples_early: bool,
    pub(super) observer: Observer,
    pub(super) starts: Starts<G>,
}

impl<G: Rules> Slot<G> {
    /// The position, for a search.
    pub(crate) fn position(&self) -> SearchRoot<'_, G::State> {
        SearchRoot { state: &self.state, stream: self.chance.id(), length: self.length, done: self.done }
    }
}

impl<G: Rules> Stepper<G> {
    /// The random stream of the first episode of game `i` of this batch.
    pub(super) fn stream(&self, i: u64, seed: u64) -> StreamId {
        StreamId { seed, game: self.config.first_game + i, episode: 0 }
    }

    /// The first episode of a game of the batch.
    pub(super) fn begun(&self, game: usize) -> Slot<G> {
        let mut chance = SeededChance::new(self.stream(game as u64, self.config.seed));
        let state = self.game.init(&mut chance);
        Slot { state, chance, length: 0, done: false, samples: 0, credit: [0.0; MAX_PLAYERS] }
    }

    /// Starts the episode of stream `id`.
    pub(super) fn start(&self, slot: &mut Slot<G>, id: StreamId) {
        slot.chance = SeededChance::new(id);
        slot.state = self.starts.first(&self.game, &mut slot.chance);
        slot.length = 0;
        slot.done = false;
        slot.credit = [0.0; MAX_PLAYERS];
    }

    /// One step of one game. Preconditions, checked by the caller: under `on_illegal=raise` the action is legal, and
    /// a `script` [fits](Self::check_script). The chance outcomes of the script replace the game's own stream.
    pub(super) fn step(
        &self,
        slot: &mut Slot<G>,
        next: &mut NextSample,
        rows: &mut Rows<'_>,
        i: usize,
        action: ActionId,
        script: Option<&[u32]>,
    ) {
        if slot.done {
            self.start(slot, slot.chance.id().next_episode());
            self.write_start(slot, next, rows, i);
            return;
        }
        let actor = self.game.current_player(&slot.state);
        slot.length += 1;
        let Transition { status, rewards, returns } = if self.is_forfeit(next, rows.mask_bits(i), action) {
            let mut returns = [0.0; MAX_PLAYERS];
            outcome_of_forfeit(actor, &mut returns[..self.players]);
            Transition { status: Status::Terminated, rewards: returns, returns }
        } else {
            let Slot { state, chance, length, .. } = &mut *slot;
            let (game, common, action) = (&*self.game, &self.common, action);
            match script {
                None => transition::step(game, common, state, action, *length, chance),
                Some(script) => {
                    let chance: &mut dyn Chance = &mut ScriptedChance::new(script);
                    transition::step(game, common, state, action, *length, chance)
                }
            }
        };
        let (rewards, returns) = (&rewards[..self.players], &returns[..self.players]);
        rows.rewards(i).copy_from_slice(rewards);
        rows.reward(i)[0] = rewards[actor];
        slot.credit[actor] = 0.0;
        for (credit, reward) in slot.credit.iter_mut().zip(rewards) {
            *credit += reward;
        }
        rows.credit(i).copy_from_slice(&slot.credit[..self.players]);
        rows.acting_player(i)[0] = actor as i32;
        rows.episode_length(i)[0] = slot.length as i32;
        rows.terminated(i)[0] = (status == Status::Terminated).into();
        rows.truncated(i)[0] = (status == Status::Truncated).into();
        rows.done(i)[0] = (status != Status::Running).into();
        if status != Status::Running {
            self.finish(slot, rows, i, status, returns);
        }
        self.write_position(slot, next, rows, i);
    }

    /// Checks that `action` draws exactly the chance outcomes of `script`; `mask` tells whether the action is legal.
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::Error::InvalidState) names the mismatch.
    pub(super) fn check_script(
        &self,
        slot: &Slot<G>,
        next: &NextSample,
        mask: &[u64],
        action: ActionId,
        script: &[u32],
    ) -> Result<()> {
        let mut chance = ScriptedChance::new(script);
        if !slot.done && !self.is_forfeit(next, mask, action) {
            let mut state = slot.state;
            self.game.step(&mut state, action, &mut chance as &mut dyn Chance);
        }
        chance.finish()
    }

    /// Whether `action` loses the game, because it is illegal by `mask` under `on_illegal=lose`.
    #[inline]
    fn is_forfeit(&self, next: &NextSample, mask: &[u64], action: ActionId) -> bool {
        self.common.on_illegal == OnIllegal::Lose && !next.is(action) && !mask::contains(mask, action)
    }

    /// Records the end of an episode; in same-step mode, starts the next.
    #[cold]
    fn finish(&self, slot: &mut Slot<G>, rows: &mut Rows<'_>, i: usize, status: Status, returns: &[f32]) {
        rows.final_returns(i).copy_from_slice(returns);
        self.game.scores(&slot.state, rows.final_scores(i));
        if self.config.autoreset != AutoReset::SameStep {
            slot.done = true;
            return;
        }
        let seat = self.game.current_player(&slot.state);
        rows.final_player(i)[0] = seat as i32;
        let Rows { widths, final_observations, final_observations_f32, .. } = &mut *rows;
        let row = row_of(final_observations, widths.final_observations, i);
        let floats = row_of(final_observations_f32, widths.final_observations_f32, i);
        self.observer.write(&*self.game, &slot.state, seat, row, floats);
        if status == Status::Truncated && self.game.status(&slot.state) == Status::Running {
            self.game.legal(&slot.state, rows.final_mask_bits(i));
        } else {
            rows.final_mask_bits(i).fill(0);
        }
        if rows.widths.final_mask_bytes > 0 {
            let (bits, bytes) = (rows.widths.final_mask_bits, rows.widths.final_mask_bytes);
            mask::write_bytes(
                &rows.final_mask_bits[i * bits..(i + 1) * bits],
                &mut rows.final_mask_bytes[i * bytes..(i + 1) * bytes],
            );
        }
        self.start(slot, slot.chance.id().next_episode());
    }

    /// Writes the outputs of a game after its position was replaced; mask and observation only with `show`.
    pub(super) fn write_resumed(&self, call: GameCall<'_, '_, G>, show: bool) {
        let GameCall { slot, next, rows, row, .. } = call;
        let seat = self.game.current_player(&slot.state);
        if show {
            self.write_start(slot, next, rows, row);
        } else {
            Self::write_no_step(rows, row);
            rows.current_player(row)[0] = seat as i32;
            next.settle(&mut slot.samples);
        }
        rows.credit(row).copy_from_slice(&slot.credit[..self.players]);
        rows.credit_of_mover(row)[0] = slot.credit[seat];
        rows.episode_length(row)[0] = slot.length as i32;
    }

    /// Adds the caller's rewards to the rewards of the last step.
    ///
    /// In same-step mode the rows of a game that has just ended describe the finished episode: the new one earns
    /// nothing.
    pub(super) fn add_reward(&self, call: GameCall<'_, '_, G>, extra: &[f32]) {
        let GameCall { slot, rows, row, .. } = call;
        let add = |to: &mut [f32]| to.iter_mut().zip(extra).for_each(|(to, extra)| *to += extra);
        add(rows.rewards(row));
        add(rows.credit(row));
        if let Ok(actor) = usize::try_from(rows.acting_player(row)[0]) {
            rows.reward(row)[0] += extra[actor];
        }
        let is_over = rows.done(row)[0] == 1;
        if !(is_over && self.config.autoreset == AutoReset::SameStep) {
            add(&mut slot.credit[..self.players]);
        }
        if !is_over {
            rows.credit_of_mover(row)[0] = slot.credit[self.game.current_player(&slot.state)];
        }
    }

    /// Writes the outputs of a game that was just reset.
    pub(super) fn write_reset(&self, call: GameCall<'_, '_, G>) {
        self.write_start(call.slot, call.next, call.rows, call.row);
    }

    fn write_start(&self, slot: &mut Slot<G>, next: &mut NextSample, rows: &mut Rows<'_>, i: usize) {
        Self::write_no_step(rows, i);
        self.write_position(slot, next, rows, i);
    }

    /// Clears the outputs that describe a step (rewards, flags, acting seat), for a game without a step.
    fn write_no_step(rows: &mut Rows<'_>, i: usize) {
        rows.rewards(i).fill(0.0);
        rows.reward(i)[0] = 0.0;
        rows.credit(i).fill(0.0);
        rows.terminated(i)[0] = 0;
        rows.truncated(i)[0] = 0;
        rows.done(i)[0] = 0;
        rows.acting_player(i)[0] = -1;
        rows.episode_length(i)[0] = 0;
    }

    /// Writes the current player with its credit, observation and action mask.
    #[inline]
    fn write_position(&self, slot: &mut Slot<G>, next: &mut NextSample, rows: &mut Rows<'_>, i: usize) {
        let seat = self.game.current_player(&slot.state);
        rows.current_player(i)[0] = seat as i32;
        rows.credit_of_mover(i)[0] = if slot.done { 0.0 } else { slot.credit[seat] };
        let mask_row = self.write_mask(slot, rows, i);
        // Prefetching: loads the next game while this game's observation is written.
        prefetch(std::ptr::from_ref(slot).wrapping_add(1), 1);
        let Rows { widths, observations, observations_f32, .. } = &mut *rows;
        let row = row_of(observations, widths.observations, i);
        let floats = row_of(observations_f32, widths.observations_f32, i);
        self.observer.write_batch(&*self.game, &slot.state, seat, row, floats);
        // Store-to-load forwarding: the sample is drawn last. A wide load cannot be served from several pending
        // stores, so loading the mask right after storing it would wait until the stores reach the cache.
        if self.samples_early {
            self.draw_sample(slot, next, rows.mask_bits(mask_row));
        } else {
            next.settle(&mut slot.samples);
        }
    }

    /// Whether masks are written only to the column for outside readers (`mask_bits_shown`), not to the column for
    /// checking actions (`mask_bits`). Sampled actions need no check, so a long row is not written twice.
    pub(super) fn skips_own_masks(&self, widths: &Widths) -> bool {
        self.samples_early && widths.mask_bits_shown > 0
    }

    /// Writes the legal actions of a game; a finished game has none.
    #[inline]
    pub(super) fn legal(&self, slot: &Slot<G>, mask: &mut [u64]) {
        if slot.done {
            mask.fill(0);
        } else {
            self.game.legal(&slot.state, mask);
        }
    }

    /// Writes the legal actions in every mask format of the batch; returns the row of `mask_bits` that holds them.
    #[inline]
    fn write_mask(&self, slot: &Slot<G>, rows: &mut Rows<'_>, i: usize) -> usize {
        // Discarded masks are all written to row 0, which stays in the cache.
        let row = if self.skips_own_masks(&rows.widths) { 0 } else { i };
        let Rows { widths, mask_bits, mask_bits_shown, mask_bytes, .. } = rows;
        let words = widths.mask_bits;
        let mask = &mut mask_bits[row * words..(row + 1) * words];
        self.legal(slot, mask);
        if widths.mask_bits_shown > 0 {
            mask_bits_shown[i * words..(i + 1) * words].copy_from_slice(mask);
        }
        if widths.mask_bytes > 0 {
            let bytes = widths.mask_bytes;
            mask::write_bytes(mask, &mut mask_bytes[i * bytes..(i + 1) * bytes]);
        }
        row
    }
}

impl<G: Rules> Stepper<G> {
    /// Draws a legal action, or 0 if there is none.
    #[inline]
    pub(super) fn sample(&self, slot: &mut Slot<G>, next: &mut NextSample, mask: &[u64]) -> ActionId {
        if let Some(action) = next.take() {
            return action;
        }
        self.draw_sample(slot, next, mask);
        next.take().unwrap_or_else(|| {
            slot.samples += 1;
            0
        })
    }

    /// Draws the action sample of the position with this `mask`.
    #[inline]
    pub(super) fn draw_sample(&self, slot: &mut Slot<G>, next: &mut NextSample, mask: &[u64]) {
        next.settle(&mut slot.samples);
        if slot.done {
            // With next-step resets, the next step resets the game and ignores its action, so any action works. In
            // the other modes, a finished game has no legal action.
            if self.config.autoreset == AutoReset::NextStep {
                *next = NextSample::ready(0);
            }
            return;
        }
        *next = NextSample::draw(slot.chance.id(), slot.samples, mask);
    }
}
