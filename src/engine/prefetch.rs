//! Software prefetching: loads memory into the processor's caches before use.

/// Prefetches `count` elements from `start` on, all cache lines at once, before they are read or written.
#[inline]
pub(super) fn prefetch<T>(start: *const T, count: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..(count * size_of::<T>()).div_ceil(64) {
        use core::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        // Safety: a prefetch is a hint and valid for any address.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(start.cast::<i8>().wrapping_add(line * 64)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (start, count);
}
