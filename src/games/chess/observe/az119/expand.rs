//! Expands the packed boards of [`Boards`](super::Boards), four bits for each square and board, into the
//! bytes of the observation, one byte for each square and channel.
//!
//! [`expand_squares`] is the plain loop and defines the result. `x86` computes the same with vector instructions.

use ludovec_engine::spread;

use super::{BOARDS, CHANNELS, LEN, PER_BOARD, PLIES, PROGRESS};

/// The input of the expansion, for the viewer `seat`.
#[derive(Clone, Copy)]
pub(super) struct Packed<'a> {
    /// By square: the codes of the pieces there, four bits for each board, the newest board lowest.
    pub(super) squares: &'a [u32; 64],
    /// The viewer: 0 white, 1 black.
    pub(super) seat: usize,
    /// Bit `c` is set if channel `c` is on; these channels have the same value on every square. The value is 1
    /// except for the two channels of numbers.
    pub(super) uniform: u128,
    /// Value of the channel [`PLIES`].
    pub(super) plies: u8,
    /// Value of the channel [`PROGRESS`].
    pub(super) progress: u8,
}

/// Writes the observation.
///
/// `NONTEMPORAL` requests non-temporal (streaming) stores, which write to memory past the caches. Other threads may
/// see such stores late: the caller must execute a store fence afterwards.
#[inline]
pub(super) fn expand<const NONTEMPORAL: bool>(packed: Packed<'_>, out: &mut [u8; LEN]) {
    #[cfg(target_arch = "x86_64")]
    if ludovec_engine::CpuLevel::Avx2.is_available() {
        let uniform = if ludovec_engine::CpuLevel::Avx512.is_available() {
            // Safety: the processor has the features that the function is compiled for.
            unsafe { x86::uniform_avx512(packed) }
        } else {
            x86::uniform(packed)
        };
        // A streaming store faults on an address that is not aligned to its size.
        let nontemporal = NONTEMPORAL && out.as_ptr().addr().is_multiple_of(x86::RUN);
        // Safety: the processor has the features that the functions are compiled for.
        return unsafe {
            if nontemporal {
                x86::expand::<true>(packed, &uniform, out);
            } else {
                x86::expand::<false>(packed, &uniform, out);
            }
        };
    }
    expand_squares(packed, out);
}

/// The first square of the observation: a8 for white, a1 for black. The observation goes rank by rank, the viewer's
/// last rank first; exclusive or with this square turns a place in the observation into a square.
#[inline]
fn first_square(seat: usize) -> usize {
    [56, 0][seat & 1]
}

/// The channels of an empty square.
fn empty(packed: Packed<'_>) -> [u8; CHANNELS] {
    let mut empty = [0; CHANNELS];
    for (bytes, bits) in empty.chunks_mut(8).zip(packed.uniform.to_le_bytes()) {
        bytes.copy_from_slice(&spread(bits).to_le_bytes()[..bytes.len()]);
    }
    empty[PLIES] *= packed.plies;
    empty[PROGRESS] *= packed.progress;
    empty
}

/// [`expand`] square by square, without vector instructions.
fn expand_squares(packed: Packed<'_>, out: &mut [u8; LEN]) {
    let empty = empty(packed);
    for (i, shown) in out.as_chunks_mut::<CHANNELS>().0.iter_mut().enumerate() {
        *shown = empty;
        let codes = packed.squares[i ^ first_square(packed.seat)];
        for t in 0..BOARDS {
            let code = (codes >> (4 * t) & 15) as usize;
            if code > 0 {
                let enemy = usize::from(code / 8 != packed.seat);
                shown[t * PER_BOARD + enemy * 6 + code % 8 - 1] = 1;
            }
        }
    }
}

/// [`expand`] with AVX2: 32 bytes of the observation at a time.
///
/// * Table lookup by byte shuffle (`pshufb`): for each byte, a table gives the board of its channel, and the
///   shuffle picks that board's piece code out of the 16 codes of two squares. A second table holds the piece code
///   of the channel. Comparing the two gives all ones (-1) if the piece is there; subtracting this from the uniform
///   channels gives 1.
/// * A square has 119 channels, which is no multiple of 32. The 32 bytes of a run may therefore begin at any
///   channel of a square and reach into the next square, but never further. Therefore codes are kept for pairs of
///   neighbouring squares, and tables continue past channel 119 with the values of the next square.
/// * Store-to-load forwarding: a load right after a store gets its bytes without delay only if a single store wrote
///   all of them; otherwise it waits until the stores have reached the cache. The tables are therefore kept as
///   overlapping [`Window`]s, and codes as [`Pairs`], each written by one store that covers every load from it.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::*;

    use super::super::{GLOBAL, PIECES};
    use super::*;

    /// Bytes per write.
    pub(super) const RUN: usize = 32;

    /// A byte for every channel of a square, followed by the channels of the next square. Window `i` holds the
    /// channels from `i * RUN` on. Every run that starts in its first half is within it, and so within one cache
    /// line.
    pub(super) type Windows = [Window; CHANNELS.div_ceil(RUN)];
    #[derive(Clone, Copy)]
    #[repr(align(64))]
    pub(super) struct Window([u8; 2 * RUN]);

    /// The windows of a table: `here` for the channels of a square, `next` for the channels of the square after it.
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

    /// By channel: the index of its code among the 16 codes of a pair of squares: its board, plus 8 for the second
    /// square.
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

    /// By seat and channel: the piece code of the channel; an unused code in the other channels.
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

    /// By channel: the index of its value among the bytes (1, plies, progress).
    static VALUE_OF: Windows = {
        let mut values = [0; CHANNELS];
        values[PLIES] = 1;
        values[PROGRESS] = 2;
        windows(values, values)
    };

    /// The bytes of the uniform channels, 0 in all others.
    pub(super) fn uniform(packed: Packed<'_>) -> Windows {
        let empty = empty(packed);
        let twice = [empty, empty];
        let twice = twice.as_flattened();
        std::array::from_fn(|i| {
            let mut window = Window([0; 2 * RUN]);
            window.0.copy_from_slice(&twice[i * RUN..(i + 2) * RUN]);
            window
        })
    }

    /// [`uniform`] with AVX-512.
    #[target_feature(enable = "avx512bw")]
    pub(super) fn uniform_avx512(packed: Packed<'_>) -> Windows {
        let values = _mm512_set1_epi64(1 | i64::from(packed.plies) << 8 | i64::from(packed.progress) << 16);
        let mut windows = [Window([0; 2 * RUN]); size_of::<Windows>() / (2 * RUN)];
        for (i, (window, value_of)) in windows.iter_mut().zip(&VALUE_OF).enumerate() {
            let from = i * RUN % CHANNELS;
            let set = packed.uniform >> from | packed.uniform << (CHANNELS - from);
            // Safety: a window has 64 bytes.
            unsafe {
                let value_of = _mm512_load_si512(value_of.0.as_ptr().cast());
                let shown = _mm512_maskz_shuffle_epi8(set as u64, values, value_of);
                _mm512_store_si512(window.0.as_mut_ptr().cast(), shown);
            }
        }
        windows
    }

    /// By place in the observation: the piece codes of the square there and of the next one, a byte for each board.
    #[repr(align(64))]
    struct Pairs([[u8; 16]; 64]);

    #[target_feature(enable = "avx2")]
    fn pairs(packed: Packed<'_>) -> Pairs {
        let low = _mm256_set1_epi8(15);
        // Bit spreading: eight codes of four bits become eight bytes. The unpack instructions work on each half of
        // a vector, so squares 0 1 4 5 of the rank end up in one vector and 2 3 6 7 in the other.
        let spread = |rank: usize| {
            let first = (rank * 8) ^ first_square(packed.seat);
            // Safety: a rank has eight squares of 32 bits.
            let codes = unsafe { _mm256_loadu_si256(packed.squares[first..first + 8].as_ptr().cast()) };
            let even = _mm256_and_si256(codes, low);
            let odd = _mm256_and_si256(_mm256_srli_epi32::<4>(codes), low);
            [_mm256_unpacklo_epi8(even, odd), _mm256_unpackhi_epi8(even, odd)]
        };
        let mut pairs = Pairs([[0; 16]; 64]);
        let mut this = spread(0);
        for (rank, pairs) in pairs.0.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            // The last square has no next one: the second half of its pair is never shown.
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

    /// With `NONTEMPORAL`, `out` is aligned to [`RUN`].
    #[target_feature(enable = "avx2")]
    pub(super) fn expand<const NONTEMPORAL: bool>(
        packed: Packed<'_>,
        uniform: &Windows,
        out: &mut [u8; LEN],
    ) {
        expand_pairs::<NONTEMPORAL>(&pairs(packed), &CODE_OF[packed.seat & 1], uniform, out);
    }

    /// The loop over the squares. It is compiled for AVX2 only and therefore not inlined: for AVX-512 the
    /// compiler would compare into mask registers, which takes longer than comparing into vectors.
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    fn expand_pairs<const NONTEMPORAL: bool>(
        pairs: &Pairs,
        code_of: &Windows,
        uniform: &Windows,
        out: &mut [u8; LEN],
    ) {
        // The channel at which the first run of the square starts, and the index of that byte in `out`.
        let (mut channel, mut at) = (0, 0);
        for pair in &pairs.0 {
            // Safety: `channel` is below `RUN`, so loads stay within the windows. `LEN` is a multiple of
            // `RUN`, and each square writes the runs that start within its channels: together they fill `out`
            // exactly.
            unsafe {
                let codes = _mm256_broadcastsi128_si256(_mm_load_si128(pair.as_ptr().cast()));
                let tables =
                    [&BOARD_OF, code_of, uniform].map(|table| table.as_ptr().cast::<u8>().add(channel));
                let to = out.as_mut_ptr().add(at);
                let run = |i: usize| {
                    let [board_of, code_of, uniform] =
                        tables.map(|table| _mm256_loadu_si256(table.add(i * 2 * RUN).cast()));
                    let here = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(codes, board_of), code_of);
                    // `here` is -1 if the piece is there.
                    let shown = _mm256_sub_epi8(uniform, here);
                    let to = to.add(i * RUN).cast();
                    if NONTEMPORAL { _mm256_stream_si256(to, shown) } else { _mm256_storeu_si256(to, shown) }
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
    use super::super::PIECES;
    use super::*;
    use ludovec_engine::columns::Column;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_way_to_expand_shows_each_piece_in_its_channel(
            codes in prop::collection::vec((0..12u32, prop::bool::weighted(0.4)), 64 * BOARDS),
            uniform in 0..1u128 << CHANNELS,
            [plies, progress]: [u8; 2],
            seat in 0..2usize,
        ) {
            let pieces = (0..PIECES * BOARDS).fold(0, |set, i| set | 1 << (i / PIECES * PER_BOARD + i % PIECES));
            let uniform: u128 = uniform & !pieces;
            let mut squares = [0; 64];
            for (i, &(piece, there)) in codes.iter().enumerate() {
                squares[i / BOARDS] |= if there { piece % 6 + 1 + piece / 6 * 8 } else { 0 } << (i % BOARDS * 4);
            }
            let packed = Packed { squares: &squares, seat, uniform, plies, progress };
            let (mut slow, mut fast) = ([9; LEN], [8; LEN]);
            expand_squares(packed, &mut slow);
            for (i, &byte) in slow.iter().enumerate() {
                let (shown, channel) = (i / CHANNELS, i % CHANNELS);
                let square = if seat == 0 { (7 - shown / 8) * 8 + shown % 8 } else { shown };
                let (board, piece) = (channel / PER_BOARD, (channel % PER_BOARD) as u32);
                let expected = if pieces >> channel & 1 == 1 {
                    let seen_by_white = if seat == 0 { piece } else { (piece + 6) % 12 };
                    u8::from(codes[square * BOARDS + board] == (seen_by_white, true))
                } else {
                    let value = match channel { PLIES => plies, PROGRESS => progress, _ => 1 };
                    (uniform >> channel & 1) as u8 * value
                };
                prop_assert_eq!(byte, expected, "cell {}, channel {}", shown, channel);
            }
            expand::<false>(packed, &mut fast);
            prop_assert_eq!(&slow[..], &fast[..]);
            #[cfg(target_arch = "x86_64")]
            if ludovec_engine::CpuLevel::Avx2.is_available() {
                // Safety: the processor's features were checked above.
                unsafe { x86::expand::<false>(packed, &x86::uniform(packed), &mut fast) };
            }
            prop_assert_eq!(&slow[..], &fast[..]);
            let mut aligned = Column::<u8>::zeroed(LEN);
            expand::<true>(packed, aligned.first_chunk_mut().unwrap());
            prop_assert_eq!(&slow[..], &aligned[..]);
        }
    }
}
