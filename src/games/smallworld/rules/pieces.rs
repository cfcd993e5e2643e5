//! The pieces in regions besides race tokens: names, stocks and effects.
//!
//! The Mountain pieces are part of the [map](super::map), which also holds the initial places of Lost Tribes.

use super::map::MAX_LOST_TRIBES;

/// Stock of each piece in the box, and so the maximum on the map.
pub(crate) mod stock {
    pub const LAIRS: u8 = 10;
    pub const FORTRESSES: u8 = 6;
    pub const HEROES: u8 = 2;
    pub const HOLES: u8 = 2;
    pub const DRAGONS: u8 = 1;
    pub const ENCAMPMENTS: u8 = 5;
}

/// The pieces with at most one per region, as the bits of [`State::markers`](super::state::State).
pub(crate) mod markers {
    pub const LOST_TRIBE: u8 = 1;
    pub const LAIR: u8 = 2;
    pub const FORTRESS: u8 = 4;
    pub const HERO: u8 = 8;
    pub const HOLE: u8 = 16;
    pub const DRAGON: u8 = 32;

    /// All of them.
    pub const ALL: u8 = 63;
    /// Each of these costs an attacker one token more.
    pub const DEFENDING: u8 = LOST_TRIBE | LAIR | FORTRESS;
    /// A region with one of these cannot be attacked at all.
    pub const IMMUNE: u8 = HERO | HOLE | DRAGON;
}

/// The description of one of the [`markers`].
pub(crate) struct Marker {
    pub bit: u8,
    /// Its name in observations and positions.
    pub name: &'static str,
    /// Its plural in messages.
    pub plural: &'static str,
    /// Its stock.
    pub stock: u8,
}

/// The markers, in the order of their bits.
pub(crate) const MARKERS: [Marker; 6] = [
    Marker {
        bit: markers::LOST_TRIBE,
        name: "LOST_TRIBE",
        plural: "Lost Tribes",
        stock: MAX_LOST_TRIBES as u8,
    },
    Marker { bit: markers::LAIR, name: "TROLL_LAIR", plural: "lairs", stock: stock::LAIRS },
    Marker { bit: markers::FORTRESS, name: "FORTRESS", plural: "fortresses", stock: stock::FORTRESSES },
    Marker { bit: markers::HERO, name: "HERO", plural: "heroes", stock: stock::HEROES },
    Marker { bit: markers::HOLE, name: "HOLE_IN_THE_GROUND", plural: "holes", stock: stock::HOLES },
    Marker { bit: markers::DRAGON, name: "DRAGON", plural: "dragons", stock: stock::DRAGONS },
];

/// The names of the markers with set bits.
pub(crate) fn names(bits: u8) -> impl Iterator<Item = &'static str> {
    MARKERS.iter().filter(move |marker| bits & marker.bit != 0).map(|marker| marker.name)
}
