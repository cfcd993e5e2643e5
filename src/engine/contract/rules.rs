//! The rules of a game: everything for play, benchmarks and training.

use std::fmt::Debug;
use std::result::Result as StdResult;
use std::sync::Arc;

use bytemuck::{CheckedBitPattern, NoUninit};

use crate::contract::chance::Chance;
use crate::contract::observation::packed::PackedLayout;
use crate::contract::spec::{ActionId, Spec};
use crate::contract::support::error::{Error, Result};
use crate::dynamic::effort::{Effort, Findings};

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
///
/// # A whole game
/// Nim: players take one to three of 21 matches in turn; who takes the last one wins. The other traits of the contract
/// have defaults, and the engine does the rest:
///
/// ```
/// use std::sync::Arc;
///
/// use ludovec_engine::bytemuck::{Pod, Zeroable};
/// use ludovec_engine::chance::Chance;
/// use ludovec_engine::{
///     ActionLayout, AnyGame, BatchConfig, Dialect, Error, Evaluator, Guide, Interrupt, ObservationLayout, Options,
///     Picture, Result, Rules, SearchSettings, Spec, Status, Words, mask,
/// };
///
/// #[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
/// #[bytemuck(crate = "ludovec_engine::bytemuck")]
/// #[repr(C)]
/// struct State {
///     left: u8,
///     player: u8,
/// }
///
/// struct Nim {
///     spec: Spec,
/// }
///
/// impl Nim {
///     fn new(options: &Options) -> Self {
///         let mut actions = ActionLayout::default();
///         actions.push("TAKE", 3, "take i + 1 matches");
///         let mut observation = ObservationLayout::default();
///         observation.push("left", &[1], 21, "matches left");
///         let summary = "Nim: who takes the last match wins";
///         let spec = Spec::of::<State>("nim", 1, summary, options, 2, actions, observation);
///         Self { spec: Spec { max_episode_steps: 21, ..spec } }
///     }
/// }
///
/// impl Rules for Nim {
///     type State = State;
///
///     fn spec(&self) -> &Spec {
///         &self.spec
///     }
///     fn init<C: Chance + ?Sized>(&self, _: &mut C) -> State {
///         State { left: 21, player: 0 }
///     }
///     fn status(&self, state: &State) -> Status {
///         if state.left == 0 { Status::Terminated } else { Status::Running }
///     }
///     fn current_player(&self, state: &State) -> usize {
///         state.player.into()
///     }
///     fn legal(&self, state: &State, mask: &mut [u64]) {
///         mask.fill(0);
///         (0..u32::from(state.left.min(3))).for_each(|action| mask::set(mask, action));
///     }
///     fn step<C: Chance + ?Sized>(&self, state: &mut State, action: u32, _: &mut C) {
///         state.left -= action as u8 + 1;
///         state.player ^= 1;
///     }
///     fn observe(&self, state: &State, _: usize, out: &mut [u8]) {
///         out[0] = state.left;
///     }
///     fn scores(&self, state: &State, out: &mut [f32]) {
///         // After the last match the other player is next.
///         out.fill(0.0);
///         out[1 - usize::from(state.player)] = f32::from(state.left == 0);
///     }
///     fn ranks(&self, state: &State, out: &mut [u8]) {
///         out[usize::from(state.player)] = 1;
///         out[1 - usize::from(state.player)] = 0;
///     }
///     fn validate(&self, state: &State) -> Result<()> {
///         let fits = state.left <= 21 && state.player < 2;
///         if fits { Ok(()) } else { Err(Error::state("left is 0 to 21, player 0 or 1")) }
///     }
/// }
///
/// impl Words for Nim {}
/// impl Picture for Nim {}
/// impl Guide for Nim {}
/// impl Dialect for Nim {}
///
/// let options = Options::parse(&[], [("reward", "outcome".into())])?;
/// let game: Arc<dyn AnyGame> = Arc::new(Nim::new(&options));
///
/// // One game.
/// let mut one = game.clone().single(0);
/// one.step(one.string_to_action("TAKE 2")?)?;
/// assert_eq!((one.current_player(), one.observation(1)?), (1, vec![18]));
///
/// // A batch.
/// let mut env = game.clone().vector(BatchConfig { num_envs: 8, threads: Some(1), ..BatchConfig::default() })?;
/// (0..10).try_for_each(|_| env.step_sampled())?;
/// env.reset(Some(1))?;
///
/// // A search.
/// let settings = SearchSettings { simulations: 50, threads: Some(1), ..SearchSettings::default() };
/// let mut search = game.tree_search(env.config(), settings)?;
/// search.start(&*env, None)?;
/// search.run(Evaluator::Playout, &Interrupt::default())?;
/// assert!(search.actions().iter().all(|&action| action < 3));
/// # Ok::<(), Error>(())
/// ```
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
    fn step<C: Chance + ?Sized>(&self, state: &mut Self::State, action: ActionId, chance: &mut C);
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
    /// The conformance suite that the game brings along, for games that are loaded from outside; the other games
    /// have the one of the feature `conformance`.
    #[doc(hidden)]
    fn brought_suite(self: &Arc<Self>, _effort: Effort) -> Option<StdResult<Findings, String>> {
        None
    }
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
