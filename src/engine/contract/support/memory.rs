//! Fallible allocation: allocations that grow with the caller's arguments are checked and return an error.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::contract::support::error::{Error, Result};

/// Requests of at least this many bytes are compared with the machine's available memory: an operating system that
/// overcommits grants any request and kills the process when it writes to the memory.
const MUCH: usize = 1 << 28;

/// Headroom for allocations that are not checked: paths, boxes, stacks.
///
/// Larger than 32 MiB: freeing a mapped block up to that size makes glibc raise its mmap threshold.
pub(crate) const MARGIN: usize = 33 << 20;

/// Bytes by which checked memory may grow between two checks of [`MARGIN`], over all threads.
const GROWTH: usize = 8 << 20;

/// Bytes by which checked memory has grown since [`MARGIN`] was last seen to be free.
static GROWN: AtomicUsize = AtomicUsize::new(0);

/// Reserves capacity for at least `more` further elements; `what` names the contents.
///
/// # Errors
/// [`Error::OutOfMemory`]; the elements of `vec` are unchanged.
#[inline]
pub fn room<T>(vec: &mut Vec<T>, more: usize, what: &str) -> Result<()> {
    if vec.capacity() - vec.len() >= more { Ok(()) } else { grow(vec, more, what) }
}

/// Reallocates a vector, and leaves [`MARGIN`] free: what is growing bit by bit must not take the last bytes, which
/// allocations without a check need.
#[cold]
fn grow<T>(vec: &mut Vec<T>, more: usize, what: &str) -> Result<()> {
    let before = vec.capacity();
    let error = || Error::out_of_memory(what, more.saturating_mul(size_of::<T>()));
    vec.try_reserve(more).map_err(|_| error())?;
    let bytes = (vec.capacity() - before).saturating_mul(size_of::<T>());
    if GROWN.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) > GROWTH {
        if !is_free(MARGIN) {
            // Every further growth is checked until memory is free again.
            GROWN.store(GROWTH, Ordering::Relaxed);
            return Err(error());
        }
        GROWN.store(0, Ordering::Relaxed);
    }
    Ok(())
}

/// Whether this many bytes can be allocated.
fn is_free(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

/// Reserves capacity for exactly `more` further elements, like [`room`].
///
/// # Errors
/// As for [`room`].
pub fn room_exact<T>(vec: &mut Vec<T>, more: usize, what: &str) -> Result<()> {
    vec.try_reserve_exact(more).map_err(|_| Error::out_of_memory(what, more.saturating_mul(size_of::<T>())))
}

/// Returns an empty vector with capacity for `len` elements; `what` names the contents.
///
/// # Errors
/// [`Error::OutOfMemory`].
///
/// ```
/// let numbers: Vec<u8> = ludovec_engine::memory::vec_of(10, "the numbers")?;
/// assert!(numbers.is_empty() && numbers.capacity() >= 10);
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
pub fn vec_of<T>(len: usize, what: &str) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    room_exact(&mut vec, len, what)?;
    Ok(vec)
}

/// Checks that `bytes` can be allocated, before a call that allocates without a check; `what` names the contents.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn check(bytes: usize, what: &str) -> Result<()> {
    enough(bytes, what)?;
    if is_free(bytes.saturating_add(MARGIN)) { Ok(()) } else { Err(Error::out_of_memory(what, bytes)) }
}

/// Checks that `bytes` are available for memory that was allocated but not yet written; `what` names the contents.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn enough(bytes: usize, what: &str) -> Result<()> {
    let is_there = bytes < MUCH || available().is_none_or(|left| bytes <= left);
    if is_there { Ok(()) } else { Err(Error::out_of_memory(what, bytes)) }
}

/// Bytes that this process may still allocate; `None` if the operating system does not report it.
#[cfg(target_os = "linux")]
fn available() -> Option<usize> {
    let read = |file: &str| std::fs::read_to_string(file).ok();
    let told = read("/proc/meminfo")?;
    let kib = |name: &str| -> Option<usize> {
        let line = told.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_end_matches("kB").trim().parse().ok()
    };
    let free = kib("MemAvailable:")?.saturating_add(kib("SwapFree:").unwrap_or(0)).saturating_mul(1024);
    let limit = |file: &str| -> Option<usize> { read(file)?.trim().parse().ok() };
    // Control groups, version 2 and 1: inside a container, the root group is the container's own.
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    limits.into_iter().filter_map(limit).chain([free]).min()
}
#[cfg(not(target_os = "linux"))]
fn available() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_large_requests_are_errors_with_the_name_of_the_contents() {
        let said = |error: Error| error.to_string();
        let mut numbers = vec![1_u64, 2];
        let error = room(&mut numbers, usize::MAX / 16, "numbers").unwrap_err();
        assert!(said(error).starts_with("out of memory: numbers need "));
        assert_eq!(numbers, [1, 2]);
        assert!(matches!(vec_of::<u64>(usize::MAX, "numbers"), Err(Error::OutOfMemory(_))));
        assert!(said(check(1 << 62, "a picture").unwrap_err()).contains("a picture"));
        assert!(check(1 << 20, "a picture").is_ok() && room(&mut numbers, 5, "numbers").is_ok());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn available_memory_is_reported() {
        assert!(available().is_some_and(|bytes| bytes > 1 << 24));
    }
}
