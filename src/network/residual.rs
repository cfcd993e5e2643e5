//! The built-in architecture: `ludovec.nets.ResidualNetwork`, which documents it.

use super::inputs::Encoder;
use super::layers::{Dense, Norm, add, add_to_cells, mean_of_cells, neighbourhoods, relu};
use super::tensors::Tensors;

/// Cache blocking: the number of cells (or positions, without a board) computed at once.
const ROWS: usize = 64;

/// A residual network over a board of any size, or over scalars only.
pub(super) struct Residual {
    /// `[T, 256]`
    tables: Vec<f32>,
    planes: Option<Dense>,
    scalars: Option<Dense>,
    blocks: Vec<Block>,
    /// Only in networks without a board.
    norm: Option<Norm>,
    policy_planes: Option<Dense>,
    policy_others: Option<Dense>,
    value_hidden: Dense,
    value: Dense,
}

struct Block {
    first: Dense,
    second: Dense,
    kind: Kind,
}

enum Kind {
    /// With a board; the layer's input is the mean.
    Board(Dense),
    Flat(Norm),
}

/// Buffers for the layers' results.
#[derive(Default)]
struct Scratch {
    planes: Vec<f32>,
    scalars: Vec<f32>,
    x: Vec<f32>,
    around: Vec<f32>,
    inner: Vec<f32>,
    pooled: Vec<f32>,
    extra: Vec<f32>,
}

impl Residual {
    /// Builds a network from a file's tensors, with this many planes (if it has a board) and scalars.
    ///
    /// # Errors
    /// A message about the missing or mismatched tensor.
    pub(super) fn read(
        tensors: &mut Tensors,
        tables: Vec<f32>,
        planes: Option<usize>,
        scalars: usize,
    ) -> Result<Self, String> {
        let convolve = |tensors: &mut _, inputs| Dense::read_convolution(tensors, "planes", inputs);
        let planes = planes.map(|inputs| convolve(tensors, inputs)).transpose()?;
        let scalars = (scalars > 0).then(|| Dense::read(tensors, "scalars", scalars)).transpose()?;
        let widths = planes.iter().chain(&scalars).map(|layer| layer.outputs);
        let Some(width) = widths.clone().next().filter(|&width| widths.clone().all(|other| other == width))
        else {
            return Err("its first layers have no width, or several".into());
        };
        let mut blocks = Vec::new();
        while tensors.has(&format!("blocks.{}.first.weight", blocks.len())) {
            blocks.push(Block::read(tensors, &format!("blocks.{}", blocks.len()), width, planes.is_some())?);
        }
        let norm = match planes {
            Some(_) => None,
            None => Some(Norm::read(tensors, "norm", width)?),
        };
        let mut head = |name: &str| {
            let there = tensors.has(&format!("{name}.weight"));
            there.then(|| Dense::read(tensors, name, width)).transpose()
        };
        let (policy_planes, policy_others) = (head("policy_planes")?, head("policy_others")?);
        if planes.is_none() && policy_planes.is_some() {
            return Err("its policy has planes and there is no board".into());
        }
        let value_hidden = Dense::read(tensors, "value_hidden", width)?;
        let value = Dense::read(tensors, "value", value_hidden.outputs)?;
        Ok(Self { tables, planes, scalars, blocks, norm, policy_planes, policy_others, value_hidden, value })
    }

    /// Number of outputs for a position on a board of `cells` cells.
    pub(super) fn outputs(&self, cells: usize) -> usize {
        let of_cell = self.policy_planes.as_ref().map_or(0, |layer| layer.outputs);
        of_cell * cells + self.policy_others.as_ref().map_or(0, |layer| layer.outputs)
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
        let at_once = (ROWS / encoder.cells.max(1)).max(1);
        for (batch, rows) in observations.chunks(at_once * row_len).enumerate() {
            scratch.planes.clear();
            scratch.scalars.clear();
            for row in rows.chunks_exact(row_len) {
                encoder.encode(&self.tables, row, &mut scratch.planes, &mut scratch.scalars);
            }
            self.trunk(encoder, &mut scratch);
            let Scratch { x, around, inner, pooled, extra, .. } = &mut scratch;
            let apply = |head: &Option<Dense>, x: &[f32], y: &mut Vec<f32>| match head {
                Some(layer) => layer.apply(x, y),
                None => y.clear(),
            };
            self.value_hidden.apply(pooled, inner);
            relu(inner);
            self.value.apply(inner, around);
            apply(&self.policy_planes, x, inner);
            apply(&self.policy_others, pooled, extra);
            let positions = rows.len() / row_len;
            let (places, others) = (inner.len() / positions, extra.len() / positions);
            for (i, values) in around.chunks_exact(self.values()).enumerate() {
                outputs.clear();
                outputs.extend_from_slice(&inner[i * places..][..places]);
                outputs.extend_from_slice(&extra[i * others..][..others]);
                answer(batch * at_once + i, &outputs, values);
            }
        }
    }

    /// The trunk: computes the inputs of the heads from `planes` and `scalars`, by cell in `x`, by position in
    /// `pooled`.
    fn trunk(&self, encoder: &Encoder, scratch: &mut Scratch) {
        let Scratch { planes, scalars, x, around, inner, pooled, extra } = scratch;
        let cells = encoder.cells;
        match (&self.planes, &self.scalars) {
            (Some(layer), of_all) => {
                neighbourhoods(planes, around, layer.inputs / 9, encoder.board);
                layer.apply(around, x);
                if let Some(of_all) = of_all {
                    of_all.apply(scalars, extra);
                    add_to_cells(x, extra, layer.outputs, cells);
                }
                relu(x);
            }
            (None, Some(layer)) => layer.apply(scalars, x),
            (None, None) => unreachable!("a network has inputs"),
        }
        for block in &self.blocks {
            let width = block.second.outputs;
            match &block.kind {
                Kind::Board(of_mean) => {
                    neighbourhoods(x, around, width, encoder.board);
                    block.first.apply(around, inner);
                    mean_of_cells(x, pooled, width, cells);
                    of_mean.apply(pooled, extra);
                    add_to_cells(inner, extra, width, cells);
                    relu(inner);
                    neighbourhoods(inner, around, width, encoder.board);
                    block.second.apply(around, extra);
                    add(x, extra);
                    relu(x);
                }
                Kind::Flat(norm) => {
                    norm.apply(x, around);
                    block.first.apply(around, inner);
                    relu(inner);
                    block.second.apply(inner, extra);
                    add(x, extra);
                }
            }
        }
        match &self.norm {
            Some(norm) => {
                norm.apply(x, pooled);
                relu(pooled);
            }
            None => {
                let width = self.value_hidden.inputs;
                mean_of_cells(x, pooled, width, cells);
            }
        }
    }
}

impl Block {
    fn read(tensors: &mut Tensors, name: &str, width: usize, has_board: bool) -> Result<Self, String> {
        let part = |part: &str| format!("{name}.{part}");
        let read = if has_board { Dense::read_convolution } else { Dense::read };
        let first = read(tensors, &part("first"), width)?;
        let second = read(tensors, &part("second"), width)?;
        if [first.outputs, second.outputs] != [width; 2] {
            return Err(format!("the layers of {name:?} are not {width} wide"));
        }
        let kind = if has_board {
            let of_mean = Dense::read(tensors, &part("pooled"), width)?;
            if of_mean.outputs != width {
                return Err(format!("the layers of {name:?} are not {width} wide"));
            }
            Kind::Board(of_mean)
        } else {
            Kind::Flat(Norm::read(tensors, &part("norm"), width)?)
        };
        Ok(Self { first, second, kind })
    }
}
