//! The architectures that are computed without another library.

use super::graph::Graph;
use super::inputs::{Encoder, Inputs};
use super::policy::{Policy, Wanted};
use super::precision::Precision;
use super::residual::Residual;
use super::tensors::{ReadError, Tensors};
use crate::engine::Result;

/// The weights of a network.
pub(super) enum Architecture {
    Residual(Box<Residual>),
    Graph(Box<Graph>),
}

impl Architecture {
    /// Builds the network for some inputs from a file's tensors. Scalar `i` is scalar `order[i]` of the tensors.
    ///
    /// # Errors
    /// A message about the missing or mismatched tensor.
    pub(super) fn read(
        tensors: &mut Tensors,
        tables: Vec<f32>,
        inputs: &Inputs,
        order: &[usize],
        precision: Precision,
    ) -> Result<Self, ReadError> {
        let planes = inputs.planes.len();
        if inputs.graph.is_some() {
            return Ok(Self::Graph(Box::new(Graph::read(tensors, tables, planes, order, precision)?)));
        }
        let planes = inputs.board.is_some().then_some(planes);
        Ok(Self::Residual(Box::new(Residual::read(tensors, tables, planes, order, precision)?)))
    }

    /// The tables of its inputs.
    pub(super) fn tables(&self) -> &[f32] {
        match self {
            Self::Residual(model) => model.tables(),
            Self::Graph(model) => model.tables(),
        }
    }

    /// Its policy heads.
    pub(super) fn policy(&self) -> &Policy {
        match self {
            Self::Residual(model) => &model.policy,
            Self::Graph(model) => &model.policy,
        }
    }

    /// Number of values per position: the maximum number of seats.
    pub(super) fn values(&self) -> usize {
        match self {
            Self::Residual(model) => model.values(),
            Self::Graph(model) => model.values(),
        }
    }

    /// Computes the inputs of every row, and drops them.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::engine::Error::OutOfMemory).
    pub(super) fn encode(&self, encoder: &Encoder, observations: &[u8], row_len: usize) -> Result<()> {
        match self {
            Self::Residual(model) => model.encode(encoder, observations, row_len),
            Self::Graph(model) => model.encode(encoder, observations, row_len),
        }
    }

    /// Appends the logits that are wanted of every row to `logits`, and calls `values` with its values.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::engine::Error::OutOfMemory).
    pub(super) fn run(
        &self,
        encoder: &Encoder,
        observations: &[u8],
        row_len: usize,
        wanted: &Wanted<'_>,
        logits: &mut Vec<f32>,
        values: impl FnMut(&[f32]),
    ) -> Result<()> {
        match self {
            Self::Residual(model) => model.run(encoder, observations, row_len, wanted, logits, values),
            Self::Graph(model) => model.run(encoder, observations, row_len, wanted, logits, values),
        }
    }
}
