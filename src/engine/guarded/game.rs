//! Rules under a guard.

use std::sync::Arc;

use serde_json::Value;

use super::{Guard, batch, guarded, search, single};
use crate::contract::chance::StreamId;
use crate::contract::dialect::{GtpGame, UciGame};
use crate::contract::guide::Symmetry;
use crate::contract::show::view::Theme;
use crate::contract::spec::Spec;
use crate::contract::support::error::Result;
use crate::dynamic::any_game::AnyGame;
use crate::dynamic::columns::{PlaceColumn, Widths};
use crate::dynamic::config::BatchConfig;
use crate::dynamic::effort::{Effort, Findings};
use crate::dynamic::single::SingleGame;
use crate::dynamic::tree_search::{SearchSettings, TreeSearch};
use crate::dynamic::vector::VectorEnv;
use crate::dynamic::workload::Workload;

pub(super) struct Guarded {
    pub(super) guard: Guard,
    pub(super) inner: Arc<dyn AnyGame>,
}

impl Guarded {
    pub(super) fn shared(self) -> Arc<dyn AnyGame> {
        Arc::new(self)
    }
    fn single(&self, make: impl FnOnce(&Arc<dyn AnyGame>) -> Box<dyn SingleGame>) -> Box<dyn SingleGame> {
        single::guard(self.guard, self.guard.run(|| make(&self.inner)))
    }
    fn try_single(
        &self,
        make: impl FnOnce(&Arc<dyn AnyGame>) -> Result<Box<dyn SingleGame>>,
    ) -> Result<Box<dyn SingleGame>> {
        self.guard.run(|| make(&self.inner)).map(|inner| single::guard(self.guard, inner))
    }
}

impl AnyGame for Guarded {
    guarded! {
        ref fn spec() -> &Spec;
        ref fn bots() -> Vec<(&'static str, &'static str)>;
        ref fn check_bot(name: &str) -> Result<()>;
        ref fn uci() -> Option<UciGame>;
        ref fn gtp() -> Option<GtpGame>;
        ref fn seat_colours(theme: Theme) -> Vec<&'static str>;
        ref fn symmetries() -> Vec<Symmetry>;
        ref fn widths(config: &BatchConfig) -> Widths;
    }
    fn into_vector(self: Arc<Self>, config: BatchConfig) -> Result<Box<dyn VectorEnv>> {
        let made = self.guard.run(|| self.inner.vector(config));
        made.map(|inner| batch::guard(self.guard, inner))
    }
    unsafe fn into_vector_placed(
        self: Arc<Self>,
        config: BatchConfig,
        place: &mut PlaceColumn<'_>,
    ) -> Result<Box<dyn VectorEnv>> {
        // Safety: the caller vouches for the results of `place`.
        let made = self.guard.run(|| unsafe { self.inner.vector_placed(config, place) });
        made.map(|inner| batch::guard(self.guard, inner))
    }
    fn into_tree_search(
        self: Arc<Self>,
        config: &BatchConfig,
        settings: SearchSettings,
    ) -> Result<Box<dyn TreeSearch>> {
        let made = self.guard.run(|| self.inner.tree_search(config, settings));
        made.map(|inner| search::guard(self.guard, inner))
    }
    fn into_single(self: Arc<Self>, seed: u64) -> Box<dyn SingleGame> {
        self.single(|game| game.single(seed))
    }
    fn into_single_at(self: Arc<Self>, stream: StreamId) -> Box<dyn SingleGame> {
        self.single(|game| game.single_at(stream))
    }
    fn into_single_scripted(self: Arc<Self>, setup: &[u32]) -> Result<Box<dyn SingleGame>> {
        self.try_single(|game| game.single_scripted(setup))
    }
    fn into_single_from_position(
        self: Arc<Self>,
        position: &Value,
        seed: u64,
    ) -> Result<Box<dyn SingleGame>> {
        self.try_single(|game| game.single_from_position(position, seed))
    }
    fn into_single_from_bot_request(
        self: Arc<Self>,
        request: &Value,
        seed: u64,
    ) -> Result<Box<dyn SingleGame>> {
        self.try_single(|game| game.single_from_bot_request(request, seed))
    }
    fn into_single_from_uci(self: Arc<Self>, text: &str) -> Result<Box<dyn SingleGame>> {
        self.try_single(|game| game.single_from_uci(text))
    }
    fn workload(&self, positions: usize) -> Box<dyn Workload + '_> {
        let guard = self.guard;
        Box::new(GuardedWorkload { guard, inner: guard.run(|| self.inner.workload(positions)) })
    }
    fn into_check_conformance(self: Arc<Self>, effort: Effort) -> Result<Findings, String> {
        self.guard.run(|| self.inner.check_conformance(effort))
    }
}

struct GuardedWorkload<'a> {
    guard: Guard,
    inner: Box<dyn Workload + 'a>,
}

impl Workload for GuardedWorkload<'_> {
    guarded! {
        mut fn step();
        mut fn legal();
        mut fn observe();
        mut fn reset();
    }
}
