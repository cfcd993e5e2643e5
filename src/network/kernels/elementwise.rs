//! Work on every number of a row. A loop has 16 lanes, so the compiler makes vectors of any width from it.

use super::lanes::Lanes;
use super::{LANES, at_level};

/// Lanes of partial results.
type Partial = [f32; LANES];

/// The sum of 16 numbers, in a fixed tree.
#[inline(always)]
fn sum_of(mut x: Partial) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for i in 0..half {
            x[i] += x[i + half];
        }
        half /= 2;
    }
    x[0]
}

at_level! {
    /// Overwrites `y` with the normalized rows of `x`: mean 0 and variance 1, then scaled and shifted. A row has
    /// `width` numbers and is followed by 0 up to whole vectors, as `scale` and `shift` are.
    floats pub(in super::super) fn normalize(
        x: &[f32],
        y: &mut [f32],
        width: usize,
        scale: &[f32],
        shift: &[f32],
        relu: bool,
    ) = normalize_at
}

/// PyTorch's default.
const EPSILON: f32 = 1e-5;

#[inline(always)]
fn normalize_at<L: Lanes>(x: &[f32], y: &mut [f32], width: usize, scale: &[f32], shift: &[f32], relu: bool) {
    let row_len = scale.len();
    let lowest = if relu { 0.0 } else { f32::NEG_INFINITY };
    for (x, y) in x.chunks_exact(row_len).zip(y.chunks_exact_mut(row_len)) {
        let mut sums = [0.0; LANES];
        for x in x.as_chunks::<LANES>().0 {
            for (sum, x) in sums.iter_mut().zip(x) {
                *sum += x;
            }
        }
        let mean = sum_of(sums) / width as f32;
        let mut squares = [0.0; LANES];
        let (whole, rest) = x[..width].as_chunks::<LANES>();
        for x in whole {
            for (square, x) in squares.iter_mut().zip(x) {
                *square += (x - mean) * (x - mean);
            }
        }
        for (square, x) in squares.iter_mut().zip(rest) {
            *square += (x - mean) * (x - mean);
        }
        let factor = 1.0 / (sum_of(squares) / width as f32 + EPSILON).sqrt();
        for (((y, x), scale), shift) in y.iter_mut().zip(x).zip(scale).zip(shift) {
            let normal = (x - mean) * factor * scale + shift;
            *y = if normal > lowest { normal } else { lowest };
        }
    }
}

at_level! {
    /// Overwrites `y` with the mean of the rows of `x` that begin at `starts`, which are as long; 0 without rows.
    floats pub(in super::super) fn mean_of_rows(x: &[f32], starts: &[u32], y: &mut [f32]) = mean_at
}

#[inline(always)]
fn mean_at<L: Lanes>(x: &[f32], starts: &[u32], y: &mut [f32]) {
    let (rows, len) = (starts.len().max(1) as f32, y.len());
    y.fill(0.0);
    for &start in starts {
        for (sum, x) in y.iter_mut().zip(&x[start as usize..][..len]) {
            *sum += x;
        }
    }
    for sum in y {
        *sum /= rows;
    }
}

at_level! {
    /// Rounds rows of `len` numbers to integers of 8 bits with a scale for each: 0 to 255, or -127 to 127 with 128
    /// added.
    floats pub(super) fn quantize_rows(
        x: &[f32],
        y: &mut [u8],
        len: usize,
        signed: bool,
        scales: &mut [f32],
    ) = quantize_rows_at
}

#[inline(always)]
fn quantize_rows_at<L: Lanes>(x: &[f32], y: &mut [u8], len: usize, signed: bool, scales: &mut [f32]) {
    for ((x, y), scale) in x.chunks_exact(len).zip(y.chunks_exact_mut(len)).zip(scales) {
        let most = largest::<L>(x);
        quantize(x, y, most, signed);
        *scale = most / levels(signed);
    }
}

at_level! {
    /// The same for the cells of a board with one scale, which it returns. A cell of `y` has three rows: of its left
    /// neighbour, its own, and of its right neighbour. Places beyond the edges are left as they are.
    floats pub(super) fn quantize_board(
        x: &[f32],
        y: &mut [u8],
        channels: usize,
        columns: usize,
        signed: bool,
    ) -> f32 = quantize_board_at
}

#[inline(always)]
fn quantize_board_at<L: Lanes>(
    x: &[f32],
    y: &mut [u8],
    channels: usize,
    columns: usize,
    signed: bool,
) -> f32 {
    let most = largest::<L>(x);
    spread(x, [y], channels, columns, |x| {
        let mut bytes = [0; LANES];
        quantize(x, &mut bytes, most, signed);
        [bytes]
    });
    most / levels(signed)
}

/// Writes converted cells into boards of triples.
#[inline(always)]
fn spread<T: Copy, const N: usize>(
    x: &[f32],
    mut boards: [&mut [T]; N],
    channels: usize,
    columns: usize,
    convert: impl Fn(&[f32; LANES]) -> [[T; LANES]; N],
) {
    assert!(boards.iter().all(|board| board.len() >= 3 * x.len()) && channels.is_multiple_of(LANES));
    for (cell, x) in x.chunks_exact(channels).enumerate() {
        let column = cell % columns;
        let (left, right) = (column > 0, column + 1 < columns);
        for (part, x) in x.as_chunks::<LANES>().0.iter().enumerate() {
            let own = (3 * cell + 1) * channels + part * LANES;
            for (board, converted) in boards.iter_mut().zip(convert(x)) {
                let mut write = |at: usize| {
                    // Safety: all parts of the cells are inside the boards, which were measured; the first cell has no
                    // left neighbour, and the last one no right neighbour.
                    unsafe { *board.as_mut_ptr().add(at).cast::<[T; LANES]>() = converted };
                };
                write(own);
                if left {
                    write(own - 2 * channels);
                }
                if right {
                    write(own + 2 * channels);
                }
            }
        }
    }
}

at_level! {
    /// Rounds rows of `len` numbers to integers of up to `levels` with a scale for each.
    floats pub(super) fn words_of_rows(
        x: &[f32],
        y: &mut [i16],
        len: usize,
        levels: f32,
        scales: &mut [f32],
    ) = words_of_rows_at
}

#[inline(always)]
fn words_of_rows_at<L: Lanes>(x: &[f32], y: &mut [i16], len: usize, levels: f32, scales: &mut [f32]) {
    for ((x, y), scale) in x.chunks_exact(len).zip(y.chunks_exact_mut(len)).zip(scales) {
        let most = largest::<L>(x);
        let factor = factor(most, levels);
        for (y, &x) in y.iter_mut().zip(x) {
            *y = rounded(x, factor) as i16;
        }
        *scale = most / levels;
    }
}

at_level! {
    /// The same for the cells of a board with one scale, as [`quantize_board`] does. With `halves`, the upper bytes are
    /// in the first half of `y`, and the lower ones in the second half.
    floats pub(super) fn words_of_board(
        x: &[f32],
        y: &mut [i16],
        channels: usize,
        columns: usize,
        levels: f32,
        halves: bool,
    ) -> f32 = words_of_board_at
}

#[inline(always)]
fn words_of_board_at<L: Lanes>(
    x: &[f32],
    y: &mut [i16],
    channels: usize,
    columns: usize,
    levels: f32,
    halves: bool,
) -> f32 {
    let most = largest::<L>(x);
    let factor = factor(most, levels);
    let above = 3 * channels * columns;
    if halves {
        let len = y.len();
        let (upper, lower) = bytemuck::cast_slice_mut::<i16, u8>(y).split_at_mut(len);
        spread(x, [&mut upper[above..], &mut lower[above..]], channels, columns, |x| {
            let mut bytes = [[0; LANES]; 2];
            for (i, &x) in x.iter().enumerate() {
                let word = rounded(x, factor);
                (bytes[0][i], bytes[1][i]) = ((word >> 8) as u8, word as u8);
            }
            bytes
        });
    } else {
        spread(x, [&mut y[above..]], channels, columns, |x| {
            let mut words = [0; LANES];
            for (word, &x) in words.iter_mut().zip(x) {
                *word = rounded(x, factor) as i16;
            }
            [words]
        });
    }
    most / levels
}

/// The largest magnitude of an integer.
#[inline(always)]
fn levels(signed: bool) -> f32 {
    if signed { 127.0 } else { 255.0 }
}

/// The largest magnitude of whole vectors, as a number that is not finite if one is.
#[inline(always)]
fn largest<L: Lanes>(x: &[f32]) -> f32 {
    let mut most = [0.0_f32; LANES];
    // Safety: the vectors are inside the slices, and the processor has the instructions.
    unsafe {
        let mut magnitudes = [L::splat(0.0); 4];
        let mut fours = x.chunks_exact(4 * LANES);
        for x in &mut fours {
            for (i, magnitudes) in magnitudes.iter_mut().enumerate() {
                *magnitudes = L::larger(*magnitudes, L::load(x[i * LANES..][..LANES].as_ptr()));
            }
        }
        for x in fours.remainder().chunks_exact(LANES) {
            magnitudes[0] = L::larger(magnitudes[0], L::load(x.as_ptr()));
        }
        let pairs = [L::larger(magnitudes[0], magnitudes[1]), L::larger(magnitudes[2], magnitudes[3])];
        L::store(most.as_mut_ptr(), L::larger(pairs[0], pairs[1]));
    }
    f32::from_bits(most.into_iter().map(f32::to_bits).fold(0, u32::max))
}

/// A number of this size has no fraction: adding it rounds to the nearest integer, ties to the even one, and leaves
/// the integer in the lowest bits.
const ROUND: f32 = 12_582_912.0;

/// What numbers of up to `most` are multiplied by for integers of up to `levels`. Numbers that are all very small are 0.
#[inline(always)]
fn factor(most: f32, levels: f32) -> f32 {
    if most > f32::MIN_POSITIVE * 1_048_576.0 { levels / most } else { 0.0 }
}

/// `x` times the factor, rounded, in the lowest 16 bits.
#[inline(always)]
fn rounded(x: f32, factor: f32) -> u32 {
    (x * factor + ROUND).to_bits()
}

/// Rounds `x` to integers times `most / levels`.
#[inline(always)]
fn quantize(x: &[f32], y: &mut [u8], most: f32, signed: bool) {
    let factor = factor(most, levels(signed));
    let offset = if signed { ROUND + 128.0 } else { ROUND };
    for (y, &x) in y.iter_mut().zip(x) {
        *y = (x * factor + offset).to_bits() as u8;
    }
}
