//! Inputs of a network: each input maps a byte of the observation through a table of 256 numbers.

use serde::Deserialize;

use crate::engine::{ObservationField, Spec};

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
    /// Number of tables.
    #[serde(skip)]
    tables: usize,
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
#[derive(Debug, Deserialize)]
pub(super) struct Channel(String, Vec<usize>, usize);

/// Computes inputs from the observations of one environment.
pub(super) struct Encoder {
    /// Number of cells of the board; 0 without a board.
    pub(super) cells: usize,
    /// Number of rows and columns.
    pub(super) board: (usize, usize),
    /// The byte of every input and the start of its table: planes by cell first, then scalars.
    from: Vec<(u32, u32)>,
    /// Number of inputs that belong to planes.
    planes: usize,
    /// The bytes of every node's neighbours: where the first node's begin, and the strides of nodes and of bytes.
    edges: Option<(usize, usize, usize)>,
}

impl Inputs {
    /// # Errors
    /// A message about the missing or invalid entry.
    pub(super) fn read(text: &str, tables: usize) -> Result<Self, String> {
        let mut inputs: Self =
            serde_json::from_str(text).map_err(|error| format!("its metadata \"inputs\": {error}"))?;
        let mut channels = inputs.planes.iter().chain(&inputs.scalars);
        if let Some(Channel(field, _, table)) = channels.find(|channel| channel.2 >= tables) {
            return Err(format!("an input of {field:?} uses table {table} of {tables}"));
        }
        if inputs.board.is_none() && inputs.graph.is_none() && !inputs.planes.is_empty() {
            return Err("it has planes and no board".into());
        }
        if inputs.graph.is_some() && inputs.board.is_some() {
            return Err("it has a board and a graph".into());
        }
        inputs.tables = tables;
        if inputs.board.as_ref().is_some_and(|board| ![0, -2].contains(&board.axis)) {
            return Err("the axis of its board: 0 and -2 are allowed".into());
        }
        Ok(inputs)
    }

    /// # Errors
    /// A message if the observation has no such board.
    pub(super) fn encoder(&self, spec: &Spec) -> Result<Encoder, String> {
        if let Some(map) = &self.graph {
            return self.encoder_of_map(&map.field, spec);
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
        let planes = from.len();
        from.extend(self.from_of_scalars(spec));
        Ok(Encoder { cells, board, from, planes, edges: None })
    }

    /// The same for a map with its edges in `field`.
    fn encoder_of_map(&self, field: &str, spec: &Spec) -> Result<Encoder, String> {
        let find = |name: &str| spec.observation.iter().find(|field| field.name == name);
        let edges = find(field)
            .filter(|field| field.shape.len() == 2 && field.shape[1] == field.shape[0].div_ceil(8))
            .ok_or_else(|| {
                format!("no field {field:?} with a set of neighbours per node is in the observation")
            })?;
        let nodes = edges.shape[0];
        let mut from = vec![(0, 0); nodes * self.planes.len()];
        for (plane, Channel(name, at, table)) in self.planes.iter().enumerate() {
            let Some((field, last)) =
                find(name).and_then(|field| Some((field, field.shape.len().checked_sub(1)?)))
            else {
                continue;
            };
            let is_set = field.shape[last] == nodes.div_ceil(8) && field.shape[last] != nodes;
            if !is_set && field.shape[last] != nodes {
                continue;
            }
            let Some(start) = offset(field, 0..last, at) else { continue };
            // A set of nodes is looked up in the table of each node's bit.
            if is_set && table + 8 > self.tables {
                return Err(format!("an input of {name:?} needs eight tables from {table} on"));
            }
            for node in 0..nodes {
                let (element, table) = if is_set { (node / 8, table + node % 8) } else { (node, *table) };
                let byte = start + element * field.strides[last];
                from[node * self.planes.len() + plane] = (byte as u32, (table * 256) as u32);
            }
        }
        let planes = from.len();
        from.extend(self.from_of_scalars(spec));
        let edges = Some((edges.offset, edges.strides[0], edges.strides[1]));
        Ok(Encoder { cells: nodes, board: (nodes, 1), from, planes, edges })
    }

    /// The byte and the start of the table of every scalar.
    fn from_of_scalars(&self, spec: &Spec) -> impl Iterator<Item = (u32, u32)> {
        self.scalars.iter().map(|Channel(name, at, table)| {
            let field = spec.observation.iter().find(|field| field.name == *name);
            let byte = field.and_then(|field| offset(field, 0..field.shape.len(), at));
            byte.map_or((0, 0), |byte| (byte as u32, (table * 256) as u32))
        })
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
    /// Appends the inputs of an observation: planes by cell, and scalars.
    pub(super) fn encode(&self, tables: &[f32], row: &[u8], planes: &mut Vec<f32>, scalars: &mut Vec<f32>) {
        planes.extend(look_up(&self.from[..self.planes], tables, row));
        self.encode_scalars(tables, row, scalars);
    }

    /// Appends the inputs of one cell or node.
    pub(super) fn encode_cell(&self, tables: &[f32], row: &[u8], cell: usize, planes: &mut Vec<f32>) {
        let width = self.planes / self.cells;
        planes.extend(look_up(&self.from[cell * width..][..width], tables, row));
    }

    /// Appends the inputs of the whole position.
    pub(super) fn encode_scalars(&self, tables: &[f32], row: &[u8], scalars: &mut Vec<f32>) {
        scalars.extend(look_up(&self.from[self.planes..], tables, row));
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
}

/// The inputs at some bytes of an observation.
fn look_up(from: &[(u32, u32)], tables: &[f32], row: &[u8]) -> impl Iterator<Item = f32> {
    from.iter().map(|&(byte, first)| tables[first as usize + usize::from(row[byte as usize])])
}
