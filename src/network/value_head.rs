//! The head of the values: a number for every player, or the mean of a distribution over possible values.

use super::kernels::buffers::Buffer;
use super::kernels::operand::After;
use super::layers::Dense;
use super::tensors::{ReadError, Tensors};
use crate::engine::{Result, exp};

/// Two layers, and the possible values.
pub(super) struct ValueHead {
    hidden: Dense,
    last: Dense,
    /// Values are distributions over these numbers; empty if they are numbers.
    support: Vec<f32>,
}

/// Buffers for the results of both layers, and the offsets of their rows.
pub(super) struct ValueScratch {
    hidden: Buffer<f32>,
    values: Buffer<f32>,
    rows: [Vec<u32>; 2],
}

impl ValueScratch {
    /// For this many positions at once.
    pub(super) fn new(head: &ValueHead, positions: usize) -> Result<Self> {
        let (hidden, values) = (head.hidden.row_len(), head.last.row_len());
        let starts = |len: usize| (0..positions).map(|row| (row * len) as u32).collect();
        Ok(Self {
            hidden: Buffer::zeroed(positions * hidden)?,
            values: Buffer::zeroed(positions * values)?,
            rows: [starts(hidden), starts(values)],
        })
    }
}

impl ValueHead {
    /// Reads the head over features of a position of this width.
    ///
    /// # Errors
    /// A message about the missing or mismatched tensor.
    pub(super) fn read(tensors: &mut Tensors, width: usize) -> Result<Self, ReadError> {
        let hidden = Dense::read(tensors, "value_hidden", width)?;
        let last = Dense::read(tensors, "value", hidden.outputs)?;
        let support = match tensors.has("support") {
            true => tensors.real("support", [None])?.1,
            false => Vec::new(),
        };
        if last.outputs % support.len().max(1) != 0 {
            return Err(format!("it has {} outputs for values over {}", last.outputs, support.len()).into());
        }
        Ok(Self { hidden, last, support })
    }

    /// Number of values per position: the maximum number of seats.
    pub(super) fn players(&self) -> usize {
        self.last.outputs / self.support.len().max(1)
    }

    /// Calls `values` with the values of every position. Their features begin at `from` in `x`.
    pub(super) fn apply(
        &self,
        x: &[f32],
        from: &[u32],
        scratch: &mut ValueScratch,
        mut values: impl FnMut(&[f32]),
    ) {
        let ValueScratch { hidden, values: found, rows } = scratch;
        let [of_hidden, of_values] = rows.each_ref().map(|starts| &starts[..from.len()]);
        self.hidden.apply(x, from, hidden, of_hidden, After { relu: true, ..After::default() });
        self.last.apply(hidden, of_hidden, found, of_values, After::default());
        for &start in of_values {
            let found = &mut found[start as usize..];
            if !self.support.is_empty() {
                for player in 0..self.players() {
                    found[player] = self.mean(&found[player * self.support.len()..]);
                }
            }
            values(&found[..self.players()]);
        }
    }

    /// The mean of the distribution over the support with these logits.
    fn mean(&self, logits: &[f32]) -> f32 {
        let logits = &logits[..self.support.len()];
        let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let (mut sum, mut total) = (0.0, 0.0);
        for (logit, point) in logits.iter().zip(&self.support) {
            let weight = exp(logit - highest);
            sum += weight * point;
            total += weight;
        }
        sum / total
    }
}
