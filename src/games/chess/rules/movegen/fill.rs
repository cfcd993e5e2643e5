//! Attacks of orthodox chess by Kogge-Stone fill: all pieces of a side move at once, as whole bitboards.
//!
//! A step in one direction is a rotation of the bitboard, followed by a mask that removes the bits that wrapped
//! around the edge. Sliders are filled along a direction in three doubling steps (by one, two and four squares),
//! all eight directions side by side. The number of operations is the same for every position. A loop over the
//! pieces would end after an unpredictable number of rounds, and the branch misprediction costs more than the whole
//! fill.

/// One step: the number of bits to rotate a bitboard to the left, and the squares that a piece can reach without
/// wrapping around an edge.
type Direction = (u32, u64);

/// The eight directions of sliders: the four of a rook, then the four of a bishop.
const STEPS: [Direction; 8] = [
    (8, !RANK_1),
    (56, !RANK_8),
    (1, !FILE_A),
    (63, !FILE_H),
    (9, !(RANK_1 | FILE_A)),
    (55, !(RANK_8 | FILE_H)),
    (7, !(RANK_1 | FILE_H)),
    (57, !(RANK_8 | FILE_A)),
];
/// The eight leaps of a knight.
const LEAPS: [Direction; 8] = [
    (17, !(RANK_1 | RANK_1 << 8 | FILE_A)),
    (15, !(RANK_1 | RANK_1 << 8 | FILE_H)),
    (10, !(RANK_1 | FILE_A | FILE_A << 1)),
    (6, !(RANK_1 | FILE_H | FILE_H >> 1)),
    (47, !(RANK_8 | RANK_8 >> 8 | FILE_H)),
    (49, !(RANK_8 | RANK_8 >> 8 | FILE_A)),
    (54, !(RANK_8 | FILE_H | FILE_H >> 1)),
    (58, !(RANK_8 | FILE_A | FILE_A << 1)),
];
/// By colour: the directions in which pawns capture, as bits over [`STEPS`].
const TAKES: [u8; 2] = [0b0101_0000, 0b1010_0000];
const RANK_1: u64 = 0xff;
const RANK_8: u64 = RANK_1 << 56;
const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// Bitboards of a side's pieces by movement; queens are in `diagonal` and in `orthogonal`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pieces {
    pub(crate) pawns: u64,
    pub(crate) knights: u64,
    pub(crate) diagonal: u64,
    pub(crate) orthogonal: u64,
    pub(crate) king: u64,
}

/// The squares one step ahead of the pawns of a colour.
#[inline]
pub(crate) fn pushed(pawns: u64, colour: usize) -> u64 {
    pawns.rotate_left([8, 56][colour & 1])
}

/// The squares that knights, and sliders after a single step, reach on any board, occupied or not.
#[inline]
pub(crate) fn stepped(pieces: &Pieces) -> u64 {
    (0..8).fold(0, |found, i| {
        let ((step, arrives), (leap, lands)) = (STEPS[i], LEAPS[i]);
        let stepping = if i < 4 { pieces.orthogonal } else { pieces.diagonal };
        found | (stepping.rotate_left(step) & arrives) | (pieces.knights.rotate_left(leap) & lands)
    })
}

/// The squares that the pieces of colour `by` attack, with `occupied` as blockers.
#[inline]
pub(crate) fn attacked(pieces: Pieces, by: usize, occupied: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if ludovec_engine::CpuLevel::Avx512.is_available() {
        // Safety: the processor has the features that the function is compiled for.
        return unsafe { attacked_avx512(pieces, by, occupied) };
    }
    attacked_by_words(pieces, by, occupied)
}

fn attacked_by_words(pieces: Pieces, by: usize, occupied: u64) -> u64 {
    (0..8).fold(0, |found, i| {
        let ((step, arrives), (leap, lands)) = (STEPS[i], LEAPS[i]);
        // Kogge-Stone: `open` holds the free squares, then the squares with the last two, then with the last four
        // squares of the way free.
        let mut open = arrives & !occupied;
        let mut reach = if i < 4 { pieces.orthogonal } else { pieces.diagonal };
        reach |= open & reach.rotate_left(step);
        open &= open.rotate_left(step);
        reach |= open & reach.rotate_left(2 * step);
        open &= open.rotate_left(2 * step);
        reach |= open & reach.rotate_left(4 * step);
        // One more step for sliders, king and pawns: this one may land on a blocker.
        let takes = if TAKES[by & 1] >> i & 1 == 1 { pieces.pawns } else { 0 };
        let last = (reach | pieces.king | takes).rotate_left(step) & arrives;
        found | last | (pieces.knights.rotate_left(leap) & lands)
    })
}

/// [`attacked_by_words`] with AVX-512: the eight directions are the eight words of one vector.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,bmi1,bmi2,lzcnt,popcnt")]
fn attacked_avx512(pieces: Pieces, by: usize, occupied: u64) -> u64 {
    use core::arch::x86_64::*;
    const fn split(ways: [Direction; 8]) -> ([u64; 8], [u64; 8]) {
        let (mut by, mut arrives) = ([0; 8], [0; 8]);
        let mut i = 0;
        while i < 8 {
            (by[i], arrives[i]) = (ways[i].0 as u64, ways[i].1);
            i += 1;
        }
        (by, arrives)
    }
    static STEP: ([u64; 8], [u64; 8]) = split(STEPS);
    static LEAP: ([u64; 8], [u64; 8]) = split(LEAPS);
    // Safety: eight words each.
    let load = |words: &[u64; 8]| unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
    let all = |set: u64| _mm512_set1_epi64(set as i64);
    let (step, arrives) = (load(&STEP.0), load(&STEP.1));
    let (twice, four_times) = (_mm512_slli_epi64::<1>(step), _mm512_slli_epi64::<2>(step));
    let go_on =
        |reach, open, step| _mm512_or_si512(reach, _mm512_and_si512(open, _mm512_rolv_epi64(reach, step)));

    let open = _mm512_andnot_si512(all(occupied), arrives);
    let reach = _mm512_mask_mov_epi64(all(pieces.orthogonal), 0b1111_0000, all(pieces.diagonal));
    let reach = go_on(reach, open, step);
    let open = _mm512_and_si512(open, _mm512_rolv_epi64(open, step));
    let reach = go_on(reach, open, twice);
    let open = _mm512_and_si512(open, _mm512_rolv_epi64(open, twice));
    let reach = go_on(reach, open, four_times);

    let reach = _mm512_or_si512(reach, all(pieces.king));
    let reach = _mm512_mask_or_epi64(reach, TAKES[by & 1], reach, all(pieces.pawns));
    let last = _mm512_and_si512(_mm512_rolv_epi64(reach, step), arrives);
    let leaps = _mm512_and_si512(_mm512_rolv_epi64(all(pieces.knights), load(&LEAP.0)), load(&LEAP.1));
    _mm512_reduce_or_epi64(_mm512_or_si512(last, leaps)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The squares that a piece reaches by steps of the given files and ranks, square by square.
    fn slow(from: u64, ways: &[(i32, i32)], slides: bool, occupied: u64) -> u64 {
        let mut found = 0;
        for square in (0..64).filter(|square| from >> square & 1 == 1) {
            for &(files, ranks) in ways {
                let (mut file, mut rank) = (square % 8 + files, square / 8 + ranks);
                while (0..8).contains(&file) && (0..8).contains(&rank) {
                    let bit = 1 << (rank * 8 + file);
                    found |= bit;
                    if !slides || occupied & bit != 0 {
                        break;
                    }
                    (file, rank) = (file + files, rank + ranks);
                }
            }
        }
        found
    }

    proptest! {
        #[test]
        fn sets_attack_like_their_pieces_one_by_one(sets: [u64; 5], thin: [u64; 2], by in 0..2usize, blocks: u64) {
            let [pawns, knights, diagonal, orthogonal, king] = sets.map(|set| set & thin[0] & thin[1]);
            let pieces = Pieces { pawns, knights, diagonal, orthogonal, king };
            let occupied = blocks & thin[0] | pawns | knights | diagonal | orthogonal | king;
            let rook = [(1, 0), (-1, 0), (0, 1), (0, -1)];
            let bishop = [(1, 1), (-1, -1), (1, -1), (-1, 1)];
            let leaps = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];
            let ahead = if by == 0 { 1 } else { -1 };
            let takes = [(1, ahead), (-1, ahead)];
            let once = |from, ways: &[_]| slow(from, ways, false, 0);
            let expected = slow(orthogonal, &rook, true, occupied)
                | slow(diagonal, &bishop, true, occupied)
                | once(knights, &leaps)
                | once(king, &rook)
                | once(king, &bishop)
                | once(pawns, &takes);
            prop_assert_eq!(attacked_by_words(pieces, by, occupied), expected);
            prop_assert_eq!(attacked(pieces, by, occupied), expected);
            let stepped_slowly = once(orthogonal, &rook) | once(diagonal, &bishop) | once(knights, &leaps);
            prop_assert_eq!(stepped(&pieces), stepped_slowly);
        }
    }
}
