//! Where the first pieces go: corners of the board, or points in its middle.
//!
//! The [tables of shapes](super::fit) know only corners with two closed neighbours. A point in the middle of the
//! board has none, and any tile of a piece may cover it, so its placements are listed here.

use std::sync::LazyLock;

use super::placements::Placements;
use super::state::MAX_COLORS;
use super::tiles::{SIZE, Tile, TileSet};

/// Rows and columns of the board of Blokus Duo.
pub(crate) const DUO_SIDE: usize = 14;
/// The starting points of Blokus Duo by colour: e10 and j5, (4, 4) and (9, 9) when counted from the upper left.
pub(crate) const DUO: [Tile; 2] = [Tile::from_index(9 * SIZE + 4), Tile::from_index(4 * SIZE + 9)];

/// The corners of the board by colour, clockwise from the upper left.
pub(crate) fn corners(side: usize) -> [Tile; MAX_COLORS] {
    let last = side - 1;
    [(last, 0), (last, last), (0, last), (0, 0)].map(|(row, column)| Tile::from_index(row * SIZE + column))
}

/// Maximum distance of a tile of a piece from another, along either axis.
const REACH: usize = 4;
/// Rows and columns of the window around a point that its placements reach.
const WINDOW: usize = 2 * REACH + 1;

/// The placements that cover a point in the middle of the board.
pub(crate) struct FirstPlacements {
    point: Tile,
    /// Action index, and the tiles as bits of the window around the point.
    placements: Vec<(u16, u128)>,
}

impl FirstPlacements {
    fn new(side: usize, point: Tile) -> Self {
        let all = Placements::on(side);
        let covering = all.iter().enumerate().filter(|(_, placement)| placement.tiles().contains(point));
        let placements = covering.map(|(index, p)| (index as u16, Self::window(point, &p.tiles()))).collect();
        Self { point, placements }
    }

    /// The tiles around `point` as bits, row by row; the point is at least four tiles away from the lower left edges.
    #[inline]
    fn window<const N: usize>(point: Tile, tiles: &TileSet<N>) -> u128 {
        let (bottom, left) = (point.row() - REACH, point.column() - REACH);
        tiles.rows()[bottom..].iter().take(WINDOW).enumerate().fold(0, |window, (i, row)| {
            window | u128::from(row >> left & ((1 << WINDOW) - 1)) << (i * WINDOW)
        })
    }

    /// Sets the bit of every placement with all tiles in `open`.
    #[inline]
    pub(crate) fn mark<const N: usize>(&self, open: &TileSet<N>, mask: &mut [u64]) {
        let open = Self::window(self.point, open);
        for &(action, tiles) in &self.placements {
            mask[usize::from(action / 64)] |= u64::from(tiles & !open == 0) << (action % 64);
        }
    }
}

/// The first placements of Blokus Duo by colour.
pub(crate) fn duo() -> &'static [FirstPlacements] {
    static TABLES: LazyLock<[FirstPlacements; 2]> =
        LazyLock::new(|| DUO.map(|point| FirstPlacements::new(DUO_SIDE, point)));
    &*TABLES
}
