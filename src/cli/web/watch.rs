//! Batches of bots, stepped at the request of the page that shows them.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use axum::Json;
use serde_json::Value;

use super::client::UntilItLeaves;
use super::listen_scope::ListenScope;
use super::reply::{HttpError, Reply};
use super::requests::allowed;
use super::sessions::{Session, Sessions, Target, change, quota};
use ludovec::engine::Result;
use ludovec::play::interface::{Batch, BeginRequest, StepRequest, ViewQuery};

/// A request to step is answered after this time, even if it asked for more decisions.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn sessions(scope: ListenScope) -> Sessions<Batch> {
    Sessions::new("batch", [50, quota(scope, 50)], Duration::from_secs(30 * 60))
}

impl Session for Batch {
    fn begin(request: &BeginRequest) -> Reply<Self> {
        Ok(Batch::begin(request, request.make(allowed())?)?)
    }

    fn describe(&self, query: &ViewQuery) -> Result<Value> {
        Batch::describe(self, query)
    }

    /// Locks the batch, or refuses if another request has it: with slow bots requests must not accumulate.
    fn hold(batch: &Mutex<Self>) -> Reply<MutexGuard<'_, Self>> {
        match batch.try_lock() {
            Ok(batch) => Ok(batch),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(HttpError::conflict("this batch is being stepped")),
        }
    }
}

pub(super) async fn step(target: Target<Batch>, Json(steps): Json<StepRequest>) -> Reply<Json<Value>> {
    let (_guard, interrupt) = UntilItLeaves::new();
    change(target, move |batch: &mut Batch| {
        let start = Instant::now();
        Ok(batch.advance(&steps, &interrupt, || start.elapsed() > PATIENCE)?)
    })
    .await
}
