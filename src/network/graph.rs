//! The architecture over the nodes of a map: `ludovec.nets.GraphNetwork`, which documents it.
//!
//! Only nodes of the position's map are computed. The matrices have one row for each of them, so a map of 23 regions
//! costs half as much as one of 48.

use super::inputs::Encoder;
use super::layers::{Dense, add, relu};
use super::tensors::Tensors;

/// Cache blocking: the number of positions computed at once.
const POSITIONS: usize = 8;

/// A network of messages between neighbours.
pub(super) struct Graph {
    /// `[T, 256]`
    tables: Vec<f32>,
    planes: Dense,
    scalars: Dense,
    spread: Dense,
    blocks: Vec<Block>,
    policy_planes: Option<Dense>,
    policy_others: Option<Dense>,
    value_hidden: Dense,
    value: Dense,
}

struct Block {
    first: Dense,
    whole: Dense,
    second: Dense,
    mixed: Dense,
}

/// The nodes of some positions, and buffers for the layers' results.
#[derive(Default)]
struct Scratch {
    /// Position and node of each row.
    nodes: Vec<(usize, usize)>,
    /// First row of each position, and the number of rows.
    starts: Vec<usize>,
    /// Rows of the neighbours of each row: `ends[row - 1]..ends[row]`.
    neighbours: Vec<usize>,
    ends: Vec<usize>,
    /// By row.
    planes: Vec<f32>,
    x: Vec<f32>,
    joined: Vec<f32>,
    inner: Vec<f32>,
    outer: Vec<f32>,
    /// By position.
    scalars: Vec<f32>,
    g: Vec<f32>,
    of_whole: Vec<f32>,
}

impl Graph {
    /// Builds a network from a file's tensors, with this many planes and scalars.
    ///
    /// # Errors
    /// A message about the missing or mismatched tensor.
    pub(super) fn read(
        tensors: &mut Tensors,
        tables: Vec<f32>,
        planes: usize,
        scalars: usize,
    ) -> Result<Self, String> {
        let planes = Dense::read(tensors, "planes", planes)?;
        let width = planes.outputs;
        let scalars = square(Dense::read(tensors, "scalars", scalars)?, "scalars", width)?;
        let spread = square(Dense::read(tensors, "spread", width)?, "spread", width)?;
        let mut blocks = Vec::new();
        while tensors.has(&format!("blocks.{}.first.weight", blocks.len())) {
            let mut read = |part: &str, inputs| {
                let name = format!("blocks.{}.{part}", blocks.len());
                square(Dense::read(tensors, &name, inputs)?, &name, width)
            };
            blocks.push(Block {
                first: read("first", 2 * width)?,
                whole: read("whole", width)?,
                second: read("second", width)?,
                mixed: read("mixed", 2 * width)?,
            });
        }
        let mut head = |name: &str| {
            let there = tensors.has(&format!("{name}.weight"));
            there.then(|| Dense::read(tensors, name, width)).transpose()
        };
        let (policy_planes, policy_others) = (head("policy_planes")?, head("policy_others")?);
        let value_hidden = Dense::read(tensors, "value_hidden", width)?;
        let value = Dense::read(tensors, "value", value_hidden.outputs)?;
        Ok(Self {
            tables,
            planes,
            scalars,
            spread,
            blocks,
            policy_planes,
            policy_others,
            value_hidden,
            value,
        })
    }

    /// Number of outputs for a position on a map of `nodes` nodes.
    pub(super) fn outputs(&self, nodes: usize) -> usize {
        let of_node = self.policy_planes.as_ref().map_or(0, |layer| layer.outputs);
        of_node * nodes + self.policy_others.as_ref().map_or(0, |layer| layer.outputs)
    }

    /// Number of values per position: the maximum number of seats.
    pub(super) fn values(&self) -> usize {
        self.value.outputs
    }

    /// Calls `answer` with the index, outputs and values of every row.
    pub(super) fn run(
        &self,
        encoder: &Encoder,
        observations: &[u8],
        row_len: usize,
        mut answer: impl FnMut(usize, &[f32], &[f32]),
    ) {
        let mut scratch = Scratch::default();
        let mut outputs = Vec::new();
        for (batch, rows) in observations.chunks(POSITIONS * row_len).enumerate() {
            scratch.read(&self.tables, encoder, rows, row_len);
            self.trunk(&mut scratch);
            let Scratch { nodes, starts, x, joined, inner, outer, g, of_whole, .. } = &mut scratch;
            let apply = |head: &Option<Dense>, x: &[f32], y: &mut Vec<f32>| match head {
                Some(layer) => layer.apply(x, y),
                None => y.clear(),
            };
            self.value_hidden.apply(g, inner);
            relu(inner);
            self.value.apply(inner, of_whole);
            apply(&self.policy_planes, x, joined);
            apply(&self.policy_others, g, outer);
            let planes = self.policy_planes.as_ref().map_or(0, |layer| layer.outputs);
            let others = self.policy_others.as_ref().map_or(0, |layer| layer.outputs);
            for (i, values) in of_whole.chunks_exact(self.values()).enumerate() {
                outputs.clear();
                // Nodes that are not on the map have no legal action; their logits are 0.
                outputs.resize(planes * encoder.cells, 0.0);
                for row in starts[i]..starts[i + 1] {
                    let node = nodes[row].1;
                    outputs[node * planes..][..planes].copy_from_slice(&joined[row * planes..][..planes]);
                }
                outputs.extend_from_slice(&outer[i * others..][..others]);
                answer(batch * POSITIONS + i, &outputs, values);
            }
        }
    }

    /// The trunk: computes the inputs of the heads from `planes` and `scalars`, by node in `x`, by position in `g`.
    fn trunk(&self, scratch: &mut Scratch) {
        let width = self.planes.outputs;
        let Scratch { planes, x, joined, inner, outer, scalars, g, of_whole, .. } = scratch;
        self.scalars.apply(scalars, g);
        relu(g);
        self.planes.apply(planes, x);
        self.spread.apply(g, of_whole);
        for (x, &(position, _)) in x.chunks_exact_mut(width).zip(&scratch.nodes) {
            add(x, &of_whole[position * width..][..width]);
        }
        relu(x);
        for block in &self.blocks {
            joined.clear();
            let mut start = 0;
            for (row, &end) in scratch.ends.iter().enumerate() {
                let neighbours = &scratch.neighbours[start..end];
                joined.extend_from_slice(&x[row * width..][..width]);
                mean_of_rows(x, neighbours.iter().copied(), width, joined);
                start = end;
            }
            block.first.apply(joined, inner);
            block.whole.apply(g, of_whole);
            for (inner, &(position, _)) in inner.chunks_exact_mut(width).zip(&scratch.nodes) {
                add(inner, &of_whole[position * width..][..width]);
            }
            relu(inner);
            block.second.apply(inner, outer);
            add(x, outer);
            relu(x);
            joined.clear();
            for (g, rows) in g.chunks_exact(width).zip(scratch.starts.windows(2)) {
                joined.extend_from_slice(g);
                mean_of_rows(x, rows[0]..rows[1], width, joined);
            }
            block.mixed.apply(joined, of_whole);
            add(g, of_whole);
            relu(g);
        }
    }
}

impl Scratch {
    /// Reads the nodes, edges and inputs of some observations.
    fn read(&mut self, tables: &[f32], encoder: &Encoder, observations: &[u8], row_len: usize) {
        for list in [&mut self.starts, &mut self.neighbours, &mut self.ends] {
            list.clear();
        }
        self.nodes.clear();
        self.planes.clear();
        self.scalars.clear();
        let mut row_of = vec![usize::MAX; encoder.cells];
        for (position, row) in observations.chunks_exact(row_len).enumerate() {
            let start = self.nodes.len();
            self.starts.push(start);
            row_of.fill(usize::MAX);
            for node in (0..encoder.cells).filter(|&node| encoder.neighbours(row, node).next().is_some()) {
                row_of[node] = self.nodes.len();
                self.nodes.push((position, node));
                encoder.encode_cell(tables, row, node, &mut self.planes);
            }
            for &(_, node) in &self.nodes[start..] {
                let rows = encoder.neighbours(row, node).map(|other| row_of[other]);
                // An edge to a node without edges of its own is no edge: hostile rows may have one.
                self.neighbours.extend(rows.filter(|&row| row != usize::MAX));
                self.ends.push(self.neighbours.len());
            }
            encoder.encode_scalars(tables, row, &mut self.scalars);
        }
        self.starts.push(self.nodes.len());
    }
}

/// Appends the mean of some rows of `x`, 0 without rows.
fn mean_of_rows(x: &[f32], rows: impl ExactSizeIterator<Item = usize>, width: usize, y: &mut Vec<f32>) {
    let (start, count) = (y.len(), rows.len());
    y.resize(start + width, 0.0);
    rows.for_each(|row| add(&mut y[start..], &x[row * width..][..width]));
    y[start..].iter_mut().for_each(|sum| *sum /= count.max(1) as f32);
}

/// A layer with `width` outputs.
fn square(layer: Dense, name: &str, width: usize) -> Result<Dense, String> {
    if layer.outputs == width { Ok(layer) } else { Err(format!("the layer {name:?} is not {width} wide")) }
}
