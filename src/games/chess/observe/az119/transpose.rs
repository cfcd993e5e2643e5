//! Transposes the packed boards of [`Boards`](super::Boards), a word per square, into bit planes, a word per bit.

/// Bit `s` of word `b` is bit `b` of square `s`.
#[inline]
pub(super) fn transpose(squares: &[u32; 64]) -> [u64; 32] {
    #[cfg(target_arch = "x86_64")]
    if ludovec_engine::CpuLevel::Avx2.is_available() {
        // Safety: the processor has the features that the function is compiled for.
        return unsafe { x86::transpose(squares) };
    }
    transpose_blocks(squares)
}

/// [`transpose`] in blocks of eight squares and eight bits, without vector instructions.
fn transpose_blocks(squares: &[u32; 64]) -> [u64; 32] {
    let mut planes = [0; 32];
    for (rank, squares) in squares.as_chunks::<8>().0.iter().enumerate() {
        for (byte, planes) in planes.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let block = u64::from_le_bytes(squares.map(|square| (square >> (8 * byte)) as u8));
            for (plane, bits) in planes.iter_mut().zip(transpose_block(block).to_le_bytes()) {
                *plane |= u64::from(bits) << (8 * rank);
            }
        }
    }
    planes
}

/// Bit `i` of byte `j` becomes bit `j` of byte `i`: blocks of one, two and four bits change places across the diagonal.
fn transpose_block(mut block: u64) -> u64 {
    for (distance, upper) in
        [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)]
    {
        let differ = (block ^ block >> distance) & upper;
        block ^= differ ^ differ << distance;
    }
    block
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::*;

    /// [`transpose`](super::transpose) with AVX2: sorts the bytes of the squares by their place in the word, then
    /// takes the highest bits of 32 bytes at once.
    #[target_feature(enable = "avx2")]
    pub(super) fn transpose(squares: &[u32; 64]) -> [u64; 32] {
        let by_place =
            _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
        let halves = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
        // For each half of the board: four vectors; vector `i` has byte `i` of the half's 32 squares.
        let half = |squares: &[u32]| {
            // The four words of 64 bits of a vector have the bytes 0, 1, 2 and 3 of the eight squares of a rank.
            let rank = |rank: usize| {
                // Safety: a rank has eight squares of 32 bits.
                let squares = unsafe { _mm256_loadu_si256(squares[8 * rank..8 * rank + 8].as_ptr().cast()) };
                _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(squares, by_place), halves)
            };
            let (a, b, c, d) = (rank(0), rank(1), rank(2), rank(3));
            let (ab0, ab1) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
            let (cd0, cd1) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
            [
                _mm256_permute2x128_si256::<0x20>(ab0, cd0),
                _mm256_permute2x128_si256::<0x20>(ab1, cd1),
                _mm256_permute2x128_si256::<0x31>(ab0, cd0),
                _mm256_permute2x128_si256::<0x31>(ab1, cd1),
            ]
        };
        let (low, high) = (half(&squares[..32]), half(&squares[32..]));
        let mut planes = [0; 32];
        for (planes, (mut low, mut high)) in
            planes.as_chunks_mut::<8>().0.iter_mut().zip(low.into_iter().zip(high))
        {
            for plane in planes.iter_mut().rev() {
                let bits = |bytes| u64::from(_mm256_movemask_epi8(bytes) as u32);
                *plane = bits(low) | bits(high) << 32;
                (low, high) = (_mm256_add_epi8(low, low), _mm256_add_epi8(high, high));
            }
        }
        planes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn planes_hold_the_bits_of_the_squares(squares in prop::collection::vec(any::<u32>(), 64)) {
            let squares: [u32; 64] = squares.try_into().unwrap();
            let planes = transpose(&squares);
            for (bit, plane) in planes.into_iter().enumerate() {
                for (square, word) in squares.into_iter().enumerate() {
                    prop_assert_eq!(plane >> square & 1, u64::from(word >> bit & 1));
                }
            }
            prop_assert_eq!(planes, transpose_blocks(&squares));
        }
    }
}
