//! The rules of a game: everything for play, benchmarks and training.

use std::fmt::Debug;

use bytemuck::{CheckedBitPattern, NoUninit};

use crate::contract::chance::Chance;
use crate::contract::error::{Error, Result};
use crate::contract::packed::PackedLayout;
use crate::contract::spec::Spec;

/// The state of a game's progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The game is in progress.
    Running,
    /// Finished by its rules; [`Rules::ranks`] holds.
    Terminated,
    /// Stopped by a limit of the game itself (rounds, plies) without a result.
    Truncated,
}

/// The rules of one game under one set of options.
///
/// A value of the implementing type is shared by all games of a batch: compiled options and tables. It never changes
/// after construction. A [`Rules::State`] is one game: a plain fixed-size value without heap memory, pointers or
/// randomness, so cloning, snapshots and forks are memory copies.
///
/// The engine does everything else: it checks that an action is legal before calling [`Rules::step`], resets finished
/// games, seeds chance, computes rewards from [`Rules::scores`] and [`Rules::ranks`], and truncates. A game does not
/// deal with batches or threads.
///
/// # Invariants
/// * `legal` sets exactly the actions that `step` accepts: at least one while the game runs, none afterwards.
/// * `step` and `init` may take forced decisions (a single legal action) themselves.
/// * `step` and `init` draw all randomness from their chance source, at the moment of the event. A state never holds
///   information that no draw has revealed (an unshuffled deck is a set, not an order).
/// * `observe` writes every element, and depends only on information visible to `seat`.
/// * After `validate` accepts a state, no method of any trait of the contract panics on it.
///
/// The conformance suite tests all of this for every registered game.
pub trait Rules: Sized + Send + Sync + 'static {
    /// One game in progress.
    type State: Copy + CheckedBitPattern + NoUninit + PartialEq + Debug + Send + Sync + 'static;

    /// The description of the environment, with its id and version. Built once, in the constructor.
    fn spec(&self) -> &Spec;
    /// Whether calls of the rules exclude one another, because they run in an interpreter. Batches and searches then
    /// use a single thread.
    fn is_serial(&self) -> bool {
        false
    }

    /// A new game, up to its first decision.
    fn init<C: Chance + ?Sized>(&self, chance: &mut C) -> Self::State;
    /// The status of the game.
    fn status(&self, state: &Self::State) -> Status;
    /// The current player; any seat if the game is over.
    fn current_player(&self, state: &Self::State) -> usize;
    /// Overwrites `mask` (`Spec::mask_words` words with arbitrary contents) with the legal actions.
    fn legal(&self, state: &Self::State, mask: &mut [u64]);
    /// Plays a legal action and all its consequences, up to the next decision or the end.
    fn step<C: Chance + ?Sized>(&self, state: &mut Self::State, action: u32, chance: &mut C);
    /// Overwrites `out` (`Spec::observation_len` elements with arbitrary contents) with the observation of `seat`.
    fn observe(&self, state: &Self::State, seat: usize, out: &mut [u8]);
    /// Writes the same as [`Rules::observe`], with non-temporal stores where the game has them.
    ///
    /// Non-temporal stores bypass the processor's caches, which leaves the caches to the states. The engine uses them
    /// when the observations of a batch do not fit into the caches anyway, and executes a store fence before any
    /// read. The default uses ordinary stores: only long rows gain.
    #[inline]
    fn observe_nontemporal(&self, state: &Self::State, seat: usize, out: &mut [u8]) {
        self.observe(state, seat, out);
    }
    /// Overwrites `row` (`layout.row_bytes` bytes with arbitrary contents) with the observation in packed form.
    ///
    /// `layout` is [`Spec::packed`]. The default packs the output of [`Rules::observe`]. Games that write their
    /// fields through a [`Row`](crate::Row) write packed observations with the same code, and faster.
    fn observe_packed(&self, state: &Self::State, seat: usize, layout: &PackedLayout, row: &mut [u8]) {
        layout.pack_written(|elements| self.observe(state, seat, elements), row);
    }
    /// Writes each player's score so far, the basis of `reward=score`.
    fn scores(&self, state: &Self::State, out: &mut [f32]);
    /// Writes each player's rank in a terminated game: 0 is best, tied players have equal ranks.
    ///
    /// Only the order matters, not the gaps.
    fn ranks(&self, state: &Self::State, out: &mut [u8]);

    /// Checks that play could continue from a state of arbitrary contents.
    ///
    /// # Errors
    /// [`Error::InvalidState`] names the problem. After `Ok` no method may panic on the state.
    fn validate(&self, state: &Self::State) -> Result<()>;
    /// Determinization: a random state that `seat` cannot distinguish from this one.
    ///
    /// The default is a copy, for games without hidden information.
    fn determinize<C: Chance + ?Sized>(
        &self,
        state: &Self::State,
        _seat: usize,
        _chance: &mut C,
    ) -> Self::State {
        *state
    }
}

/// A state from untrusted bytes.
///
/// # Errors
/// [`Error::InvalidState`] if the bytes are not a state, or [`Rules::validate`] rejects it.
pub(crate) fn state_from_bytes<G: Rules>(game: &G, bytes: &[u8]) -> Result<G::State> {
    let state: G::State = bytemuck::checked::try_pod_read_unaligned(bytes)
        .map_err(|_| Error::state("a field of the state holds a value that does not exist"))?;
    game.validate(&state)?;
    Ok(state)
}

/// A position and the digest of its rules, as bytes.
pub(crate) fn position_bytes<G: Rules>(game: &G, state: &G::State) -> Vec<u8> {
    [&game.spec().digest().to_le_bytes(), bytemuck::bytes_of(state)].concat()
}
