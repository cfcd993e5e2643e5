//! The architecture over the nodes of a map: `ludovec.nets.GraphNetwork`, which documents it.
//!
//! Only the nodes of the position's map are computed, so a map of 23 regions costs half as much as one of 48.

use super::inputs::Encoder;
use super::kernels::buffers::{Buffer, row_len};
use super::kernels::mean_of_rows;
use super::kernels::operand::After;
use super::kernels::sparse::Entries;
use super::layers::{Dense, FirstLayer, Inner, InnerScratch};
use super::policy::{Policy, Wanted};
use super::precision::Precision;
use super::tensors::{ReadError, Tensors};
use super::value_head::{ValueHead, ValueScratch};
use crate::engine::Result;

/// A network of messages between neighbours.
pub(super) struct Graph {
    /// `[T, 256]`
    tables: Vec<f32>,
    planes: Dense,
    scalars: FirstLayer,
    /// Number of scalars.
    inputs: usize,
    width: usize,
    spread: Dense,
    blocks: Vec<Block>,
    precision: Precision,
    pub(super) policy: Policy,
    value: ValueHead,
}

struct Block {
    first: Inner,
    whole: Dense,
    second: Inner,
    mixed: Dense,
}

/// The map of a position, and buffers for the layers' results: of the nodes on the map, and of the whole.
struct Scratch {
    nodes: Nodes,
    rows: Rows,
    planes: Buffer<f32>,
    /// A row of zeros follows the rows of the nodes.
    x: Buffer<f32>,
    joined: Buffer<f32>,
    inner: Buffer<f32>,
    operand: InnerScratch,
    entries: Entries,
    g: Buffer<f32>,
    of_whole: Buffer<f32>,
    joined_whole: Buffer<f32>,
    outputs: Buffer<f32>,
    value: ValueScratch,
}

/// Where the rows of the nodes on a map begin among their inputs, in `x` and in `joined`.
struct Rows {
    planes: Vec<u32>,
    x: Vec<u32>,
    joined: Vec<u32>,
}

/// The nodes of a position's map. They have the rows 0, 1 and so on.
#[derive(Default)]
struct Nodes {
    present: Vec<usize>,
    /// Where the row of each node begins in `x`. Nodes outside the map share the row after the last one.
    starts: Vec<u32>,
    /// The same of all nodes' neighbours, one after the other, and where the neighbours of each node end.
    neighbours: Vec<u32>,
    ends: Vec<usize>,
}

impl Scratch {
    fn new(model: &Graph, encoder: &Encoder) -> Result<Self> {
        let (nodes, width) = (encoder.cells, row_len(model.width));
        let joined = row_len(2 * model.width);
        let rows = |len: usize| (0..nodes).map(|row| (row * len) as u32).collect();
        Ok(Self {
            nodes: Nodes::default(),
            rows: Rows { planes: rows(row_len(model.planes.inputs)), x: rows(width), joined: rows(joined) },
            planes: Buffer::zeroed(nodes * row_len(model.planes.inputs))?,
            x: Buffer::zeroed((nodes + 1) * width)?,
            joined: Buffer::zeroed(nodes * joined)?,
            inner: Buffer::zeroed(nodes * width)?,
            operand: InnerScratch::new(nodes, joined, model.precision, false)?,
            entries: Entries::new(model.inputs)?,
            g: Buffer::zeroed(width)?,
            of_whole: Buffer::zeroed(width)?,
            joined_whole: Buffer::zeroed(joined)?,
            outputs: Buffer::zeroed(model.policy.row_len(nodes))?,
            value: ValueScratch::new(&model.value, 1)?,
        })
    }
}

impl Nodes {
    /// Reads the map of an observation, with rows of `len` numbers.
    fn read(&mut self, encoder: &Encoder, observation: &[u8], len: usize) {
        let Self { present, starts, neighbours, ends } = self;
        present.clear();
        present.extend(
            (0..encoder.cells).filter(|&node| encoder.neighbours(observation, node).next().is_some()),
        );
        let outside = (present.len() * len) as u32;
        starts.clear();
        starts.resize(encoder.cells, outside);
        present.iter().enumerate().for_each(|(row, &node)| starts[node] = (row * len) as u32);
        neighbours.clear();
        ends.clear();
        for &node in &*present {
            // Rows of any bytes may have an edge to a node that has none itself.
            let of_others = encoder.neighbours(observation, node).map(|other| starts[other]);
            neighbours.extend(of_others.filter(|&start| start != outside));
            ends.push(neighbours.len());
        }
    }
}

impl Graph {
    /// Builds a network from a file's tensors, with this many planes and these scalars.
    ///
    /// # Errors
    /// A message about the missing or mismatched tensor.
    pub(super) fn read(
        tensors: &mut Tensors,
        tables: Vec<f32>,
        planes: usize,
        scalars: &[usize],
        precision: Precision,
    ) -> Result<Self, ReadError> {
        let planes = Dense::read(tensors, "planes", planes)?;
        let (width, inputs) = (planes.outputs, scalars.len());
        let scalars = FirstLayer::read(tensors, "scalars", scalars)?;
        let spread = Dense::read(tensors, "spread", width)?;
        let mut blocks = Vec::new();
        while tensors.has(&format!("blocks.{}.first.weight", blocks.len())) {
            let name = |part: &str| format!("blocks.{}.{part}", blocks.len());
            blocks.push(Block {
                first: Inner::read(tensors, &name("first"), 2 * width, precision, false)?,
                whole: Dense::read(tensors, &name("whole"), width)?,
                second: Inner::read(tensors, &name("second"), width, precision, false)?,
                mixed: Dense::read(tensors, &name("mixed"), 2 * width)?,
            });
        }
        let widths = blocks.iter().flat_map(|Block { first, whole, second, mixed }| {
            [first.outputs, whole.outputs, second.outputs, mixed.outputs]
        });
        if widths.chain([scalars.outputs, spread.outputs]).any(|outputs| outputs != width) {
            return Err(format!("its layers are not all {width} wide").into());
        }
        let policy = Policy::read(tensors, width, true)?;
        let value = ValueHead::read(tensors, width)?;
        Ok(Self { tables, planes, scalars, inputs, width, spread, blocks, precision, policy, value })
    }

    /// The tables of its inputs.
    pub(super) fn tables(&self) -> &[f32] {
        &self.tables
    }

    /// Number of values per position: the maximum number of seats.
    pub(super) fn values(&self) -> usize {
        self.value.players()
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
        mut values: impl FnMut(&[f32]),
    ) -> Result<()> {
        let mut scratch = Scratch::new(self, encoder)?;
        for (row, observation) in observations.chunks_exact(row_len).enumerate() {
            self.trunk(encoder, observation, &mut scratch);
            let Scratch { nodes, x, g, outputs, value, .. } = &mut scratch;
            self.value.apply(g, &[0], value, &mut values);
            self.policy.apply(x, &nodes.starts, g, &[0], outputs, wanted, row);
            wanted.append(outputs, 0, row, logits);
        }
        Ok(())
    }

    /// Computes the inputs of every row, and drops them.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::engine::Error::OutOfMemory).
    pub(super) fn encode(&self, encoder: &Encoder, observations: &[u8], row_len: usize) -> Result<()> {
        let mut scratch = Scratch::new(self, encoder)?;
        for observation in observations.chunks_exact(row_len) {
            self.read_inputs(encoder, observation, &mut scratch);
            std::hint::black_box((&scratch.planes, &scratch.entries));
        }
        Ok(())
    }

    /// Reads the map of a position and the inputs of its nodes and of the whole.
    fn read_inputs(&self, encoder: &Encoder, observation: &[u8], scratch: &mut Scratch) {
        let Scratch { nodes, rows, planes, entries, .. } = scratch;
        nodes.read(encoder, observation, row_len(self.width));
        for (&node, &start) in nodes.present.iter().zip(&rows.planes) {
            encoder.encode_cell(&self.tables, observation, node, &mut planes[start as usize..]);
        }
        encoder.encode_scalars(observation, entries);
    }

    /// The trunk: computes the inputs of the heads, by node in `x` and of the whole in `g`.
    fn trunk(&self, encoder: &Encoder, observation: &[u8], scratch: &mut Scratch) {
        let (width, len) = (self.width, row_len(self.width));
        self.read_inputs(encoder, observation, scratch);
        let Scratch { nodes, rows, planes, x, joined, inner, operand, entries, g, .. } = scratch;
        let Scratch { of_whole, joined_whole, .. } = scratch;
        let Nodes { present, neighbours, ends, .. } = nodes;
        let count = present.len();
        let [of_planes, of_x, of_joined] =
            [&rows.planes, &rows.x, &rows.joined].map(|starts| &starts[..count]);
        // The policy reads the rows of all nodes.
        x[count * len..][..len].fill(0.0);
        self.scalars.apply(entries, g);
        g.iter_mut().for_each(|number| *number = number.max(0.0));
        self.spread.apply(g, &[0], of_whole, &[0], After::default());
        self.planes.apply(planes, of_planes, x, of_x, After { row: Some(of_whole), ..RELU });
        for Block { first, whole, second, mixed } in &self.blocks {
            let mut begin = 0;
            for ((&start, &joint), &end) in of_x.iter().zip(of_joined).zip(&*ends) {
                let (own, around) = joined[joint as usize..][..2 * width].split_at_mut(width);
                own.copy_from_slice(&x[start as usize..][..width]);
                mean_of_rows(x, &neighbours[begin..end], around);
                begin = end;
            }
            whole.apply(g, &[0], of_whole, &[0], After::default());
            let after = After { row: Some(of_whole), ..RELU };
            first.apply(joined, of_joined, operand, inner, of_x, after);
            second.apply(inner, of_x, operand, x, of_x, After { residual: true, ..RELU });
            let (own, mean) = joined_whole[..2 * width].split_at_mut(width);
            own.copy_from_slice(&g[..width]);
            mean_of_rows(x, of_x, mean);
            mixed.apply(joined_whole, &[0], g, &[0], After { residual: true, ..RELU });
        }
    }
}

const RELU: After<'static> = After { row: None, residual: false, relu: true };
