//! The first layer of a network that learns: its product and the gradient of its weights, from inputs other than 0.

use super::at_level;
use super::buffers::Buffer;
use super::lanes::Lanes;
use crate::engine::{Error, Result, memory};

/// Numbers of a row of a table: eight vectors of AVX2. Narrow tables stay in the second cache.
const WIDTH: usize = 64;

/// Inputs that are looked at together.
const CHUNK: usize = u32::BITS as usize;

/// The inputs of a minibatch that are not 0, by row and by input.
///
/// ```
/// use ludovec_network::SparseInputs;
/// # fn main() -> ludovec_engine::Result<()> {
/// // Two rows of three inputs: [1, 0, 0] and [0, 0, 2]; inputs come first.
/// let inputs = SparseInputs::new(&[1.0, 0.0, 0.0, 0.0, 0.0, 2.0], 2)?;
/// let mut outputs = [0.0; 2];
/// inputs.product(&[3.0, 4.0, 5.0], &[0.5], &mut outputs)?;
/// assert_eq!((inputs.len(), outputs), (2, [3.5, 10.5]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SparseInputs {
    rows: usize,
    inputs: usize,
    by_row: Groups,
    by_input: Groups,
}

/// Numbers in groups: group `g` has the entries from `starts[g]` to `starts[g + 1]`.
#[derive(Debug)]
struct Groups {
    starts: Vec<u32>,
    indices: Vec<u32>,
    values: Vec<f32>,
}

impl Groups {
    fn new(groups: usize, entries: usize) -> Result<Self> {
        const WHAT: &str = "the inputs of a network";
        let mut new = Self {
            starts: memory::vec_of(groups + 1, WHAT)?,
            indices: memory::vec_of(entries, WHAT)?,
            values: memory::vec_of(entries, WHAT)?,
        };
        new.starts.resize(groups + 1, 0);
        new.indices.resize(entries, 0);
        new.values.resize(entries, 0.0);
        Ok(new)
    }
}

impl SparseInputs {
    /// Finds the inputs of `x`, `[inputs, rows]`, that are not 0.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if `x` has no whole number of inputs, or too many entries;
    /// [`Error::OutOfMemory`].
    pub fn new(x: &[f32], rows: usize) -> Result<Self> {
        if rows == 0 || !x.len().is_multiple_of(rows) || u32::try_from(x.len()).is_err() {
            return Err(Error::config(format!(
                "{} inputs in {rows} rows: [inputs, rows] is wanted",
                x.len()
            )));
        }
        let inputs = x.len() / rows;
        let entries = x.iter().filter(|&&x| x != 0.0).count();
        let mut by_input = Groups::new(inputs, entries)?;
        let mut at = 0;
        for (input, x) in x.chunks_exact(rows).enumerate() {
            for (chunk, x) in x.chunks(CHUNK).enumerate() {
                let mut others = x.iter().rev().fold(0_u32, |bits, &x| bits << 1 | u32::from(x != 0.0));
                while others != 0 {
                    let row = others.trailing_zeros() as usize;
                    (by_input.indices[at], by_input.values[at]) = ((chunk * CHUNK + row) as u32, x[row]);
                    others &= others - 1;
                    at += 1;
                }
            }
            by_input.starts[input + 1] = at as u32;
        }
        let mut by_row = Groups::new(rows, entries)?;
        for &row in &by_input.indices {
            by_row.starts[row as usize + 1] += 1;
        }
        for row in 0..rows {
            by_row.starts[row + 1] += by_row.starts[row];
        }
        let mut next = by_row.starts.clone();
        for input in 0..inputs {
            for entry in by_input.starts[input] as usize..by_input.starts[input + 1] as usize {
                let next = &mut next[by_input.indices[entry] as usize];
                by_row.indices[*next as usize] = input as u32;
                by_row.values[*next as usize] = by_input.values[entry];
                *next += 1;
            }
        }
        Ok(Self { rows, inputs, by_row, by_input })
    }

    /// Number of inputs that are not 0, in all rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_row.values.len()
    }

    /// Whether all inputs are 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Overwrites `y`, `[rows, outputs]`, with the products with `weights`, `[outputs, inputs]`, plus `bias`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if a length does not fit; [`Error::OutOfMemory`].
    pub fn product(&self, weights: &[f32], bias: &[f32], y: &mut [f32]) -> Result<()> {
        let outputs = bias.len();
        self.check(outputs, weights.len(), y.len())?;
        let mut table = Buffer::zeroed(self.inputs * WIDTH)?;
        let mut sums = Buffer::zeroed(self.rows * WIDTH)?;
        for first in (0..outputs).step_by(WIDTH) {
            let width = WIDTH.min(outputs - first);
            let mut begin = [0.0; WIDTH];
            begin[..width].copy_from_slice(&bias[first..first + width]);
            let from = Strided { numbers: &weights[first * self.inputs..], len: self.inputs };
            transpose(&from, &mut Strided { numbers: &mut table, len: WIDTH }, width, self.inputs);
            gather(&self.by_row, &table, &begin, &mut sums);
            for (y, sums) in y.chunks_exact_mut(outputs).zip(sums.chunks_exact(WIDTH)) {
                y[first..first + width].copy_from_slice(&sums[..width]);
            }
        }
        Ok(())
    }

    /// Overwrites `weights`, `[outputs, inputs]`, with their gradient, from the `gradient` of the products,
    /// `[rows, outputs]`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if a length does not fit; [`Error::OutOfMemory`].
    pub fn gradient(&self, gradient: &[f32], weights: &mut [f32]) -> Result<()> {
        let outputs = gradient.len() / self.rows;
        self.check(outputs, weights.len(), gradient.len())?;
        let mut table = Buffer::zeroed(self.rows * WIDTH)?;
        let mut sums = Buffer::zeroed(self.inputs * WIDTH)?;
        for first in (0..outputs).step_by(WIDTH) {
            let width = WIDTH.min(outputs - first);
            for (to, gradient) in table.chunks_exact_mut(WIDTH).zip(gradient.chunks_exact(outputs)) {
                to[..width].copy_from_slice(&gradient[first..first + width]);
            }
            gather(&self.by_input, &table, &[0.0; WIDTH], &mut sums);
            let to = &mut Strided { numbers: &mut weights[first * self.inputs..], len: self.inputs };
            transpose(&Strided { numbers: &sums, len: WIDTH }, to, self.inputs, width);
        }
        Ok(())
    }

    fn check(&self, outputs: usize, weights: usize, results: usize) -> Result<()> {
        let (rows, inputs) = (self.rows, self.inputs);
        if weights == outputs * inputs && results == outputs * rows {
            return Ok(());
        }
        Err(Error::config(format!(
            "{weights} weights and {results} results: {outputs} x {inputs} and {rows} x {outputs} are wanted"
        )))
    }
}

/// Rows and columns that are transposed together: a cache line of each.
const BLOCK: usize = 16;

/// A matrix with rows `len` numbers apart.
struct Strided<T> {
    numbers: T,
    len: usize,
}

/// Copies `from`, `[rows, columns]`, to `[columns, rows]`.
fn transpose(from: &Strided<&[f32]>, to: &mut Strided<&mut [f32]>, rows: usize, columns: usize) {
    for row in (0..rows).step_by(BLOCK) {
        for column in (0..columns).step_by(BLOCK) {
            if rows - row < BLOCK || columns - column < BLOCK {
                for row in row..rows.min(row + BLOCK) {
                    for column in column..columns.min(column + BLOCK) {
                        to.numbers[column * to.len + row] = from.numbers[row * from.len + column];
                    }
                }
                continue;
            }
            let mut block = [[0.0; BLOCK]; BLOCK];
            for (i, line) in block.iter_mut().enumerate() {
                line.copy_from_slice(&from.numbers[(row + i) * from.len + column..][..BLOCK]);
            }
            let turned: [[f32; BLOCK]; BLOCK] = std::array::from_fn(|i| block.map(|line| line[i]));
            for (i, line) in turned.iter().enumerate() {
                to.numbers[(column + i) * to.len + row..][..BLOCK].copy_from_slice(line);
            }
        }
    }
}

at_level! {
    floats fn gather(groups: &Groups, table: &[f32], begin: &[f32; WIDTH], sums: &mut [f32]) = gather_at
}

/// For every group, `begin` plus its values times the table's rows at its indices.
#[inline(always)]
fn gather_at<L: Lanes>(groups: &Groups, table: &[f32], begin: &[f32; WIDTH], sums: &mut [f32]) {
    const VECTORS: usize = WIDTH / super::LANES;
    let Groups { starts, indices, values } = groups;
    let last = indices.iter().max().map_or(0, |&last| last as usize + 1);
    assert!(last * WIDTH <= table.len() && (starts.len() - 1) * WIDTH <= sums.len());
    assert!(indices.len() == values.len() && starts.last().is_some_and(|&end| end as usize <= values.len()));
    for (group, bounds) in starts.windows(2).enumerate() {
        // Safety: starts increase up to the number of entries; indices are rows of the table; the sums have the groups.
        unsafe {
            let mut vectors = [L::splat(0.0); VECTORS];
            for (i, vector) in vectors.iter_mut().enumerate() {
                *vector = L::load(begin.as_ptr().add(i * super::LANES));
            }
            for entry in bounds[0] as usize..bounds[1] as usize {
                let row = table.as_ptr().add(*indices.get_unchecked(entry) as usize * WIDTH);
                let value = L::splat(*values.get_unchecked(entry));
                for (i, vector) in vectors.iter_mut().enumerate() {
                    *vector = L::fused(value, L::load(row.add(i * super::LANES)), *vector);
                }
            }
            for (i, vector) in vectors.into_iter().enumerate() {
                L::store(sums.as_mut_ptr().add(group * WIDTH + i * super::LANES), vector);
            }
        }
    }
}
