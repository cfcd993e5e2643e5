//! Patches of a board: layers from its cells to patches of several cells, and back.

use super::kernels::buffers::{Buffer, row_len};
use super::kernels::float::FloatMatrix;
use super::kernels::operand::{After, Operand, Output, Runs};
use super::layers::{Board, Dense, widen};
use super::tensors::{ReadError, Tensors};
use crate::engine::Result;

/// Largest side of a patch.
const LARGEST_STRIDE: usize = 16;

/// The layers of a network with blocks over patches of `stride` x `stride` cells.
pub(super) struct Patches {
    stride: usize,
    /// Numbers of a cell or a patch in memory.
    width: usize,
    /// From the cells of a patch, row by row, to the patch.
    down: FloatMatrix,
    /// From a patch to each of its cells, row by row.
    up: Vec<Dense>,
}

/// The places of the cells and patches of a board.
pub(super) struct Patched {
    /// The board of the patches.
    pub(super) board: Board,
    /// Columns of the cells, and of whole patches.
    columns: usize,
    padded_columns: usize,
    /// The cells of whole patches, if the board has parts of patches; cells beyond its edges are 0.
    padded: Option<Buffer<f32>>,
    /// The first cell of each patch among them.
    starts: Vec<u32>,
    /// For each cell of a patch: the patches that have it on the board, and these cells.
    up: Vec<(Vec<u32>, Vec<u32>)>,
}

impl Patches {
    /// The layers in a file, if it has any.
    ///
    /// # Errors
    /// A message about the mismatched tensor.
    pub(super) fn read(tensors: &mut Tensors, width: usize) -> Result<Option<Self>, ReadError> {
        if !tensors.has("down.weight") {
            return Ok(None);
        }
        let ([_, inputs], down) = tensors.real("down.weight", [Some(width), None])?;
        let (_, bias) = tensors.real("down.bias", [Some(width)])?;
        let strides = 2..=LARGEST_STRIDE;
        let Some(stride) = strides.clone().find(|stride| stride * stride * width == inputs) else {
            let (least, most) = (strides.start(), strides.end());
            let what = "inputs of whole patches of cells";
            return Err(format!(
                "\"down.weight\" has {inputs} inputs: {what} with a side of {least} to {most} are needed"
            )
            .into());
        };
        let (cells, padded) = (stride * stride, row_len(width));
        let down = FloatMatrix::pack(&widen(down, width, padded), Some(&bias), cells * padded)?;
        let (_, up) = tensors.real("up.weight", [Some(cells * width), Some(width)])?;
        let (_, bias) = tensors.real("up.bias", [Some(cells * width)])?;
        let of_cells = up.chunks_exact(width * width).zip(bias.chunks_exact(width));
        let up =
            of_cells.map(|(weights, bias)| Dense::pack(weights, Some(bias), width)).collect::<Result<_>>()?;
        Ok(Some(Self { stride, width: padded, down, up }))
    }

    /// The places on a board of this size.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::engine::Error::OutOfMemory).
    pub(super) fn of_board(&self, (rows, columns): (usize, usize)) -> Result<Patched> {
        let Self { stride, width, .. } = *self;
        let size = self.size((rows, columns));
        let (padded_rows, padded_columns) = (size.0 * stride, size.1 * stride);
        let whole = (padded_rows, padded_columns) == (rows, columns);
        let patches = || (0..size.0 * size.1).map(|patch| (patch / size.1 * stride, patch % size.1 * stride));
        let of_cell = |(row, column): (usize, usize)| {
            let there =
                patches().enumerate().map(move |(patch, first)| (patch, first.0 + row, first.1 + column));
            let there = there.filter(|&(_, row, column)| row < rows && column < columns);
            there
                .map(|(patch, row, column)| {
                    ((patch * width) as u32, ((row * columns + column) * width) as u32)
                })
                .unzip()
        };
        Ok(Patched {
            board: Board::new(size, 0, width),
            columns,
            padded_columns,
            padded: if whole { None } else { Some(Buffer::zeroed(padded_rows * padded_columns * width)?) },
            starts: patches().map(|(row, column)| ((row * padded_columns + column) * width) as u32).collect(),
            up: (0..stride * stride).map(|cell| of_cell((cell / stride, cell % stride))).collect(),
        })
    }

    /// Rows and columns of patches of a board.
    fn size(&self, (rows, columns): (usize, usize)) -> (usize, usize) {
        (rows.div_ceil(self.stride), columns.div_ceil(self.stride))
    }

    /// Number of patches of a board, with a border and without.
    pub(super) fn count(&self, board: (usize, usize)) -> (usize, usize) {
        let size = self.size(board);
        (Board::cells_with_border(size), size.0 * size.1)
    }

    /// Computes the patches of the cells in `x`.
    pub(super) fn apply_down(&self, x: &[f32], patched: &mut Patched, patches: &mut [f32]) {
        let Patched { board, columns, padded_columns, padded, starts, .. } = patched;
        let width = self.width;
        let cells = match padded {
            None => x,
            Some(padded) => {
                let rows = padded.chunks_exact_mut(*padded_columns * width);
                for (to, from) in rows.zip(x.chunks_exact(*columns * width)) {
                    to[..from.len()].copy_from_slice(from);
                }
                &padded[..]
            }
        };
        let cells = Operand::new(cells, starts, Runs::patch(width, self.stride, *padded_columns));
        let after = After { relu: true, ..After::default() };
        self.down.apply(&cells, &mut Output::new(patches, &board.rows, width, after), 0..self.down.panels());
    }

    /// Adds the cells of the patches to `x`.
    pub(super) fn apply_up(&self, patches: &[f32], patched: &Patched, x: &mut [f32]) {
        for (layer, (from, to)) in self.up.iter().zip(&patched.up) {
            layer.apply(patches, from, x, to, After { residual: true, relu: true, ..After::default() });
        }
    }
}
