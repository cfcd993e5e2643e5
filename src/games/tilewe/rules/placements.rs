//! The placements: every way to place a shape on the board, 30,433 on the largest.
//!
//! ```text
//! index = first(shape) + row * (side + 1 - width) + column
//!
//!   on 20x20:
//!   0 .. 399      O1n   20 rows x 20 columns
//!   400 .. 779    I2n   19 rows x 20 columns
//!   780 .. 1159   I2e   20 rows x 19 columns
//!   ...           the other shapes, in the order of `shapes()`
//!   .. 30432      Z5ef
//! ```
//! `row` and `column` are the coordinates of the lower left of the shape's bounding box. A smaller board has fewer
//! placements: 13,729 on 14x14.

use std::sync::OnceLock;

use super::pieces::{PIECES, Piece, Rotation, Shape, shapes};
use super::tiles::{MIN_SIZE, SIZE, Tile, TileSet};

/// The number of placements on the largest board.
pub const PLACEMENTS: usize = 30_433;

/// A shape at a place of the board, given by the lower left of its bounding box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement {
    shape: u8,
    row: u8,
    column: u8,
}

/// All placements on a board of some size, in the order of their indices.
pub struct Placements {
    side: usize,
    all: Vec<Placement>,
    /// Index of each shape's first placement.
    first: Vec<u32>,
    /// The rows of each shape, bottom first, at column 0.
    rows: Vec<[u32; 5]>,
    pieces: Vec<Piece>,
}

impl std::fmt::Debug for Placements {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Placements").field("side", &self.side).field("len", &self.len()).finish()
    }
}

impl Placements {
    /// The placements on a board with `side` rows and columns, at least [`MIN_SIZE`] and at most [`SIZE`].
    ///
    /// # Panics
    /// If there is no board of this size.
    pub fn on(side: usize) -> &'static Self {
        static TABLES: [OnceLock<Placements>; SIZE + 1 - MIN_SIZE] =
            [const { OnceLock::new() }; SIZE + 1 - MIN_SIZE];
        TABLES[side - MIN_SIZE].get_or_init(|| Self::build(side))
    }

    fn build(side: usize) -> Self {
        let mut table = Self { side, all: vec![], first: vec![], rows: vec![], pieces: vec![] };
        for (index, shape) in shapes().iter().enumerate() {
            table.first.push(table.all.len() as u32);
            table.pieces.push(shape.piece());
            let mut rows = [0; 5];
            shape.tiles().iter().for_each(|t| rows[t.row()] |= 1 << t.column());
            table.rows.push(rows);
            for row in 0..=(side - shape.height()) as u8 {
                for column in 0..=(side - shape.width()) as u8 {
                    table.all.push(Placement { shape: index as u8, row, column });
                }
            }
        }
        table
    }

    /// Rows and columns of the board.
    #[must_use]
    pub fn side(&self) -> usize {
        self.side
    }
    /// The number of placements.
    #[inline]
    #[allow(clippy::len_without_is_empty, reason = "every board has placements")]
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }
    /// The placement with this action index, if there is one.
    #[inline]
    #[must_use]
    pub fn get(&self, index: u32) -> Option<Placement> {
        self.all.get(index as usize).copied()
    }
    /// The action index of `placement`, which must be on the board.
    #[must_use]
    pub fn index(&self, placement: Placement) -> u32 {
        let columns = self.side + 1 - placement.shape().width();
        self.first[usize::from(placement.shape)]
            + (usize::from(placement.row) * columns + usize::from(placement.column)) as u32
    }
    /// Every placement, in order.
    pub fn iter(&self) -> impl Iterator<Item = Placement> + '_ {
        self.all.iter().copied()
    }
    /// Index of the first placement of the shape with index `shape`.
    pub(crate) fn first(&self, shape: usize) -> u32 {
        self.first[shape]
    }
    /// The shape of `piece` turned by `rotation`, with its tile `contact` on `tile`.
    ///
    /// `None` if it would stick out of the board.
    pub(crate) fn anchored(
        &self,
        piece: Piece,
        rotation: Rotation,
        contact: Tile,
        tile: Tile,
    ) -> Option<Placement> {
        let shape = piece.shape_index(rotation);
        let row = tile.row().checked_sub(contact.row())?;
        let column = tile.column().checked_sub(contact.column())?;
        self.checked(Placement { shape: shape as u8, row: row as u8, column: column as u8 })
    }
    /// The placement that covers exactly `tiles`, if a piece has this shape.
    pub fn covering(&self, tiles: TileSet) -> Option<Placement> {
        let row = tiles.iter().map(Tile::row).min()?;
        let column = tiles.iter().map(Tile::column).min()?;
        let moved = tiles.iter().map(|t| Tile::new(t.row() - row, t.column() - column));
        let moved: Vec<Tile> = moved.collect::<Option<_>>()?;
        let shape = shapes().iter().position(|s| s.tiles() == moved)?;
        self.checked(Placement { shape: shape as u8, row: row as u8, column: column as u8 })
    }
    fn checked(&self, placement: Placement) -> Option<Placement> {
        let shape = placement.shape();
        let fits = |low: u8, length: usize| usize::from(low) + length <= self.side;
        (fits(placement.row, shape.height()) && fits(placement.column, shape.width())).then_some(placement)
    }

    /// The piece of `placement`.
    #[inline]
    pub(crate) fn piece(&self, placement: Placement) -> Piece {
        self.pieces[usize::from(placement.shape)]
    }
    /// Adds the tiles of `placement` to `set`.
    #[inline]
    pub(crate) fn cover<const N: usize>(&self, placement: Placement, set: &mut TileSet<N>) {
        let rows = &mut set.rows_mut()[usize::from(placement.row)..];
        for (row, bits) in rows.iter_mut().zip(self.rows[usize::from(placement.shape)]) {
            *row |= bits << placement.column;
        }
    }
    /// Size of the tables.
    #[cfg(test)]
    pub(crate) fn table_bytes(&self) -> usize {
        size_of_val(&self.all[..])
            + size_of_val(&self.first[..])
            + size_of_val(&self.rows[..])
            + size_of_val(&self.pieces[..])
    }
}

impl Placement {
    /// Its piece.
    #[must_use]
    pub fn piece(self) -> Piece {
        self.shape().piece()
    }
    /// Its shape.
    #[must_use]
    pub fn shape(self) -> &'static Shape {
        &shapes()[usize::from(self.shape)]
    }
    /// The tiles it covers.
    #[must_use]
    pub fn tiles(self) -> TileSet {
        self.shape().tiles().iter().map(|&tile| self.tile(tile)).collect()
    }
    /// The board tile of `relative`, a tile of the shape.
    pub(crate) fn tile(self, relative: Tile) -> Tile {
        Tile::new(usize::from(self.row) + relative.row(), usize::from(self.column) + relative.column())
            .expect("a placement is on the board")
    }
    /// Whether one of its tiles may be within reach of a piece that covers `corner`.
    #[inline]
    pub(crate) fn is_near(self, corner: Tile) -> bool {
        // A shape spans at most five rows and columns: the placement covers up to four rows above and four columns
        // right of its lower left tile, and a piece that covers the corner reaches up to four away from it on all
        // sides.
        let near = |at: usize, low: u8| (at + 4).wrapping_sub(low.into()) <= 12;
        near(corner.row(), self.row) && near(corner.column(), self.column)
    }
}

/// Pieces as a set: bit `p` is the piece with index `p`.
pub(crate) const ALL_PIECES: u32 = (1 << PIECES) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of the compared tables: the smallest, the largest, and Blokus Duo.
    const SIDES: [usize; 3] = [MIN_SIZE, 14, SIZE];

    #[test]
    fn every_placement_is_found_again_by_each_of_its_contacts_and_by_its_tiles() {
        for side in SIDES {
            let placements = Placements::on(side);
            for (index, placement) in placements.iter().enumerate() {
                let shape = placement.shape();
                assert_eq!(placements.get(index as u32), Some(placement));
                assert_eq!(placements.index(placement), index as u32);
                assert_eq!(placements.covering(placement.tiles()), Some(placement));
                assert_eq!(placement.tiles().len(), shape.piece().n_tiles());
                assert_eq!(placement.tiles().without(TileSet::board(side)), TileSet::EMPTY);
                let mut covered = TileSet::EMPTY;
                placements.cover(placement, &mut covered);
                assert_eq!((covered, placements.piece(placement)), (placement.tiles(), placement.piece()));
                for &contact in shape.contacts() {
                    let tile = placement.tile(contact);
                    assert!(placement.tiles().contains(tile));
                    let again = placements.anchored(shape.piece(), shape.rotation(), contact, tile);
                    assert_eq!(again, Some(placement));
                }
            }
        }
    }

    #[test]
    fn all_tiles_that_a_piece_at_a_corner_could_cover_are_near() {
        for placement in Placements::on(SIZE).iter() {
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
        for side in MIN_SIZE..=SIZE {
            let placements = Placements::on(side);
            let distinct: std::collections::HashSet<TileSet> =
                placements.iter().map(Placement::tiles).collect();
            assert_eq!(distinct.len(), placements.len());
            assert!(placements.iter().is_sorted());
            assert_eq!(placements.get(placements.len() as u32), None);
        }
        assert_eq!((Placements::on(SIZE).len(), Placements::on(14).len()), (PLACEMENTS, 13_729));
        let placements = Placements::on(SIZE);
        let first = |p: Piece, r: Rotation| placements.first(p.shape_index(r));
        assert_eq!(first(Piece::I2, Rotation::North), 400);
        assert_eq!(first(Piece::I2, Rotation::East), 780);
        assert_eq!(first(Piece::Z5, Rotation::EastFlipped), 30_433 - 18 * 18);
        let (a1, c2) = ("a1".parse().unwrap(), "c2".parse().unwrap());
        let p = placements.anchored(Piece::I2, Rotation::East, a1, c2).unwrap();
        assert_eq!(placements.index(p), 780 + 19 + 2);
        let edge = "n14".parse().unwrap();
        assert!(placements.anchored(Piece::I2, Rotation::East, a1, edge).is_some());
        assert_eq!(Placements::on(14).anchored(Piece::I2, Rotation::East, a1, edge), None);
    }
}
