//! From four bits a cell and board to the bytes of the observation.

use super::{BOARDS, CHANNELS, GLOBAL, LEN, PER_BOARD, PIECES, PLIES, PROGRESS};

/// Bytes written at once.
const RUN: usize = 32;
/// Pieces of a table that overlap by half, so that every run of channels lies within one of them.
const WINDOWS: usize = (CHANNELS + 2 * RUN - 2) / RUN;
/// A value for every channel of a cell, and on into the next cell.
type Windows = [Window; WINDOWS];

/// Aligned, so that no run of it crosses a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Window([u8; 2 * RUN]);

/// The place in [`Windows`] from which on `RUN` channels follow `channel`.
const fn window(channel: usize) -> usize {
    channel / RUN * (2 * RUN) + channel % RUN
}

/// Windows of a table that is made anew for every observation.
const fn windows(table: [u8; CHANNELS]) -> Windows {
    let mut windows = [Window([0; 2 * RUN]); WINDOWS];
    let mut i = 0;
    while i < WINDOWS * 2 * RUN {
        windows[i / (2 * RUN)].0[i % (2 * RUN)] = table[(i / (2 * RUN) * RUN + i % (2 * RUN)) % CHANNELS];
        i += 1;
    }
    windows
}

/// By channel: the board it shows; of the next cell, whose boards follow.
static BOARD_OF: Windows = {
    let mut table = [0; CHANNELS];
    let mut channel = 0;
    while channel < GLOBAL {
        table[channel] = (channel / PER_BOARD) as u8;
        channel += 1;
    }
    let mut windows = windows(table);
    let mut i = 0;
    while i < WINDOWS * 2 * RUN {
        if i / (2 * RUN) * RUN + i % (2 * RUN) >= CHANNELS {
            windows[i / (2 * RUN)].0[i % (2 * RUN)] += BOARDS as u8;
        }
        i += 1;
    }
    windows
};

/// By seat and channel: the code of the piece it shows; of none where it shows something else.
static CODE_OF: [Windows; 2] = {
    let mut table = [[u8::MAX; CHANNELS]; 2];
    let mut channel = 0;
    while channel < GLOBAL {
        let piece = channel % PER_BOARD;
        if piece < PIECES {
            let (kind, enemy) = (piece % 6, piece / 6);
            table[0][channel] = (kind + 1 + 8 * enemy) as u8;
            table[1][channel] = (kind + 1 + 8 * (1 - enemy)) as u8;
        }
        channel += 1;
    }
    [windows(table[0]), windows(table[1])]
};

/// By channel: which value stands there where it is on.
static VALUE_OF: Windows = {
    let mut table = [0; CHANNELS];
    table[PLIES] = 1;
    table[PROGRESS] = 2;
    windows(table)
};

/// Writes what `seat` sees: the channels of what stands on `cells`, and in every cell those set in `everywhere`,
/// whose values are the first of `values` for all but the numbers, which have the others.
#[inline]
pub(super) fn expand<const PAST_CACHES: bool>(
    cells: &[u32; 64],
    seat: usize,
    everywhere: u128,
    values: [u8; 3],
    out: &mut [u8; LEN],
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        // Safety: the processor has what the function is compiled for.
        return unsafe {
            if PAST_CACHES && out.as_ptr().addr().is_multiple_of(32) {
                x86::expand_avx512::<true>(cells, seat, everywhere, values, out)
            } else {
                x86::expand_avx512::<false>(cells, seat, everywhere, values, out)
            }
        };
    }
    expand_bytes(cells, seat, everywhere, values, out);
}

/// White sees its last rank first, black the first.
fn first_rank(seat: usize) -> usize {
    [56, 0][seat & 1]
}

fn expand_bytes(cells: &[u32; 64], seat: usize, everywhere: u128, values: [u8; 3], out: &mut [u8; LEN]) {
    let mut empty = [0; CHANNELS];
    for (channel, byte) in empty.iter_mut().enumerate() {
        *byte = (everywhere >> channel & 1) as u8 * values[usize::from(VALUE_OF[channel / RUN].0[channel % RUN])];
    }
    for (i, shown) in out.as_chunks_mut::<CHANNELS>().0.iter_mut().enumerate() {
        *shown = empty;
        let seen = cells[i ^ first_rank(seat)];
        for t in 0..BOARDS {
            let code = (seen >> (4 * t) & 15) as usize;
            if code > 0 {
                let enemy = code / 8 != seat;
                shown[t * PER_BOARD + (code % 8 + 5) % 6 + if enemy { 6 } else { 0 }] = 1;
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::*;

    use super::*;

    /// Bytes that belong together: every load from them lies within one store.
    #[repr(align(64))]
    struct Aligned<T>(T);

    /// The codes of a cell and the next, a byte for each board, by cell as the viewer counts them.
    type Pairs = Aligned<[u8; 16 * 64]>;

    /// Where [`Pairs`] has those of `cell`.
    const fn pair(cell: usize) -> usize {
        cell / 8 * 128 + [0, 64, 32, 96, 16, 80, 48, 112][cell % 8]
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn pairs(cells: &[u32; 64], seat: usize) -> Pairs {
        let mut pairs = Aligned([0u8; 16 * 64]);
        let low = _mm256_set1_epi8(15);
        let spread = |rank: usize| {
            let rank = (rank * 8) ^ first_rank(seat);
            // Safety: a rank has eight cells of 32 bits.
            let codes = unsafe { _mm256_loadu_si256(cells[rank..rank + 8].as_ptr().cast()) };
            let (even, odd) = (_mm256_and_si256(codes, low), _mm256_and_si256(_mm256_srli_epi32::<4>(codes), low));
            // Cells 0 1 4 5, and 2 3 6 7.
            [_mm256_unpacklo_epi8(even, odd), _mm256_unpackhi_epi8(even, odd)]
        };
        let mut this = spread(0);
        for rank in 0..8 {
            let next = if rank < 7 { spread(rank + 1) } else { this };
            // Cells 4 5 of this rank, 0 1 of the next.
            let across = _mm256_permute2x128_si256::<0x21>(this[0], next[0]);
            let odd = [_mm256_alignr_epi8::<8>(this[1], this[0]), _mm256_alignr_epi8::<8>(across, this[1])];
            for (i, run) in [this[0], this[1], odd[0], odd[1]].into_iter().enumerate() {
                // Safety: four runs of 32 bytes a rank.
                unsafe { _mm256_storeu_si256(pairs.0.as_mut_ptr().add(rank * 128 + i * 32).cast(), run) };
            }
            this = next;
        }
        pairs
    }

    /// The channels that are the same in every cell.
    #[target_feature(enable = "avx512f,avx512bw")]
    fn windows_of(everywhere: u128, values: [u8; 3]) -> Windows {
        let [first, plies, progress] = values.map(i64::from);
        let values = _mm512_set1_epi64(first | plies << 8 | progress << 16);
        let twice = |from: usize| (everywhere >> from | everywhere << (CHANNELS - from)) as u64;
        let mut windows = [Window([0; 2 * RUN]); WINDOWS];
        for (i, window) in windows.iter_mut().enumerate() {
            let bits = twice(i * RUN % CHANNELS);
            // Safety: a window has 64 bytes.
            unsafe {
                let value_of = _mm512_loadu_si512(VALUE_OF[i].0.as_ptr().cast());
                _mm512_storeu_si512(window.0.as_mut_ptr().cast(), _mm512_maskz_shuffle_epi8(bits, values, value_of));
            }
        }
        windows
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn expand_avx512<const PAST_CACHES: bool>(cells: &[u32; 64], seat: usize, everywhere: u128, values: [u8; 3], out: &mut [u8; LEN]) {
        let empty = windows_of(everywhere, values);
        runs::<PAST_CACHES>(cells, seat, &empty, out);
    }
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    fn runs<const PAST_CACHES: bool>(cells: &[u32; 64], seat: usize, empty: &Windows, out: &mut [u8; LEN]) {
        let pairs = pairs(cells, seat);
        let code_of = &CODE_OF[seat & 1];
        for (half, out) in out.as_chunks_mut::<{ LEN / 2 }>().0.iter_mut().enumerate() {
            // Safety: pairs of 32 cells.
            let pairs = unsafe { pairs.0.as_ptr().add(half * 32 * 16) };
            unsafe { half_board::<PAST_CACHES>(pairs, code_of, empty, out) };
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline(never)]
    unsafe fn half_board<const PAST_CACHES: bool>(pairs: *const u8, code_of: &Windows, empty: &Windows, out: &mut [u8; LEN / 2]) {
            unsafe {
                part::<0, PAST_CACHES>(pairs, code_of, empty, out);
                part::<1, PAST_CACHES>(pairs, code_of, empty, out);
                part::<2, PAST_CACHES>(pairs, code_of, empty, out);
                part::<3, PAST_CACHES>(pairs, code_of, empty, out);
                part::<4, PAST_CACHES>(pairs, code_of, empty, out);
                part::<5, PAST_CACHES>(pairs, code_of, empty, out);
                part::<6, PAST_CACHES>(pairs, code_of, empty, out);
            }
    }

    const PART: usize = 17;
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn part<const P: usize, const PAST_CACHES: bool>(pairs: *const u8, code_of: &Windows, empty: &Windows, out: &mut [u8; LEN / 2]) {
        let load = |table: &Windows, channel: usize| unsafe {
            _mm256_loadu_si256(table.as_ptr().cast::<u8>().add(window(channel)).cast())
        };
        macro_rules! run { ($($run:literal)*) => {$({
            const AT: usize = $run * RUN;
            let at = P * PART * RUN + AT;
            let (cell, channel) = (at / CHANNELS, at % CHANNELS);
            unsafe {
                let seen = _mm256_broadcastsi128_si256(_mm_loadu_si128(pairs.add(pair(cell)).cast()));
                let here = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(seen, load(&BOARD_OF, channel)), load(code_of, channel));
                let shown = _mm256_sub_epi8(load(empty, channel), here);
                let to = out.as_mut_ptr().add(at).cast();
                if PAST_CACHES { _mm256_stream_si256(to, shown) } else { _mm256_storeu_si256(to, shown) }
            }
        })*} }
        run!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_way_to_expand_writes_the_same(
            cells in prop::collection::vec(any::<u32>(), 64),
            everywhere in 0..1u128 << CHANNELS,
            values: [u8; 3],
            seat in 0..2usize,
        ) {
        }
    }
}
