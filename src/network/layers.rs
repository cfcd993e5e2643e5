//! Layers. Matrices are row-major; each row is a cell of a board, or a position.

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2};

use super::tensors::Tensors;

/// A dense layer.
pub(super) struct Dense {
    /// `[outputs, inputs]`
    weights: Vec<f32>,
    bias: Option<Vec<f32>>,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
}

impl Dense {
    /// # Errors
    /// A message about the missing or mismatched tensor.
    pub(super) fn read(tensors: &mut Tensors, name: &str, inputs: usize) -> Result<Self, String> {
        let ([outputs, _], weights) = tensors.real(&format!("{name}.weight"), [None, Some(inputs)])?;
        let bias = Self::bias(tensors, name, outputs)?;
        Ok(Self { weights, bias, inputs, outputs })
    }

    /// A 3x3 convolution, as a dense layer over the nine cells.
    ///
    /// # Errors
    /// As for [`Dense::read`].
    pub(super) fn read_convolution(tensors: &mut Tensors, name: &str, inputs: usize) -> Result<Self, String> {
        let shape = [None, Some(3), Some(3), Some(inputs)];
        let ([outputs, ..], weights) = tensors.real(&format!("{name}.weight"), shape)?;
        let bias = Self::bias(tensors, name, outputs)?;
        Ok(Self { weights, bias, inputs: 9 * inputs, outputs })
    }

    fn bias(tensors: &mut Tensors, name: &str, outputs: usize) -> Result<Option<Vec<f32>>, String> {
        let name = format!("{name}.bias");
        if !tensors.has(&name) {
            return Ok(None);
        }
        Ok(Some(tensors.real(&name, [Some(outputs)])?.1))
    }

    /// Overwrites `y` with the layer's outputs for `x`, `[rows, inputs]`.
    pub(super) fn apply(&self, x: &[f32], y: &mut Vec<f32>) {
        let rows = x.len() / self.inputs;
        y.clear();
        match &self.bias {
            Some(bias) => (0..rows).for_each(|_| y.extend_from_slice(bias)),
            None => y.resize(rows * self.outputs, 0.0),
        }
        let shape = |rows, columns, what: &str| format!("{what} has {rows} rows of {columns}");
        let x = ArrayView2::from_shape((rows, self.inputs), x);
        let weights = ArrayView2::from_shape((self.outputs, self.inputs), &self.weights);
        let y = ArrayViewMut2::from_shape((rows, self.outputs), y);
        let (Ok(x), Ok(weights), Ok(mut y)) = (x, weights, y) else {
            unreachable!("{}", shape(rows, self.inputs, "a matrix"))
        };
        general_mat_mul(1.0, &x, &weights.t(), 1.0, &mut y);
    }
}

/// Layer normalization: normalizes every row, then scales and shifts it.
pub(super) struct Norm {
    scale: Vec<f32>,
    shift: Vec<f32>,
}

impl Norm {
    /// PyTorch's default.
    const EPSILON: f32 = 1e-5;

    /// # Errors
    /// A message about the missing or mismatched tensor.
    pub(super) fn read(tensors: &mut Tensors, name: &str, width: usize) -> Result<Self, String> {
        let (_, scale) = tensors.real(&format!("{name}.weight"), [Some(width)])?;
        let (_, shift) = tensors.real(&format!("{name}.bias"), [Some(width)])?;
        Ok(Self { scale, shift })
    }

    /// Overwrites `y` with the normalized rows of `x`.
    pub(super) fn apply(&self, x: &[f32], y: &mut Vec<f32>) {
        y.clear();
        let width = self.scale.len();
        for row in x.chunks_exact(width) {
            let mean = row.iter().sum::<f32>() / width as f32;
            let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / width as f32;
            let factor = 1.0 / (variance + Self::EPSILON).sqrt();
            y.extend(
                row.iter()
                    .zip(&self.scale)
                    .zip(&self.shift)
                    .map(|((v, scale), shift)| (v - mean) * factor * scale + shift),
            );
        }
    }
}

/// ReLU: sets negative numbers to 0.
pub(super) fn relu(x: &mut [f32]) {
    x.iter_mut().for_each(|v| *v = v.max(0.0));
}

/// Adds `y` to `x`.
pub(super) fn add(x: &mut [f32], y: &[f32]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += y);
}

/// Adds the row of `y` for every position to each of the position's `cells` rows in `x`.
pub(super) fn add_to_cells(x: &mut [f32], y: &[f32], width: usize, cells: usize) {
    for (cells, y) in x.chunks_exact_mut(width * cells).zip(y.chunks_exact(width)) {
        cells.chunks_exact_mut(width).for_each(|cell| add(cell, y));
    }
}

/// Overwrites `y` with the mean over the cells of every position.
pub(super) fn mean_of_cells(x: &[f32], y: &mut Vec<f32>, width: usize, cells: usize) {
    y.clear();
    for position in x.chunks_exact(width * cells) {
        let start = y.len();
        y.resize(start + width, 0.0);
        position.chunks_exact(width).for_each(|cell| add(&mut y[start..], cell));
        y[start..].iter_mut().for_each(|sum| *sum /= cells as f32);
    }
}

/// im2col: overwrites `y` with the concatenated nine cells around every cell; cells beyond the edge are 0.
pub(super) fn neighbourhoods(x: &[f32], y: &mut Vec<f32>, width: usize, (rows, columns): (usize, usize)) {
    y.clear();
    y.resize(x.len() * 9, 0.0);
    let cells = rows * columns;
    for (x, y) in x.chunks_exact(width * cells).zip(y.chunks_exact_mut(9 * width * cells)) {
        for row in 0..rows {
            for (i, from) in (row..row + 3).enumerate().filter(|(_, from)| (1..=rows).contains(from)) {
                let from = (from - 1) * columns * width;
                for column in 0..columns {
                    // Up to three neighbouring cells of a row are contiguous in `x` and in `y`, so they are copied at
                    // once.
                    let (first, last) = (column.saturating_sub(1), (column + 2).min(columns));
                    let at = (row * columns + column) * 9 * width + (3 * i + first + 1 - column) * width;
                    let len = (last - first) * width;
                    y[at..at + len].copy_from_slice(&x[from + first * width..][..len]);
                }
            }
        }
    }
}
