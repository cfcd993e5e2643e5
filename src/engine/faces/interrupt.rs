//! Ending a long call early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the calls that look at it: bots that choose, waiting for a fleet, whole tournaments. Copies are one.
///
/// A call that is ended returns [`Error::Interrupted`](crate::engine::Error::Interrupted) and has moved no game, except where
/// its documentation says otherwise.
#[derive(Clone, Default)]
pub struct Interrupt {
    raised: Arc<AtomicBool>,
    watch: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl Interrupt {
    /// One that also counts as raised whenever `watch` says so; asked by whoever waits, again and again.
    pub fn watching(watch: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { watch: Some(Arc::new(watch)), ..Self::default() }
    }

    /// Ends what is under way and whatever begins later.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Release);
    }

    /// Whether it is time to end.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Acquire) || self.watch.as_ref().is_some_and(|watch| watch())
    }
}
