//! Columns: one byte per region, stored side by side so that one comparison tests many regions at once (SIMD).
//!
//! On x86-64 the comparison uses SSE2, 16 regions at a time. Elsewhere it uses ordinary 64-bit arithmetic on 8
//! bytes packed in a word (SWAR, SIMD within a register). Both convert a yes or no for each byte to a bit set of
//! regions.

use super::map::{MAX_REGIONS, RegionSet};

/// One byte per region.
pub(crate) type RegionBytes = [u8; MAX_REGIONS];

/// The regions with a byte of at most `limit`; all bytes are below 128.
#[inline]
pub(crate) fn at_most(column: &RegionBytes, limit: u8) -> RegionSet {
    debug_assert!(limit < 128 && column.iter().all(|&b| b < 128));
    words::at_most(column, limit)
}

/// The regions with a byte that has one of `bits`; all bytes are below 128.
#[inline]
pub(crate) fn with_any(column: &RegionBytes, bits: u8) -> RegionSet {
    debug_assert!(bits < 128 && column.iter().all(|&b| b < 128));
    words::with_any(column, bits)
}

/// Sixteen regions at a time with SSE2: a comparison fills each byte with ones or zeros, and `movemask`
/// collects the highest bit of each byte into an integer.
#[cfg(target_arch = "x86_64")]
mod words {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_set1_epi8,
        _mm_setzero_si128,
    };

    use super::{RegionBytes, RegionSet};

    #[inline]
    pub fn at_most(column: &RegionBytes, limit: u8) -> RegionSet {
        // Safety: every x86-64 processor has SSE2.
        unsafe {
            let limit = _mm_set1_epi8(limit as i8);
            gather(column, |bytes| _mm_cmpeq_epi8(_mm_min_epu8(bytes, limit), bytes))
        }
    }

    #[inline]
    pub fn with_any(column: &RegionBytes, bits: u8) -> RegionSet {
        // Safety: every x86-64 processor has SSE2.
        unsafe {
            let bits = _mm_set1_epi8(bits as i8);
            !gather(column, |bytes| _mm_cmpeq_epi8(_mm_and_si128(bytes, bits), _mm_setzero_si128()))
        }
    }

    /// The regions with the highest bit of their byte set after `f`.
    #[inline]
    fn gather(column: &RegionBytes, f: impl Fn(__m128i) -> __m128i) -> RegionSet {
        let mut set = 0;
        for (i, bytes) in column.as_chunks::<16>().0.iter().enumerate() {
            // Safety: every x86-64 processor has SSE2.
            let high = unsafe { _mm_movemask_epi8(f(bytemuck::cast(*bytes))) };
            set |= (high as u64) << (16 * i);
        }
        RegionSet(set)
    }
}

/// Eight regions at a time, packed into a 64-bit word, for machines without SSE2.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod swar {
    use super::{RegionBytes, RegionSet};

    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = ONES << 7;

    #[inline]
    pub fn at_most(column: &RegionBytes, limit: u8) -> RegionSet {
        let limit = (u64::from(limit) * ONES) | HIGH;
        // One subtraction compares all eight bytes: the highest bit of a byte of the difference stays set if the
        // byte is at most `limit`. It is set beforehand, so no byte borrows from the next.
        gather(column, |bytes| limit - bytes)
    }

    #[inline]
    pub fn with_any(column: &RegionBytes, bits: u8) -> RegionSet {
        let bits = u64::from(bits) * ONES;
        // Adding 127 to a byte below 128 carries into its highest bit unless the byte is 0.
        gather(column, |bytes| (bytes & bits) + (HIGH - ONES))
    }

    /// The regions with the high bit of their byte set after `f`.
    #[inline]
    fn gather(column: &RegionBytes, f: impl Fn(u64) -> u64) -> RegionSet {
        let mut set = 0;
        for (i, bytes) in column.as_chunks::<8>().0.iter().enumerate() {
            let high = f(u64::from_le_bytes(*bytes)) >> 7 & ONES;
            // Bit 8i is the yes or no for byte i. The multiplication adds up shifted copies, so that bit 8i ends up
            // as bit 56 + i; the shift moves these eight bits down.
            set |= (high.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
        }
        RegionSet(set)
    }
}
#[cfg(not(target_arch = "x86_64"))]
use swar as words;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::map::RegionId;
    use super::*;

    proptest! {
        #[test]
        fn queries_agree_with_a_loop_over_the_regions(
            bytes in prop::collection::vec(0u8..128, MAX_REGIONS),
            limit in 0u8..128,
        ) {
            let column: RegionBytes = bytes.try_into().unwrap();
            let (low, any) = (at_most(&column, limit), with_any(&column, limit));
            for (i, &b) in column.iter().enumerate() {
                let region = RegionId(i as u8);
                prop_assert_eq!(low.contains(region), b <= limit);
                prop_assert_eq!(any.contains(region), b & limit != 0);
            }
            prop_assert!((low | any).is_subset(RegionSet::ALL));
            prop_assert_eq!((swar::at_most(&column, limit), swar::with_any(&column, limit)), (low, any));
        }
    }
}
