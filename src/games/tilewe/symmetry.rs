//! The eight symmetries of the board as permutations of observations and actions.

use ludovec_engine::Symmetry;

use super::observe;
use super::pieces::Rotation;
use super::placements::Placement;
use super::tiles::{SIZE, TILES, Tile, TileSet};

/// The symmetries, named like the rotation that moves the board the same way; the identity is `n`.
pub(super) fn all(players: usize) -> Vec<Symmetry> {
    let by_tiles: std::collections::HashMap<TileSet, u32> =
        Placement::all().map(|p| (p.tiles(), p.index())).collect();
    let planes = players + 2;
    let length = observe::layout(players).len() as u32;
    let symmetry = |rotation: &Rotation| {
        let moved: Vec<Tile> = Tile::all().map(|tile| image(*rotation, tile)).collect();
        let mut observation: Vec<u32> = (0..length).collect();
        for plane in 0..planes {
            for (tile, moved) in moved.iter().enumerate() {
                observation[plane * TILES + moved.index()] = (plane * TILES + tile) as u32;
            }
        }
        let moved_set = |p: Placement| p.tiles().iter().map(|tile| moved[tile.index()]).collect::<TileSet>();
        let action = Placement::all().map(|p| by_tiles[&moved_set(p)]).collect();
        Symmetry { name: rotation.name().into(), observation, action }
    };
    Rotation::ALL.iter().map(symmetry).collect()
}

/// The image of `tile` when the board is turned like a piece by `rotation`.
fn image(rotation: Rotation, tile: Tile) -> Tile {
    let last = SIZE - 1;
    let turned = (0..rotation.index() % 4).fold((tile.row(), tile.column()), |(r, c), _| (last - c, r));
    let (row, column) = if rotation.index() < 4 { turned } else { (turned.0, last - turned.1) };
    Tile::new(row, column).expect("a symmetry keeps to the board")
}
