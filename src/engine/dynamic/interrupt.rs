//! Interruption of long calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that interrupts long calls: bots that choose, waiting for a fleet, whole tournaments. All copies share the
/// flag.
///
/// An interrupted call returns [`Error::Interrupted`](crate::Error::Interrupted) and has moved no game, except where
/// its documentation says otherwise.
///
/// ```
/// use ludovec_engine::Interrupt;
/// let interrupt = Interrupt::default();
/// let copy = interrupt.clone();
/// copy.raise();
/// assert!(interrupt.is_raised());
/// ```
#[derive(Clone, Default)]
pub struct Interrupt {
    raised: Arc<AtomicBool>,
    watch: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl std::fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interrupt").field("raised", &self.raised).finish_non_exhaustive()
    }
}

impl Interrupt {
    /// A flag that also counts as raised when `watch` returns true; long calls poll it.
    ///
    /// ```
    /// use ludovec_engine::Interrupt;
    /// let start = std::time::Instant::now();
    /// let interrupt = Interrupt::watching(move || start.elapsed().as_secs() > 60);
    /// assert!(!interrupt.is_raised());
    /// ```
    pub fn watching(watch: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { watch: Some(Arc::new(watch)), ..Self::default() }
    }

    /// Interrupts the calls in progress and all later ones.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Release);
    }

    /// Whether the flag is raised.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Acquire) || self.watch.as_ref().is_some_and(|watch| watch())
    }
}
