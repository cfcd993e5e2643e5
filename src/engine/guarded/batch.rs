//! Batches under a guard.

use std::any::Any;
use std::sync::Arc;

use super::{Guard, game, guarded, single};
use crate::contract::chance::StreamId;
use crate::contract::spec::ActionId;
use crate::contract::support::error::Result;
use crate::dynamic::analysis::Found;
use crate::dynamic::any_game::AnyGame;
use crate::dynamic::columns::Columns;
use crate::dynamic::config::BatchConfig;
use crate::dynamic::interrupt::Interrupt;
use crate::dynamic::single::SingleGame;
use crate::dynamic::vector::{Position, States, VectorEnv};

struct Guarded {
    guard: Guard,
    inner: Box<dyn VectorEnv>,
}

pub(super) fn guard(guard: Guard, inner: Box<dyn VectorEnv>) -> Box<dyn VectorEnv> {
    Box::new(Guarded { guard, inner })
}

/// The batch under the guard, or the batch itself if it has none: one of another process.
pub(super) fn unguarded(env: &dyn VectorEnv) -> &dyn VectorEnv {
    match (env as &dyn Any).downcast_ref::<Guarded>() {
        Some(guarded) => &*guarded.inner,
        None => env,
    }
}

impl VectorEnv for Guarded {
    fn game(&self) -> Arc<dyn AnyGame> {
        game::Guarded { guard: self.guard, inner: self.guard.run(|| self.inner.game()) }.shared()
    }
    fn single(&self, id: u32) -> Result<Box<dyn SingleGame>> {
        self.guard.run(|| self.inner.single(id)).map(|inner| single::guard(self.guard, inner))
    }
    guarded! {
        ref fn config() -> &BatchConfig;
        ref fn columns() -> &Columns;
        ref fn interrupt() -> &Interrupt;
        ref fn states() -> Option<States>;
        ref fn save(ids: &[u32]) -> Result<Vec<u8>>;
        ref fn stream(id: u32) -> Result<(StreamId, u64)>;
        ref fn samples() -> Result<Vec<u64>>;
    }
    guarded! {
        mut fn interrupt_by(interrupt: Interrupt);
        mut fn reset(seed: Option<u64>) -> Result<()>;
        mut fn reset_games(ids: &[u32], seed: Option<u64>) -> Result<()>;
        mut fn step(actions: &[ActionId]) -> Result<()>;
        mut fn step_games(ids: &[u32], actions: &[ActionId]) -> Result<()>;
        mut fn step_scripted(ids: &[u32], actions: &[ActionId], scripts: &[Vec<u32>]) -> Result<()>;
        mut fn sample_actions(actions: &mut [ActionId]) -> Result<()>;
        mut fn step_sampled() -> Result<()>;
        mut fn bot_actions(ids: Option<&[u32]>, seats: &[String], actions: &mut [ActionId]) -> Result<()>;
        mut fn bot_searches(ids: &[u32], seats: &[String], actions: &mut [ActionId]) -> Result<Vec<Option<Found>>>;
        mut fn restore(ids: &[u32], snapshot: &[u8]) -> Result<()>;
        mut fn set_samples(samples: &[u64]) -> Result<()>;
        mut fn fork(src: &[u32], dst: &[u32], show: bool) -> Result<()>;
        mut fn determinize(ids: &[u32], seat: Option<usize>, seed: u64) -> Result<()>;
        mut fn set_position(id: u32, position: Position<'_>) -> Result<()>;
        mut fn set_starts(positions: &[Position<'_>], weights: &[f64]) -> Result<()>;
        mut fn add_reward(extra: &[f32]) -> Result<()>;
    }
}
