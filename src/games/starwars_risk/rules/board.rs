//! The board: seats, ships, spaces and rings.

use bytemuck::{CheckedBitPattern, NoUninit};
use serde::{Deserialize, Serialize};

/// The seat of the rebellion.
pub const REBEL: usize = 0;
/// The seat of the empire.
pub const EMPIRE: usize = 1;
/// The names of the seats, by seat.
pub const SIDES: [&str; 2] = ["rebel", "empire"];

/// The number of spaces of the board: 0 to 5 motherships, 6 to 14 the outer ring, 15 to 21 the middle ring, 22 to
/// 27 the inner ring around the Death Star.
pub const SPACES: usize = 28;
/// The number of kinds of ships.
pub const SHIPS: usize = 6;
/// The number of spaces of the shield generator run.
pub const SHIELD_RUN: usize = 28;

/// A kind of ship, in the order of the original's `ShipCounter`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, CheckedBitPattern, NoUninit,
)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Ship {
    /// X-wing (rebel).
    Xwing,
    /// Y-wing (rebel).
    Ywing,
    /// B-wing (rebel).
    Bwing,
    /// The Millennium Falcon (rebel), one ship with hit points.
    Falcon,
    /// TIE fighter (empire).
    Tie,
    /// The Executor (empire), one ship with hit points.
    Executor,
}

impl Ship {
    /// All kinds in order.
    pub const ALL: [Self; SHIPS] =
        [Self::Xwing, Self::Ywing, Self::Bwing, Self::Falcon, Self::Tie, Self::Executor];

    /// The original's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["xwing", "ywing", "bwing", "falcon", "tie", "executor"][self as usize]
    }
    /// The owner's seat.
    #[must_use]
    pub const fn side(self) -> usize {
        if (self as usize) < Self::Tie as usize { REBEL } else { EMPIRE }
    }
    /// Whether it is a single ship, counted in hit points, which moves up to two spaces.
    #[must_use]
    pub const fn is_capital(self) -> bool {
        matches!(self, Self::Falcon | Self::Executor)
    }
}

/// A space of the board, `0..SPACES`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Space(pub(crate) u8);

impl Space {
    /// The space as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of spaces; space `i` is bit `i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct SpaceSet(pub u32);

impl SpaceSet {
    pub const EMPTY: Self = Self(0);
    pub const MOTHERSHIPS: Self = Self(0x3f);
    pub const INNER_RING: Self = Self(0x3f << 22);
    pub const ALL: Self = Self((1 << SPACES) - 1);

    pub const fn contains(self, space: Space) -> bool {
        self.0 >> space.0 & 1 == 1
    }
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }
    pub const fn first(self) -> Option<Space> {
        if self.0 == 0 { None } else { Some(Space(self.0.trailing_zeros() as u8)) }
    }
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
    pub fn insert(&mut self, space: Space) {
        self.0 |= 1 << space.0;
    }
    pub fn iter(self) -> impl Iterator<Item = Space> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let space = rest.first()?;
            rest.0 &= rest.0 - 1;
            Some(space)
        })
    }
}

impl std::ops::BitAnd for SpaceSet {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}
impl std::ops::BitOr for SpaceSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The ring of a space, from the outside in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Ring {
    Mothership,
    Outer,
    Middle,
    Inner,
}
