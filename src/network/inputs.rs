//! Inputs of a network: each input maps a byte of the observation through a table of 256 numbers.

use std::collections::HashMap;

use serde::Deserialize;

use super::kernels::sparse::Entries;
use super::tensors::ReadError;
use crate::engine::{Error, ObservationField, Spec, memory};

/// The inputs of a network, for all options that it supports. An input missing from an observation, such as a seat in
/// a game with fewer seats, uses the first table, which is 0 everywhere.
#[derive(Debug, Deserialize)]
pub(super) struct Inputs {
    pub(super) board: Option<BoardAxes>,
    /// The nodes of a map, instead of a board.
    #[serde(default)]
    pub(super) graph: Option<Map>,
    /// One input for every cell of the board, or for every node.
    pub(super) planes: Vec<Channel>,
    /// One input per position.
    pub(super) scalars: Vec<Channel>,
}

/// Location of the board in the fields that contain one.
#[derive(Debug, Deserialize)]
pub(super) struct BoardAxes {
    /// A field with a board, which determines its size.
    field: String,
    /// First axis of the board in every such field: 0, or -2 for the last two axes.
    axis: i8,
}

/// The field with the set of every node's neighbours, `[nodes, bytes]`.
#[derive(Debug, Deserialize)]
pub(super) struct Map {
    field: String,
}

/// One input, or one per cell: the field, the index in it along the axes outside the board, the table.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Channel(String, Vec<usize>, usize);

/// Computes inputs from the observations of one environment.
pub(super) struct Encoder {
    /// Number of cells of the board; 0 without a board.
    pub(super) cells: usize,
    /// Number of rows and columns.
    pub(super) board: (usize, usize),
    /// The byte of every plane in every cell, and the start of its table.
    planes: Vec<(u32, u32)>,
    scalars: Scalars,
    /// The bytes of every node's neighbours: where the first node's begin, and the strides of nodes and of bytes.
    edges: Option<(usize, usize, usize)>,
}

/// The scalars of an observation, byte by byte.
#[derive(Default)]
struct Scalars {
    bytes: Vec<ByteInputs>,
    /// For every kind of byte and each of its values, the start of its entries.
    starts: Vec<u32>,
    /// Input, counted from the byte's first one.
    inputs: Vec<u32>,
    values: Vec<f32>,
}

/// A byte and the inputs that depend on it.
struct ByteInputs {
    byte: u32,
    first_input: u32,
    /// Index of its kind: bytes with the same tables are of the same kind.
    kind: u32,
}

/// Entries are copied in blocks of this length.
const BLOCK: usize = 4;

impl Inputs {
    /// # Errors
    /// A message about the missing or invalid entry.
    pub(super) fn read(text: &str, tables: usize) -> Result<Self, String> {
        let inputs: Self =
            serde_json::from_str(text).map_err(|error| format!("its metadata \"inputs\": {error}"))?;
        let mut channels = inputs.planes.iter().chain(&inputs.scalars);
        if let Some(Channel(field, _, table)) = channels.find(|channel| channel.2 >= tables) {
            return Err(format!("an input of {field:?} uses table {table} of {tables}"));
        }
        if inputs.board.is_none() && inputs.graph.is_none() && !inputs.planes.is_empty() {
            return Err("it has planes and no board".into());
        }
        if inputs.graph.is_some()
            && (inputs.board.is_some() || inputs.planes.is_empty() || inputs.scalars.is_empty())
        {
            return Err("a network over a graph has planes, scalars and no board".into());
        }
        if inputs.board.as_ref().is_some_and(|board| ![0, -2].contains(&board.axis)) {
            return Err("the axis of its board: 0 and -2 are allowed".into());
        }
        Ok(inputs)
    }

    /// Moves scalars of the same element together, and returns their former indices.
    pub(super) fn group_scalars(&mut self) -> Vec<usize> {
        let mut groups: HashMap<(&str, &[usize]), usize> = HashMap::new();
        let mut order: Vec<(usize, usize)> = Vec::with_capacity(self.scalars.len());
        for (i, Channel(field, at, _)) in self.scalars.iter().enumerate() {
            let next = groups.len();
            order.push((*groups.entry((field, at)).or_insert(next), i));
        }
        order.sort_unstable();
        let order: Vec<usize> = order.into_iter().map(|(_, i)| i).collect();
        self.scalars = order.iter().map(|&i| self.scalars[i].clone()).collect();
        order
    }

    /// An encoder with `tables`, `[T, 256]`.
    ///
    /// # Errors
    /// A message if the observation has no such board.
    pub(super) fn encoder(&self, spec: &Spec, tables: &[f32]) -> Result<Encoder, ReadError> {
        if let Some(map) = &self.graph {
            return self.encoder_of_map(&map.field, spec, tables);
        }
        let find = |name: &str| spec.observation.iter().find(|field| field.name == name);
        let board = match &self.board {
            None => (0, 0),
            Some(board) => find(&board.field)
                .and_then(|field| board.axes(field).map(|axis| (field.shape[axis], field.shape[axis + 1])))
                .ok_or_else(|| format!("no field {:?} with a board is in the observation", board.field))?,
        };
        let cells = board.0 * board.1;
        let mut from = vec![(0, 0); cells * self.planes.len()];
        let first = |table: usize| (table * 256) as u32;
        for (plane, Channel(name, at, table)) in self.planes.iter().enumerate() {
            let Some((field, axis)) =
                find(name).and_then(|field| Some((field, self.board.as_ref()?.axes(field)?)))
            else {
                continue;
            };
            if (field.shape[axis], field.shape[axis + 1]) != board {
                continue;
            }
            let outer = (0..field.shape.len()).filter(|i| *i != axis && *i != axis + 1);
            let Some(start) = offset(field, outer, at) else { continue };
            for cell in 0..cells {
                let byte =
                    start + cell / board.1 * field.strides[axis] + cell % board.1 * field.strides[axis + 1];
                from[cell * self.planes.len() + plane] = (byte as u32, first(*table));
            }
        }
        Ok(Encoder { cells, board, planes: from, scalars: self.scalars_of(spec, tables)?, edges: None })
    }

    /// The same for a map with its edges in `field`.
    fn encoder_of_map(&self, field: &str, spec: &Spec, tables: &[f32]) -> Result<Encoder, ReadError> {
        let find = |name: &str| spec.observation.iter().find(|field| field.name == name);
        let edges = find(field)
            .filter(|field| field.shape.len() == 2 && field.shape[1] == field.shape[0].div_ceil(8))
            .ok_or_else(|| {
                format!("no field {field:?} with a set of neighbours per node is in the observation")
            })?;
        let nodes = edges.shape[0];
        let mut from = vec![(0, 0); nodes * self.planes.len()];
        for (plane, Channel(name, at, table)) in self.planes.iter().enumerate() {
            let Some(field) = find(name).filter(|field| !field.shape.is_empty()) else { continue };
            let last = field.shape.len() - 1;
            let is_set = field.shape[last] != nodes;
            if is_set && field.shape[last] != nodes.div_ceil(8) {
                continue;
            }
            let Some(start) = offset(field, 0..last, at) else { continue };
            // A set of nodes is looked up in the table of each node's bit.
            if is_set && 256 * (table + 8) > tables.len() {
                return Err(format!("an input of {name:?} needs eight tables from {table} on").into());
            }
            for node in 0..nodes {
                let (element, table) = if is_set { (node / 8, table + node % 8) } else { (node, *table) };
                let byte = start + element * field.strides[last];
                from[node * self.planes.len() + plane] = (byte as u32, (table * 256) as u32);
            }
        }
        Ok(Encoder {
            cells: nodes,
            board: (nodes, 1),
            planes: from,
            scalars: self.scalars_of(spec, tables)?,
            edges: Some((edges.offset, edges.strides[0], edges.strides[1])),
        })
    }

    fn scalars_of(&self, spec: &Spec, tables: &[f32]) -> Result<Scalars, Error> {
        let mut scalars = Scalars { starts: vec![0], ..Scalars::default() };
        let mut kinds: HashMap<Vec<usize>, u32> = HashMap::new();
        let mut first_input = 0;
        for group in self.scalars.chunk_by(|a, b| (&a.0, &a.1) == (&b.0, &b.1)) {
            let Channel(name, at, _) = &group[0];
            let field = spec.observation.iter().find(|field| field.name == *name);
            if let Some(byte) = field.and_then(|field| offset(field, 0..field.shape.len(), at)) {
                let of_group: Vec<usize> = group.iter().map(|channel| channel.2).collect();
                let next = kinds.len() as u32;
                let kind = *kinds.entry(of_group).or_insert_with_key(|of_group| {
                    scalars.push_kind(of_group, tables);
                    next
                });
                scalars.bytes.push(ByteInputs { byte: byte as u32, first_input, kind });
            }
            first_input += group.len() as u32;
        }
        // Blocks are read beyond the last entry.
        memory::room(&mut scalars.inputs, BLOCK, "the inputs of a network")?;
        memory::room(&mut scalars.values, BLOCK, "the inputs of a network")?;
        scalars.inputs.resize(scalars.inputs.len() + BLOCK, 0);
        scalars.values.resize(scalars.values.len() + BLOCK, 0.0);
        Ok(scalars)
    }
}

impl Scalars {
    /// Appends the entries of a kind of byte: its inputs use these tables.
    fn push_kind(&mut self, of_inputs: &[usize], tables: &[f32]) {
        for byte in 0..256 {
            for (input, &table) in of_inputs.iter().enumerate() {
                let value = tables[table * 256 + byte];
                if value != 0.0 {
                    self.inputs.push(input as u32);
                    self.values.push(value);
                }
            }
            self.starts.push(self.inputs.len() as u32);
        }
    }
}

impl BoardAxes {
    /// The first axis of the board in a field.
    fn axes(&self, field: &ObservationField) -> Option<usize> {
        let axis = if self.axis == 0 { Some(0) } else { field.shape.len().checked_sub(2) }?;
        (field.shape.len() >= 2).then_some(axis)
    }
}

/// Offset of the element `at` along some axes.
fn offset(field: &ObservationField, axes: impl Iterator<Item = usize>, at: &[usize]) -> Option<usize> {
    let axes: Vec<_> = axes.collect();
    let fits = axes.len() == at.len() && axes.iter().zip(at).all(|(&axis, &index)| index < field.shape[axis]);
    fits.then(|| field.offset + axes.iter().zip(at).map(|(&axis, &i)| i * field.strides[axis]).sum::<usize>())
}

impl Encoder {
    /// Overwrites the inner cells of a board with a border with the planes of an observation.
    pub(super) fn encode_planes(&self, tables: &[f32], row: &[u8], planes: &mut [f32]) {
        let look_up = |&(byte, first): &(u32, u32)| tables[first as usize + usize::from(row[byte as usize])];
        let (rows, columns) = self.board;
        let channels = self.planes.len() / self.cells;
        for (i, from) in self.planes.chunks_exact(columns * channels).enumerate().take(rows) {
            let start = ((i + 1) * (columns + 2) + 1) * channels;
            let planes = &mut planes[start..start + from.len()];
            planes.iter_mut().zip(from).for_each(|(plane, from)| *plane = look_up(from));
        }
    }

    /// Writes the planes of a node to the start of `planes`.
    pub(super) fn encode_cell(&self, tables: &[f32], row: &[u8], cell: usize, planes: &mut [f32]) {
        let channels = self.planes.len() / self.cells;
        for (plane, &(byte, first)) in planes.iter_mut().zip(&self.planes[cell * channels..][..channels]) {
            *plane = tables[first as usize + usize::from(row[byte as usize])];
        }
    }

    /// The neighbours of a node in ascending order; none without a map.
    pub(super) fn neighbours(&self, row: &[u8], node: usize) -> impl Iterator<Item = usize> {
        let (start, of_node, of_byte) = self.edges.unwrap_or_default();
        let octets = if self.edges.is_some() { self.cells.div_ceil(8) } else { 0 };
        (0..octets)
            .map(move |i| (8 * i, row[start + node * of_node + i * of_byte]))
            .filter(|&(_, octet)| octet != 0)
            .flat_map(|(first, octet)| {
                (0..8).filter(move |bit| octet >> bit & 1 == 1).map(move |bit| first + bit)
            })
            .filter(|&other| other < self.cells)
    }

    /// Overwrites `entries` with the scalars of an observation that are not 0.
    pub(super) fn encode_scalars(&self, row: &[u8], entries: &mut Entries) {
        let Scalars { bytes, starts, inputs, values } = &self.scalars;
        let mut count = 0;
        for &ByteInputs { byte, first_input, kind } in bytes {
            let at = kind as usize * 256 + usize::from(row[byte as usize]);
            let (mut from, end) = (starts[at] as usize, starts[at + 1] as usize);
            let (mut to, len) = (count, end - from);
            // A byte rarely has more entries than a block, so the loop rarely has a second turn.
            loop {
                let (to_inputs, to_values) = entries.block(to);
                let from_inputs = inputs[from..].first_chunk::<BLOCK>().expect("a block follows");
                *to_inputs = from_inputs.map(|input| input + first_input);
                *to_values = *values[from..].first_chunk().expect("a block follows");
                from += BLOCK;
                to += BLOCK;
                if from >= end {
                    break;
                }
            }
            count += len;
        }
        entries.set_len(count);
    }
}
