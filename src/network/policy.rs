//! The policy heads: outputs of cells and of the whole position, for all actions or for the legal ones.

use super::kernels::LANES;
use super::kernels::operand::After;
use super::layers::Dense;
use super::tensors::{ReadError, Tensors};
use crate::engine::LegalActions;

/// The policy heads. The outputs of a position are a row of whole vectors for each cell, and one for the others.
pub(super) struct Policy {
    planes: Option<Dense>,
    others: Option<Dense>,
}

/// The logits that a caller wants.
pub(super) struct Wanted<'a> {
    /// The place of each action among the outputs of a position.
    pub(super) places: &'a [u32],
    /// Length of the outputs of a position.
    pub(super) row_len: usize,
    /// These actions only, of the rows from `first` on.
    pub(super) legal: Option<&'a LegalActions>,
    pub(super) first: usize,
}

impl Wanted<'_> {
    /// The wanted places of a row.
    fn of_row(&self, row: usize) -> Option<impl Iterator<Item = usize>> {
        let legal = self.legal?;
        let row = self.first + row;
        let range = legal.offsets[row] as usize..legal.offsets[row + 1] as usize;
        Some(legal.actions[range].iter().map(|&action| self.places[action as usize] as usize))
    }

    /// Appends the logits of a row from the outputs of a batch, in which the row is number `position`.
    pub(super) fn append(&self, outputs: &[f32], position: usize, row: usize, logits: &mut Vec<f32>) {
        let outputs = &outputs[position * self.row_len..][..self.row_len];
        match self.of_row(row) {
            Some(places) => logits.extend(places.map(|place| outputs[place])),
            None => logits.extend(self.places.iter().map(|&place| outputs[place as usize])),
        }
    }
}

impl Policy {
    /// # Errors
    /// A message about the mismatched tensor.
    pub(super) fn read(tensors: &mut Tensors, width: usize, has_board: bool) -> Result<Self, ReadError> {
        let mut head = |name: &str| {
            let there = tensors.has(&format!("{name}.weight"));
            there.then(|| Dense::read(tensors, name, width)).transpose()
        };
        let (planes, others) = (head("policy_planes")?, head("policy_others")?);
        if !has_board && planes.is_some() {
            return Err("its policy has planes and there is no board".into());
        }
        Ok(Self { planes, others })
    }

    /// Number of outputs for a position on a board of `cells` cells.
    pub(super) fn outputs(&self, cells: usize) -> usize {
        let count = |head: &Option<Dense>| head.as_ref().map_or(0, |layer| layer.outputs);
        count(&self.planes) * cells + count(&self.others)
    }

    /// Length of these outputs in memory.
    pub(super) fn row_len(&self, cells: usize) -> usize {
        let len = |head: &Option<Dense>| head.as_ref().map_or(0, Dense::row_len);
        len(&self.planes) * cells + len(&self.others)
    }

    /// The place of an output in memory.
    pub(super) fn place(&self, cells: usize, output: u32) -> u32 {
        let Some(planes) = &self.planes else { return output };
        let (of_cell, len) = (planes.outputs as u32, planes.row_len() as u32);
        let of_cells = of_cell * cells as u32;
        match output.checked_sub(of_cells) {
            None => output / of_cell * len + output % of_cell,
            Some(other) => cells as u32 * len + other,
        }
    }

    /// Computes the outputs that are wanted of some positions, of which the first one is number `row`: cells in `x`,
    /// whose rows begin at `cells` (one position only), and positions in `pooled`.
    #[allow(clippy::too_many_arguments, reason = "two operands with their rows")]
    pub(super) fn apply(
        &self,
        x: &[f32],
        cells: &[u32],
        pooled: &[f32],
        positions: &[u32],
        outputs: &mut [f32],
        wanted: &Wanted<'_>,
        row: usize,
    ) {
        let mut first_other = 0;
        if let Some(head) = &self.planes {
            let to: Vec<u32> = (0..cells.len()).map(|cell| (cell * head.row_len()) as u32).collect();
            first_other = cells.len() * head.row_len();
            let blocks = wanted.of_row(row).map(|places| {
                let of_cells = places.filter(|&place| place < first_other);
                of_cells.map(|place| place / LANES)
            });
            apply_where_wanted(head, x, cells, outputs, &to, blocks);
        }
        if let Some(head) = &self.others {
            let rows = 0..positions.len();
            let to: Vec<u32> = rows.clone().map(|row| (row * wanted.row_len + first_other) as u32).collect();
            let blocks = (wanted.legal.is_some() && first_other == 0).then(|| {
                rows.flat_map(|position| {
                    let places = wanted.of_row(row + position).into_iter().flatten();
                    places.map(move |place| position * head.panels() + place / LANES)
                })
            });
            apply_where_wanted(head, pooled, positions, outputs, &to, blocks);
        }
    }
}

/// Fewer rows take all panels at once, which is faster than panel by panel.
const FEW_ROWS: usize = 4;

/// Computes a head: all outputs, or the wanted blocks of a row and a panel if they are few. Block `i` is of row
/// `i / panels` and panel `i % panels`.
fn apply_where_wanted(
    head: &Dense,
    x: &[f32],
    from: &[u32],
    outputs: &mut [f32],
    to: &[u32],
    blocks: Option<impl Iterator<Item = usize>>,
) {
    let (rows, panels) = (from.len(), head.panels());
    if let Some(blocks) = blocks.filter(|_| rows >= FEW_ROWS) {
        let mut wanted = vec![false; rows * panels];
        let mut count = 0;
        for block in blocks {
            count += usize::from(!wanted[block]);
            wanted[block] = true;
        }
        if 2 * count <= rows * panels {
            let (mut some_from, mut some_to) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
            for panel in 0..panels {
                some_from.clear();
                some_to.clear();
                for row in (0..rows).filter(|row| wanted[row * panels + panel]) {
                    some_from.push(from[row]);
                    some_to.push(to[row]);
                }
                head.apply_panel(panel, x, &some_from, outputs, &some_to);
            }
            return;
        }
    }
    head.apply(x, from, outputs, to, After::default());
}
