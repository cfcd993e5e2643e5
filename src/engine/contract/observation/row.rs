//! Writing an observation field by field, as bytes or packed.

/// Writes the fields of an observation one after the other: as bytes, or with `PACKED` in the layout of
/// [`PackedLayout`](crate::PackedLayout).
///
/// Each call except [`bytes`](Self::bytes) writes a whole field, or a part of a field that fills whole bytes when
/// packed.
///
/// ```
/// use ludovec_engine::Row;
///
/// fn write<const PACKED: bool>(row: &mut [u8]) {
///     let mut row = Row::<PACKED>::new(row);
///     row.flags(8, [0b101]);
///     row.numbers::<8>(&[7]);
///     row.finish();
/// }
/// let (mut plain, mut packed) = ([9; 9], [9; 8]);
/// write::<false>(&mut plain);
/// write::<true>(&mut packed);
/// assert_eq!(plain, [1, 0, 1, 0, 0, 0, 0, 0, 7]);
/// assert_eq!(packed, [0b101, 7, 0, 0, 0, 0, 0, 0]);
/// ```
#[derive(Debug)]
pub struct Row<'a, const PACKED: bool> {
    rest: &'a mut [u8],
}

impl<'a, const PACKED: bool> Row<'a, PACKED> {
    /// An empty row.
    #[inline(always)]
    pub fn new(row: &'a mut [u8]) -> Self {
        Self { rest: row }
    }

    /// The next `n` bytes of the row. An 8-bit element takes one byte in both kinds of rows.
    #[inline(always)]
    pub fn bytes(&mut self, n: usize) -> &'a mut [u8] {
        let (bytes, rest) = std::mem::take(&mut self.rest).split_at_mut(n);
        self.rest = rest;
        bytes
    }

    /// Numbers of at most `BITS` bits.
    #[inline(always)]
    pub fn numbers<const BITS: usize>(&mut self, values: &[u8]) {
        if !PACKED || BITS == 8 {
            return self.bytes(values.len()).copy_from_slice(values);
        }
        let out = self.bytes((values.len() * BITS).div_ceil(8));
        let (groups, last) = values.as_chunks::<8>();
        let (whole, rest) = out.split_at_mut(groups.len() * BITS);
        for (out, group) in whole.chunks_exact_mut(BITS).zip(groups) {
            out.copy_from_slice(&squeeze::<BITS>(u64::from_le_bytes(*group)).to_le_bytes()[..BITS]);
        }
        if !last.is_empty() {
            let mut group = [0; 8];
            group[..last.len()].copy_from_slice(last);
            let squeezed = squeeze::<BITS>(u64::from_le_bytes(group)).to_le_bytes();
            rest.copy_from_slice(&squeezed[..rest.len()]);
        }
    }

    /// Elements 0 or 1, in runs of `width` (at most 64): the lowest bits of each of `sets`. All other bits must be 0.
    #[inline(always)]
    pub fn flags(&mut self, width: usize, sets: impl IntoIterator<Item = u64>) {
        if !PACKED {
            for set in sets {
                for (i, out) in self.bytes(width).iter_mut().enumerate() {
                    *out = (set >> i & 1) as u8;
                }
            }
            return;
        }
        // The lowest `filled` bits of `word` are not yet written.
        let (mut word, mut filled) = (0, 0);
        for set in sets {
            word |= set << filled;
            filled += width;
            if filled >= 64 {
                self.bytes(8).copy_from_slice(&word.to_le_bytes());
                filled -= 64;
                word = set.checked_shr((width - filled) as u32).unwrap_or(0);
            }
        }
        let bytes = filled.div_ceil(8);
        self.bytes(bytes).copy_from_slice(&word.to_le_bytes()[..bytes]);
    }

    /// `n` elements, at most one of which is 1 (one-hot).
    #[inline(always)]
    pub fn one_hot(&mut self, n: usize, at: Option<usize>) {
        if PACKED {
            return self.flags(n, [at.map_or(0, |at| 1 << at)]);
        }
        let elements = self.bytes(n);
        elements.fill(0);
        if let Some(at) = at {
            elements[at] = 1;
        }
    }

    /// Ends the row: packed rows are padded with zeros.
    #[inline(always)]
    pub fn finish(self) {
        debug_assert!(self.rest.len() < if PACKED { 8 } else { 1 });
        if PACKED {
            self.rest.fill(0);
        }
    }
}

/// Bit gathering: concatenates the lowest `BITS` bits of each of eight bytes.
#[inline(always)]
fn squeeze<const BITS: usize>(bytes: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    {
        let wanted = 0x0101_0101_0101_0101 * (u64::MAX >> (64 - BITS));
        // Safety: the build enables bmi2, so every machine that runs it has the instruction.
        #[allow(unused_unsafe, reason = "safe since the intrinsic became safe under its target feature")]
        unsafe {
            core::arch::x86_64::_pext_u64(bytes, wanted)
        }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    squeeze_portable::<BITS>(bytes)
}

/// [`squeeze`] without `pext`.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
fn squeeze_portable<const BITS: usize>(bytes: u64) -> u64 {
    // In lanes of 16, then 32, then 64 bits, the upper half of each lane moves down next to the bits of its lower
    // half.
    let join = |x: u64, lane: usize, bits: usize| {
        let low = (u64::MAX >> (64 - bits)) * (u64::MAX / (u64::MAX >> (64 - lane)));
        x & low | x >> (lane / 2 - bits) & low << bits
    };
    join(join(join(bytes, 16, BITS), 32, 2 * BITS), 64, 4 * BITS)
}

/// Bit spreading: expands the bits of a byte into eight bytes, 0 or 1, the lowest first.
///
/// ```
/// assert_eq!(ludovec_engine::spread(0b11), 0x0101);
/// ```
#[inline(always)]
#[must_use]
pub fn spread(byte: u8) -> u64 {
    static SPREAD: [u64; 256] = {
        let mut table = [0; 256];
        let mut i = 0;
        while i < 256 * 8 {
            let (byte, bit) = (i / 8, i % 8);
            table[byte] |= ((byte >> bit & 1) as u64) << (8 * bit);
            i += 1;
        }
        table
    };
    SPREAD[usize::from(byte)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check<const BITS: usize>(bytes: u64) {
        let bytes = bytes & (0x0101_0101_0101_0101 * (u64::MAX >> (64 - BITS)));
        let packed = bytes.to_le_bytes().iter().rev().fold(0, |all, &byte| all << BITS | u64::from(byte));
        assert_eq!((squeeze::<BITS>(bytes), squeeze_portable::<BITS>(bytes)), (packed, packed));
    }

    proptest! {
        #[test]
        fn bytes_are_squeezed_the_same_on_every_processor(bytes: u64) {
            check::<1>(bytes);
            check::<2>(bytes);
            check::<3>(bytes);
            check::<4>(bytes);
            check::<5>(bytes);
            check::<6>(bytes);
            check::<7>(bytes);
        }
    }

    #[test]
    fn a_byte_is_spread_bit_by_bit() {
        for byte in 0..=u8::MAX {
            let bits = spread(byte).to_le_bytes();
            assert!(bits.into_iter().enumerate().all(|(i, bit)| bit == byte >> i & 1));
        }
    }
}
