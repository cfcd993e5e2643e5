//! Layers. A row is a cell of a board, or a position, in whole vectors of 16 numbers.

use super::kernels::buffers::{Buffer, row_len};
use super::kernels::float::FloatMatrix;
use super::kernels::int8::{Int8Matrix, Quantized};
use super::kernels::int16::{Int16Matrix, Plain};
use super::kernels::normalize;
use super::kernels::operand::{After, Operand, Output, Runs};
use super::kernels::sparse::{CellEntries, Entries, SparseMatrix};
use super::precision::Precision;
use super::tensors::{ReadError, Tensors};
use crate::engine::{Named, Result};

/// A tensor of weights as it is read, `[outputs, inputs]`.
struct Weights {
    weights: Vec<f32>,
    bias: Option<Vec<f32>>,
    inputs: usize,
    outputs: usize,
}

impl Weights {
    fn read(tensors: &mut Tensors, name: &str, inputs: usize) -> Result<Self, ReadError> {
        let ([outputs, _], weights) = tensors.real(&format!("{name}.weight"), [None, Some(inputs)])?;
        Ok(Self { weights, bias: Self::bias(tensors, name, outputs)?, inputs, outputs })
    }

    /// A 3x3 convolution, as a dense layer over the nine cells; a cell takes `channels` numbers, of which `inputs` have
    /// weights.
    fn read_convolution(
        tensors: &mut Tensors,
        name: &str,
        inputs: usize,
        channels: usize,
    ) -> Result<Self, ReadError> {
        let shape = [None, Some(3), Some(3), Some(inputs)];
        let ([outputs, ..], weights) = tensors.real(&format!("{name}.weight"), shape)?;
        let bias = Self::bias(tensors, name, outputs)?;
        Ok(Self { weights: widen(weights, inputs, channels), bias, inputs: 9 * channels, outputs })
    }

    fn bias(tensors: &mut Tensors, name: &str, outputs: usize) -> Result<Option<Vec<f32>>, ReadError> {
        let name = format!("{name}.bias");
        if !tensors.has(&name) {
            return Ok(None);
        }
        Ok(Some(tensors.real(&name, [Some(outputs)])?.1))
    }
}

/// Weights for cells of `channels` numbers, of which the first `inputs` have weights.
pub(super) fn widen(weights: Vec<f32>, inputs: usize, channels: usize) -> Vec<f32> {
    if inputs == channels {
        return weights;
    }
    let mut wide = vec![0.0; weights.len() / inputs * channels];
    for (wide, weights) in wide.chunks_exact_mut(channels).zip(weights.chunks_exact(inputs)) {
        wide[..inputs].copy_from_slice(weights);
    }
    wide
}

/// A dense layer in single precision.
pub(super) struct Dense {
    matrix: FloatMatrix,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
}

impl Dense {
    /// # Errors
    /// A message about the missing or mismatched tensor.
    pub(super) fn read(tensors: &mut Tensors, name: &str, inputs: usize) -> Result<Self, ReadError> {
        let read = Weights::read(tensors, name, inputs)?;
        Ok(Self::pack(&read.weights, read.bias.as_deref(), inputs)?)
    }

    /// Takes weights `[outputs, inputs]`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::engine::Error::OutOfMemory).
    pub(super) fn pack(weights: &[f32], bias: Option<&[f32]>, inputs: usize) -> Result<Self> {
        let matrix = FloatMatrix::pack(weights, bias, inputs)?;
        Ok(Self { matrix, inputs, outputs: weights.len() / inputs })
    }

    /// Length of a row of outputs.
    pub(super) fn row_len(&self) -> usize {
        row_len(self.outputs)
    }

    /// Number of panels of 16 outputs.
    pub(super) fn panels(&self) -> usize {
        self.matrix.panels()
    }

    /// Computes the rows of `x` that begin at `from` into the rows of `y` that begin at `to`.
    pub(super) fn apply(&self, x: &[f32], from: &[u32], y: &mut [f32], to: &[u32], after: After<'_>) {
        let x = Operand::new(x, from, Runs::dense(self.inputs));
        self.matrix.apply(&x, &mut Output::new(y, to, self.row_len(), after), 0..self.panels());
    }

    /// Computes one panel of 16 outputs only.
    pub(super) fn apply_panel(&self, panel: usize, x: &[f32], from: &[u32], y: &mut [f32], to: &[u32]) {
        let x = Operand::new(x, from, Runs::dense(self.inputs));
        let mut y = Output::new(y, to, self.row_len(), After::default());
        self.matrix.apply(&x, &mut y, panel..panel + 1);
    }
}

/// The first layer of networks without a board.
pub(super) struct FirstLayer {
    matrix: SparseMatrix,
    pub(super) outputs: usize,
}

impl FirstLayer {
    /// Input `i` of the layer is input `order[i]` of the tensor.
    ///
    /// # Errors
    /// As for [`Dense::read`].
    pub(super) fn read(tensors: &mut Tensors, name: &str, order: &[usize]) -> Result<Self, ReadError> {
        let mut read = Weights::read(tensors, name, order.len())?;
        let mut row = vec![0.0; order.len()];
        for weights in read.weights.chunks_exact_mut(order.len()) {
            row.copy_from_slice(weights);
            weights.iter_mut().zip(order).for_each(|(weight, &input)| *weight = row[input]);
        }
        let matrix = SparseMatrix::pack(&read.weights, read.bias.as_deref(), order.len())?;
        Ok(Self { matrix, outputs: read.outputs })
    }

    /// Overwrites `y`, a row.
    pub(super) fn apply(&self, entries: &Entries, y: &mut [f32]) {
        self.matrix.apply(entries, y);
    }
}

/// The first layer of networks with a board: a 3x3 convolution in single precision.
pub(super) struct FirstConvolution {
    matrix: FloatMatrix,
    /// The same weights, for boards with few inputs that are not 0.
    sparse: SparseMatrix,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
}

/// The share of inputs that are not 0 up to which the others are skipped: a third.
const SPARSE: usize = 3;

impl FirstConvolution {
    /// # Errors
    /// As for [`Dense::read`].
    pub(super) fn read(tensors: &mut Tensors, name: &str, inputs: usize) -> Result<Self, ReadError> {
        let read = Weights::read_convolution(tensors, name, inputs, inputs)?;
        let matrix = FloatMatrix::pack(&read.weights, read.bias.as_deref(), read.inputs)?;
        let sparse = SparseMatrix::pack(&read.weights, read.bias.as_deref(), read.inputs)?;
        Ok(Self { matrix, sparse, inputs, outputs: read.outputs })
    }

    /// Computes the cells of a board with a border, with positive results alone; `row` is added to every cell.
    pub(super) fn apply(
        &self,
        x: &[f32],
        cells: &mut CellEntries,
        board: &Board,
        y: &mut [f32],
        row: Option<&[f32]>,
    ) {
        let after = After { row, relu: true, ..After::default() };
        let mut y = Output::new(y, &board.rows, row_len(self.outputs), after);
        if SPARSE * cells.read(x) <= board.rows.len() * self.inputs {
            self.sparse.apply_to_board(cells, board.columns, &mut y);
        } else {
            let runs = Runs::neighbourhood(self.inputs, board.columns);
            self.matrix.apply(&Operand::new(x, &board.planes, runs), &mut y, 0..self.matrix.panels());
        }
    }
}

/// The offsets of a board's cells.
pub(super) struct Board {
    pub(super) columns: usize,
    /// The neighbourhood of each cell among the planes, on a board with a border.
    planes: Vec<u32>,
    /// The same among a layer's channels.
    channels: Vec<u32>,
    /// The same among channels of 8 bits, in [triples](Runs::triples).
    triples: Vec<u32>,
    /// The row of each cell.
    pub(super) rows: Vec<u32>,
}

impl Board {
    pub(super) fn new((rows, columns): (usize, usize), planes: usize, channels: usize) -> Self {
        let cells = || (0..rows * columns).map(|cell| cell / columns * (columns + 2) + cell % columns);
        Self {
            columns,
            planes: cells().map(|cell| (cell * planes) as u32).collect(),
            channels: cells().map(|cell| (cell * channels) as u32).collect(),
            triples: (0..rows * columns).map(|cell| (3 * cell * channels) as u32).collect(),
            rows: (0..rows * columns).map(|cell| (cell * channels) as u32).collect(),
        }
    }

    /// Number of cells with the border.
    pub(super) fn cells_with_border((rows, columns): (usize, usize)) -> usize {
        (rows + 2) * (columns + 2)
    }
}

/// A layer of a residual block or of a graph's nodes, dense or a convolution, in any precision.
pub(super) struct Inner {
    weights: InnerWeights,
    inputs: usize,
    pub(super) outputs: usize,
}

enum InnerWeights {
    Float(FloatMatrix),
    Int8(Int8Matrix),
    Int16(Int16Matrix),
}

/// Memory of an [`Inner`] layer's operand.
pub(super) struct InnerScratch {
    /// A board with a border.
    floats: Buffer<f32>,
    /// Rows, or a board of triples.
    bytes: Buffer<u8>,
    /// The same in 16 bits.
    words: Buffer<i16>,
    scales: Buffer<f32>,
}

impl InnerScratch {
    /// For rows or cells with the border of `width` numbers.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::engine::Error::OutOfMemory).
    pub(super) fn new(cells: usize, width: usize, precision: Precision, board: bool) -> Result<Self> {
        let of = |used: bool| if used { cells * width } else { 0 };
        Ok(Self {
            floats: Buffer::zeroed(of(board && precision == Precision::Float))?,
            bytes: Buffer::zeroed(of(precision == Precision::Int8) * if board { 3 } else { 1 })?,
            words: Buffer::zeroed(of(precision == Precision::Int16) * if board { 3 } else { 1 })?,
            scales: Buffer::zeroed(if board { 1 } else { cells })?,
        })
    }
}

impl Inner {
    /// A dense layer; `signed` if its inputs may be negative.
    ///
    /// # Errors
    /// As for [`Dense::read`].
    pub(super) fn read(
        tensors: &mut Tensors,
        name: &str,
        width: usize,
        precision: Precision,
        signed: bool,
    ) -> Result<Self, ReadError> {
        Self::pack(&Weights::read(tensors, name, width)?, precision, signed)
    }

    /// A convolution; its inputs are never negative.
    ///
    /// # Errors
    /// As for [`Dense::read`].
    pub(super) fn read_convolution(
        tensors: &mut Tensors,
        name: &str,
        width: usize,
        precision: Precision,
    ) -> Result<Self, ReadError> {
        Self::pack(&Weights::read_convolution(tensors, name, width, row_len(width))?, precision, false)
    }

    fn pack(read: &Weights, precision: Precision, signed: bool) -> Result<Self, ReadError> {
        let Weights { weights, bias, inputs, outputs } = read;
        let weights = match precision {
            Precision::Float => InnerWeights::Float(FloatMatrix::pack(weights, bias.as_deref(), *inputs)?),
            Precision::Int8 => {
                Self::check_inputs(*inputs, Int8Matrix::MAX_INPUTS, precision)?;
                InnerWeights::Int8(Int8Matrix::pack(weights, bias.as_deref(), *inputs, signed)?)
            }
            Precision::Int16 => {
                Self::check_inputs(*inputs, Int16Matrix::MAX_INPUTS, precision)?;
                InnerWeights::Int16(Int16Matrix::pack(weights, bias.as_deref(), *inputs)?)
            }
        };
        Ok(Self { weights, inputs: *inputs, outputs: *outputs })
    }

    fn check_inputs(inputs: usize, most: usize, precision: Precision) -> Result<(), ReadError> {
        if inputs > most {
            let name = Named::name(precision);
            return Err(format!("a layer has {inputs} inputs: precision={name} takes {most}").into());
        }
        Ok(())
    }

    /// Computes rows, which follow one another in `x` and begin at `from`, into the rows of `y` that begin at `to`.
    pub(super) fn apply(
        &self,
        x: &[f32],
        from: &[u32],
        scratch: &mut InnerScratch,
        y: &mut [f32],
        to: &[u32],
        after: After<'_>,
    ) {
        let len = row_len(self.inputs);
        let (count, all) = (from.len(), from.len() * len);
        let mut y = Output::new(y, to, row_len(self.outputs), after);
        match &self.weights {
            InnerWeights::Float(matrix) => {
                let x = Operand::new(x, from, Runs::dense(matrix.inputs()));
                matrix.apply(&x, &mut y, 0..matrix.panels());
            }
            InnerWeights::Int8(matrix) => {
                let InnerScratch { bytes, scales, .. } = scratch;
                let scales = &mut scales[..count];
                matrix.quantize(&x[..all], &mut bytes[..all], len, scales);
                let rows = Operand::new(bytes, from, Runs::dense(matrix.inputs()));
                matrix.apply(&Quantized { rows, scales }, &mut y);
            }
            InnerWeights::Int16(matrix) => {
                let x = Plain::Rows { x: &x[..all], starts: from, len };
                let InnerScratch { words, scales, .. } = scratch;
                matrix.apply(&x, words, scales, &mut y);
            }
        }
    }

    /// Computes the cells of a board.
    pub(super) fn apply_to_board(
        &self,
        x: &[f32],
        board: &Board,
        scratch: &mut InnerScratch,
        y: &mut [f32],
        after: After<'_>,
    ) {
        let width = row_len(self.outputs);
        let mut y = Output::new(y, &board.rows, width, after);
        match &self.weights {
            InnerWeights::Float(matrix) => {
                let floats = &mut scratch.floats;
                for (row, x) in x.chunks_exact(board.columns * width).enumerate() {
                    let start = ((row + 1) * (board.columns + 2) + 1) * width;
                    floats[start..start + x.len()].copy_from_slice(x);
                }
                let runs = Runs::neighbourhood(width, board.columns);
                let x = Operand::new(floats, &board.channels, runs);
                matrix.apply(&x, &mut y, 0..matrix.panels());
            }
            InnerWeights::Int8(matrix) => {
                let scale = matrix.quantize_board(x, &mut scratch.bytes, width, board.columns);
                let runs = Runs::triples(width, board.columns);
                let rows = Operand::new(&scratch.bytes[..], &board.triples, runs);
                matrix.apply(&Quantized { rows, scales: &[scale] }, &mut y);
            }
            InnerWeights::Int16(matrix) => {
                let columns = board.columns;
                let x = Plain::Board { x, starts: &board.triples, channels: width, columns };
                matrix.apply(&x, &mut scratch.words, &mut scratch.scales, &mut y);
            }
        }
    }
}

/// Layer normalization: normalizes every row, then scales and shifts it.
pub(super) struct Norm {
    scale: Buffer<f32>,
    shift: Buffer<f32>,
    width: usize,
}

impl Norm {
    /// # Errors
    /// A message about the missing or mismatched tensor.
    pub(super) fn read(tensors: &mut Tensors, name: &str, width: usize) -> Result<Self, ReadError> {
        let mut read = |part: &str| -> Result<Buffer<f32>, ReadError> {
            let (_, numbers) = tensors.real(&format!("{name}.{part}"), [Some(width)])?;
            let mut padded = Buffer::zeroed(row_len(width))?;
            padded[..width].copy_from_slice(&numbers);
            Ok(padded)
        };
        Ok(Self { scale: read("weight")?, shift: read("bias")?, width })
    }

    /// Overwrites the rows of `y` with the normalized rows of `x`; with `relu`, negative results become 0.
    pub(super) fn apply(&self, x: &[f32], y: &mut [f32], relu: bool) {
        normalize(x, y, self.width, &self.scale, &self.shift, relu);
    }
}
