//! Weights and activations in 16 bits.
//!
//! The weights of an output are integers from -2047 to 2047 times a scale, the activations of a row or a board integers
//! times a scale, too. The largest activation is as large as the sums of the matrix in 32 bits allow. Numbers are rounded
//! to the nearest integer, ties to the even one. The sums are exact.

use std::ops::Range;

use super::buffers::Buffer;
use super::elementwise::{words_of_board, words_of_rows};
use super::lanes::Lanes;
use super::operand::{Operand, Output, Runs};
use super::tiles::{Tile, each_tile};
use super::{LANES, at_level};
use crate::engine::Result;

/// Number of inputs with their weights beside each other.
const GROUP: usize = 2;

/// The largest weight. Rounding weights costs more accuracy than rounding activations, so these have what remains.
const MOST: f32 = 2047.0;

/// A matrix of 16-bit weights in panels of 16 outputs, `[panels, groups, 16, 2]`.
pub(in super::super) struct Int16Matrix {
    weights: Buffer<i16>,
    /// The upper bytes of the weights, and the lower ones, in the layout of tiles: `[2, panels, inputs / 4, 16, 4]`. They
    /// are empty unless the inputs are whole groups of four.
    pub(super) halves: Buffer<i8>,
    /// Of every output.
    pub(super) scales: Buffer<f32>,
    pub(super) bias: Buffer<f32>,
    pub(super) inputs: usize,
    /// The largest activation.
    levels: f32,
}

/// Cells or rows before they are rounded.
pub(in super::super) enum Plain<'a> {
    /// Cells of `channels` numbers; `starts` are the offsets of [triples](Runs::triples).
    Board { x: &'a [f32], starts: &'a [u32], channels: usize, columns: usize },
    /// Rows of `len` numbers, from these offsets on.
    Rows { x: &'a [f32], starts: &'a [u32], len: usize },
}

impl Int16Matrix {
    /// The largest number of inputs: activations have at least 7 bits.
    pub(in super::super) const MAX_INPUTS: usize = i32::MAX as usize / MOST as usize / 128;

    /// Rounds and packs `weights`, `[outputs, inputs]`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::engine::Error::OutOfMemory).
    pub(in super::super) fn pack(weights: &[f32], bias: Option<&[f32]>, inputs: usize) -> Result<Self> {
        let outputs = weights.len() / inputs;
        let (width, padded) = (outputs.next_multiple_of(LANES), inputs.next_multiple_of(GROUP));
        assert!(padded <= Self::MAX_INPUTS);
        let tiles = cfg!(all(target_arch = "x86_64", target_os = "linux")) && padded.is_multiple_of(4);
        let mut packed = Self {
            weights: Buffer::zeroed(width * padded)?,
            halves: Buffer::zeroed(if tiles { 2 * width * padded } else { 0 })?,
            scales: Buffer::zeroed(width)?,
            bias: Buffer::zeroed(width)?,
            inputs: padded,
            levels: 0.0,
        };
        if let Some(bias) = bias {
            packed.bias[..outputs].copy_from_slice(bias);
        }
        let mut largest = 1;
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            let most = row.iter().fold(0.0_f32, |most, weight| most.max(weight.abs()));
            let scale = if most > 0.0 { MOST / most } else { 0.0 };
            packed.scales[output] = most / MOST;
            let (panel, lane) = (output / LANES * LANES * padded, output % LANES);
            let mut sum = 0;
            for (input, weight) in row.iter().enumerate() {
                let rounded = (weight * scale).round_ties_even().clamp(-MOST, MOST) as i16;
                sum += i64::from(rounded.unsigned_abs());
                packed.weights[panel + (input / GROUP * LANES + lane) * GROUP + input % GROUP] = rounded;
                if tiles {
                    let at = panel + (input / 4 * LANES + lane) * 4 + input % 4;
                    packed.halves[at] = (rounded >> 8) as i8;
                    packed.halves[width * padded + at] = rounded as i8;
                }
            }
            largest = sum.max(largest);
        }
        packed.levels = (i64::from(i32::MAX) / largest).min(i64::from(i16::MAX)) as f32;
        Ok(packed)
    }

    /// Number of panels.
    pub(super) fn panels(&self) -> usize {
        self.bias.len() / LANES
    }

    /// Computes every panel for every row or cell. The integers are in `words`, and their scales in `scales`.
    pub(in super::super) fn apply(
        &self,
        plain: &Plain<'_>,
        words: &mut Buffer<i16>,
        scales: &mut Buffer<f32>,
        y: &mut Output<'_>,
    ) {
        let (starts, runs, scales) = match *plain {
            Plain::Board { x, starts, channels, columns } => {
                let runs = Runs::triples(channels, columns);
                #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
                if let Some(tiles) = super::amx::Halves::of(self, starts, runs) {
                    let scale = words_of_board(x, words, channels, columns, self.levels, true);
                    return tiles.multiply(self, words, scale, y);
                }
                let scale = words_of_board(x, words, channels, columns, self.levels, false);
                scales[0] = scale;
                (starts, runs, &scales[..1])
            }
            Plain::Rows { x, starts, len } => {
                words_of_rows(x, &mut words[..x.len()], len, self.levels, &mut scales[..starts.len()]);
                (starts, Runs::dense(self.inputs), &scales[..starts.len()])
            }
        };
        let x = Operand::new(&words[..], starts, runs);
        assert_eq!((runs.inputs(), starts.len()), (self.inputs, y.starts.len()));
        assert!(runs.len.is_multiple_of(GROUP) && [1, starts.len()].contains(&scales.len()));
        multiply(self, &x, scales, y, 0..self.panels());
    }
}

at_level! {
    integers fn multiply(
        matrix: &Int16Matrix,
        x: &Operand<'_, i16>,
        scales: &[f32],
        y: &mut Output<'_>,
        panels: Range<usize>,
    ) = multiply_at
}

#[inline(always)]
fn multiply_at<L: Lanes>(
    matrix: &Int16Matrix,
    x: &Operand<'_, i16>,
    scales: &[f32],
    y: &mut Output<'_>,
    panels: Range<usize>,
) {
    let mut tile = Int16Tile::<L> { matrix, x, scales, y, level: std::marker::PhantomData };
    // Safety: the operand's rows are inside its data and the output's inside its own; the matrix has the panels.
    unsafe { each_tile(&mut tile, x.starts.len(), panels, L::WORD_SUMS) };
}

struct Int16Tile<'a, 'b, 'c, L> {
    matrix: &'a Int16Matrix,
    x: &'a Operand<'b, i16>,
    scales: &'a [f32],
    y: &'a mut Output<'c>,
    level: std::marker::PhantomData<L>,
}

impl<L: Lanes> Tile for Int16Tile<'_, '_, '_, L> {
    #[inline(always)]
    unsafe fn compute<const R: usize, const P: usize>(&mut self, row: usize, panel: usize) {
        let Self { matrix, x, scales, y, .. } = self;
        let panel_len = matrix.inputs * LANES;
        // Safety: rows and panels exist, so all addresses are inside the slices that they are made from.
        unsafe {
            let mut weights = matrix.weights.as_ptr().add(panel * panel_len);
            let mut sums = [[L::word_zero(); P]; R];
            for run in 0..x.runs.count {
                let mut from = [x.data.as_ptr(); R];
                for (r, from) in from.iter_mut().enumerate() {
                    *from = from.add(*x.starts.get_unchecked(row + r) as usize + run * x.runs.stride);
                }
                for group in 0..x.runs.len / GROUP {
                    let mut of_panels = [L::word_weights(weights); P];
                    for (p, of_panel) in of_panels.iter_mut().enumerate() {
                        *of_panel = L::word_weights(weights.add(p * panel_len));
                    }
                    for (sums, from) in sums.iter_mut().zip(from) {
                        let inputs = L::word_inputs(from.add(group * GROUP));
                        for (sum, of_panel) in sums.iter_mut().zip(of_panels) {
                            *sum = L::word_dot(*sum, of_panel, inputs);
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
                    let sum = L::multiply(L::word_finish(sums[p]), factor);
                    *result = L::add(sum, L::load(matrix.bias.as_ptr().add(at)));
                }
                y.write::<L, P>(row + r, panel, results);
            }
        }
    }
}
