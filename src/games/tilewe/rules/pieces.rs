//! The 21 pieces, their eight rotations and the 91 distinct shapes.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use ludovec_engine::{Error, Result};

use super::tiles::Tile;

/// Defines an enum of names with `ALL`, `name`, `Display` and `FromStr`.
macro_rules! named {
    ($(#[$doc:meta])* $type:ident, $what:literal, { $($(#[$variant_doc:meta])* $variant:ident = $name:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $type { $($(#[$variant_doc])* $variant),* }

        impl $type {
            /// All values in their order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name used in text.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
            /// Its number, in the order of [`Self::ALL`].
            pub const fn index(self) -> usize {
                self as usize
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = Error;
            fn from_str(text: &str) -> Result<Self> {
                Self::ALL.iter().copied().find(|v| v.name() == text).ok_or_else(|| {
                    let names: Vec<_> = Self::ALL.iter().map(|v| v.name()).collect();
                    Error::illegal(format!("{text:?} is no {}: use {}", $what, names.join(", ")))
                })
            }
        }
    };
}

named! {
    /// A colour: the seat with the same number plays it.
    Color, "colour", {
        /// Seat 0, the first player.
        Blue = "blue",
        /// Seat 1.
        Yellow = "yellow",
        /// Seat 2.
        Red = "red",
        /// Seat 3.
        Green = "green",
    }
}

named! {
    /// The rotation of a piece before its placement.
    Rotation, "rotation", {
        /// The default.
        North = "n",
        /// Turned clockwise.
        East = "e",
        /// Turned by 180 degrees.
        South = "s",
        /// Turned counterclockwise.
        West = "w",
        /// Mirrored left to right.
        NorthFlipped = "nf",
        /// Turned clockwise, then mirrored left to right.
        EastFlipped = "ef",
        /// Turned by 180 degrees, then mirrored left to right.
        SouthFlipped = "sf",
        /// Turned counterclockwise, then mirrored left to right.
        WestFlipped = "wf",
    }
}

/// The number of pieces per player.
pub const PIECES: usize = Piece::ALL.len();

named! {
    /// A piece; the number in its name is its number of tiles.
    #[allow(missing_docs, reason = "the names are the documentation; the shapes are in pieces.txt")]
    Piece, "piece", {
        O1 = "O1", I2 = "I2", I3 = "I3", L3 = "L3", O4 = "O4", I4 = "I4", L4 = "L4", Z4 = "Z4", T4 = "T4",
        I5 = "I5", L5 = "L5", N5 = "N5", P5 = "P5", F5 = "F5", Y5 = "Y5", T5 = "T5", U5 = "U5", V5 = "V5",
        W5 = "W5", X5 = "X5", Z5 = "Z5",
    }
}

impl Piece {
    /// The shape of the piece turned by `rotation`.
    #[must_use]
    pub fn shape(self, rotation: Rotation) -> &'static Shape {
        &SHAPES.shapes[self.shape_index(rotation)]
    }
    /// The distinct shapes of the piece, by the first rotation that gives them.
    pub fn shapes(self) -> impl Iterator<Item = &'static Shape> {
        SHAPES.shapes.iter().filter(move |s| s.piece == self)
    }
    pub(crate) fn shape_index(self, rotation: Rotation) -> usize {
        SHAPES.index[self.index()][rotation.index()].into()
    }
    /// The number of tiles.
    #[must_use]
    pub fn n_tiles(self) -> usize {
        self.shape(Rotation::North).tiles.len()
    }
    /// The number of contact tiles.
    #[must_use]
    pub fn n_contacts(self) -> usize {
        self.shape(Rotation::North).contacts.len()
    }
    /// The number of open corners it makes on an empty board.
    #[must_use]
    pub fn n_corners(self) -> usize {
        self.shape(Rotation::North).n_corners
    }
}

/// A piece in some rotation: one of 91 distinct shapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    piece: Piece,
    rotation: Rotation,
    tiles: Vec<Tile>,
    contacts: Vec<Tile>,
    n_corners: usize,
    height: usize,
    width: usize,
}

impl Shape {
    /// The piece.
    #[must_use]
    pub fn piece(&self) -> Piece {
        self.piece
    }
    /// The first rotation, in the order of [`Rotation::ALL`], that gives this shape.
    #[must_use]
    pub fn rotation(&self) -> Rotation {
        self.rotation
    }
    /// Its tiles, counted from the lower left of the bounding box, in their order.
    #[must_use]
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }
    /// The contacts: tiles with at most one neighbour, or with two at a right angle.
    ///
    /// Exactly these tiles can be on an open corner.
    #[must_use]
    pub fn contacts(&self) -> &[Tile] {
        &self.contacts
    }
    /// The number of tiles around the shape that touch it by a corner and not by a side.
    #[must_use]
    pub fn n_corners(&self) -> usize {
        self.n_corners
    }
    /// Rows of its bounding box.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }
    /// Columns of its bounding box.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    fn new(piece: Piece, rotation: Rotation, cells: &[Cell]) -> Self {
        let has = |r, c| cells.contains(&(r, c));
        let beside = |(r, c): Cell| has(r + 1, c) || has(r - 1, c) || has(r, c + 1) || has(r, c - 1);
        let touches_by_corner =
            |(r, c): Cell| has(r + 1, c + 1) || has(r + 1, c - 1) || has(r - 1, c + 1) || has(r - 1, c - 1);
        let is_contact = |&(r, c): &Cell| {
            let vertical = u8::from(has(r + 1, c)) + u8::from(has(r - 1, c));
            let horizontal = u8::from(has(r, c + 1)) + u8::from(has(r, c - 1));
            vertical < 2 && horizontal < 2
        };
        let tiles = |cells: &mut dyn Iterator<Item = Cell>| {
            let mut tiles: Vec<_> =
                cells.map(|(r, c)| Tile::new(r as usize, c as usize).expect("a piece is small")).collect();
            tiles.sort();
            tiles
        };
        let height = 1 + cells.iter().map(|c| c.0).max().unwrap_or(0);
        let width = 1 + cells.iter().map(|c| c.1).max().unwrap_or(0);
        let around = (-1..=height).flat_map(|r| (-1..=width).map(move |c| (r, c)));
        Self {
            piece,
            rotation,
            tiles: tiles(&mut cells.iter().copied()),
            contacts: tiles(&mut cells.iter().copied().filter(is_contact)),
            n_corners: around.filter(|&c| touches_by_corner(c) && !beside(c) && !cells.contains(&c)).count(),
            height: height as usize,
            width: width as usize,
        }
    }
}

/// Row and column, north and east positive.
type Cell = (i32, i32);

/// Moves cells so that the lower left of their bounding box is (0, 0), and sorts them.
fn normalised(cells: impl Iterator<Item = Cell>) -> Vec<Cell> {
    let mut cells: Vec<_> = cells.collect();
    let low = |f: fn(&Cell) -> i32| cells.iter().map(f).min().unwrap_or(0);
    let (row, column) = (low(|c| c.0), low(|c| c.1));
    cells.iter_mut().for_each(|c| *c = (c.0 - row, c.1 - column));
    cells.sort();
    cells
}

struct Shapes {
    /// By piece, then by rotation.
    shapes: Vec<Shape>,
    /// Index into `shapes` of every piece and rotation.
    index: [[u8; Rotation::ALL.len()]; PIECES],
}

static SHAPES: LazyLock<Shapes> = LazyLock::new(|| {
    let mut shapes: Vec<Shape> = Vec::new();
    let mut index = [[0; Rotation::ALL.len()]; PIECES];
    for (&piece, north) in Piece::ALL.iter().zip(pictures(ludovec_assets::tilewe::PIECES)) {
        let first = shapes.len();
        for &rotation in Rotation::ALL {
            let quarter_turns = rotation.index() % 4;
            let turned = (0..quarter_turns)
                .fold(north.clone(), |cells, _| normalised(cells.iter().map(|&(r, c)| (-c, r))));
            let cells =
                if rotation.index() < 4 { turned } else { normalised(turned.iter().map(|&(r, c)| (r, -c))) };
            let shape = Shape::new(piece, rotation, &cells);
            let same = shapes[first..].iter().position(|s| s.tiles == shape.tiles);
            index[piece.index()][rotation.index()] = (first + same.unwrap_or(shapes.len() - first)) as u8;
            if same.is_none() {
                shapes.push(shape);
            }
        }
    }
    Shapes { shapes, index }
});

/// The 91 distinct shapes, by piece, then by the first rotation that gives them.
#[must_use]
pub fn shapes() -> &'static [Shape] {
    &SHAPES.shapes
}

/// The cells of every picture in `pieces.txt`, which lists the pieces in the order of [`Piece::ALL`].
fn pictures(text: &str) -> impl Iterator<Item = Vec<Cell>> {
    text.split("\n\n").filter(|block| !block.starts_with('#')).map(|block| {
        let rows = block.lines().skip(1).collect::<Vec<_>>().into_iter().rev().enumerate();
        normalised(rows.flat_map(|(r, line)| {
            line.bytes().enumerate().filter(|(_, b)| *b == b'X').map(move |(c, _)| (r as i32, c as i32))
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_listed_in_the_order_of_the_pieces() {
        let text = ludovec_assets::tilewe::PIECES;
        let names: Vec<_> =
            text.split("\n\n").filter(|b| !b.starts_with('#')).filter_map(|b| b.lines().next()).collect();
        assert_eq!(names, Piece::ALL.iter().map(|p| p.name()).collect::<Vec<_>>());
        for &piece in Piece::ALL {
            assert_eq!(piece.n_tiles().to_string(), piece.name()[1..], "{piece}");
        }
    }

    fn tiles(names: &str) -> Vec<Tile> {
        names.split(' ').map(|n| n.parse().unwrap()).collect()
    }

    #[test]
    fn counts_of_tiles_corners_and_contacts_are_the_seeds() {
        let counts = |p: Piece| (p.n_tiles(), p.n_corners(), p.n_contacts());
        assert_eq!(counts(Piece::O1), (1, 4, 1));
        assert_eq!(counts(Piece::X5), (5, 8, 4));
        assert_eq!(counts(Piece::I4), (4, 4, 2));
        assert_eq!(counts(Piece::V5), (5, 5, 3));
        for shape in shapes() {
            let piece = shape.piece();
            let of_shape = (shape.tiles().len(), shape.n_corners(), shape.contacts().len());
            assert_eq!(of_shape, counts(piece), "{piece}{}", shape.rotation());
        }
    }

    #[test]
    fn rotations_turn_clockwise_and_then_mirror() {
        let x5 = Piece::X5.shape(Rotation::WestFlipped);
        assert_eq!(x5.tiles(), tiles("b1 a2 b2 c2 b3"));
        // W5n, W5e and W5ef as drawn in the original.
        assert_eq!(Piece::W5.shape(Rotation::North).tiles(), tiles("a1 b1 b2 c2 c3"));
        assert_eq!(Piece::W5.shape(Rotation::East).tiles(), tiles("b1 c1 a2 b2 a3"));
        assert_eq!(Piece::W5.shape(Rotation::EastFlipped), Piece::W5.shape(Rotation::North));
        let v5 = |r| Piece::V5.shape(r).contacts().to_vec();
        assert_eq!(v5(Rotation::North), tiles("a1 c1 c3"));
        assert_eq!(v5(Rotation::East), tiles("a1 c1 a3"));
        assert_eq!(v5(Rotation::South), tiles("a1 a3 c3"));
        assert_eq!(v5(Rotation::West), tiles("c1 a3 c3"));
    }

    #[test]
    fn the_pieces_have_91_distinct_shapes() {
        assert_eq!(shapes().len(), 91);
        let per_piece: Vec<usize> = Piece::ALL.iter().map(|p| p.shapes().count()).collect();
        assert_eq!(per_piece, [1, 2, 2, 4, 1, 2, 8, 4, 4, 2, 8, 8, 8, 8, 8, 4, 4, 4, 4, 1, 4]);
    }
}
