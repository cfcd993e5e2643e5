//! The dynamic face of a game's rules: what front ends hold without knowing the game.
//!
//! `any_game`, `vector`, `single` and `tree_search` import each other: rules make games, and games know their rules.

use std::sync::Arc;

use serde_json::Value;

use crate::contract::chance::StreamId;
use crate::contract::error::Result;
use crate::contract::guide::Symmetry;
use crate::contract::spec::Spec;
use crate::contract::view::Theme;
use crate::faces::columns::{PlaceColumn, Widths};
use crate::faces::config::BatchConfig;
#[cfg(any(test, feature = "conformance"))]
use crate::faces::effort::Effort;
use crate::faces::single::SingleGame;
use crate::faces::tree_search::{SearchSettings, TreeSearch};
use crate::faces::vector::VectorEnv;
use crate::faces::workload::Workload;

/// Rules of some game, behind a pointer. Every [`Game`](crate::Game) is one.
pub trait AnyGame: Send + Sync {
    /// What the environment looks like from outside.
    fn spec(&self) -> &Spec;
    /// Names and descriptions of all bots.
    fn bots(&self) -> Vec<(&'static str, &'static str)>;
    /// Whether `name` names a bot of the engine's: one of [`AnyGame::bots`], `search:500`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) lists what is allowed.
    fn check_bot(&self, name: &str) -> Result<()>;
    /// The colours that stand for the seats in drawings, as `#rrggbb`, at least one a seat.
    fn seat_colours(&self, theme: Theme) -> Vec<&'static str>;
    /// The symmetries of the rules, the identity first; empty when there are none.
    fn symmetries(&self) -> Vec<Symmetry>;
    /// A batch of this game.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) when the configuration asks for no games or threads.
    fn vector(self: Arc<Self>, config: BatchConfig) -> Result<Box<dyn VectorEnv>>;
    /// A batch that writes some of its columns where `place` says.
    ///
    /// # Safety
    /// As for [`Columns::placed`](crate::columns::Columns::placed).
    ///
    /// # Errors
    /// As for [`AnyGame::vector`], and when a place does not fit.
    unsafe fn vector_placed(
        self: Arc<Self>,
        config: BatchConfig,
        place: &mut PlaceColumn<'_>,
    ) -> Result<Box<dyn VectorEnv>>;
    /// Search trees for a batch of this game under `config`, which decides how many there are and how leaves are shown.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig) for settings out of range, or that do not fit the game.
    fn tree_search(
        self: Arc<Self>,
        config: &BatchConfig,
        settings: SearchSettings,
    ) -> Result<Box<dyn TreeSearch>>;
    /// Which columns a batch under `config` has.
    fn widths(&self, config: &BatchConfig) -> Widths;
    /// One game: the one that a batch of this seed plays as its game 0.
    fn single(self: Arc<Self>, seed: u64) -> Box<dyn SingleGame>;
    /// One game: the one that a batch plays with this random stream.
    fn single_at(self: Arc<Self>, stream: StreamId) -> Box<dyn SingleGame>;
    /// One game whose set-up draws exactly `setup`.
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::Error::InvalidState) when the set-up draws other outcomes.
    fn single_scripted(self: Arc<Self>, setup: &[u32]) -> Result<Box<dyn SingleGame>>;
    /// One game from a position in JSON.
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::Error::InvalidState) says what is wrong with it.
    fn single_from_json(self: Arc<Self>, position: &Value, seed: u64) -> Result<Box<dyn SingleGame>>;
    /// One game from what a bot was told in [`SingleGame::bot_request`].
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::Error::InvalidState) says what is wrong with it.
    fn single_from_bot_request(self: Arc<Self>, request: &Value, seed: u64) -> Result<Box<dyn SingleGame>>;
    /// The hot operations of the rules alone, over about `positions` positions; for benchmarks.
    fn workload(&self, positions: usize) -> Box<dyn Workload + '_>;
    /// Runs the conformance suite.
    ///
    /// # Errors
    /// A sentence that names the broken promise, seed and step.
    #[cfg(any(test, feature = "conformance"))]
    fn check_conformance(self: Arc<Self>, effort: Effort) -> Result<(), String>;
}
