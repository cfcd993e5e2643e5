//! The architecture over the nodes of a map: `ludovec.nets.GraphNetwork`, which documents it.
//!
//! Only the nodes of the position's map are computed, so a map of 23 regions costs half as much as one of 48.

use super::inputs::Encoder;
use super::kernels::buffers::{Buffer, row_len};
use super::kernels::operand::After;
use super::kernels::sparse::Entries;
use super::layers::{Dense, FirstLayer};
use super::policy::{Policy, Wanted};
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
    pub(super) policy: Policy,
    value: ValueHead,
}

struct Block {
    first: Dense,
    whole: Dense,
    second: Dense,
    mixed: Dense,
}

/// The map of a position, and buffers for the layers' results: of every node, and of the whole.
struct Scratch {
    nodes: Nodes,
    planes: Buffer<f32>,
    x: Buffer<f32>,
    joined: Buffer<f32>,
    inner: Buffer<f32>,
    entries: Entries,
    g: Buffer<f32>,
    of_whole: Buffer<f32>,
    joined_whole: Buffer<f32>,
    outputs: Buffer<f32>,
    value: ValueScratch,
}

/// The nodes of a position's map.
#[derive(Default)]
struct Nodes {
    present: Vec<usize>,
    is_present: Vec<bool>,
    /// Neighbours of all nodes, one after the other, and where those of each node end.
    neighbours: Vec<usize>,
    ends: Vec<usize>,
    /// Where the rows of the nodes begin among their inputs, in `x` and in `joined`.
    of_planes: Vec<u32>,
    of_x: Vec<u32>,
    of_joined: Vec<u32>,
    /// The same in `x` for all nodes, whether they are on the map or not.
    all: Vec<u32>,
}

impl Scratch {
    fn new(model: &Graph, encoder: &Encoder) -> Result<Self> {
        let (nodes, width) = (encoder.cells, row_len(model.width));
        let joined = row_len(2 * model.width);
        let all = (0..nodes).map(|node| (node * width) as u32).collect();
        Ok(Self {
            nodes: Nodes { all, ..Nodes::default() },
            planes: Buffer::zeroed(nodes * row_len(model.planes.inputs))?,
            x: Buffer::zeroed(nodes * width)?,
            joined: Buffer::zeroed(nodes * joined)?,
            inner: Buffer::zeroed(nodes * width)?,
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
    /// Reads the map of an observation.
    fn read(&mut self, encoder: &Encoder, observation: &[u8], model: &Graph) {
        let Self { present, is_present, neighbours, ends, of_planes, of_x, of_joined, .. } = self;
        present.clear();
        present.extend(
            (0..encoder.cells).filter(|&node| encoder.neighbours(observation, node).next().is_some()),
        );
        is_present.clear();
        is_present.resize(encoder.cells, false);
        present.iter().for_each(|&node| is_present[node] = true);
        neighbours.clear();
        ends.clear();
        for &node in &*present {
            // Rows of any bytes may have an edge to a node that has none itself.
            neighbours.extend(encoder.neighbours(observation, node).filter(|&other| is_present[other]));
            ends.push(neighbours.len());
        }
        let starts = |starts: &mut Vec<u32>, len: usize| {
            starts.clear();
            starts.extend(present.iter().map(|&node| (node * len) as u32));
        };
        starts(of_planes, row_len(model.planes.inputs));
        starts(of_x, row_len(model.width));
        starts(of_joined, row_len(2 * model.width));
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
    ) -> Result<Self, ReadError> {
        let planes = Dense::read(tensors, "planes", planes)?;
        let (width, inputs) = (planes.outputs, scalars.len());
        let scalars = FirstLayer::read(tensors, "scalars", scalars)?;
        let spread = Dense::read(tensors, "spread", width)?;
        let mut blocks = Vec::new();
        while tensors.has(&format!("blocks.{}.first.weight", blocks.len())) {
            let number = blocks.len();
            let mut read =
                |part: &str, inputs| Dense::read(tensors, &format!("blocks.{number}.{part}"), inputs);
            blocks.push(Block {
                first: read("first", 2 * width)?,
                whole: read("whole", width)?,
                second: read("second", width)?,
                mixed: read("mixed", 2 * width)?,
            });
        }
        let layers =
            blocks.iter().flat_map(|Block { first, whole, second, mixed }| [first, whole, second, mixed]);
        if scalars.outputs != width || layers.chain([&spread]).any(|layer| layer.outputs != width) {
            return Err(format!("its layers are not all {width} wide").into());
        }
        let policy = Policy::read(tensors, width, true)?;
        let value = ValueHead::read(tensors, width)?;
        Ok(Self { tables, planes, scalars, inputs, width, spread, blocks, policy, value })
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
            self.policy.apply(x, &nodes.all, g, &[0], outputs, wanted, row);
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
        let Scratch { nodes, planes, entries, .. } = scratch;
        nodes.read(encoder, observation, self);
        for (&node, &start) in nodes.present.iter().zip(&nodes.of_planes) {
            encoder.encode_cell(&self.tables, observation, node, &mut planes[start as usize..]);
        }
        encoder.encode_scalars(observation, entries);
    }

    /// The trunk: computes the inputs of the heads, by node in `x` and of the whole in `g`.
    fn trunk(&self, encoder: &Encoder, observation: &[u8], scratch: &mut Scratch) {
        let (width, len) = (self.width, row_len(self.width));
        self.read_inputs(encoder, observation, scratch);
        let Scratch { nodes, planes, x, joined, inner, entries, g, of_whole, joined_whole, .. } = scratch;
        let Nodes { present, is_present, neighbours, ends, of_planes, of_x, of_joined, .. } = nodes;
        // The policy reads the rows of all nodes.
        for (row, _) in x.chunks_exact_mut(len).zip(&*is_present).filter(|(_, is_present)| !**is_present) {
            row.fill(0.0);
        }
        self.scalars.apply(entries, g);
        g.iter_mut().for_each(|number| *number = number.max(0.0));
        self.spread.apply(g, &[0], of_whole, &[0], After::default());
        self.planes.apply(planes, of_planes, x, of_x, After { row: Some(of_whole), ..RELU });
        for Block { first, whole, second, mixed } in &self.blocks {
            let mut begin = 0;
            for ((&node, &start), &end) in present.iter().zip(&*of_joined).zip(&*ends) {
                let (own, around) = joined[start as usize..][..2 * width].split_at_mut(width);
                own.copy_from_slice(&x[node * len..][..width]);
                mean_of(x, len, &neighbours[begin..end], around);
                begin = end;
            }
            whole.apply(g, &[0], of_whole, &[0], After::default());
            first.apply(joined, of_joined, inner, of_x, After { row: Some(of_whole), ..RELU });
            second.apply(inner, of_x, x, of_x, After { residual: true, ..RELU });
            let (own, mean) = joined_whole[..2 * width].split_at_mut(width);
            own.copy_from_slice(&g[..width]);
            mean_of(x, len, present, mean);
            mixed.apply(joined_whole, &[0], g, &[0], After { residual: true, ..RELU });
        }
    }
}

const RELU: After<'static> = After { row: None, residual: false, relu: true };

/// Overwrites `y` with the mean of the rows of some nodes, 0 without nodes.
fn mean_of(x: &[f32], len: usize, nodes: &[usize], y: &mut [f32]) {
    y.fill(0.0);
    for &node in nodes {
        y.iter_mut().zip(&x[node * len..][..len]).for_each(|(sum, x)| *sum += x);
    }
    let count = nodes.len().max(1) as f32;
    y.iter_mut().for_each(|sum| *sum /= count);
}
