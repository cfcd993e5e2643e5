//! The symmetries of the board that keep the rules, as permutations of observations and actions.

use ludovec_engine::Symmetry;

use super::pieces::Rotation;
use super::placements::Placement;
use super::ruleset::Ruleset;
use super::tiles::{Tile, TileSet};
use crate::observe;

/// The symmetries, named like the rotation that moves the board the same way; the identity is `n`.
///
/// Colours that start on tiles of their own must keep them.
pub(crate) fn all(rules: &Ruleset) -> Vec<Symmetry> {
    let side = rules.side;
    let moved_set =
        |rotation, set: TileSet| -> TileSet { set.iter().map(|tile| image(rotation, side, tile)).collect() };
    let keeps_starts = |rotation: &&Rotation| {
        rules.starts[..rules.colors].iter().all(|&start| moved_set(**rotation, start) == start)
    };
    // The viewer's tiles, the others', the viewer's corners and its blocked tiles.
    let planes = rules.colors + 2;
    let length = observe::layout(rules).len() as u32;
    let symmetry = |&rotation: &Rotation| {
        let mut observation: Vec<u32> = (0..length).collect();
        let at = |plane: usize, tile: Tile| (plane * side + tile.row()) * side + tile.column();
        for plane in 0..planes {
            for tile in rules.board.iter() {
                observation[at(plane, image(rotation, side, tile))] = at(plane, tile) as u32;
            }
        }
        let moved = |p: Placement| {
            let moved = rules.placements.covering(moved_set(rotation, p.tiles()));
            rules.placements.index(moved.expect("a symmetry keeps to the board"))
        };
        Symmetry {
            name: rotation.name().into(),
            observation,
            action: rules.placements.iter().map(moved).collect(),
        }
    };
    Rotation::ALL.iter().filter(keeps_starts).map(symmetry).collect()
}

/// The image of `tile` when the board is turned like a piece by `rotation`.
fn image(rotation: Rotation, side: usize, tile: Tile) -> Tile {
    let last = side - 1;
    let turned = (0..rotation.index() % 4).fold((tile.row(), tile.column()), |(r, c), _| (last - c, r));
    let (row, column) = if rotation.index() < 4 { turned } else { (turned.0, last - turned.1) };
    Tile::new(row, column).expect("a symmetry keeps to the board")
}
