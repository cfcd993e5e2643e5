//! The board as data: spaces, ships, rings, and everything read from `assets/starwars_risk/`.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use bytemuck::{CheckedBitPattern, NoUninit};
use serde::{Deserialize, Serialize};

use super::cards::{Decks, DecksFile};
use super::hidden::Round;

/// The seat of the rebellion.
pub const REBEL: usize = 0;
/// The seat of the empire.
pub const EMPIRE: usize = 1;
/// The names of the seats, by seat.
pub const SIDES: [&str; 2] = ["rebel", "empire"];

/// How many spaces the board has: 0 to 5 motherships, 6 to 14 the outer ring, 15 to 21 the middle ring,
/// 22 to 27 the inner ring around the Death Star.
pub const SPACES: usize = 28;
/// How many kinds of ships there are.
pub const SHIPS: usize = 6;
/// How many spaces the way to the shield generator has.
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
    pub const fn name(self) -> &'static str {
        ["xwing", "ywing", "bwing", "falcon", "tie", "executor"][self as usize]
    }
    /// The seat it belongs to.
    pub const fn side(self) -> usize {
        if (self as usize) < Self::Tie as usize { REBEL } else { EMPIRE }
    }
    /// Whether there is one such ship, counted in hit points, which moves up to two spaces.
    pub const fn is_capital(self) -> bool {
        matches!(self, Self::Falcon | Self::Executor)
    }
}

/// A space of the board, `0..SPACES`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Space(pub(super) u8);

impl Space {
    /// The space as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of spaces; space `i` is bit `i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct SpaceSet(pub u32);

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

/// The numbers of the game, from `constants.json`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Constants {
    pub hand: u8,
    pub cards_per_round: u8,
    /// The least die that hits a ship.
    pub toughness: BTreeMap<Ship, u8>,
    pub falcon_dice: u8,
    pub executor_dice: u8,
    pub max_attackers: u8,
    pub falcon_hitpoints: u8,
    pub executor_hitpoints: u8,
    pub max_tie: u8,
    pub tie_spawn: u8,
    pub deathstar_dice: u8,
    pub deathstar_hits_from: u8,
    pub deathstar_falls_at: u8,
    pub shield_dice: u8,
    pub max_stormtroopers: u8,
    pub stormtroopers_per_action: u8,
    /// Where the counters of the throne room start, by seat.
    pub throne_counters: [u8; 2],
    pub lightsaber_dice: u8,
    pub lightsaber_hits_from: u8,
    pub lightning_damage: u8,
    pub hat_threshold: u8,
    pub bonus_clear: u8,
    pub bonus_falcon: u8,
    pub bonus_throne_empire: u8,
    pub bonus_throne_rebel_lightsaber: u8,
    pub bonus_throne_rebel_hat: u8,
}

impl Constants {
    /// How a round uses up a hand.
    pub fn round(&self) -> Round {
        Round { hand: self.hand, turned: self.cards_per_round }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoardFile {
    spaces: Vec<SpaceFile>,
    shield_run: [u8; SHIELD_RUN],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpaceFile {
    ring: Ring,
    neighbours: Vec<u8>,
    ships: BTreeMap<Ship, u8>,
    /// Where a drawing puts the space, in degrees clockwise: the arcs of two spaces in rings next to each
    /// other overlap exactly where the spaces are neighbours.
    arc: [f64; 2],
}

/// The ring that a space lies on, from the outside in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Ring {
    Mothership,
    Outer,
    Middle,
    Inner,
}

/// Everything the rules look up, compiled once.
#[derive(Debug)]
pub(super) struct Tables {
    pub constants: Constants,
    pub decks: Decks,
    pub neighbours: [SpaceSet; SPACES],
    pub start: [[u8; SPACES]; SHIPS],
    pub shield_run: [u8; SHIELD_RUN],
    /// By face of a die (1 to 6): bit `s` is set when the die hits ship `s`.
    pub hits: [u8; 7],
    pub rings: [Ring; SPACES],
    /// Start and end of each space in a drawing, in radians.
    pub arcs: [(f64, f64); SPACES],
}

impl Tables {
    /// Reads the embedded assets.
    ///
    /// # Panics
    /// When an embedded asset is malformed: a mistake in the crate, which every test would show.
    pub fn load() -> Self {
        fn read<T: for<'a> Deserialize<'a>>(name: &str, text: &str) -> T {
            serde_json::from_str(text).unwrap_or_else(|e| panic!("assets/starwars_risk/{name}: {e}"))
        }
        let board: BoardFile = read("board.json", include_str!("../../../assets/starwars_risk/board.json"));
        let decks: DecksFile = read("decks.json", include_str!("../../../assets/starwars_risk/decks.json"));
        let constants: Constants =
            read("constants.json", include_str!("../../../assets/starwars_risk/constants.json"));

        assert_eq!(board.spaces.len(), SPACES, "assets/starwars_risk/board.json");
        let mut neighbours = [SpaceSet::EMPTY; SPACES];
        let mut start = [[0; SPACES]; SHIPS];
        for (i, space) in board.spaces.iter().enumerate() {
            for &n in &space.neighbours {
                neighbours[i].insert(Space(n));
            }
            for (&ship, &count) in &space.ships {
                start[ship as usize][i] = count;
            }
        }
        let hits = std::array::from_fn(|face| {
            let hit = |ship: &&Ship| usize::from(constants.toughness[*ship]) <= face;
            Ship::ALL.iter().filter(hit).map(|&s| 1 << s as u8).sum()
        });
        Self {
            decks: Decks::compile(&decks),
            neighbours,
            start,
            shield_run: board.shield_run,
            hits,
            rings: std::array::from_fn(|i| board.spaces[i].ring),
            arcs: std::array::from_fn(|i| {
                let [from, to] = board.spaces[i].arc;
                (from / 360.0 * TAU, to / 360.0 * TAU)
            }),
            constants,
        }
    }

    /// How many dice `count` ships of a kind roll.
    pub fn dice(&self, ship: Ship, count: u8) -> u8 {
        match ship {
            Ship::Falcon => self.constants.falcon_dice,
            Ship::Executor => self.constants.executor_dice,
            _ => count.min(self.constants.max_attackers),
        }
    }

    /// The most of a kind that one space can hold: ships, or the hit points of a capital ship.
    pub fn most(&self, ship: Ship) -> u8 {
        match ship {
            Ship::Falcon => self.constants.falcon_hitpoints,
            Ship::Executor => self.constants.executor_hitpoints,
            Ship::Tie => self.constants.max_tie,
            _ => self.start[ship as usize].iter().sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_is_the_one_of_the_rules() {
        let t = Tables::load();
        for a in SpaceSet::ALL.iter() {
            let own = t.neighbours[a.index()];
            assert!(!own.contains(a) && !own.is_empty() && own.without(SpaceSet::ALL).is_empty());
            for b in own.iter() {
                assert!(t.neighbours[b.index()].contains(a), "{a:?} and {b:?}");
            }
            let ring = t.rings[a.index()];
            assert_eq!(ring == Ring::Mothership, SpaceSet::MOTHERSHIPS.contains(a));
            assert_eq!(ring == Ring::Inner, SpaceSet::INNER_RING.contains(a));
        }
        let totals: Vec<u8> = t.start.iter().map(|plane| plane.iter().sum()).collect();
        assert_eq!(totals, [20, 16, 12, 6, 24, 8]);
        assert_eq!(t.hits, [0, 0, 0, 0b010001, 0b010011, 0b111111, 0b111111]);
    }

    #[test]
    fn arcs_of_neighbouring_rings_overlap_exactly_between_neighbours() {
        let t = Tables::load();
        let overlap = |a: (f64, f64), b: (f64, f64)| {
            [-TAU, 0., TAU].into_iter().any(|turn| a.1.min(b.1 + turn) - a.0.max(b.0 + turn) > 1e-9)
        };
        for a in SpaceSet::ALL.iter().map(Space::index) {
            for b in SpaceSet::ALL.iter().map(Space::index) {
                if (t.rings[a] as u8).abs_diff(t.rings[b] as u8) == 1 {
                    let touching = overlap(t.arcs[a], t.arcs[b]);
                    assert_eq!(touching, t.neighbours[a].contains(Space(b as u8)), "{a} {b}");
                }
            }
        }
    }
}
