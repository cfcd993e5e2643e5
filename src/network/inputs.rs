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
    /// The inputs of every byte of an observation.
    bytes: Vec<ByteInputs>,
    /// For every 64 bytes, the ones with entries if they are not 0.
    used: Vec<u64>,
    /// Those that have entries even if they are 0.
    always: Vec<u64>,
    /// For every kind of byte and each of its values, the start and the number of its entries.
    entries: Vec<(u32, u32)>,
    /// Input, counted from the byte's first one.
    inputs: Vec<u32>,
    values: Vec<f32>,
}

/// The inputs that depend on a byte.
#[derive(Clone, Copy, Default)]
struct ByteInputs {
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

    fn scalars_of(&self, spec: &Spec, tables: &[f32]) -> Result<Scalars, ReadError> {
        let len = spec.observation_len();
        let mut scalars = Scalars {
            bytes: vec![ByteInputs::default(); len],
            used: vec![0; len.div_ceil(64)],
            always: vec![0; len.div_ceil(64)],
            ..Scalars::default()
        };
        let mut kinds: HashMap<Vec<usize>, u32> = HashMap::new();
        let mut first_input = 0;
        for group in self.scalars.chunk_by(|a, b| (&a.0, &a.1) == (&b.0, &b.1)) {
            let Channel(name, at, _) = &group[0];
            let field = spec.observation.iter().find(|field| field.name == *name);
            if let Some(byte) = field.and_then(|field| offset(field, 0..field.shape.len(), at)) {
                let of_group: Vec<usize> = group.iter().map(|channel| channel.2).collect();
                let kind = match kinds.get(&of_group) {
                    Some(&kind) => kind,
                    None => {
                        scalars.push_kind(&of_group, tables)?;
                        let kind = kinds.len() as u32;
                        kinds.insert(of_group, kind);
                        kind
                    }
                };
                let (word, bit) = (byte / 64, 1 << (byte % 64));
                if scalars.used[word] & bit != 0 {
                    return Err(format!("byte {byte} of an observation is in two fields").into());
                }
                scalars.bytes[byte] = ByteInputs { first_input, kind };
                scalars.used[word] |= bit;
                if scalars.entries[kind as usize * 256].1 > 0 {
                    scalars.always[word] |= bit;
                }
            }
            first_input += group.len() as u32;
        }
        // Blocks are read beyond the last entry.
        scalars.push(BLOCK, |_| (0, 0.0))?;
        Ok(scalars)
    }
}

impl Scalars {
    /// Appends entries.
    fn push(&mut self, count: usize, entry: impl Fn(usize) -> (u32, f32)) -> Result<(), Error> {
        memory::room(&mut self.inputs, count, "the inputs of a network")?;
        memory::room(&mut self.values, count, "the inputs of a network")?;
        for (input, value) in (0..count).map(entry) {
            self.inputs.push(input);
            self.values.push(value);
        }
        Ok(())
    }

    /// Appends the entries of a kind of byte: its inputs use these tables.
    fn push_kind(&mut self, of_inputs: &[usize], tables: &[f32]) -> Result<(), Error> {
        for byte in 0..256 {
            let value = |input: usize| tables[of_inputs[input] * 256 + byte];
            let start = self.inputs.len() as u32;
            for input in (0..of_inputs.len()).filter(|&input| value(input) != 0.0) {
                self.push(1, |_| (input as u32, value(input)))?;
            }
            self.entries.push((start, self.inputs.len() as u32 - start));
        }
        Ok(())
    }
}

/// A bit for each of up to 64 bytes: whether it is not 0.
#[inline]
fn bytes_not_zero(bytes: &[u8]) -> u64 {
    const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    /// Moves the lowest bits of 8 bytes into the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (words, rest) = bytes.as_chunks::<8>();
    let bits = |word: &[u8; 8]| {
        let word = u64::from_le_bytes(*word);
        let high = (((word & LOW_BITS) + LOW_BITS) | word) & !LOW_BITS;
        (high >> 7).wrapping_mul(GATHER) >> 56
    };
    let mut mask = words.iter().enumerate().fold(0, |mask, (i, word)| mask | bits(word) << (8 * i));
    for (i, &byte) in rest.iter().enumerate() {
        mask |= u64::from(byte != 0) << (8 * words.len() + i);
    }
    mask
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
        let Scalars { bytes, used, always, .. } = &self.scalars;
        let mut count = 0;
        for (word, (row, bytes)) in row.chunks(64).zip(bytes.chunks(64)).enumerate() {
            let mut left = (bytes_not_zero(row) & used[word]) | always[word];
            while left != 0 {
                let i = left.trailing_zeros() as usize;
                left &= left - 1;
                count = self.encode_byte(bytes[i], row[i], entries, count);
            }
        }
        entries.set_len(count);
    }

    /// Appends the entries of a byte to the first `count`, and returns their new number.
    #[inline(always)]
    fn encode_byte(&self, byte: ByteInputs, value: u8, entries: &mut Entries, count: usize) -> usize {
        let Scalars { entries: of_kinds, inputs, values, .. } = &self.scalars;
        let (start, len) = of_kinds[byte.kind as usize * 256 + usize::from(value)];
        let (start, len) = (start as usize, len as usize);
        // Blocks are written beyond the last entry. A byte rarely has more entries than a block.
        for done in (0..len).step_by(BLOCK) {
            let (to_inputs, to_values) = entries.block(count + done);
            let from = inputs[start + done..].first_chunk::<BLOCK>().expect("a block follows");
            *to_inputs = from.map(|input| input + byte.first_input);
            *to_values = *values[start + done..].first_chunk().expect("a block follows");
        }
        count + len
    }
}

#[cfg(test)]
mod tests {
    use super::bytes_not_zero;

    #[test]
    fn bytes_that_are_not_zero_have_a_bit() {
        let bytes: Vec<u8> = (0..64_u32).map(|i| if i % 3 == 0 { 0 } else { (i * 37 % 256) as u8 }).collect();
        for len in 0..=64 {
            let wanted = (0..len).fold(0, |mask, i| mask | u64::from(bytes[i] != 0) << i);
            assert_eq!(bytes_not_zero(&bytes[..len]), wanted, "{len}");
        }
        assert_eq!(bytes_not_zero(&[0x80, 0, 1, 0xff, 0x7f, 0, 0, 0x81]), 0b1001_1101);
    }
}
