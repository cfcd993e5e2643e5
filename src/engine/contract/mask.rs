//! Action masks as bit rows: action `a` is bit `a % 64` of word `a / 64`; bits past the last action are 0.

use bitvec::order::Lsb0;
use bitvec::view::BitView;
use bytemuck::cast_slice;

use crate::contract::chance::Chance;
use crate::contract::spec::ActionId;
#[cfg(target_arch = "x86_64")]
use crate::contract::support::cpu::CpuLevel;
use crate::multiversion;

/// Number of `u64` words in a row of `actions` bits.
///
/// ```
/// assert_eq!(ludovec_engine::mask::words(65), 2);
/// ```
#[must_use]
pub const fn words(actions: usize) -> usize {
    actions.div_ceil(64)
}

/// Whether `action` is set; false for an index past the row.
///
/// ```
/// use ludovec_engine::mask;
/// assert!(mask::contains(&[0b100], 2) && !mask::contains(&[0b100], 64));
/// ```
#[inline]
#[must_use]
pub fn contains(mask: &[u64], action: ActionId) -> bool {
    mask.get(action as usize / 64).is_some_and(|w| w >> (action % 64) & 1 == 1)
}

/// Sets `action`.
///
/// ```
/// use ludovec_engine::mask;
/// let mut row = [0; 2];
/// mask::set(&mut row, 70);
/// assert_eq!(row, [0, 1 << 6]);
/// ```
#[inline]
pub fn set(mask: &mut [u64], action: ActionId) {
    mask[action as usize / 64] |= 1 << (action % 64);
}

/// Clears `action`.
///
/// ```
/// use ludovec_engine::mask;
/// let mut row = [0b11];
/// mask::clear(&mut row, 0);
/// assert_eq!(row, [0b10]);
/// ```
#[inline]
pub fn clear(mask: &mut [u64], action: ActionId) {
    mask[action as usize / 64] &= !(1 << (action % 64));
}

/// ORs the 64 bits of `bits` into the row at bit `offset`; bits past the row must be 0.
///
/// ```
/// use ludovec_engine::mask;
/// let mut row = [0; 2];
/// mask::or_at(&mut row, 62, 0b1111);
/// assert_eq!(mask::iter(&row).collect::<Vec<_>>(), [62, 63, 64, 65]);
/// ```
#[inline]
pub fn or_at(mask: &mut [u64], offset: usize, bits: u64) {
    let (word, shift) = (offset / 64, offset % 64);
    mask[word] |= bits << shift;
    if shift > 0 {
        let high = bits >> (64 - shift);
        if high != 0 {
            mask[word + 1] |= high;
        }
    }
}

/// Number of set actions.
///
/// ```
/// assert_eq!(ludovec_engine::mask::count(&[0b1011, 1]), 4);
/// ```
#[inline]
#[must_use]
pub fn count(mask: &[u64]) -> u32 {
    mask.iter().map(|w| w.count_ones()).sum()
}

/// Number of set actions before `end`.
///
/// ```
/// assert_eq!(ludovec_engine::mask::count_below(&[0b1011], 3), 2);
/// ```
#[inline]
#[must_use]
pub fn count_below(mask: &[u64], end: u32) -> u32 {
    let (word, bit) = (end as usize / 64, end % 64);
    let part = if bit > 0 { (mask[word] & ((1 << bit) - 1)).count_ones() } else { 0 };
    count(&mask[..word]) + part
}

/// The `index`-th set action, counted from 0, or `None` if fewer are set.
///
/// ```
/// use ludovec_engine::mask;
/// assert_eq!((mask::select(&[0b1010], 1), mask::select(&[0b1010], 2)), (Some(3), None));
/// ```
#[inline]
#[must_use]
pub fn select(mask: &[u64], mut index: u32) -> Option<u32> {
    for (i, &word) in mask.iter().enumerate() {
        let ones = word.count_ones();
        if index < ones {
            return Some(i as u32 * 64 + select_in_word(word, index));
        }
        index -= ones;
    }
    None
}

/// One of the set actions, uniformly chosen by the 64 random bits of `draw`; `None` if no action is set.
///
/// ```
/// use ludovec_engine::mask;
/// assert_eq!(mask::sample(&[0b1000], 123), Some(3));
/// assert_eq!(mask::sample(&[0], 123), None);
/// ```
#[inline]
pub fn sample(mask: &[u64], draw: u64) -> Option<ActionId> {
    // For shorter rows, checking the processor's level takes longer than sampling.
    #[cfg(target_arch = "x86_64")]
    if mask.len() >= 64 && CpuLevel::Avx512Vbmi2.is_available() {
        // Safety: the processor was just checked.
        return unsafe {
            match mask.split_first_chunk() {
                Some((first, rest)) if rest.len() <= 8 => sample_in_blocks(first, rest, draw),
                _ => sample_avx512(mask, draw),
            }
        };
    }
    #[cfg(target_arch = "x86_64")]
    if mask.len() >= 64 && CpuLevel::Avx2.is_available() {
        // Safety: as above.
        return unsafe { sample_avx2(mask, draw) };
    }
    multiversion!(sample_in_runs(mask, draw, count))
}

/// [`sample_in_runs`] with AVX2: `pshufb` counts the bits of 32 bytes with two table look-ups, one per nibble.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn sample_avx2(mask: &[u64], draw: u64) -> Option<u32> {
    use core::arch::x86_64::*;
    let ones = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    let half = _mm256_set1_epi8(15);
    sample_in_runs(mask, draw, |words| {
        let (vectors, rest) = words.as_chunks::<4>();
        let mut sum = _mm256_setzero_si256();
        // A byte counter grows by at most 8 per vector, so it fits into a byte for 31 vectors.
        for vectors in vectors.chunks(31) {
            let mut bytes = _mm256_setzero_si256();
            for vector in vectors {
                // Safety: a vector has four words.
                let vector = unsafe { _mm256_loadu_si256(vector.as_ptr().cast()) };
                let low = _mm256_shuffle_epi8(ones, _mm256_and_si256(vector, half));
                let high = _mm256_shuffle_epi8(ones, _mm256_and_si256(_mm256_srli_epi16::<4>(vector), half));
                bytes = _mm256_add_epi8(bytes, _mm256_add_epi8(low, high));
            }
            sum = _mm256_add_epi64(sum, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
        }
        let sum: [u64; 4] = bytemuck::cast(sum);
        sum.iter().sum::<u64>() as u32 + count(rest)
    })
}

/// [`sample_in_runs`] with AVX-512 VPOPCNTDQ: counts the bits of eight words at once.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512bw,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
fn sample_avx512(mask: &[u64], draw: u64) -> Option<u32> {
    use core::arch::x86_64::*;
    sample_in_runs(mask, draw, |words| {
        let (vectors, rest) = words.as_chunks::<8>();
        let mut sum = _mm512_setzero_si512();
        for vector in vectors {
            // Safety: a vector has eight words.
            let vector = unsafe { _mm512_loadu_si512(vector.as_ptr().cast()) };
            sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(vector));
        }
        _mm512_reduce_add_epi64(sum) as u32 + count(rest)
    })
}

/// Branch-free [`sample`] in a row of slightly more than 64 words: no branch depends on the contents of the 64 words,
/// because the drawn action is random and such branches would be mispredicted.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512bw,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
fn sample_in_blocks(first: &[u64; 64], rest: &[u64], draw: u64) -> Option<u32> {
    use core::arch::x86_64::*;
    let (blocks, _) = first.as_chunks::<8>();
    // Byte `b` of word `w` holds the number of actions in word `w` of block `b`.
    let mut counts = _mm512_setzero_si512();
    for block in blocks.iter().rev() {
        // Safety: a block has eight words.
        let ones = _mm512_popcnt_epi64(unsafe { _mm512_loadu_si512(block.as_ptr().cast()) });
        counts = _mm512_or_si512(_mm512_slli_epi64::<8>(counts), ones);
    }
    let fields = _mm512_set1_epi64(0x00ff_00ff_00ff_00ff);
    let sum = |counts| _mm512_reduce_add_epi64(_mm512_and_si512(counts, fields)) as u64;
    let (even, odd) = (sum(counts), sum(_mm512_srli_epi64::<8>(counts)));
    let in_blocks = (even + odd).wrapping_mul(FIELDS) >> 48;
    let total = in_blocks + u64::from(count(rest));
    let index = ((u128::from(draw) * u128::from(total)) >> 64) as u64;
    if index >= in_blocks {
        return select(rest, (index - in_blocks) as u32).map(|action| action + 64 * 64);
    }
    let (pair, index) = find_in_fields(even + odd, index);
    let before = even >> (16 * pair) & 0xffff;
    let odd = u64::from(index >= before);
    let (block, index) = (2 * pair + odd as usize, index - before * odd);
    // Store-to-load forwarding: the block is read in place, because loads from a fresh copy would wait for the
    // stores that made the copy.
    let words = &blocks[block % 8];
    let fields =
        |words: &[u64]| words.iter().rev().fold(0, |all, word| all << 16 | u64::from(word.count_ones()));
    let (low, high) = (fields(&words[..4]), fields(&words[4..]));
    let before = low.wrapping_mul(FIELDS) >> 48;
    let upper = u64::from(index >= before);
    let (word, index) = find_in_fields(if upper == 1 { high } else { low }, index - before * upper);
    let word = upper as usize * 4 + word;
    Some((block * 8 + word) as u32 * 64 + select_in_word(words[word % 8], index as u32))
}

/// A 1 in each of four fields of 16 bits. Multiplying four counts by this number gives their prefix sums, field by
/// field.
#[cfg(target_arch = "x86_64")]
const FIELDS: u64 = 0x0001_0001_0001_0001;

/// The first field with a prefix sum greater than `index`, and the index within that field.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn find_in_fields(counts: u64, index: u64) -> (usize, u64) {
    const HIGH: u64 = FIELDS << 15;
    let up_to = counts.wrapping_mul(FIELDS);
    // The high bit stays set in every field with a sum of at most `index`.
    let field = ((((index * FIELDS) | HIGH) - up_to) & HIGH).count_ones() as usize;
    (field, index - ((up_to << 16) >> (16 * field) & 0xffff))
}

/// Two passes: the first counts the actions of each run of words; the second searches only the run with the drawn
/// action.
#[inline(always)]
fn sample_in_runs(mask: &[u64], draw: u64, count: impl Fn(&[u64]) -> u32) -> Option<u32> {
    const RUNS: usize = 64;
    let run = mask.len().div_ceil(RUNS).max(32);
    let mut counts = [0; RUNS];
    let mut total = 0;
    for (sum, words) in counts.iter_mut().zip(mask.chunks(run)) {
        *sum = count(words);
        total += *sum;
    }
    let mut index = ((u128::from(draw) * u128::from(total)) >> 64) as u32;
    for (i, (&sum, words)) in counts.iter().zip(mask.chunks(run)).enumerate() {
        if index < sum {
            return select(words, index).map(|action| action + (i * run * 64) as u32);
        }
        index -= sum;
    }
    None
}

/// Position of the `index`-th set bit of a word with more than `index` set bits.
#[inline]
fn select_in_word(word: u64, index: u32) -> u32 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    {
        // Safety: the build enables bmi2, so every machine that runs it has the instruction.
        #[allow(unused_unsafe, reason = "safe since the intrinsic became safe under its target feature")]
        let deposited = unsafe { core::arch::x86_64::_pdep_u64(1 << index, word) };
        deposited.trailing_zeros()
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    select_in_word_portable(word, index)
}

/// [`select_in_word`] without `pdep`: clears the lowest set bit `index` times.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
fn select_in_word_portable(mut word: u64, index: u32) -> u32 {
    for _ in 0..index {
        word &= word - 1;
    }
    word.trailing_zeros()
}

/// Uniform random choice of a set action; at least one must be set.
pub(crate) fn at_random<C: Chance + ?Sized>(mask: &[u64], chance: &mut C) -> u32 {
    let index = chance.uniform(count(mask));
    select(mask, index).expect("the index is below the count")
}

/// The set actions in increasing order.
///
/// ```
/// assert_eq!(ludovec_engine::mask::iter(&[0b101, 1]).collect::<Vec<_>>(), [0, 2, 64]);
/// ```
pub fn iter(mask: &[u64]) -> impl Iterator<Item = ActionId> + '_ {
    cast_slice::<u64, usize>(mask).view_bits::<Lsb0>().iter_ones().map(|i| i as u32)
}

/// Appends the set actions to `actions`, in increasing order.
pub(crate) fn append(mask: &[u64], actions: &mut Vec<u32>) {
    // For shorter rows, checking the processor's level costs more than it saves.
    if mask.len() < 64 {
        return append_words(mask, 0..mask.len() as u16, count(mask), 0, actions);
    }
    for (i, block) in mask.chunks(BLOCK).enumerate() {
        let first = (i * BLOCK * 64) as u32;
        #[cfg(target_arch = "x86_64")]
        if CpuLevel::Avx512Vbmi2.is_available() {
            // Safety: the processor was just checked.
            unsafe { append_avx512(block, first, actions) };
            continue;
        }
        multiversion!(append_block(block, first, actions));
    }
}

/// Number of words listed at once.
const BLOCK: usize = 512;

/// [`append`] for a block of words; `first` is the first action of the block. The indices of non-empty words are
/// listed first, branch-free, because a branch on empty words would be mispredicted.
#[inline(always)]
fn append_block(block: &[u64], first: u32, actions: &mut Vec<u32>) {
    let mut listed = [0; BLOCK];
    let (mut end, mut total) = (0, 0);
    for (i, word) in block.iter().enumerate() {
        // `end` stays below `BLOCK`; the remainder only avoids the bounds check.
        listed[end % BLOCK] = i as u16;
        end += usize::from(*word != 0);
        total += word.count_ones();
    }
    append_words(block, listed[..end].iter().copied(), total, first, actions);
}

/// [`append_block`] with AVX-512: one instruction tests eight words.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
fn append_avx512(block: &[u64], first: u32, actions: &mut Vec<u32>) {
    use core::arch::x86_64::*;
    let (vectors, rest) = block.as_chunks::<8>();
    let mut listed = [0; BLOCK + 8];
    let (mut end, mut ones) = (0, _mm512_setzero_si512());
    let mut numbers = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
    for vector in vectors {
        // Safety: a vector has eight words.
        let vector = unsafe { _mm512_loadu_si512(vector.as_ptr().cast()) };
        ones = _mm512_add_epi64(ones, _mm512_popcnt_epi64(vector));
        let filled = _mm512_test_epi64_mask(vector, vector);
        let numbers_of_filled: [u16; 8] = bytemuck::cast(_mm_maskz_compress_epi16(filled, numbers));
        listed[end..end + 8].copy_from_slice(&numbers_of_filled);
        end += filled.count_ones() as usize;
        numbers = _mm_add_epi16(numbers, _mm_set1_epi16(8));
    }
    for (i, word) in rest.iter().enumerate() {
        listed[end] = (vectors.len() * 8 + i) as u16;
        end += usize::from(*word != 0);
    }
    let total = _mm512_reduce_add_epi64(ones) as u32 + count(rest);
    append_words(block, listed[..end].iter().copied(), total, first, actions);
}

/// Appends the `total` actions of the words with these indices.
///
/// To avoid branch mispredictions on the number of actions in a word, actions are written four at a time; the excess
/// entries are overwritten by the actions of the next word.
#[inline(always)]
fn append_words(
    words: &[u64],
    numbers: impl Iterator<Item = u16>,
    total: u32,
    first: u32,
    actions: &mut Vec<u32>,
) {
    const AT_ONCE: usize = 4;
    let start = actions.len();
    actions.resize(start + total as usize + AT_ONCE, 0);
    let room = &mut actions[start..];
    let mut end = 0;
    for number in numbers {
        let mut word = words[usize::from(number)];
        let base = first + u32::from(number) * 64;
        let mut at = end;
        end += word.count_ones() as usize;
        while at < end {
            for action in &mut room[at..at + AT_ONCE] {
                *action = base + word.trailing_zeros();
                word &= word.wrapping_sub(1);
            }
            at += AT_ONCE;
        }
    }
    actions.truncate(start + total as usize);
}

/// Writes the row as one byte per action, 1 if set.
///
/// ```
/// let mut bytes = [9; 4];
/// ludovec_engine::mask::write_bytes(&[0b0110], &mut bytes);
/// assert_eq!(bytes, [0, 1, 1, 0]);
/// ```
#[inline]
pub fn write_bytes(mask: &[u64], bytes: &mut [u8]) {
    for (chunk, &word) in bytes.chunks_mut(64).zip(mask) {
        for (i, byte) in chunk.iter_mut().enumerate() {
            *byte = (word >> i & 1) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_bit_is_selected_the_same_on_every_processor() {
        // Fewer cases under Miri, which is thousands of times slower; likewise below.
        for seed in 1..if cfg!(miri) { 4_u64 } else { 200 } {
            let word = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed << 13;
            for index in 0..word.count_ones() {
                assert_eq!(select_in_word(word, index), select_in_word_portable(word, index));
            }
        }
    }

    const MOST_WORDS: usize = if cfg!(miri) { 40 } else { 700 };

    proptest! {
        #[test]
        fn select_count_iter_and_bytes_agree(mask in prop::collection::vec(any::<u64>(), 1..5)) {
            let listed: Vec<u32> = iter(&mask).collect();
            prop_assert_eq!(listed.len() as u32, count(&mask));
            for (index, &action) in listed.iter().enumerate() {
                prop_assert_eq!(select(&mask, index as u32), Some(action));
                prop_assert!(contains(&mask, action));
                prop_assert_eq!(count_below(&mask, action), index as u32);
                let mut less = mask.clone();
                clear(&mut less, action);
                prop_assert_eq!(count(&less) + 1, count(&mask));
            }
            prop_assert_eq!(count_below(&mask, mask.len() as u32 * 64), count(&mask));
            prop_assert_eq!(select(&mask, listed.len() as u32), None);
            let mut appended = vec![7];
            append(&mask, &mut appended);
            prop_assert_eq!((appended[0], &appended[1..]), (7, &listed[..]));
            let mut bytes = vec![9; mask.len() * 64 - 7];
            write_bytes(&mask, &mut bytes);
            for (a, &b) in bytes.iter().enumerate() {
                prop_assert_eq!(b == 1, contains(&mask, a as u32));
                prop_assert!(b < 2);
            }
        }

        #[test]
        fn sample_takes_the_action_of_its_index(mask in prop::collection::vec(any::<u64>(), 0..MOST_WORDS), draw: u64) {
            let total = u128::from(count(&mask));
            let index = ((u128::from(draw) * total) >> 64) as u32;
            prop_assert_eq!(sample(&mask, draw), select(&mask, index));
            prop_assert_eq!(sample_in_runs(&mask, draw, count), select(&mask, index));
            #[cfg(target_arch = "x86_64")]
            if CpuLevel::Avx2.is_available() {
                // Safety: the processor was just checked, here and below.
                unsafe {
                    prop_assert_eq!(sample_avx2(&mask, draw), select(&mask, index));
                    if CpuLevel::Avx512Vbmi2.is_available() {
                        prop_assert_eq!(sample_avx512(&mask, draw), select(&mask, index));
                    }
                }
            }
            prop_assert_eq!(sample(&vec![0; mask.len()], draw), None);
        }

        #[test]
        fn sample_takes_the_action_of_its_index_in_sparse_rows(
            mask in prop::collection::vec(any::<[u64; 4]>(), 60..80),
            thin in 0..4usize,
            draw: u64,
        ) {
            let mask: Vec<u64> =
                mask.iter().map(|words| words[..=thin].iter().fold(u64::MAX, |all, word| all & word)).collect();
            for mask in [&mask[..], &vec![u64::MAX; mask.len()]] {
                let index = ((u128::from(draw) * u128::from(count(mask))) >> 64) as u32;
                prop_assert_eq!(sample(mask, draw), select(mask, index));
            }
        }

        #[test]
        fn set_actions_are_appended_the_same_on_every_processor(
            mask in prop::collection::vec(any::<[u64; 4]>(), 0..MOST_WORDS),
            thin in 0..4usize,
            empty: u64,
        ) {
            // About half of the words are empty.
            let word = |(i, words): (usize, &[u64; 4])| match empty >> (i % 64) & 1 {
                1 => 0,
                _ => words[..=thin].iter().fold(u64::MAX, |all, word| all & word),
            };
            let mask: Vec<u64> = mask.iter().enumerate().map(word).collect();
            let listed: Vec<u32> = iter(&mask).collect();
            let mut appended = Vec::new();
            append(&mask, &mut appended);
            prop_assert_eq!(&appended, &listed);
            appended.clear();
            let block = &mask[..mask.len().min(BLOCK)];
            append_block(block, 64, &mut appended);
            let of_block = || listed.iter().filter(|&&action| action < BLOCK as u32 * 64);
            prop_assert!(appended.iter().copied().eq(of_block().map(|action| action + 64)));
        }

        #[test]
        fn or_at_shifts_across_words(bits: u64, offset in 0usize..100) {
            let mut mask = vec![0; 3];
            or_at(&mut mask, offset, bits);
            for i in 0..64 {
                prop_assert_eq!(contains(&mask, (offset + i) as u32), bits >> i & 1 == 1);
            }
            prop_assert_eq!(count(&mask), bits.count_ones());
        }
    }
}
