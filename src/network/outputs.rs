//! The mapping from actions to outputs of a network.

use crate::engine::Spec;

/// The default index: a family with as many actions as the board has cells is a plane; every other action has its own
/// output. The outputs of planes come first, ordered by cell, then by plane.
pub(super) fn plain_index(spec: &Spec, cells: usize) -> Vec<u32> {
    let is_plane = |count: u32| cells > 0 && count as usize == cells;
    let planes = spec.actions.iter().filter(|family| is_plane(family.count)).count() as u32;
    let mut index = Vec::with_capacity(spec.num_actions as usize);
    let (mut plane, mut others) = (0, cells as u32 * planes);
    for family in &spec.actions {
        if is_plane(family.count) {
            index.extend((0..family.count).map(|cell| cell * planes + plane));
            plane += 1;
        } else {
            index.extend(others..others + family.count);
            others += family.count;
        }
    }
    index
}
