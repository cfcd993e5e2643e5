//! Searches under a guard. `run_with` keeps its default, so that the evaluator of the program is called outside.

use serde_json::Value;

use super::batch::unguarded;
use super::{Guard, guarded};
use crate::contract::spec::ActionId;
use crate::contract::support::error::Result;
use crate::dynamic::columns::PlaceColumn;
use crate::dynamic::interrupt::Interrupt;
use crate::dynamic::leaves::{LeafBuffers, Leaves, LegalActions, Logits};
use crate::dynamic::tree_search::{
    Evaluator, SearchLine, SearchResults, SearchSettings, SearchStats, TreeSearch,
};
use crate::dynamic::vector::VectorEnv;

struct Guarded {
    guard: Guard,
    inner: Box<dyn TreeSearch>,
}

pub(super) fn guard(guard: Guard, inner: Box<dyn TreeSearch>) -> Box<dyn TreeSearch> {
    Box::new(Guarded { guard, inner })
}

impl TreeSearch for Guarded {
    fn start(&mut self, env: &dyn VectorEnv, ids: Option<&[u32]>) -> Result<()> {
        self.guard.run(|| self.inner.start(unguarded(env), ids))
    }
    fn follow(&mut self, env: &dyn VectorEnv, ids: Option<&[u32]>) -> Result<()> {
        self.guard.run(|| self.inner.follow(unguarded(env), ids))
    }
    fn advance(&mut self, env: &dyn VectorEnv, actions: &[ActionId]) -> Result<()> {
        self.guard.run(|| self.inner.advance(unguarded(env), actions))
    }
    unsafe fn place_observations(&mut self, place: &mut PlaceColumn<'_>) -> Result<()> {
        // Safety: the caller vouches for the results of `place`.
        self.guard.run(|| unsafe { self.inner.place_observations(place) })
    }
    guarded! {
        ref fn settings() -> &SearchSettings;
        ref fn num_trees() -> usize;
        ref fn group() -> usize;
        ref fn leaf_observations() -> &[u8];
        ref fn leaves() -> Leaves<'_>;
        ref fn legal_actions() -> Result<LegalActions>;
        ref fn check_values() -> Result<()>;
    }
    guarded! {
        mut fn select() -> Result<usize>;
        mut fn buffers() -> Vec<LeafBuffers>;
        mut fn add_reward(extra: &[f32]) -> Result<()>;
        mut fn expand(logits: Logits<'_>, values: &[f32]) -> Result<()>;
        mut fn run(evaluator: Evaluator, interrupt: &Interrupt) -> Result<()>;
        mut fn actions() -> Vec<ActionId>;
        mut fn results() -> Result<SearchResults>;
        mut fn stats() -> SearchStats;
        mut fn tree_json(tree: usize, depth: usize) -> Result<Value>;
        mut fn lines(tree: usize, depth: usize) -> Result<Vec<SearchLine>>;
    }
}
