//! The bits of the observation as bytes, 64 at a time.
//!
//! A run of 64 bytes starts anywhere in a cell's 119 channels, so everything that is the same in all cells is read
//! at a sliding position.

use super::{CHANNELS, LEN, PLIES, PROGRESS, WORDS};

/// By channel, for as many as a run can see: which value stands there where the bit is set.
static VALUE_OF: [u8; CHANNELS + 64] = {
    let mut table = [0; CHANNELS + 64];
    let mut i = 0;
    while i < table.len() {
        table[i] = match i % CHANNELS {
            PLIES => 1,
            PROGRESS => 2,
            _ => 0,
        };
        i += 1;
    }
    table
};

/// The channels of one cell, repeated without end, 64 bits at a time.
struct Everywhere {
    low: u64,
    high: u64,
}

impl Everywhere {
    fn new(channels: u128) -> Self {
        Self { low: channels as u64, high: (channels >> 64) as u64 }
    }

    #[inline(always)]
    fn next_word(&mut self) -> u64 {
        let word = self.low;
        (self.low, self.high) = (self.high | word << (CHANNELS - 64), word >> (128 - CHANNELS));
        word
    }
}

/// Writes, for every bit that is set in `bits` or in `everywhere` (the channels of one cell), the value of its
/// channel: the first for all but the numbers, which have the others. `PAST_CACHES` writes straight to memory,
/// where the processor can; whoever asks for it fences the stores.
#[inline]
pub(super) fn expand<const PAST_CACHES: bool>(
    bits: &[u64; WORDS],
    everywhere: u128,
    values: [u8; 3],
    out: &mut [u8; LEN],
) {
    let everywhere = Everywhere::new(everywhere);
    #[cfg(target_arch = "x86_64")]
    {
        use x86::{expand_avx2, expand_avx512};
        // Stores past the caches need aligned memory.
        let past_caches = PAST_CACHES && out.as_ptr().addr().is_multiple_of(64);
        if std::arch::is_x86_feature_detected!("avx512bw") {
            // Safety: the processor has what the functions are compiled for.
            return unsafe {
                if past_caches {
                    expand_avx512::<true>(bits, everywhere, values, out)
                } else {
                    expand_avx512::<false>(bits, everywhere, values, out)
                }
            };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // Safety: the processor has what the functions are compiled for.
            return unsafe {
                if past_caches {
                    expand_avx2::<true>(bits, everywhere, values, out)
                } else {
                    expand_avx2::<false>(bits, everywhere, values, out)
                }
            };
        }
    }
    expand_bytes(bits, everywhere, values, out);
}

fn expand_bytes(bits: &[u64; WORDS], mut everywhere: Everywhere, values: [u8; 3], out: &mut [u8; LEN]) {
    for (i, (bytes, word)) in out.chunks_exact_mut(64).zip(bits).enumerate() {
        let word = word | everywhere.next_word();
        let values_of = &VALUE_OF[i * 64 % CHANNELS..];
        for (bit, (byte, &value)) in bytes.iter_mut().zip(values_of).enumerate() {
            *byte = (word >> bit & 1) as u8 * values[usize::from(value)];
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::*;

    use super::{CHANNELS, Everywhere, LEN, VALUE_OF, WORDS};

    /// The values as the low bytes of a word, for a byte shuffle to pick from.
    fn table([first, plies, progress]: [u8; 3]) -> i64 {
        i64::from_le_bytes([first, plies, progress, 0, 0, 0, 0, 0])
    }

    /// The channel `bytes` after one.
    #[inline]
    fn next_run(channel: usize, bytes: usize) -> usize {
        let next = channel + bytes;
        if next < CHANNELS { next } else { next - CHANNELS }
    }

    /// With `PAST_CACHES`, `out` is aligned to 64 bytes.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn expand_avx512<const PAST_CACHES: bool>(
        bits: &[u64; WORDS],
        mut everywhere: Everywhere,
        values: [u8; 3],
        out: &mut [u8; LEN],
    ) {
        let table = _mm512_set1_epi64(table(values));
        let mut channel = 0;
        for (i, &word) in bits.iter().enumerate() {
            // Safety: 64 bytes from every channel on are in the table, and `WORDS * 64` are written.
            unsafe {
                let values_of = _mm512_loadu_si512(VALUE_OF.as_ptr().add(channel).cast());
                let shown = _mm512_maskz_shuffle_epi8(word | everywhere.next_word(), table, values_of);
                let to = out.as_mut_ptr().add(i * 64).cast();
                if PAST_CACHES { _mm512_stream_si512(to, shown) } else { _mm512_storeu_si512(to, shown) }
            }
            channel = next_run(channel, 64);
        }
    }

    /// With `PAST_CACHES`, `out` is aligned to 32 bytes.
    #[target_feature(enable = "avx2")]
    pub(super) fn expand_avx2<const PAST_CACHES: bool>(
        bits: &[u64; WORDS],
        mut everywhere: Everywhere,
        values: [u8; 3],
        out: &mut [u8; LEN],
    ) {
        let table = _mm256_set1_epi64x(table(values));
        // Every bit of 32 in a byte of its own: the byte it is in, the bit alone.
        let byte_of =
            _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
        let bit_of = _mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
        let mut channel = 0;
        for i in 0..WORDS {
            let word = bits[i] | everywhere.next_word();
            for (half, bits) in [word as i32, (word >> 32) as i32].into_iter().enumerate() {
                let spread = _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32(bits), byte_of), bit_of);
                let set = _mm256_cmpeq_epi8(spread, bit_of);
                // Safety: 64 bytes from every channel on are in the table, and `WORDS * 64` are written.
                unsafe {
                    let values_of = _mm256_loadu_si256(VALUE_OF.as_ptr().add(channel).cast());
                    let shown = _mm256_and_si256(_mm256_shuffle_epi8(table, values_of), set);
                    let to = out.as_mut_ptr().add(i * 64 + half * 32).cast();
                    if PAST_CACHES { _mm256_stream_si256(to, shown) } else { _mm256_storeu_si256(to, shown) }
                }
                channel = next_run(channel, 32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::columns::Column;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_way_to_expand_writes_the_same(
            bits in prop::collection::vec(any::<u64>(), WORDS),
            everywhere in 0..1u128 << CHANNELS,
            values: [u8; 3],
        ) {
            let bits: &[u64; WORDS] = bits.first_chunk().unwrap();
            let (mut slow, mut fast) = ([9; LEN], [8; LEN]);
            expand_bytes(bits, Everywhere::new(everywhere), values, &mut slow);
            for (i, &byte) in slow.iter().enumerate() {
                let channel = i % CHANNELS;
                let set = (bits[i / 64] >> (i % 64) | (everywhere >> channel) as u64) & 1;
                let value = values[match channel { PLIES => 1, PROGRESS => 2, _ => 0 }];
                prop_assert_eq!(byte, set as u8 * value);
            }
            expand::<false>(bits, everywhere, values, &mut fast);
            prop_assert_eq!(&slow[..], &fast[..]);
            let mut aligned = Column::<u8>::zeroed(LEN);
            expand::<true>(bits, everywhere, values, aligned.first_chunk_mut().unwrap());
            prop_assert_eq!(&slow[..], &aligned[..]);
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                fast.fill(7);
                // Safety: the processor has what the function is compiled for.
                unsafe { x86::expand_avx2::<false>(bits, Everywhere::new(everywhere), values, &mut fast) };
                prop_assert_eq!(&slow[..], &fast[..]);
            }
        }
    }
}
