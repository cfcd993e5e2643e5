//! The board as files and ranks, for building tables.

use crate::rules::variant::schema::Square;

/// The board as coordinates, for building tables.
pub(super) struct Grid<'a> {
    pub(super) width: i8,
    pub(super) height: i8,
    pub(super) holes: &'a [Square],
}

impl Grid<'_> {
    /// The square one step away, unless it is off the board or a hole.
    pub(super) fn step(&self, square: Square, (df, dr): (i8, i8)) -> Option<Square> {
        let file = i16::from(square % self.width as u8) + i16::from(df);
        let rank = i16::from(square / self.width as u8) + i16::from(dr);
        let inside =
            (0..i16::from(self.width)).contains(&file) && (0..i16::from(self.height)).contains(&rank);
        let to = (rank * i16::from(self.width) + file) as Square;
        (inside && !self.holes.contains(&to)).then_some(to)
    }
}
