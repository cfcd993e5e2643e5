//! Columns: one byte a region, questioned eight regions at a time.

use super::map::{MAX_REGIONS, RegionSet};

/// One byte a region.
pub(super) type Column = [u8; MAX_REGIONS];

/// The bytes `0x01` of a word, and their high bits.
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = ONES << 7;

/// The regions whose byte, below 128, is at most `limit`, below 128.
#[inline]
pub(super) fn at_most(column: &Column, limit: u8) -> RegionSet {
    debug_assert!(limit < 128 && column.iter().all(|&b| b < 128));
    let limit = u64::from(limit) * ONES | HIGH;
    // No byte borrows from its neighbour: the high bit is set before the subtraction.
    gather(column, |bytes| limit - bytes)
}

/// The regions whose byte has one of `bits`, all below 128.
#[inline]
pub(super) fn with_any(column: &Column, bits: u8) -> RegionSet {
    debug_assert!(bits < 128 && column.iter().all(|&b| b < 128));
    let bits = u64::from(bits) * ONES;
    gather(column, |bytes| (bytes & bits) + (HIGH - ONES))
}

/// The regions whose byte has its high bit set after `f`.
#[inline]
fn gather(column: &Column, f: impl Fn(u64) -> u64) -> RegionSet {
    let mut set = 0;
    for (i, bytes) in column.as_chunks::<8>().0.iter().enumerate() {
        let high = f(u64::from_le_bytes(*bytes)) >> 7 & ONES;
        // The product moves bit 8i to bit 56 + i.
        set |= (high.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
    }
    RegionSet(set)
}

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
            let column: Column = bytes.try_into().unwrap();
            let (low, any) = (at_most(&column, limit), with_any(&column, limit));
            for (i, &b) in column.iter().enumerate() {
                let region = RegionId(i as u8);
                prop_assert_eq!(low.contains(region), b <= limit);
                prop_assert_eq!(any.contains(region), b & limit != 0);
            }
            prop_assert!((low | any).is_subset(RegionSet::ALL));
        }
    }
}
