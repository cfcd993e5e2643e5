//! The number of forks behind this process: threads do not survive one.

use std::sync::atomic::{AtomicU32, Ordering};

/// Counted because asking the system for the process costs as much as a step of a small game.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Number of forks between the process that loaded the extension and this one.
pub(crate) fn count() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

/// Counts the forks from now on.
#[cfg(unix)]
pub(crate) fn watch() {
    use std::ffi::c_int;
    type Handler = Option<extern "C" fn()>;
    unsafe extern "C" {
        fn pthread_atfork(prepare: Handler, parent: Handler, child: Handler) -> c_int;
    }
    extern "C" fn forked() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }
    // Safety: the handler touches an atomic number alone. Without memory for it, objects of a parent are not refused.
    unsafe { pthread_atfork(None, None, Some(forked)) };
}

/// Systems without forks.
#[cfg(not(unix))]
pub(crate) fn watch() {}
