//! The mapping from actions to outputs of a network.

use crate::engine::{ActionFamily, Spec};

/// The default index: a family with at most one action per cell of the board is a plane; every other action has its own
/// output. The outputs of planes come first, ordered by cell, then by plane.
pub(super) fn plain_index(spec: &Spec, (rows, columns): (usize, usize)) -> Vec<u32> {
    let cells = (rows * columns) as u32;
    let across: Vec<_> =
        spec.actions.iter().map(|family| columns_of(family, spec, (rows, columns))).collect();
    let planes = across.iter().flatten().count() as u32;
    let mut index = Vec::with_capacity(spec.num_actions as usize);
    let (mut plane, mut others) = (0, cells * planes);
    for (family, across) in spec.actions.iter().zip(across) {
        if let Some(across) = across {
            let cell = |i: u32| i / across * columns as u32 + i % across;
            index.extend((0..family.count).map(|i| cell(i) * planes + plane));
            plane += 1;
        } else {
            index.extend(others..others + family.count);
            others += family.count;
        }
    }
    index
}

/// Number of columns of a family with at most one action per cell of the board: one that has an action for every cell,
/// or a grid with the names of the board's axes in the observation, as of pieces that need room on the board.
fn columns_of(family: &ActionFamily, spec: &Spec, (rows, columns): (usize, usize)) -> Option<u32> {
    if let ([height, width], [Some(_), Some(_)]) = (&family.shape[..], &family.values.axes[..])
        && *height as usize <= rows
        && *width as usize <= columns
        && spec.observation.iter().any(|field| {
            let mut pairs = field.values.axes.windows(2).zip(field.shape.windows(2));
            pairs.any(|(axes, shape)| axes == family.values.axes && shape == [rows, columns])
        })
    {
        return Some(*width);
    }
    (columns > 0 && family.count as usize == rows * columns).then_some(columns as u32)
}
