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
    /// Overwrites `y` with the mean of the rows of `x`, which are as long.
    floats pub(in super::super) fn mean_of_rows(x: &[f32], y: &mut [f32]) = mean_at
}

#[inline(always)]
fn mean_at<L: Lanes>(x: &[f32], y: &mut [f32]) {
    let rows = (x.len() / y.len()) as f32;
    y.fill(0.0);
    for x in x.chunks_exact(y.len()) {
        for (sum, x) in y.iter_mut().zip(x) {
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
        let most = largest(x);
        quantize(x, y, most, signed);
        *scale = most / levels(signed);
    }
}

at_level! {
    /// The same for rows with one scale, which it returns; rows of `y` are `stride` apart.
    floats pub(super) fn quantize_board(
        x: &[f32],
        y: &mut [u8],
        len: usize,
        stride: usize,
        signed: bool,
    ) -> f32 = quantize_board_at
}

#[inline(always)]
fn quantize_board_at<L: Lanes>(x: &[f32], y: &mut [u8], len: usize, stride: usize, signed: bool) -> f32 {
    let most = largest(x);
    for (x, y) in x.chunks_exact(len).zip(y.chunks_mut(stride)) {
        quantize(x, &mut y[..len], most, signed);
    }
    most / levels(signed)
}

/// The largest magnitude of an integer.
#[inline(always)]
fn levels(signed: bool) -> f32 {
    if signed { 127.0 } else { 255.0 }
}

/// The largest magnitude, as a number that is not finite if one is.
#[inline(always)]
fn largest(x: &[f32]) -> f32 {
    // Without the sign, the bits of numbers are ordered as integers, infinity and NaN last.
    let magnitude = |x: f32| x.to_bits() & 0x7fff_ffff;
    let mut most = [0_u32; LANES];
    let (whole, rest) = x.as_chunks::<LANES>();
    for x in whole {
        for (most, &x) in most.iter_mut().zip(x) {
            *most = (*most).max(magnitude(x));
        }
    }
    for (most, &x) in most.iter_mut().zip(rest) {
        *most = (*most).max(magnitude(x));
    }
    f32::from_bits(most.into_iter().fold(0, u32::max))
}

/// Rounds `x` to integers times `most / levels`.
#[inline(always)]
fn quantize(x: &[f32], y: &mut [u8], most: f32, signed: bool) {
    /// A number of this size has no fraction: adding it rounds to the nearest integer, ties to the even one, and leaves
    /// the integer in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    // Numbers that are all this small are 0.
    let factor = if most > f32::MIN_POSITIVE * 1024.0 { levels(signed) / most } else { 0.0 };
    let offset = if signed { ROUND + 128.0 } else { ROUND };
    for (y, &x) in y.iter_mut().zip(x) {
        *y = (x * factor + offset).to_bits() as u8;
    }
}
