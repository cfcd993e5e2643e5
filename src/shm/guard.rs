//! SIGBUS handler: keeps a process alive if another program truncates its segment.
//!
//! Access to a page that the file no longer has raises SIGBUS, and code that reads arrays over the segment cannot
//! handle the signal. This handler maps zeroed memory in place of the missing pages and sets a flag, so the access
//! continues and the next call can report the truncation. Faults at other addresses go to the previously installed
//! handler.

use std::ops::Range;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence};

/// A guarded range of memory. Ranges are never freed, only reused, because the handler may be reading them.
pub(super) struct GuardedRange {
    /// Seqlock, because a signal handler must not wait for a lock: the number is odd while `start` and `len` change.
    /// A reader that finds the same even number before and after has read a consistent pair.
    version: AtomicUsize,
    /// 0 when unused.
    start: AtomicUsize,
    len: AtomicUsize,
    truncated: AtomicBool,
    taken: AtomicBool,
    next: *const GuardedRange,
}

// Safety: all mutable fields are atomic; `next` is written before the entry is published.
unsafe impl Sync for GuardedRange {}

static RANGES: AtomicPtr<GuardedRange> = AtomicPtr::new(ptr::null_mut());

/// Guards a mapping while this value lives.
pub(super) struct Guard(&'static GuardedRange);

impl Guard {
    /// Guards `len` bytes at `start`, a mapping of whole pages.
    pub(super) fn new(start: usize, len: usize) -> Self {
        install();
        let entry = ranges().find(|e| !e.taken.swap(true, Ordering::AcqRel)).unwrap_or_else(|| {
            let entry = Box::leak(Box::new(GuardedRange::new()));
            let mut first = RANGES.load(Ordering::Acquire);
            loop {
                entry.next = first;
                match RANGES.compare_exchange(first, entry, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => return entry,
                    Err(now) => first = now,
                }
            }
        });
        entry.truncated.store(false, Ordering::Relaxed);
        entry.set(start, len);
        Self(entry)
    }

    /// Whether an access hit missing pages of the mapping.
    pub(super) fn truncated(&self) -> bool {
        self.0.truncated.load(Ordering::Acquire)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.set(0, 0);
        self.0.taken.store(false, Ordering::Release);
    }
}

impl GuardedRange {
    /// A claimed range without memory to guard yet.
    fn new() -> Self {
        Self {
            version: AtomicUsize::new(0),
            start: AtomicUsize::new(0),
            len: AtomicUsize::new(0),
            truncated: AtomicBool::new(false),
            taken: AtomicBool::new(true),
            next: ptr::null(),
        }
    }

    /// Changes the guarded memory. Only the owner of the entry may call it.
    fn set(&self, start: usize, len: usize) {
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        self.start.store(start, Ordering::Relaxed);
        self.len.store(len, Ordering::Relaxed);
        self.version.store(version.wrapping_add(2), Ordering::Release);
    }

    /// The guarded memory; `None` if the range is unused or being changed. Memory still in use is never being
    /// changed.
    fn range(&self) -> Option<Range<usize>> {
        let version = self.version.load(Ordering::Acquire);
        let start = self.start.load(Ordering::Relaxed);
        let len = self.len.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let is_pair = version.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == version;
        (is_pair && start != 0).then(|| start..start + len)
    }
}

fn ranges() -> impl Iterator<Item = &'static GuardedRange> {
    let mut next: *const GuardedRange = RANGES.load(Ordering::Acquire);
    std::iter::from_fn(move || {
        // Safety: ranges are leaked, so a published pointer stays valid.
        let entry: &'static GuardedRange = unsafe { next.as_ref()? };
        next = entry.next;
        Some(entry)
    })
}

/// The previous handler of the signal; published before the new handler is installed.
static PREVIOUS: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());

/// Page size, stored here because a handler cannot query it.
static PAGE: AtomicUsize = AtomicUsize::new(4096);

fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Safety: a zeroed `sigaction` is valid, both calls get pointers to live values, and the handler is
        // async-signal-safe: it uses only atomics, `mmap`, `signal` and `raise`.
        unsafe {
            PAGE.store(libc::sysconf(libc::_SC_PAGESIZE) as usize, Ordering::Relaxed);
            let previous: &mut libc::sigaction = Box::leak(Box::new(std::mem::zeroed()));
            libc::sigaction(libc::SIGBUS, ptr::null(), previous);
            PREVIOUS.store(previous, Ordering::Release);
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_sigbus as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut());
        }
    });
}

extern "C" fn on_sigbus(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // Safety: the kernel passes a valid `siginfo_t`; for SIGBUS it contains the address.
    let address = unsafe { (*info).si_addr() } as usize;
    for entry in ranges() {
        if let Some(guarded) = entry.range().filter(|guarded| guarded.contains(&address)) {
            entry.truncated.store(true, Ordering::Release);
            let page = address & !(PAGE.load(Ordering::Relaxed) - 1);
            // Safety: the range is inside a mapping kept alive by its owner (a guard is dropped first), and the
            // replaced memory is no longer readable.
            let mapped = unsafe {
                libc::mmap(
                    page as *mut libc::c_void,
                    guarded.end - page,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                    -1,
                    0,
                )
            };
            if mapped != libc::MAP_FAILED {
                return;
            }
        }
    }
    let previous = PREVIOUS.load(Ordering::Acquire);
    // Safety: it was published before this handler was installed and is never freed; its function has the signature
    // given by its flags.
    unsafe {
        let action = &*previous;
        match action.sa_sigaction {
            // The signal ends the process when this handler returns, the same as without the handler.
            libc::SIG_DFL | libc::SIG_IGN => {
                libc::signal(signal, libc::SIG_DFL);
                libc::raise(signal);
            }
            handler if action.sa_flags & libc::SA_SIGINFO != 0 => {
                let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) =
                    std::mem::transmute(handler);
                handler(signal, info, context);
            }
            handler => {
                let handler: extern "C" fn(i32) = std::mem::transmute(handler);
                handler(signal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_mapping_that_is_replaced_is_never_mistaken_for_the_next() {
        let entry = GuardedRange::new();
        assert_eq!(entry.range(), None);
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                // Few rounds under Miri, which is thousands of times slower and switches threads at any point.
                for _ in 0..if cfg!(miri) { 30 } else { 200_000 } {
                    // The first two ranges have the same start: only the version number distinguishes them.
                    for (start, len) in [(4096, 1), (4096, 2), (8192, 3), (0, 0)] {
                        entry.set(start, len);
                    }
                }
                done.store(true, Ordering::Release);
            });
            while !done.load(Ordering::Acquire) {
                if let Some(range) = entry.range() {
                    assert!([4096..4097, 4096..4098, 8192..8195].contains(&range), "{range:?}");
                }
            }
        });
        entry.set(4096, 7);
        assert_eq!(entry.range(), Some(4096..4103));
    }
}
