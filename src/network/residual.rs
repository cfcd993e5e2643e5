//! The built-in architecture: `ludovec.nets.ResidualNetwork`, which documents it.

use super::inputs::Encoder;
use super::kernels::buffers::{Buffer, row_len};
use super::kernels::mean_of_rows;
use super::kernels::operand::After;
use super::kernels::sparse::{CellEntries, Entries};
use super::layers::{Board, Dense, FirstConvolution, FirstLayer, Inner, InnerScratch, Norm};
use super::patches::{Patched, Patches};
use super::policy::{Policy, Wanted};
use super::precision::Precision;
use super::tensors::{ReadError, Tensors};
use super::value_head::{ValueHead, ValueScratch};
use crate::engine::Result;

/// Cache blocking: the number of positions without a board that are computed at once. Positions with a board are
/// computed one by one.
const ROWS: usize = 64;

/// A residual network over a board of any size, or over scalars only.
pub(super) struct Residual {
    /// `[T, 256]`
    tables: Vec<f32>,
    planes: Option<FirstConvolution>,
    scalars: Option<FirstLayer>,
    /// Number of scalars.
    inputs: usize,
    width: usize,
    /// If the blocks are over patches of a board.
    patches: Option<Patches>,
    blocks: Vec<Block>,
    precision: Precision,
    /// Only in networks without a board.
    norm: Option<Norm>,
    pub(super) policy: Policy,
    value: ValueHead,
}

struct Block {
    first: Inner,
    second: Inner,
    kind: Kind,
}

enum Kind {
    /// With a board; the layer's input is the mean.
    Board(Dense),
    Flat(Norm),
}

/// Buffers for the layers' results, and the offsets of their rows.
struct Scratch {
    planes: Buffer<f32>,
    cells: CellEntries,
    entries: Entries,
    x: Buffer<f32>,
    normal: Buffer<f32>,
    inner: Buffer<f32>,
    operand: InnerScratch,
    pooled: Buffer<f32>,
    extra: Buffer<f32>,
    outputs: Buffer<f32>,
    value: ValueScratch,
    board: Option<Board>,
    /// Patches with their results, if the network has any.
    patched: Option<(Patched, Buffer<f32>)>,
    /// Rows of positions in `pooled`.
    rows: Vec<u32>,
}

impl Scratch {
    /// For this many positions at once.
    fn new(model: &Residual, encoder: &Encoder, positions: usize) -> Result<Self> {
        let (width, cells) = (row_len(model.width), encoder.cells);
        let planes = model.planes.as_ref().map_or(0, |layer| layer.inputs);
        let with_border = if cells > 0 { Board::cells_with_border(encoder.board) } else { positions };
        let rows = positions * cells.max(1);
        // The sizes of the blocks.
        let (inner_with_border, inner_rows) = match &model.patches {
            Some(patches) => patches.count(encoder.board),
            None => (with_border, rows),
        };
        let patched = model.patches.as_ref().map(|patches| -> Result<_> {
            Ok((patches.of_board(encoder.board)?, Buffer::zeroed(inner_rows * width)?))
        });
        Ok(Self {
            planes: Buffer::zeroed(with_border * planes)?,
            cells: CellEntries::new(if cells > 0 { with_border } else { 0 }, planes)?,
            entries: Entries::new(model.inputs)?,
            x: Buffer::zeroed(rows * width)?,
            normal: Buffer::zeroed(if cells > 0 { 0 } else { rows * width })?,
            inner: Buffer::zeroed(inner_rows * width)?,
            operand: InnerScratch::new(inner_with_border, width, model.precision, cells > 0)?,
            pooled: Buffer::zeroed(positions * width)?,
            extra: Buffer::zeroed(width)?,
            outputs: Buffer::zeroed(positions * model.policy.row_len(cells))?,
            value: ValueScratch::new(&model.value, positions)?,
            board: (cells > 0).then(|| Board::new(encoder.board, planes, width)),
            patched: patched.transpose()?,
            rows: (0..positions).map(|row| (row * width) as u32).collect(),
        })
    }
}

impl Residual {
    /// Builds a network from a file's tensors, with this many planes (if it has a board) and these scalars.
    ///
    /// # Errors
    /// A message about the missing or mismatched tensor.
    pub(super) fn read(
        tensors: &mut Tensors,
        tables: Vec<f32>,
        planes: Option<usize>,
        scalars: &[usize],
        precision: Precision,
    ) -> Result<Self, ReadError> {
        let convolve = |tensors: &mut _, inputs| FirstConvolution::read(tensors, "planes", inputs);
        let planes = planes.map(|inputs| convolve(tensors, inputs)).transpose()?;
        let inputs = scalars.len();
        let scalars = (inputs > 0).then(|| FirstLayer::read(tensors, "scalars", scalars)).transpose()?;
        let mut widths = planes.iter().map(|layer| layer.outputs).chain(scalars.iter().map(|l| l.outputs));
        let Some(width) = widths.next().filter(|&width| widths.all(|other| other == width)) else {
            return Err("its first layers have no width, or several".into());
        };
        let patches = Patches::read(tensors, width)?;
        if patches.is_some() && planes.is_none() {
            return Err("it has layers for patches and there is no board".into());
        }
        let mut blocks = Vec::new();
        while tensors.has(&format!("blocks.{}.first.weight", blocks.len())) {
            let name = format!("blocks.{}", blocks.len());
            blocks.push(Block::read(tensors, &name, width, planes.is_some(), precision)?);
        }
        let norm = match planes {
            Some(_) => None,
            None => Some(Norm::read(tensors, "norm", width)?),
        };
        let policy = Policy::read(tensors, width, planes.is_some())?;
        let value = ValueHead::read(tensors, width)?;
        Ok(Self { tables, planes, scalars, inputs, width, patches, blocks, precision, norm, policy, value })
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
        let rows = observations.len() / row_len;
        let at_once = if encoder.cells > 0 { 1 } else { ROWS.min(rows).max(1) };
        let mut scratch = Scratch::new(self, encoder, at_once)?;
        for (batch, rows) in observations.chunks(at_once * row_len).enumerate() {
            let positions = rows.len() / row_len;
            match &self.planes {
                Some(planes) => self.board_trunk(planes, encoder, rows, &mut scratch),
                None => self.flat_trunk(encoder, rows, row_len, &mut scratch),
            }
            let Scratch { x, pooled, outputs, value, board, rows, .. } = &mut scratch;
            let of_pooled = &rows[..positions];
            self.value.apply(pooled, of_pooled, value, &mut values);
            let cells = board.as_ref().map_or(&[][..], |board| &board.rows);
            self.policy.apply(x, cells, pooled, of_pooled, outputs, wanted, batch * at_once);
            for position in 0..positions {
                wanted.append(outputs, position, batch * at_once + position, logits);
            }
        }
        Ok(())
    }

    /// Computes the inputs of every row, and drops them.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::engine::Error::OutOfMemory).
    pub(super) fn encode(&self, encoder: &Encoder, observations: &[u8], row_len: usize) -> Result<()> {
        let Scratch { mut planes, mut entries, .. } = Scratch::new(self, encoder, 1)?;
        for row in observations.chunks_exact(row_len) {
            if self.planes.is_some() {
                encoder.encode_planes(&self.tables, row, &mut planes);
            }
            if self.scalars.is_some() {
                encoder.encode_scalars(row, &mut entries);
            }
            std::hint::black_box((&planes, &entries));
        }
        Ok(())
    }

    /// The trunk without a board: computes the inputs of the heads by position in `pooled`.
    fn flat_trunk(&self, encoder: &Encoder, observations: &[u8], bytes: usize, scratch: &mut Scratch) {
        let Scratch { entries, x, normal, inner, operand, pooled, rows, .. } = scratch;
        let rows = &rows[..observations.len() / bytes];
        let width = row_len(self.width);
        let len = rows.len() * width;
        let layer = self.scalars.as_ref().expect("a network without a board has scalars");
        for (row, x) in observations.chunks_exact(bytes).zip(x.chunks_exact_mut(width)) {
            encoder.encode_scalars(row, entries);
            layer.apply(entries, x);
        }
        for Block { first, second, kind } in &self.blocks {
            let Kind::Flat(norm) = kind else { unreachable!("blocks are of the network's kind") };
            norm.apply(&x[..len], &mut normal[..len], false);
            first.apply(normal, rows, operand, inner, rows, After { relu: true, ..After::default() });
            second.apply(inner, rows, operand, x, rows, After { residual: true, ..After::default() });
        }
        let norm = self.norm.as_ref().expect("a network without a board has a norm");
        norm.apply(&x[..len], &mut pooled[..len], true);
    }

    /// The trunk with a board, for one position: computes the inputs of the heads, by cell in `x` and for the position
    /// in `pooled`.
    fn board_trunk(
        &self,
        first_layer: &FirstConvolution,
        encoder: &Encoder,
        observation: &[u8],
        scratch: &mut Scratch,
    ) {
        let Scratch { planes, cells, entries, x, inner, operand, pooled, extra, board, patched, .. } =
            scratch;
        let board = board.as_ref().expect("the encoder has a board");
        encoder.encode_planes(&self.tables, observation, planes);
        let row = self.scalars.as_ref().map(|layer| {
            encoder.encode_scalars(observation, entries);
            layer.apply(entries, extra);
            &extra[..]
        });
        first_layer.apply(planes, cells, board, x, row);
        let mut deepen = |board: &Board, x: &mut [f32], pooled: &mut [f32]| {
            for Block { first, second, kind } in &self.blocks {
                let Kind::Board(of_mean) = kind else { unreachable!("blocks are of the network's kind") };
                mean_of_rows(x, &board.rows, pooled);
                of_mean.apply(pooled, &[0], extra, &[0], After::default());
                let after = After { row: Some(extra), relu: true, ..After::default() };
                first.apply_to_board(x, board, operand, inner, after);
                let after = After { residual: true, relu: true, ..After::default() };
                second.apply_to_board(inner, board, operand, x, after);
            }
        };
        match (&self.patches, patched) {
            (Some(layers), Some((patched, patches))) => {
                layers.apply_down(x, patched, patches);
                deepen(&patched.board, patches, pooled);
                layers.apply_up(patches, patched, x);
            }
            _ => deepen(board, x, pooled),
        }
        mean_of_rows(x, &board.rows, pooled);
    }
}

impl Block {
    fn read(
        tensors: &mut Tensors,
        name: &str,
        width: usize,
        has_board: bool,
        precision: Precision,
    ) -> Result<Self, ReadError> {
        let part = |part: &str| format!("{name}.{part}");
        let read = |tensors: &mut Tensors, name: &str, signed| match has_board {
            true => Inner::read_convolution(tensors, name, width, precision),
            false => Inner::read(tensors, name, width, precision, signed),
        };
        let first = read(tensors, &part("first"), true)?;
        let second = read(tensors, &part("second"), false)?;
        if [first.outputs, second.outputs] != [width; 2] {
            return Err(format!("the layers of {name:?} are not {width} wide").into());
        }
        let kind = if has_board {
            let of_mean = Dense::read(tensors, &part("pooled"), width)?;
            if of_mean.outputs != width {
                return Err(format!("the layers of {name:?} are not {width} wide").into());
            }
            Kind::Board(of_mean)
        } else {
            Kind::Flat(Norm::read(tensors, &part("norm"), width)?)
        };
        Ok(Self { first, second, kind })
    }
}
