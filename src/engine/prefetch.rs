//! Fetching memory into the processor's caches before it is used.

/// Prefetches `count` elements from `start` on, all cache lines at once: they have left the caches and are read or
/// written soon.
#[inline]
pub(super) fn prefetch<T>(start: *const T, count: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..(count * size_of::<T>()).div_ceil(64) {
        use core::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        // Safety: only a hint, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(start.cast::<i8>().wrapping_add(line * 64)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (start, count);
}
