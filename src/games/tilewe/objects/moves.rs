//! Moves in the original's notation: `F5e-a2d4`.

use std::fmt;
use std::str::FromStr;

use ludovec_engine::{Error, Result};

use crate::rules::pieces::{Piece, Rotation};
use crate::rules::placements::{Placement, Placements};
use crate::rules::tiles::{Tile, TileSet};

/// A piece, its rotation, and one of its contacts with an open corner for it.
///
/// Several moves can be the same [`Placement`]: by another contact, or by another rotation of the same shape.
/// Written `[piece][rotation]-[contact][corner]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// The piece.
    pub piece: Piece,
    /// Its rotation.
    pub rotation: Rotation,
    /// The contact tile, counted from the lower left of the turned piece.
    pub contact: Tile,
    /// The board tile of the contact.
    pub to_tile: Tile,
}

impl Move {
    /// The placement of this move on a board.
    ///
    /// # Errors
    /// [`Error::Refused`] if the tile is not a contact or the piece would stick out of the board.
    pub fn placement(self, board: &Placements) -> Result<Placement> {
        let Self { piece, rotation, contact, to_tile } = self;
        let contacts = piece.shape(rotation).contacts();
        if !contacts.contains(&contact) {
            let names: Vec<_> = contacts.iter().map(Tile::to_string).collect();
            return Err(Error::illegal(format!(
                "{contact} is no contact of {piece}{rotation}: its contacts are {}",
                names.join(", ")
            )));
        }
        board
            .anchored(piece, rotation, contact, to_tile)
            .ok_or_else(|| Error::illegal(format!("{self} sticks out of the board")))
    }
}

impl Placement {
    /// The moves with this placement if the open corners are `corners`, by contact. If no contact is on one of them
    /// (a first piece in the middle of the board), the move by the first contact.
    ///
    /// They are spelled with the first rotation that gives the shape.
    pub fn moves(self, corners: TileSet) -> impl Iterator<Item = Move> {
        let on_corner = move |m: &Move| corners.contains(m.to_tile);
        let none = !self.spellings().any(|m| on_corner(&m));
        self.spellings().filter(on_corner).chain(self.spellings().take(usize::from(none)))
    }

    /// The moves with this placement, one per contact.
    pub(crate) fn spellings(self) -> impl Iterator<Item = Move> {
        let shape = self.shape();
        shape.contacts().iter().map(move |&contact| Move {
            piece: shape.piece(),
            rotation: shape.rotation(),
            contact,
            to_tile: self.tile(contact),
        })
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}-{}{}", self.piece, self.rotation, self.contact, self.to_tile)
    }
}

impl FromStr for Move {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refuse = || {
            Error::illegal(format!(
                "{text:?} is no move: moves are [piece][rotation]-[contact][corner], as in F5e-a2d4"
            ))
        };
        let (turned, tiles) = text.trim().split_once('-').ok_or_else(refuse)?;
        let (piece, rotation) = turned.split_at_checked(2).ok_or_else(refuse)?;
        let letter = tiles.rfind(|c: char| c.is_ascii_alphabetic()).ok_or_else(refuse)?;
        let (contact, to_tile) = tiles.split_at(letter);
        Ok(Self {
            piece: piece.parse()?,
            rotation: rotation.parse()?,
            contact: contact.parse()?,
            to_tile: to_tile.parse()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tiles::SIZE;
    use proptest::prelude::*;

    fn placement(text: &str) -> Result<Placement> {
        text.parse::<Move>()?.placement(Placements::on(SIZE))
    }

    #[test]
    fn notation_goes_both_ways() {
        let m: Move = "F5e-a2d4".parse().unwrap();
        assert_eq!((m.piece, m.rotation), (Piece::F5, Rotation::East));
        assert_eq!((m.contact.to_string(), m.to_tile.to_string()), ("a2".into(), "d4".into()));
        assert_eq!(m.to_string(), "F5e-a2d4");
        let covered: TileSet = ["d4", "e4", "f4", "e5", "f3"].iter().map(|t| t.parse().unwrap()).collect();
        assert_eq!(m.placement(Placements::on(SIZE)).unwrap().tiles(), covered);
    }

    #[test]
    fn different_spellings_of_a_placement_are_the_same_placement() {
        assert_eq!(placement("W5n-a1a1"), placement("W5ef-a1a1"));
        assert_eq!(placement("W5n-a1a1"), placement("W5n-c3c3"));
        assert_ne!(placement("W5n-a1a1"), placement("W5s-a1a1"));
    }

    #[test]
    fn invalid_moves_are_refused_with_the_reason() {
        for (text, reason) in [
            ("", "no move"),
            ("F5e", "no move"),
            ("F5e-22", "no move"),
            ("G5e-a2d4", "no piece"),
            ("F5q-a2d4", "no rotation"),
            ("F5e-a2u4", "no tile"),
            ("F5e-a2d21", "no tile"),
            ("F5e-a2d0", "no tile"),
            ("F5e-a2d+4", "no tile"),
            ("Fé-a2d4", "no move"),
        ] {
            let e = text.parse::<Move>().unwrap_err().to_string();
            assert!(e.contains(reason), "{text}: {e}");
        }
        for (text, reason) in [("F5e-b2d4", "its contacts are"), ("F5e-a2t4", "sticks out")] {
            let e = placement(text).unwrap_err().to_string();
            assert!(e.contains(reason), "{text}: {e}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[A-Z]?[0-9]?[neswf]{0,2}-?[a-u]?[0-9]{0,3}[a-u]?[0-9é]{0,3}|.*") {
            if let Ok(m) = text.parse::<Move>() {
                prop_assert_eq!(m.to_string().parse::<Move>(), Ok(m));
                let _ = m.placement(Placements::on(SIZE));
            }
        }
    }
}
