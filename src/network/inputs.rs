//! Inputs of a network: each input maps a byte of the observation through a table of 256 numbers.

use serde::Deserialize;

use crate::engine::{ObservationField, Spec};

/// The inputs of a network, for all options that it supports. An input missing from an observation, such as a seat in
/// a game with fewer seats, uses the first table, which is 0 everywhere.
#[derive(Debug, Deserialize)]
pub(super) struct Inputs {
    pub(super) board: Option<BoardAxes>,
    /// One input for every cell of the board.
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
}

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
        if inputs.board.is_none() && !inputs.planes.is_empty() {
            return Err("it has planes and no board".into());
        }
        if inputs.board.as_ref().is_some_and(|board| ![0, -2].contains(&board.axis)) {
            return Err("the axis of its board: 0 and -2 are allowed".into());
        }
        Ok(inputs)
    }

    /// # Errors
    /// A message if the observation has no such board.
    pub(super) fn encoder(&self, spec: &Spec) -> Result<Encoder, String> {
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
        from.extend(self.scalars.iter().map(|Channel(name, at, table)| {
            let byte = find(name).and_then(|field| offset(field, 0..field.shape.len(), at));
            byte.map_or((0, 0), |byte| (byte as u32, first(*table)))
        }));
        Ok(Encoder { cells, board, from, planes })
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
        let look_up = |&(byte, first): &(u32, u32)| tables[first as usize + usize::from(row[byte as usize])];
        let (of_cells, of_all) = self.from.split_at(self.planes);
        planes.extend(of_cells.iter().map(look_up));
        scalars.extend(of_all.iter().map(look_up));
    }
}
