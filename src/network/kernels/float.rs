//! Weights in single precision.

use std::ops::Range;

use super::buffers::Buffer;
use super::lanes::Lanes;
use super::operand::{Operand, Output};
use super::tiles::{Tile, each_tile};
use super::{LANES, at_level};
use crate::engine::Result;

/// A matrix of weights in panels of 16 outputs, `[panels, inputs, 16]`, with a bias. Outputs that only complete the
/// last panel are 0.
pub(in super::super) struct FloatMatrix {
    weights: Buffer<f32>,
    bias: Buffer<f32>,
    inputs: usize,
}

impl FloatMatrix {
    /// Packs `weights`, `[outputs, inputs]`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::engine::Error::OutOfMemory).
    pub(in super::super) fn pack(weights: &[f32], bias: Option<&[f32]>, inputs: usize) -> Result<Self> {
        let outputs = weights.len() / inputs;
        let width = outputs.next_multiple_of(LANES);
        let mut packed = Buffer::zeroed(width * inputs)?;
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            let (panel, lane) = (output / LANES, output % LANES);
            let panel = &mut packed[panel * inputs * LANES..][..inputs * LANES];
            for (to, &weight) in panel[lane..].iter_mut().step_by(LANES).zip(row) {
                *to = weight;
            }
        }
        let mut padded = Buffer::zeroed(width)?;
        if let Some(bias) = bias {
            padded[..outputs].copy_from_slice(bias);
        }
        Ok(Self { weights: packed, bias: padded, inputs })
    }

    /// Number of inputs.
    pub(in super::super) fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of panels.
    pub(in super::super) fn panels(&self) -> usize {
        self.bias.len() / LANES
    }

    /// Computes some panels for every row.
    pub(in super::super) fn apply(&self, x: &Operand<'_, f32>, y: &mut Output<'_>, panels: Range<usize>) {
        assert_eq!((x.runs.inputs(), x.starts.len()), (self.inputs, y.starts.len()));
        assert!(panels.end <= self.panels());
        multiply(self, x, y, panels);
    }
}

at_level! {
    floats fn multiply(
        matrix: &FloatMatrix,
        x: &Operand<'_, f32>,
        y: &mut Output<'_>,
        panels: Range<usize>,
    ) = multiply_at
}

#[inline(always)]
fn multiply_at<L: Lanes>(
    matrix: &FloatMatrix,
    x: &Operand<'_, f32>,
    y: &mut Output<'_>,
    panels: Range<usize>,
) {
    let rows = x.starts.len();
    let mut tile = FloatTile::<L> { matrix, x, y, level: std::marker::PhantomData };
    // Safety: the operand's rows are inside its data and the output's inside its own; the matrix has the panels.
    unsafe { each_tile(&mut tile, rows, panels, L::FLOATS) };
}

struct FloatTile<'a, 'b, 'c, L> {
    matrix: &'a FloatMatrix,
    x: &'a Operand<'b, f32>,
    y: &'a mut Output<'c>,
    level: std::marker::PhantomData<L>,
}

impl<L: Lanes> Tile for FloatTile<'_, '_, '_, L> {
    #[inline(always)]
    unsafe fn compute<const R: usize, const P: usize>(&mut self, row: usize, panel: usize) {
        let Self { matrix, x, y, .. } = self;
        let panel_len = matrix.inputs * LANES;
        // Safety: rows and panels exist, so all addresses are inside the slices that they are made from.
        unsafe {
            let bias = matrix.bias.as_ptr().add(panel * LANES);
            let mut weights = matrix.weights.as_ptr().add(panel * panel_len);
            let mut sums = [[L::splat(0.0); P]; R];
            for sums in &mut sums {
                for (p, sum) in sums.iter_mut().enumerate() {
                    *sum = L::load(bias.add(p * LANES));
                }
            }
            for run in 0..x.runs.count {
                let mut from = [x.data.as_ptr(); R];
                for (r, from) in from.iter_mut().enumerate() {
                    *from = from.add(*x.starts.get_unchecked(row + r) as usize + run * x.runs.stride);
                }
                for input in 0..x.runs.len {
                    let mut of_panels = [L::splat(0.0); P];
                    for (p, of_panel) in of_panels.iter_mut().enumerate() {
                        *of_panel = L::load(weights.add(p * panel_len));
                    }
                    for (sums, from) in sums.iter_mut().zip(from) {
                        let number = L::splat(*from.add(input));
                        for (sum, of_panel) in sums.iter_mut().zip(of_panels) {
                            *sum = L::fused(number, of_panel, *sum);
                        }
                    }
                    weights = weights.add(LANES);
                }
            }
            for (r, sums) in sums.into_iter().enumerate() {
                y.write::<L, P>(row + r, panel, sums);
            }
        }
    }
}

impl Output<'_> {
    /// Writes results of some panels of a row.
    ///
    /// # Safety
    /// The row has the panels, and the processor the instructions.
    #[inline(always)]
    pub(super) unsafe fn write<L: Lanes, const P: usize>(
        &mut self,
        row: usize,
        panel: usize,
        results: [L::Floats; P],
    ) {
        // Safety: rows of whole panels are inside the data.
        unsafe {
            let to = self.data.as_mut_ptr().add(*self.starts.get_unchecked(row) as usize + panel * LANES);
            for (p, mut result) in results.into_iter().enumerate() {
                let to = to.add(p * LANES);
                if let Some(row) = self.after.row {
                    result = L::add(result, L::load(row.as_ptr().add((panel + p) * LANES)));
                }
                if self.after.residual {
                    result = L::add(L::load(to), result);
                }
                if self.after.relu {
                    result = L::relu(result);
                }
                L::store(to, result);
            }
        }
    }
}
