//! The activations of a product.

/// Rows of inputs in memory. A row is several runs of `len` elements, `stride` elements apart: one for a dense layer,
/// three for the 3x3 neighbourhood of a cell on a board with a border, several for the cells of a patch.
pub(in super::super) struct Operand<'a, T> {
    pub(super) data: &'a [T],
    /// The first element of each row.
    pub(super) starts: &'a [u32],
    pub(super) runs: Runs,
}

/// The runs of every row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Runs {
    pub(super) count: usize,
    pub(super) len: usize,
    pub(super) stride: usize,
}

impl Runs {
    /// A row of a dense layer with this many inputs.
    pub(in super::super) fn dense(inputs: usize) -> Self {
        Self { count: 1, len: inputs, stride: 0 }
    }

    /// The neighbourhood of a cell: `channels` numbers per cell, on a board with this many columns and a border.
    pub(in super::super) fn neighbourhood(channels: usize, columns: usize) -> Self {
        Self { count: 3, len: 3 * channels, stride: (columns + 2) * channels }
    }

    /// The neighbourhood of a cell on a board whose cells are triples: the left neighbour's numbers, its own, and the
    /// right neighbour's, on a board with a row above and one below. So the rows of consecutive cells are equally far
    /// from each other, across the edges of the board.
    pub(in super::super) fn triples(channels: usize, columns: usize) -> Self {
        Self { count: 3, len: 3 * channels, stride: columns * 3 * channels }
    }

    /// The cells of a patch of `stride` x `stride` cells: `channels` numbers per cell, on a board with this many columns.
    pub(in super::super) fn patch(channels: usize, stride: usize, columns: usize) -> Self {
        Self { count: stride, len: stride * channels, stride: columns * channels }
    }

    /// Number of inputs of a row.
    pub(super) fn inputs(self) -> usize {
        self.count * self.len
    }
}

impl<'a, T> Operand<'a, T> {
    /// Panics if a row is not inside `data`.
    pub(in super::super) fn new(data: &'a [T], starts: &'a [u32], runs: Runs) -> Self {
        let extent = (runs.count - 1) * runs.stride + runs.len;
        let last = starts.iter().max().map_or(0, |&last| last as usize + extent);
        assert!(last <= data.len(), "{last} elements of {}", data.len());
        Self { data, starts, runs }
    }
}

/// The results of a product, and what happens to them before they are written.
pub(in super::super) struct Output<'a> {
    pub(super) data: &'a mut [f32],
    /// The first element of each row; a row is whole vectors.
    pub(super) starts: &'a [u32],
    pub(super) after: After<'a>,
}

/// Added to a product's results before they are written.
#[derive(Clone, Copy, Default)]
pub(in super::super) struct After<'a> {
    /// A row that is added to every row.
    pub(in super::super) row: Option<&'a [f32]>,
    /// Whether the present contents of the output are added.
    pub(in super::super) residual: bool,
    /// Whether negative results become 0, at last.
    pub(in super::super) relu: bool,
}

impl<'a> Output<'a> {
    /// Panics if a row of `width` numbers, a multiple of 16, is not inside `data`.
    pub(in super::super) fn new(
        data: &'a mut [f32],
        starts: &'a [u32],
        width: usize,
        after: After<'a>,
    ) -> Self {
        let last = starts.iter().max().map_or(0, |&last| last as usize + width);
        assert!(last <= data.len(), "{last} elements of {}", data.len());
        assert!(after.row.is_none_or(|row| row.len() >= width));
        Self { data, starts, after }
    }
}
