//! The dynamic trait of a game's rules, through which front ends use any game.
//!
//! `any_game`, `vector`, `tree_search` and `single/` import each other: rules make games, and games know their rules.

use std::any::Any;
use std::sync::Arc;

use serde_json::Value;

use crate::contract::chance::{SeededChance, StreamId};
use crate::contract::dialect::{GtpGame, UciGame};
use crate::contract::guide::Symmetry;
use crate::contract::show::view::Theme;
use crate::contract::spec::Spec;
use crate::contract::support::error::Result;
use crate::dynamic::columns::{PlaceColumn, Widths};
use crate::dynamic::config::BatchConfig;
use crate::dynamic::effort::{Effort, Findings, NO_SUITE};
use crate::dynamic::tree_search::{SearchSettings, TreeSearch};
use crate::dynamic::vector::VectorEnv;
use crate::dynamic::workload::Workload;
use crate::single::erased::{ErasedRules, ErasedState};
use crate::single::game::SingleGame;

/// The rules of any game as a trait object. Every [`Game`](crate::Game) implements it.
///
/// ```
/// use ludovec_engine::{AnyGame, BatchConfig};
/// # use ludovec_engine::{Dialect, Guide, Picture, Words};
/// # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/nim.rs")); }
/// # use nim::*;
/// # impl Words for Nim {}
/// # impl Picture for Nim {}
/// # impl Guide for Nim {}
/// # impl Dialect for Nim {}
/// # let nim: Arc<dyn AnyGame> = Arc::new(Nim::new(&options()));
///
/// let (one, mut many) = (nim.single(0), nim.vector(BatchConfig { num_envs: 8, ..BatchConfig::default() })?);
/// many.step_sampled()?;
/// assert_eq!((nim.spec().env, one.legal_actions().len(), many.config().num_envs), ("nim", 3, 8));
/// assert!(nim.check_bot("search:100").is_ok() && nim.check_bot("serach:100").is_err());
/// # Ok::<(), Error>(())
/// ```
pub trait AnyGame: Any + Send + Sync {
    /// The description of the environment.
    fn spec(&self) -> &Spec;
    /// Names and descriptions of all bots.
    fn bots(&self) -> Vec<(&'static str, &'static str)>;
    /// Checks that `name` is a bot of the engine: one of [`AnyGame::bots`], or for instance `search:500`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) lists the allowed names.
    fn check_bot(&self, name: &str) -> Result<()>;
    /// The game as UCI engines know it; see [`Dialect::uci`](crate::Dialect::uci).
    fn uci(&self) -> Option<UciGame>;
    /// The game as GTP engines know it; see [`Dialect::gtp`](crate::Dialect::gtp).
    fn gtp(&self) -> Option<GtpGame>;
    /// The colours of the seats in drawings, as `#rrggbb`, at least one per seat.
    fn seat_colours(&self, theme: Theme) -> Vec<&'static str>;
    /// The symmetries of the rules, the identity first; empty if there are none.
    fn symmetries(&self) -> Vec<Symmetry>;
    #[doc(hidden)]
    fn into_vector(self: Arc<Self>, config: BatchConfig) -> Result<Box<dyn VectorEnv>>;
    #[doc(hidden)]
    /// # Safety
    /// As for `vector_placed`.
    unsafe fn into_vector_placed(
        self: Arc<Self>,
        config: BatchConfig,
        place: &mut PlaceColumn<'_>,
    ) -> Result<Box<dyn VectorEnv>>;
    #[doc(hidden)]
    fn into_tree_search(
        self: Arc<Self>,
        config: &BatchConfig,
        settings: SearchSettings,
    ) -> Result<Box<dyn TreeSearch>>;
    /// The widths of the columns of a batch under `config`.
    fn widths(&self, config: &BatchConfig) -> Widths;
    #[doc(hidden)]
    fn into_erased(self: Arc<Self>) -> Arc<dyn ErasedRules>;
    /// The hot operations of the rules over about `positions` positions, for benchmarks.
    fn workload(&self, positions: usize) -> Box<dyn Workload + '_>;
    #[doc(hidden)]
    fn into_check_conformance(self: Arc<Self>, effort: Effort) -> Result<Findings, String> {
        let _ = effort;
        Err(NO_SUITE.into())
    }
}

/// Batches, searches and single games share the rules: they take a copy of the pointer.
impl dyn AnyGame {
    /// A batch of this game.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) if the number of games or threads is zero.
    pub fn vector(self: &Arc<Self>, config: BatchConfig) -> Result<Box<dyn VectorEnv>> {
        self.clone().into_vector(config)
    }
    /// A batch that writes some of its columns to the memory returned by `place`.
    ///
    /// # Safety
    /// As for [`Columns::placed`](crate::columns::Columns::placed).
    ///
    /// # Errors
    /// As for `vector`, and if a place does not fit.
    pub unsafe fn vector_placed(
        self: &Arc<Self>,
        config: BatchConfig,
        place: &mut PlaceColumn<'_>,
    ) -> Result<Box<dyn VectorEnv>> {
        // Safety: the caller vouches for the results of `place`.
        unsafe { self.clone().into_vector_placed(config, place) }
    }
    /// Search trees for a batch of this game; `config` sets their number and the observation format of leaves.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for settings that are out of range or do not fit the
    /// game.
    pub fn tree_search(
        self: &Arc<Self>,
        config: &BatchConfig,
        settings: SearchSettings,
    ) -> Result<Box<dyn TreeSearch>> {
        self.clone().into_tree_search(config, settings)
    }
    /// A single game, identical to game 0 of a batch with this seed.
    pub fn single(self: &Arc<Self>, seed: u64) -> SingleGame {
        self.single_at(StreamId { seed, game: 0, episode: 0 })
    }
    /// A single game with this random stream, identical to the game of a batch with that stream.
    pub fn single_at(self: &Arc<Self>, stream: StreamId) -> SingleGame {
        SingleGame::new(self.clone().into_erased(), stream)
    }
    /// A single game with exactly the set-up outcomes `setup`.
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::Error::InvalidState) if the set-up draws other outcomes.
    pub fn single_scripted(self: &Arc<Self>, setup: &[u32]) -> Result<SingleGame> {
        SingleGame::from_script(self.clone().into_erased(), setup)
    }
    /// A single game that begins at the state that `read` makes of the rules.
    fn single_from(
        self: &Arc<Self>,
        seed: u64,
        read: impl FnOnce(&dyn ErasedRules) -> Result<ErasedState>,
    ) -> Result<SingleGame> {
        let game = self.clone().into_erased();
        let state = read(&*game)?;
        Ok(SingleGame::from_position(game, state, SeededChance::from_seed(seed), 0))
    }
    /// A single game from a position in JSON.
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::Error::InvalidState) if the position is invalid.
    pub fn single_from_position(self: &Arc<Self>, position: &Value, seed: u64) -> Result<SingleGame> {
        self.single_from(seed, |game| game.state_from_json(position))
    }
    /// A single game from a request of [`SingleGame::bot_request`].
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::Error::InvalidState) if the request is invalid.
    pub fn single_from_bot_request(self: &Arc<Self>, request: &Value, seed: u64) -> Result<SingleGame> {
        self.single_from(seed, |game| game.state_from_bot_request(request))
    }
    /// A single game from a position in Forsyth-Edwards notation.
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::Error::InvalidState) if the text is no position of this game.
    pub fn single_from_uci(self: &Arc<Self>, text: &str) -> Result<SingleGame> {
        self.single_from(0, |game| game.state_from_uci(text))
    }
    /// Runs the conformance suite, in builds with the feature `conformance`; for games that are made while the program
    /// runs, in every build.
    ///
    /// # Errors
    /// A sentence that names the violation, the seed and the step; without a suite [`NO_SUITE`](crate::NO_SUITE).
    pub fn check_conformance(self: &Arc<Self>, effort: Effort) -> Result<Findings, String> {
        self.clone().into_check_conformance(effort)
    }
}
