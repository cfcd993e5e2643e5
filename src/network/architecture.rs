//! The architectures that are computed without another library.

use super::graph::Graph;
use super::inputs::{Encoder, Inputs};
use super::residual::Residual;
use super::tensors::Tensors;

/// The weights of a network.
pub(super) enum Architecture {
    Residual(Box<Residual>),
    Graph(Box<Graph>),
}

impl Architecture {
    /// Builds the network for the inputs from a file's tensors.
    ///
    /// # Errors
    /// A message about the missing or mismatched tensor.
    pub(super) fn read(tensors: &mut Tensors, tables: Vec<f32>, inputs: &Inputs) -> Result<Self, String> {
        let (planes, scalars) = (inputs.planes.len(), inputs.scalars.len());
        if inputs.graph.is_some() {
            return Ok(Self::Graph(Box::new(Graph::read(tensors, tables, planes, scalars)?)));
        }
        let planes = inputs.board.is_some().then_some(planes);
        Ok(Self::Residual(Box::new(Residual::read(tensors, tables, planes, scalars)?)))
    }

    /// Number of outputs for a position on a board of `cells` cells, or on a map of as many nodes.
    pub(super) fn outputs(&self, cells: usize) -> usize {
        match self {
            Self::Residual(model) => model.outputs(cells),
            Self::Graph(model) => model.outputs(cells),
        }
    }

    /// Number of values per position: the maximum number of seats.
    pub(super) fn values(&self) -> usize {
        match self {
            Self::Residual(model) => model.values(),
            Self::Graph(model) => model.values(),
        }
    }

    /// Calls `answer` with the index, outputs and values of every row.
    pub(super) fn run(
        &self,
        encoder: &Encoder,
        observations: &[u8],
        row_len: usize,
        answer: impl FnMut(usize, &[f32], &[f32]),
    ) {
        match self {
            Self::Residual(model) => model.run(encoder, observations, row_len, answer),
            Self::Graph(model) => model.run(encoder, observations, row_len, answer),
        }
    }
}
