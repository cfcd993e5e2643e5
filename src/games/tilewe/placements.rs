//! The 30,433 placements: every way to place a shape on the board.
//!
//! ```text
//! index = first(shape) + row * (21 - width) + column
//!
//!   0 .. 399      O1n   20 rows x 20 columns
//!   400 .. 779    I2n   19 rows x 20 columns
//!   780 .. 1159   I2e   20 rows x 19 columns
//!   ...           the other shapes, in the order of `shapes()`
//!   .. 30432      Z5ef
//! ```
//! `row` and `column` are the coordinates of the lower left of the shape's bounding box.

use std::sync::LazyLock;

use super::pieces::{PIECES, Piece, Rotation, Shape, shapes};
use super::tiles::{SIZE, Tile, TileSet};

/// The number of placements.
pub const PLACEMENTS: usize = 30_433;

/// A shape at a place of the board, by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement(u16);

/// The shape and place of a placement.
#[derive(Clone, Copy)]
struct Spot {
    shape: u8,
    row: u8,
    column: u8,
}

struct PlacementTable {
    spots: Vec<Spot>,
    /// Index of each shape's first placement.
    first: Vec<u32>,
    /// The rows of each shape, bottom first, at column 0.
    rows: Vec<[u32; 5]>,
    pieces: Vec<Piece>,
}

static TABLE: LazyLock<PlacementTable> = LazyLock::new(|| {
    let mut table =
        PlacementTable { spots: Vec::with_capacity(PLACEMENTS), first: vec![], rows: vec![], pieces: vec![] };
    for (index, shape) in shapes().iter().enumerate() {
        table.first.push(table.spots.len() as u32);
        table.pieces.push(shape.piece());
        let mut rows = [0; 5];
        shape.tiles().iter().for_each(|t| rows[t.row()] |= 1 << t.column());
        table.rows.push(rows);
        for row in 0..=(SIZE - shape.height()) as u8 {
            for column in 0..=(SIZE - shape.width()) as u8 {
                table.spots.push(Spot { shape: index as u8, row, column });
            }
        }
    }
    assert_eq!(table.spots.len(), PLACEMENTS);
    table
});

/// Index of the first placement of the shape with index `shape`.
pub(super) fn first_placement(shape: usize) -> u32 {
    TABLE.first[shape]
}

impl Placement {
    /// The placement with this action index; `None` from [`PLACEMENTS`] on.
    #[inline]
    pub fn new(index: u32) -> Option<Self> {
        ((index as usize) < PLACEMENTS).then_some(Self(index as u16))
    }
    /// The shape of `piece` turned by `rotation`, with its tile `contact` on `tile`.
    ///
    /// `None` if it would stick out of the board.
    pub(super) fn anchored(piece: Piece, rotation: Rotation, contact: Tile, tile: Tile) -> Option<Self> {
        let index = piece.shape_index(rotation);
        let shape = &shapes()[index];
        let row = tile.row().checked_sub(contact.row())?;
        let column = tile.column().checked_sub(contact.column())?;
        let columns = SIZE + 1 - shape.width();
        (row + shape.height() <= SIZE && column < columns)
            .then(|| Self((TABLE.first[index] as usize + row * columns + column) as u16))
    }
    /// Every placement, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..PLACEMENTS as u16).map(Self)
    }
    /// Its action index.
    #[inline]
    pub fn index(self) -> u32 {
        self.0.into()
    }
    /// Its piece.
    #[inline]
    pub fn piece(self) -> Piece {
        TABLE.pieces[usize::from(self.spot().shape)]
    }
    /// Its shape.
    pub fn shape(self) -> &'static Shape {
        &shapes()[usize::from(self.spot().shape)]
    }
    /// The tiles it covers.
    #[inline]
    pub fn tiles(self) -> TileSet {
        let mut set = TileSet::EMPTY;
        self.cover(&mut set);
        set
    }
    /// Adds the tiles it covers to `set`.
    #[inline]
    pub(super) fn cover(self, set: &mut TileSet) {
        let spot = self.spot();
        let rows = &mut set.rows_mut()[usize::from(spot.row)..];
        for (row, bits) in rows.iter_mut().zip(TABLE.rows[usize::from(spot.shape)]) {
            *row |= bits << spot.column;
        }
    }
    /// The board tile of `relative`, a tile of the shape.
    pub(super) fn tile(self, relative: Tile) -> Tile {
        let spot = self.spot();
        Tile::new(usize::from(spot.row) + relative.row(), usize::from(spot.column) + relative.column())
            .expect("a placement is on the board")
    }
    /// Whether one of its tiles may be within reach of a piece that covers `corner`.
    #[inline]
    pub(super) fn is_near(self, corner: Tile) -> bool {
        // A shape spans at most five rows and columns: the placement covers up to four rows above and four columns
        // right of its lower left tile, and a piece that covers the corner reaches up to four away from it on all
        // sides.
        let spot = self.spot();
        let near = |at: usize, low: u8| (at + 4).wrapping_sub(low.into()) <= 12;
        near(corner.row(), spot.row) && near(corner.column(), spot.column)
    }
    #[inline]
    fn spot(self) -> Spot {
        TABLE.spots[usize::from(self.0)]
    }
}

/// Pieces as a set: bit `p` is the piece with index `p`.
pub(super) const ALL_PIECES: u32 = (1 << PIECES) - 1;

/// Size of the table.
#[cfg(test)]
pub(super) fn table_bytes() -> usize {
    size_of_val(&TABLE.spots[..])
        + size_of_val(&TABLE.first[..])
        + size_of_val(&TABLE.rows[..])
        + size_of_val(&TABLE.pieces[..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placement_is_found_again_by_each_of_its_contacts() {
        for placement in Placement::all() {
            let shape = placement.shape();
            assert_eq!(placement.tiles().len(), shape.piece().n_tiles());
            for &contact in shape.contacts() {
                let tile = placement.tile(contact);
                assert!(placement.tiles().contains(tile));
                let again = Placement::anchored(shape.piece(), shape.rotation(), contact, tile);
                assert_eq!(again, Some(placement));
            }
        }
    }

    #[test]
    fn all_tiles_that_a_piece_at_a_corner_could_cover_are_near() {
        for placement in Placement::all() {
            let tiles = placement.tiles();
            for corner in Tile::all() {
                let reaches = |t: Tile| {
                    t.row().abs_diff(corner.row()) <= 4 && t.column().abs_diff(corner.column()) <= 4
                };
                assert!(placement.is_near(corner) || !tiles.iter().any(reaches), "{placement:?} {corner}");
            }
        }
    }

    #[test]
    fn placements_are_all_different_and_numbered_in_order() {
        let distinct: std::collections::HashSet<TileSet> = Placement::all().map(Placement::tiles).collect();
        assert_eq!(distinct.len(), PLACEMENTS);
        let first = |p: Piece, r: Rotation| first_placement(p.shape_index(r));
        assert_eq!(first(Piece::I2, Rotation::North), 400);
        assert_eq!(first(Piece::I2, Rotation::East), 780);
        assert_eq!(first(Piece::Z5, Rotation::EastFlipped), 30_433 - 18 * 18);
        let p = Placement::anchored(Piece::I2, Rotation::East, "a1".parse().unwrap(), "c2".parse().unwrap());
        assert_eq!(p.unwrap().index(), 780 + 19 + 2);
        assert_eq!(Placement::new(PLACEMENTS as u32), None);
    }
}
