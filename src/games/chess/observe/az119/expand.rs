//! From four bits a square and board to the bytes of the observation.

use super::{BOARDS, CHANNELS, GLOBAL, LEN, PER_BOARD, PIECES, PLIES, PROGRESS};

/// What `seat` sees: what stands on `squares`, and in every square the channels set in `everywhere`. They are 1, but for
/// the numbers, which are `plies` and `progress`.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) squares: &'a [u32; 64],
    pub(super) seat: usize,
    pub(super) everywhere: u128,
    pub(super) plies: u8,
    pub(super) progress: u8,
}

/// Writes the observation. `PAST_CACHES` writes straight to memory, where the processor can; whoever asks for it
/// fences the stores.
#[inline]
pub(super) fn expand<const PAST_CACHES: bool>(seen: Seen<'_>, out: &mut [u8; LEN]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512bw") {
        // Stores past the caches need aligned memory.
        let past_caches = PAST_CACHES && out.as_ptr().addr().is_multiple_of(x86::RUN);
        // Safety: the processor has what the functions are compiled for.
        return unsafe {
            if past_caches { x86::expand::<true>(seen, out) } else { x86::expand::<false>(seen, out) }
        };
    }
    expand_squares(seen, out);
}

/// The number of a viewer's first square: white sees its last rank first, black the first.
#[inline]
fn first_square(seat: usize) -> usize {
    [56, 0][seat & 1]
}

/// [`expand`] square by square.
fn expand_squares(seen: Seen<'_>, out: &mut [u8; LEN]) {
    let mut empty = [0; CHANNELS];
    for (channel, byte) in empty.iter_mut().enumerate() {
        if seen.everywhere >> channel & 1 == 1 {
            *byte = match channel {
                PLIES => seen.plies,
                PROGRESS => seen.progress,
                _ => 1,
            };
        }
    }
    for (i, shown) in out.as_chunks_mut::<CHANNELS>().0.iter_mut().enumerate() {
        *shown = empty;
        let codes = seen.squares[i ^ first_square(seen.seat)];
        for t in 0..BOARDS {
            let code = (codes >> (4 * t) & 15) as usize;
            if code > 0 {
                let enemy = usize::from(code / 8 != seen.seat);
                shown[t * PER_BOARD + enemy * 6 + code % 8 - 1] = 1;
            }
        }
    }
}

/// Runs of bytes that may start anywhere in a square and go on into the next.
///
/// What was stored just now can be loaded without waiting only from within one store: therefore tables are kept in
/// windows that overlap, and squares in pairs.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::*;

    use super::*;

    /// Bytes of a run.
    pub(super) const RUN: usize = 32;

    /// A value for every channel of a square and on into the next. The runs that start at a window's first `RUN`
    /// channels lie within it, and cross no cache line.
    type Windows = [Window; CHANNELS.div_ceil(RUN)];
    #[derive(Clone, Copy)]
    #[repr(align(64))]
    struct Window([u8; 2 * RUN]);

    /// Windows of a table, and of another for the next square.
    const fn windows(here: [u8; CHANNELS], next: [u8; CHANNELS]) -> Windows {
        let mut windows = [Window([0; 2 * RUN]); size_of::<Windows>() / (2 * RUN)];
        let mut i = 0;
        while i < size_of::<Windows>() {
            let (of, at) = (i / (2 * RUN), i % (2 * RUN));
            let channel = of * RUN + at;
            windows[of].0[at] =
                if channel < CHANNELS { here[channel] } else { next[(channel - CHANNELS) % CHANNELS] };
            i += 1;
        }
        windows
    }

    /// By channel: the board that it shows, counted from the first of its square's pair.
    static BOARD_OF: Windows = {
        let (mut here, mut next) = ([0; CHANNELS], [0; CHANNELS]);
        let mut channel = 0;
        while channel < GLOBAL {
            here[channel] = (channel / PER_BOARD) as u8;
            next[channel] = here[channel] + BOARDS as u8;
            channel += 1;
        }
        windows(here, next)
    };

    /// By seat and channel: the code of the piece that it shows; that of none where it shows something else.
    static CODE_OF: [Windows; 2] = {
        let mut codes = [[u8::MAX; CHANNELS]; 2];
        let mut channel = 0;
        while channel < GLOBAL {
            let piece = channel % PER_BOARD;
            if piece < PIECES {
                codes[piece / 6][channel] = (piece % 6 + 1) as u8;
                codes[1 - piece / 6][channel] = (piece % 6 + 1 + 8) as u8;
            }
            channel += 1;
        }
        [windows(codes[0], codes[0]), windows(codes[1], codes[1])]
    };

    /// By channel: which of 1, the plies and the progress stands there where it is on.
    static VALUE_OF: Windows = {
        let mut values = [0; CHANNELS];
        values[PLIES] = 1;
        values[PROGRESS] = 2;
        windows(values, values)
    };

    /// The channels that are the same in every square.
    #[target_feature(enable = "avx512bw")]
    fn everywhere(seen: Seen<'_>) -> Windows {
        let values = _mm512_set1_epi64(1 | i64::from(seen.plies) << 8 | i64::from(seen.progress) << 16);
        let mut windows = [Window([0; 2 * RUN]); size_of::<Windows>() / (2 * RUN)];
        for (i, (window, value_of)) in windows.iter_mut().zip(&VALUE_OF).enumerate() {
            let from = i * RUN % CHANNELS;
            let set = seen.everywhere >> from | seen.everywhere << (CHANNELS - from);
            // Safety: a window has 64 bytes.
            unsafe {
                let value_of = _mm512_load_si512(value_of.0.as_ptr().cast());
                let shown = _mm512_maskz_shuffle_epi8(set as u64, values, value_of);
                _mm512_store_si512(window.0.as_mut_ptr().cast(), shown);
            }
        }
        windows
    }

    /// By square as the viewer counts them: the codes of the square and of the next, a byte for each board.
    #[repr(align(64))]
    struct Pairs([[u8; 16]; 64]);

    #[target_feature(enable = "avx2")]
    fn pairs(seen: Seen<'_>) -> Pairs {
        let low = _mm256_set1_epi8(15);
        // Squares 0 1 4 5 of a rank, and 2 3 6 7.
        let spread = |rank: usize| {
            let first = (rank * 8) ^ first_square(seen.seat);
            // Safety: a rank has eight squares of 32 bits.
            let codes = unsafe { _mm256_loadu_si256(seen.squares[first..first + 8].as_ptr().cast()) };
            let even = _mm256_and_si256(codes, low);
            let odd = _mm256_and_si256(_mm256_srli_epi32::<4>(codes), low);
            [_mm256_unpacklo_epi8(even, odd), _mm256_unpackhi_epi8(even, odd)]
        };
        let mut pairs = Pairs([[0; 16]; 64]);
        let mut this = spread(0);
        for (rank, pairs) in pairs.0.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            // The last square of all has no next.
            let next = if rank < 7 { spread(rank + 1) } else { this };
            let across = _mm256_permute2x128_si256::<0x21>(this[0], next[0]);
            let odd = [_mm256_alignr_epi8::<8>(this[1], this[0]), _mm256_alignr_epi8::<8>(across, this[1])];
            for (square, two) in [this[0], odd[0], this[1], odd[1]].into_iter().enumerate() {
                // Safety: a pair has 16 bytes.
                unsafe {
                    _mm_store_si128(pairs[square].as_mut_ptr().cast(), _mm256_castsi256_si128(two));
                    _mm_store_si128(
                        pairs[square + 4].as_mut_ptr().cast(),
                        _mm256_extracti128_si256::<1>(two),
                    );
                }
            }
            this = next;
        }
        pairs
    }

    /// With `PAST_CACHES`, `out` is aligned to [`RUN`].
    #[target_feature(enable = "avx512bw")]
    pub(super) fn expand<const PAST_CACHES: bool>(seen: Seen<'_>, out: &mut [u8; LEN]) {
        let (pairs, everywhere) = (pairs(seen), everywhere(seen));
        expand_pairs::<PAST_CACHES>(&pairs, &CODE_OF[seen.seat & 1], &everywhere, out);
    }

    /// Not compiled for all that [`expand`] is: with mask registers comparisons take longer.
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    fn expand_pairs<const PAST_CACHES: bool>(
        pairs: &Pairs,
        code_of: &Windows,
        everywhere: &Windows,
        out: &mut [u8; LEN],
    ) {
        // The channel of the square at which its first run starts, and where that is in `out`.
        let (mut channel, mut at) = (0, 0);
        for pair in &pairs.0 {
            // Safety: `channel` is below `RUN` and `out` holds whole runs, of which each square writes those that start
            // in it.
            unsafe {
                let codes = _mm256_broadcastsi128_si256(_mm_load_si128(pair.as_ptr().cast()));
                let tables =
                    [&BOARD_OF, code_of, everywhere].map(|table| table.as_ptr().cast::<u8>().add(channel));
                let to = out.as_mut_ptr().add(at);
                let run = |i: usize| {
                    let [board_of, code_of, everywhere] =
                        tables.map(|table| _mm256_loadu_si256(table.add(i * 2 * RUN).cast()));
                    let here = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(codes, board_of), code_of);
                    // All ones where the piece is: less than nothing by one.
                    let shown = _mm256_sub_epi8(everywhere, here);
                    let to = to.add(i * RUN).cast();
                    if PAST_CACHES { _mm256_stream_si256(to, shown) } else { _mm256_storeu_si256(to, shown) }
                };
                run(0);
                run(1);
                run(2);
                if channel + 3 * RUN < CHANNELS {
                    run(3);
                    (channel, at) = (channel + 4 * RUN - CHANNELS, at + 4 * RUN);
                } else {
                    (channel, at) = (channel + 3 * RUN - CHANNELS, at + 3 * RUN);
                }
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
        fn every_way_to_expand_shows_each_piece_in_its_channel(
            codes in prop::collection::vec((0..12u32, prop::bool::weighted(0.4)), 64 * BOARDS),
            everywhere in 0..1u128 << CHANNELS,
            [plies, progress]: [u8; 2],
            seat in 0..2usize,
        ) {
            let pieces = (0..PIECES * BOARDS).fold(0, |set, i| set | 1 << (i / PIECES * PER_BOARD + i % PIECES));
            let everywhere: u128 = everywhere & !pieces;
            let mut squares = [0; 64];
            for (i, &(piece, there)) in codes.iter().enumerate() {
                squares[i / BOARDS] |= if there { piece % 6 + 1 + piece / 6 * 8 } else { 0 } << (i % BOARDS * 4);
            }
            let seen = Seen { squares: &squares, seat, everywhere, plies, progress };
            let (mut slow, mut fast) = ([9; LEN], [8; LEN]);
            expand_squares(seen, &mut slow);
            for (i, &byte) in slow.iter().enumerate() {
                let (shown, channel) = (i / CHANNELS, i % CHANNELS);
                let square = if seat == 0 { (7 - shown / 8) * 8 + shown % 8 } else { shown };
                let (board, piece) = (channel / PER_BOARD, (channel % PER_BOARD) as u32);
                let expected = if pieces >> channel & 1 == 1 {
                    let seen_by_white = if seat == 0 { piece } else { (piece + 6) % 12 };
                    u8::from(codes[square * BOARDS + board] == (seen_by_white, true))
                } else {
                    let value = match channel { PLIES => plies, PROGRESS => progress, _ => 1 };
                    (everywhere >> channel & 1) as u8 * value
                };
                prop_assert_eq!(byte, expected, "cell {}, channel {}", shown, channel);
            }
            expand::<false>(seen, &mut fast);
            prop_assert_eq!(&slow[..], &fast[..]);
            let mut aligned = Column::<u8>::zeroed(LEN);
            expand::<true>(seen, aligned.first_chunk_mut().unwrap());
            prop_assert_eq!(&slow[..], &aligned[..]);
        }
    }
}
