//! The rules of a game: all that play, benchmarks and training need.

use std::fmt::Debug;

use bytemuck::{CheckedBitPattern, NoUninit};

use crate::contract::chance::Chance;
use crate::contract::error::{Error, Result};
use crate::contract::packed::PackedLayout;
use crate::contract::spec::Spec;

/// Whether a game goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Somebody is to move.
    Running,
    /// Finished by its rules; [`Rules::ranks`] holds.
    Terminated,
    /// Stopped by a limit of the game's own (rounds, plies) without a result.
    Truncated,
}

/// The rules of one game under one set of options.
///
/// A value of the implementing type is what all games of a batch share: compiled options and tables. It
/// never changes after construction. A [`Rules::State`] is one game: a plain fixed-size value without heap,
/// pointers or randomness, so that cloning, snapshots and forks are memory copies.
///
/// The engine decides everything around the rules: it checks that an action is legal before
/// [`Rules::step`] sees it, resets finished games, seeds chance, computes rewards from
/// [`Rules::scores`] and [`Rules::ranks`], truncates. A game knows nothing of batches and threads.
///
/// # What the engine relies on
/// * `legal` sets exactly the actions `step` accepts, at least one while the game runs, none afterwards.
/// * A decision with a single legal action may be taken by the rules themselves inside `step` and `init`.
/// * `step` and `init` draw all randomness from their chance source, at the moment the event happens.
///   A state never holds what has not been revealed by a draw (an unshuffled deck is a set, not an order).
/// * `observe` writes every element, and depends only on what `seat` may see.
/// * After `validate` accepts a state, no method of any trait of the contract panics on it.
///
/// The conformance suite tests all of this for every registered game.
pub trait Rules: Sized + Send + Sync + 'static {
    /// One game in progress.
    type State: Copy + CheckedBitPattern + NoUninit + PartialEq + Debug + Send + Sync + 'static;

    /// The environment id.
    const ID: &'static str;
    /// Version of the behaviour; bump it whenever rules, indices or layout change.
    const VERSION: u32;

    /// What the environment looks like from outside. Built once, in the constructor.
    fn spec(&self) -> &Spec;

    /// A new game, up to its first decision.
    fn init<C: Chance + ?Sized>(&self, chance: &mut C) -> Self::State;
    /// Whether the game goes on.
    fn status(&self, state: &Self::State) -> Status;
    /// The seat to move; any seat when the game is over.
    fn current_player(&self, state: &Self::State) -> usize;
    /// Overwrites `mask` (`Spec::mask_words` words with arbitrary contents) with the legal actions.
    fn legal(&self, state: &Self::State, mask: &mut [u64]);
    /// Plays a legal action and everything that follows from it, up to the next decision or the end.
    fn step<C: Chance + ?Sized>(&self, state: &mut Self::State, action: u32, chance: &mut C);
    /// Overwrites `out` (`Spec::observation_len` elements with arbitrary contents) with what `seat` sees.
    fn observe(&self, state: &Self::State, seat: usize, out: &mut [u8]);
    /// What [`Rules::observe`] writes, with non-temporal stores where the game has them.
    ///
    /// Non-temporal stores bypass the processor's caches, so that the caches keep the states. The engine asks for them
    /// where the observations of a batch do not fit into the caches anyway, and executes a store fence before anybody
    /// reads. The default uses ordinary stores: only long rows gain.
    #[inline]
    fn observe_nontemporal(&self, state: &Self::State, seat: usize, out: &mut [u8]) {
        self.observe(state, seat, out);
    }
    /// Overwrites `row` (`layout.row_bytes` bytes with arbitrary contents) with what [`Rules::observe`] writes, packed.
    ///
    /// `layout` is [`Spec::packed`]. The default packs the elements that [`Rules::observe`] has written; games that write
    /// their fields through a [`Row`](crate::Row) write packed ones by the same code, and faster.
    fn observe_packed(&self, state: &Self::State, seat: usize, layout: &PackedLayout, row: &mut [u8]) {
        layout.pack_written(|elements| self.observe(state, seat, elements), row);
    }
    /// Writes each seat's score so far: what `reward=score` counts.
    fn scores(&self, state: &Self::State, out: &mut [f32]);
    /// Writes each seat's rank in a terminated game: 0 is best, seats that share a place share a number.
    ///
    /// Only the order matters, not the gaps.
    fn ranks(&self, state: &Self::State, out: &mut [u8]);

    /// Whether a state of arbitrary contents is one that play could go on from.
    ///
    /// # Errors
    /// [`Error::InvalidState`] says what is wrong. After `Ok` no method may panic on the state.
    fn validate(&self, state: &Self::State) -> Result<()>;
    /// A state drawn from those that `seat` cannot tell from this one.
    ///
    /// Games without hidden information return a copy.
    fn determinize<C: Chance + ?Sized>(
        &self,
        state: &Self::State,
        seat: usize,
        chance: &mut C,
    ) -> Self::State;
}

/// A state from bytes of any origin.
///
/// # Errors
/// [`Error::InvalidState`] when the bytes are no state, or one that [`Rules::validate`] refuses.
pub(crate) fn state_from_bytes<G: Rules>(game: &G, bytes: &[u8]) -> Result<G::State> {
    let state: G::State = bytemuck::checked::try_pod_read_unaligned(bytes)
        .map_err(|_| Error::state("a field of the state holds a value that does not exist"))?;
    game.validate(&state)?;
    Ok(state)
}

/// A position with the rules it belongs to, as bytes.
pub(crate) fn position_bytes<G: Rules>(game: &G, state: &G::State) -> Vec<u8> {
    [&game.spec().digest().to_le_bytes(), bytemuck::bytes_of(state)].concat()
}
