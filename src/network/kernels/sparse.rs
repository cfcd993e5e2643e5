//! The first layer: most of its inputs are 0, and only the weights of the others are read, for a row of inputs or for the
//! cells of a board.

use bytemuck::Pod;
use half::f16;

use super::buffers::Buffer;
use super::lanes::Lanes;
use super::operand::Output;
use super::{LANES, at_level};
use crate::engine::{Result, memory};

/// A matrix with a row of weights for every input, `[inputs, outputs]` in whole vectors, and a bias.
pub(in super::super) struct SparseMatrix {
    weights: Weights,
    bias: Buffer<f32>,
    inputs: usize,
}

/// Rows of weights. Half precision is used for weights that it represents exactly, and halves the traffic.
enum Weights {
    Half(Buffer<u16>),
    Single(Buffer<f32>),
}

/// The inputs of a row that are not 0, in order.
pub(in super::super) struct Entries {
    inputs: Vec<u32>,
    values: Vec<f32>,
    len: usize,
}

/// Entries are written in blocks of this length.
const BLOCK: usize = 4;

impl Entries {
    /// Room for the entries of a row with this many inputs.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::engine::Error::OutOfMemory).
    pub(in super::super) fn new(inputs: usize) -> Result<Self> {
        let room = inputs + BLOCK;
        let mut entries = Self {
            inputs: memory::vec_of(room, "the inputs of a network")?,
            values: memory::vec_of(room, "the inputs of a network")?,
            len: 0,
        };
        entries.inputs.resize(room, 0);
        entries.values.resize(room, 0.0);
        Ok(entries)
    }

    /// A block of inputs and values to write.
    #[inline]
    pub(in super::super) fn block(&mut self, at: usize) -> (&mut [u32; BLOCK], &mut [f32; BLOCK]) {
        let Self { inputs, values, .. } = self;
        let message = "room for a block is behind the entries";
        (inputs[at..].first_chunk_mut().expect(message), values[at..].first_chunk_mut().expect(message))
    }

    /// Sets the number of entries.
    #[inline]
    pub(in super::super) fn set_len(&mut self, len: usize) {
        self.len = len;
    }
}

/// The inputs that are not 0 of every cell of a board with a border.
pub(in super::super) struct CellEntries {
    /// The first entry of each cell, and the number of all.
    starts: Vec<u32>,
    inputs: Vec<u32>,
    values: Vec<f32>,
    /// Number of inputs of a cell.
    of_cell: usize,
}

impl CellEntries {
    /// Room for the entries of this many cells with this many inputs.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::engine::Error::OutOfMemory).
    pub(in super::super) fn new(cells: usize, inputs: usize) -> Result<Self> {
        let what = "the inputs of a network";
        // An entry is written before it is known to be one.
        let room = cells * inputs + 1;
        let mut entries = Self {
            starts: memory::vec_of(cells + 1, what)?,
            inputs: memory::vec_of(room, what)?,
            values: memory::vec_of(room, what)?,
            of_cell: inputs,
        };
        entries.starts.resize(cells + 1, 0);
        entries.inputs.resize(room, 0);
        entries.values.resize(room, 0.0);
        Ok(entries)
    }

    /// Reads the cells, and returns the number of entries.
    pub(in super::super) fn read(&mut self, planes: &[f32]) -> usize {
        assert_eq!(planes.len(), (self.starts.len() - 1) * self.of_cell);
        let mut count = 0;
        for (cell, start) in planes.chunks_exact(self.of_cell).zip(&mut self.starts) {
            *start = count as u32;
            for (input, &value) in cell.iter().enumerate() {
                (self.inputs[count], self.values[count]) = (input as u32, value);
                count += usize::from(value != 0.0);
            }
        }
        *self.starts.last_mut().expect("there is a start") = count as u32;
        count
    }
}

/// Number of cells in a neighbourhood.
const NEIGHBOURS: usize = 9;

impl SparseMatrix {
    /// Computes the cells of a board with a border from their neighbourhoods, which are the matrix' inputs. Inputs that
    /// are 0 are left out of the sums: only the sign of a result that is 0 may differ.
    pub(in super::super) fn apply_to_board(&self, cells: &CellEntries, columns: usize, y: &mut Output<'_>) {
        let rows = y.starts.len() / columns;
        assert_eq!((rows + 2) * (columns + 2) + 1, cells.starts.len());
        let inputs = cells.of_cell;
        assert_eq!(self.inputs, NEIGHBOURS * inputs);
        match &self.weights {
            Weights::Half(weights) => board_of_halves(weights, &self.bias, cells, inputs, columns, y),
            Weights::Single(weights) => board_of_singles(weights, &self.bias, cells, inputs, columns, y),
        }
    }

    /// Packs `weights`, `[outputs, inputs]`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::engine::Error::OutOfMemory).
    pub(in super::super) fn pack(weights: &[f32], bias: Option<&[f32]>, inputs: usize) -> Result<Self> {
        let outputs = weights.len() / inputs;
        let width = outputs.next_multiple_of(LANES);
        let halves = weights.iter().all(|&weight| f16::from_f32(weight).to_f32() == weight);
        let weights = match halves {
            true => Weights::Half(transposed(weights, inputs, |weight| f16::from_f32(weight).to_bits())?),
            false => Weights::Single(transposed(weights, inputs, |weight| weight)?),
        };
        let mut padded = Buffer::zeroed(width)?;
        if let Some(bias) = bias {
            padded[..outputs].copy_from_slice(bias);
        }
        Ok(Self { weights, bias: padded, inputs })
    }

    /// Overwrites `y`, a row of outputs.
    pub(in super::super) fn apply(&self, entries: &Entries, y: &mut [f32]) {
        let inputs = &entries.inputs[..entries.len];
        assert_eq!(y.len(), self.bias.len());
        assert!(inputs.iter().max().is_none_or(|&last| (last as usize) < self.inputs));
        match &self.weights {
            Weights::Half(weights) => sum_halves(weights, &self.bias, entries, y),
            Weights::Single(weights) => sum_singles(weights, &self.bias, entries, y),
        }
    }
}

/// Rows of whole vectors by input, from `weights`, `[outputs, inputs]`.
fn transposed<T: Pod>(weights: &[f32], inputs: usize, convert: impl Fn(f32) -> T) -> Result<Buffer<T>> {
    let width = (weights.len() / inputs).next_multiple_of(LANES);
    let mut packed = Buffer::zeroed(width * inputs)?;
    for (output, row) in weights.chunks_exact(inputs).enumerate() {
        for (to, &weight) in packed[output..].iter_mut().step_by(width).zip(row) {
            *to = convert(weight);
        }
    }
    Ok(packed)
}

/// A number in memory.
trait Number {
    /// Reads 16 numbers.
    ///
    /// # Safety
    /// As for [`Lanes`].
    unsafe fn load<L: Lanes>(from: *const Self) -> L::Floats;
}

impl Number for f32 {
    #[inline(always)]
    unsafe fn load<L: Lanes>(from: *const Self) -> L::Floats {
        // Safety: the caller's.
        unsafe { L::load(from) }
    }
}

impl Number for u16 {
    #[inline(always)]
    unsafe fn load<L: Lanes>(from: *const Self) -> L::Floats {
        // Safety: the caller's.
        unsafe { L::load_half(from) }
    }
}

at_level! {
    floats fn sum_halves(weights: &[u16], bias: &[f32], entries: &Entries, y: &mut [f32]) = halves_at
}

#[inline(always)]
fn halves_at<L: Lanes>(weights: &[u16], bias: &[f32], entries: &Entries, y: &mut [f32]) {
    sum_rows::<L, u16>(weights, bias, entries, y);
}

at_level! {
    floats fn sum_singles(weights: &[f32], bias: &[f32], entries: &Entries, y: &mut [f32]) = singles_at
}

#[inline(always)]
fn singles_at<L: Lanes>(weights: &[f32], bias: &[f32], entries: &Entries, y: &mut [f32]) {
    sum_rows::<L, f32>(weights, bias, entries, y);
}

#[inline(always)]
fn sum_rows<L: Lanes, T: Number>(weights: &[T], bias: &[f32], entries: &Entries, y: &mut [f32]) {
    let panels = y.len() / LANES;
    let mut panel = 0;
    macro_rules! panels {
        ($p:literal) => {
            while panels - panel >= $p {
                // Safety: the matrix has the panels and inputs, and the output has the panels.
                unsafe { sum_panels::<L, T, $p>(weights, bias, entries, panel, y) };
                panel += $p;
            }
        };
    }
    if L::FLOATS >= 16 {
        panels!(16);
        panels!(8);
    }
    if L::FLOATS >= 6 {
        panels!(4);
    }
    panels!(2);
    panels!(1);
}

at_level! {
    floats fn board_of_halves(
        weights: &[u16],
        bias: &[f32],
        cells: &CellEntries,
        inputs: usize,
        columns: usize,
        y: &mut Output<'_>,
    ) = board_of_halves_at
}

#[inline(always)]
fn board_of_halves_at<L: Lanes>(
    weights: &[u16],
    bias: &[f32],
    cells: &CellEntries,
    inputs: usize,
    columns: usize,
    y: &mut Output<'_>,
) {
    sum_board::<L, u16>(weights, bias, cells, inputs, columns, y);
}

at_level! {
    floats fn board_of_singles(
        weights: &[f32],
        bias: &[f32],
        cells: &CellEntries,
        inputs: usize,
        columns: usize,
        y: &mut Output<'_>,
    ) = board_of_singles_at
}

#[inline(always)]
fn board_of_singles_at<L: Lanes>(
    weights: &[f32],
    bias: &[f32],
    cells: &CellEntries,
    inputs: usize,
    columns: usize,
    y: &mut Output<'_>,
) {
    sum_board::<L, f32>(weights, bias, cells, inputs, columns, y);
}

#[inline(always)]
fn sum_board<L: Lanes, T: Number>(
    weights: &[T],
    bias: &[f32],
    cells: &CellEntries,
    inputs: usize,
    columns: usize,
    y: &mut Output<'_>,
) {
    let panels = bias.len() / LANES;
    let mut panel = 0;
    macro_rules! panels {
        ($p:literal) => {
            while panels - panel >= $p {
                for cell in 0..y.starts.len() {
                    let corner = cell / columns * (columns + 2) + cell % columns;
                    // Safety: the matrix has the panels and inputs, the output the cells, and the board a border.
                    unsafe {
                        let sums =
                            sum_cell::<L, T, $p>(weights, bias, cells, inputs, columns, corner, panel);
                        y.write::<L, $p>(cell, panel, sums);
                    }
                }
                panel += $p;
            }
        };
    }
    if L::FLOATS >= 6 {
        panels!(4);
    }
    panels!(2);
    panels!(1);
}

/// The sums of `P` panels over the neighbourhood that begins at the cell `corner`.
///
/// # Safety
/// The matrix has the inputs and panels, the board has the cells, and the processor the instructions.
#[inline(always)]
unsafe fn sum_cell<L: Lanes, T: Number, const P: usize>(
    weights: &[T],
    bias: &[f32],
    cells: &CellEntries,
    inputs: usize,
    columns: usize,
    corner: usize,
    panel: usize,
) -> [L::Floats; P] {
    // Safety: as in `sum_panels`.
    unsafe {
        let mut sums = [L::splat(0.0); P];
        for (p, sum) in sums.iter_mut().enumerate() {
            *sum = L::load(bias.as_ptr().add((panel + p) * LANES));
        }
        let mut weights = weights.as_ptr().add(panel * LANES);
        for neighbour in 0..NEIGHBOURS {
            let cell = corner + neighbour / 3 * (columns + 2) + neighbour % 3;
            let (start, end) = (*cells.starts.get_unchecked(cell), *cells.starts.get_unchecked(cell + 1));
            for entry in start as usize..end as usize {
                let of_input = weights.add(*cells.inputs.get_unchecked(entry) as usize * bias.len());
                let value = L::splat(*cells.values.get_unchecked(entry));
                for (p, sum) in sums.iter_mut().enumerate() {
                    *sum = L::fused(value, T::load::<L>(of_input.add(p * LANES)), *sum);
                }
            }
            weights = weights.add(inputs * bias.len());
        }
        sums
    }
}

/// Computes `P` panels from `panel` on.
///
/// # Safety
/// The matrix has the inputs, both have the panels, and the processor has the instructions.
#[inline(always)]
unsafe fn sum_panels<L: Lanes, T: Number, const P: usize>(
    weights: &[T],
    bias: &[f32],
    entries: &Entries,
    panel: usize,
    y: &mut [f32],
) {
    // Safety: inputs and panels exist, so all addresses are inside the slices that they are made from.
    unsafe {
        let mut sums = [L::splat(0.0); P];
        for (p, sum) in sums.iter_mut().enumerate() {
            *sum = L::load(bias.as_ptr().add((panel + p) * LANES));
        }
        let weights = weights.as_ptr().add(panel * LANES);
        for (&input, &value) in entries.inputs[..entries.len].iter().zip(&entries.values) {
            let weights = weights.add(input as usize * bias.len());
            let value = L::splat(value);
            for (p, sum) in sums.iter_mut().enumerate() {
                *sum = L::fused(value, T::load::<L>(weights.add(p * LANES)), *sum);
            }
        }
        for (p, sum) in sums.into_iter().enumerate() {
            L::store(y.as_mut_ptr().add((panel + p) * LANES), sum);
        }
    }
}
