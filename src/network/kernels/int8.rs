//! Weights and activations in 8 bits.
//!
//! The weights of an output are integers from -127 to 127 times a scale. The activations of a row are integers times a
//! scale, too: 0 to 255 if they are never negative, else -127 to 127, stored with 128 added. Scales are the largest
//! magnitude by 255 or 127. Numbers are rounded to the nearest integer, ties to the even one. The sums are exact.

use std::ops::Range;

use super::buffers::Buffer;
use super::elementwise::{quantize_board, quantize_rows};
use super::lanes::Lanes;
use super::operand::{Operand, Output};
use super::tiles::{Tile, each_tile};
use super::{LANES, at_level};
use crate::engine::Result;

/// Number of inputs with their weights beside each other.
pub(super) const GROUP: usize = 4;

/// What is added to activations that may be negative.
const OFFSET: i32 = 128;

/// A matrix of 8-bit weights in panels of 16 outputs, `[panels, groups, 16, 4]`.
pub(in super::super) struct Int8Matrix {
    pub(super) weights: Buffer<i8>,
    /// Of every output.
    pub(super) scales: Buffer<f32>,
    pub(super) bias: Buffer<f32>,
    /// What the sums lack: they take back [`OFFSET`], for the inputs as they are and with 128 less
    /// ([`Lanes::CENTERED`]).
    pub(super) start: [Buffer<i32>; 2],
    inputs: usize,
    signed: bool,
}

/// Quantized rows: `data` with the scale of each row, or one for all.
pub(in super::super) struct Quantized<'a> {
    pub(in super::super) rows: Operand<'a, u8>,
    pub(in super::super) scales: &'a [f32],
}

impl Int8Matrix {
    /// The largest number of inputs whose sums fit into 32 bits.
    pub(in super::super) const MAX_INPUTS: usize = (i32::MAX / (127 * (255 + OFFSET))) as usize;

    /// Rounds and packs `weights`, `[outputs, inputs]`; `signed` if inputs may be negative.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::engine::Error::OutOfMemory).
    pub(in super::super) fn pack(
        weights: &[f32],
        bias: Option<&[f32]>,
        inputs: usize,
        signed: bool,
    ) -> Result<Self> {
        let outputs = weights.len() / inputs;
        let (width, padded) = (outputs.next_multiple_of(LANES), inputs.next_multiple_of(GROUP));
        assert!(padded <= Self::MAX_INPUTS);
        let mut packed = Self {
            weights: Buffer::zeroed(width * padded)?,
            scales: Buffer::zeroed(width)?,
            bias: Buffer::zeroed(width)?,
            start: [Buffer::zeroed(width)?, Buffer::zeroed(width)?],
            inputs: padded,
            signed,
        };
        if let Some(bias) = bias {
            packed.bias[..outputs].copy_from_slice(bias);
        }
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            let most = row.iter().fold(0.0_f32, |most, weight| most.max(weight.abs()));
            let scale = if most > 0.0 { 127.0 / most } else { 0.0 };
            packed.scales[output] = most / 127.0;
            let panel = &mut packed.weights[output / LANES * LANES * padded..];
            for (input, weight) in row.iter().enumerate() {
                let rounded = (weight * scale).round_ties_even().clamp(-127.0, 127.0) as i8;
                panel[(input / GROUP * LANES + output % LANES) * GROUP + input % GROUP] = rounded;
                for (start, added) in packed.start.iter_mut().zip([0, OFFSET]) {
                    start[output] += (added - if signed { OFFSET } else { 0 }) * i32::from(rounded);
                }
            }
        }
        Ok(packed)
    }

    /// Number of inputs, whole groups.
    pub(in super::super) fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of panels.
    pub(super) fn panels(&self) -> usize {
        self.bias.len() / LANES
    }

    /// Quantizes rows of `len` numbers into `to`, and overwrites `scales` with their scales.
    pub(in super::super) fn quantize(&self, x: &[f32], to: &mut [u8], len: usize, scales: &mut [f32]) {
        assert!(to.len() == x.len() && scales.len() * len == x.len());
        quantize_rows(x, to, len, self.signed, scales);
    }

    /// Quantizes cells of `channels` numbers into a board whose cells are [triples](super::operand::Runs::triples).
    pub(in super::super) fn quantize_board(
        &self,
        x: &[f32],
        to: &mut [u8],
        channels: usize,
        columns: usize,
    ) -> f32 {
        quantize_board(x, &mut to[3 * columns * channels..], channels, columns, self.signed)
    }

    /// Computes every panel for every row.
    pub(in super::super) fn apply(&self, x: &Quantized<'_>, y: &mut Output<'_>) {
        let rows = x.rows.starts.len();
        assert_eq!((x.rows.runs.inputs(), rows), (self.inputs, y.starts.len()));
        assert!(x.rows.runs.len.is_multiple_of(GROUP) && [1, rows].contains(&x.scales.len()));
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        if super::amx::multiply(self, x, y) {
            return;
        }
        multiply(self, x, y, 0..self.panels());
    }
}

at_level! {
    integers fn multiply(
        matrix: &Int8Matrix,
        x: &Quantized<'_>,
        y: &mut Output<'_>,
        panels: Range<usize>,
    ) = multiply_at
}

#[inline(always)]
fn multiply_at<L: Lanes>(matrix: &Int8Matrix, x: &Quantized<'_>, y: &mut Output<'_>, panels: Range<usize>) {
    let rows = x.rows.starts.len();
    let mut tile = Int8Tile::<L> { matrix, x, y, level: std::marker::PhantomData };
    // Safety: the operand's rows are inside its data and the output's inside its own; the matrix has the panels.
    unsafe { each_tile(&mut tile, rows, panels, L::SUMS) };
}

struct Int8Tile<'a, 'b, 'c, L> {
    matrix: &'a Int8Matrix,
    x: &'a Quantized<'b>,
    y: &'a mut Output<'c>,
    level: std::marker::PhantomData<L>,
}

impl<L: Lanes> Tile for Int8Tile<'_, '_, '_, L> {
    #[inline(always)]
    unsafe fn compute<const R: usize, const P: usize>(&mut self, row: usize, panel: usize) {
        let Self { matrix, x: Quantized { rows: x, scales }, y, .. } = self;
        let panel_len = matrix.inputs * LANES;
        // Safety: rows and panels exist, so all addresses are inside the slices that they are made from.
        unsafe {
            let mut weights = matrix.weights.as_ptr().add(panel * panel_len);
            let mut sums = [[L::zero(); P]; R];
            for run in 0..x.runs.count {
                let mut from = [x.data.as_ptr(); R];
                for (r, from) in from.iter_mut().enumerate() {
                    *from = from.add(*x.starts.get_unchecked(row + r) as usize + run * x.runs.stride);
                }
                for group in 0..x.runs.len / GROUP {
                    let mut of_panels = [L::weights(weights); P];
                    for (p, of_panel) in of_panels.iter_mut().enumerate() {
                        *of_panel = L::weights(weights.add(p * panel_len));
                    }
                    for (sums, from) in sums.iter_mut().zip(from) {
                        let inputs = L::inputs(from.add(group * GROUP));
                        for (sum, of_panel) in sums.iter_mut().zip(of_panels) {
                            *sum = L::dot(*sum, of_panel, inputs);
                        }
                    }
                    weights = weights.add(LANES * GROUP);
                }
            }
            for (r, sums) in sums.into_iter().enumerate() {
                let one = scales.len() == 1;
                let scale = L::splat(*scales.get_unchecked(if one { 0 } else { row + r }));
                let mut results = [scale; P];
                for (p, result) in results.iter_mut().enumerate() {
                    let at = (panel + p) * LANES;
                    let factor = L::multiply(scale, L::load(matrix.scales.as_ptr().add(at)));
                    let sum = L::finish(sums[p], matrix.start[usize::from(L::CENTERED)].as_ptr().add(at));
                    *result = L::add(L::multiply(sum, factor), L::load(matrix.bias.as_ptr().add(at)));
                }
                y.write::<L, P>(row + r, panel, results);
            }
        }
    }
}
