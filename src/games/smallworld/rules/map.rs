//! The map: regions as bits, adjacency as one word per region.
//!
//! A [`Map`] is a plain value of 600 bytes, stored beside a game's state and constant during the game. It comes
//! from [`mapgen`](super::mapgen), from a published board or from a user's file.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Sub, SubAssign};

use bytemuck::{Pod, Zeroable};

use ludovec_engine::{Error, Result};

/// Maximum number of regions of a map.
pub const MAX_REGIONS: usize = 48;
/// Lost Tribe pieces in the box: the maximum at the start of a game.
pub const MAX_LOST_TRIBES: usize = 18;

/// Index of a region of a map, below [`MAX_REGIONS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct RegionId(pub u8);

impl RegionId {
    /// The id as an array index.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of regions: bit `i` is region `i`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct RegionSet(pub u64);

impl RegionSet {
    /// No region.
    pub const EMPTY: Self = Self(0);
    /// All [`MAX_REGIONS`] regions.
    pub const ALL: Self = Self::first(MAX_REGIONS);

    /// The regions `0..n`, `n` at most 63.
    #[inline]
    #[must_use]
    pub const fn first(n: usize) -> Self {
        Self((1 << n) - 1)
    }
    /// The set of one region.
    #[inline]
    #[must_use]
    pub const fn single(region: RegionId) -> Self {
        Self(1 << region.0)
    }
    /// `self` if `keep`, otherwise the empty set; compiles to arithmetic.
    #[inline]
    #[must_use]
    pub const fn when(self, keep: bool) -> Self {
        Self(self.0 & (keep as u64).wrapping_neg())
    }
    /// The number of regions.
    #[inline]
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }
    /// Whether the set is empty.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// Whether `region` is in the set.
    #[inline]
    #[must_use]
    pub const fn contains(self, region: RegionId) -> bool {
        self.0 >> region.0 & 1 == 1
    }
    /// Whether the two sets share a region.
    #[inline]
    #[must_use]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
    /// Whether every region of `self` is in `other`.
    #[inline]
    #[must_use]
    pub const fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
    /// Adds `region`.
    #[inline]
    pub fn insert(&mut self, region: RegionId) {
        self.0 |= 1 << region.0;
    }
    /// Removes `region`.
    #[inline]
    pub fn remove(&mut self, region: RegionId) {
        self.0 &= !(1 << region.0);
    }
    /// The region with the lowest id.
    #[inline]
    #[must_use]
    pub const fn lowest(self) -> Option<RegionId> {
        if self.0 == 0 { None } else { Some(RegionId(self.0.trailing_zeros() as u8)) }
    }
    /// The regions with ids of at least `region`.
    #[inline]
    #[must_use]
    pub const fn from_id_up(self, region: RegionId) -> Self {
        Self(self.0 & (u64::MAX << region.0))
    }
    /// The regions by ascending id.
    #[inline]
    #[must_use]
    pub const fn iter(self) -> RegionIter {
        RegionIter(self)
    }
}

impl std::fmt::Debug for RegionSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter().map(|r| r.0)).finish()
    }
}

macro_rules! set_operator {
    ($trait:ident $method:ident, $assign:ident $assign_method:ident, $a:ident $b:ident => $word:expr) => {
        impl $trait for RegionSet {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Self($word)
            }
        }
        impl $assign for RegionSet {
            #[inline]
            fn $assign_method(&mut self, other: Self) {
                *self = $trait::$method(*self, other);
            }
        }
    };
}
set_operator!(BitAnd bitand, BitAndAssign bitand_assign, a b => a & b);
set_operator!(BitOr bitor, BitOrAssign bitor_assign, a b => a | b);
set_operator!(Sub sub, SubAssign sub_assign, a b => a & !b);

/// The complement within [`RegionSet::ALL`].
impl Not for RegionSet {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(!self.0 & Self::ALL.0)
    }
}

impl FromIterator<RegionId> for RegionSet {
    fn from_iter<I: IntoIterator<Item = RegionId>>(regions: I) -> Self {
        regions.into_iter().fold(Self::EMPTY, |set, r| set | Self::single(r))
    }
}

impl IntoIterator for RegionSet {
    type Item = RegionId;
    type IntoIter = RegionIter;
    #[inline]
    fn into_iter(self) -> RegionIter {
        RegionIter(self)
    }
}

/// The regions of a set by ascending id.
#[derive(Debug, Clone)]
pub struct RegionIter(RegionSet);

impl Iterator for RegionIter {
    type Item = RegionId;
    #[inline]
    fn next(&mut self) -> Option<RegionId> {
        let region = self.0.lowest()?;
        self.0.0 &= self.0.0 - 1;
        Some(region)
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl ExactSizeIterator for RegionIter {}

/// The terrain of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Terrain {
    /// Fields.
    Farmland,
    /// Hills.
    Hill,
    /// Woods.
    Forest,
    /// Swamps.
    Swamp,
    /// Mountains: a Mountain piece always defends the region.
    Mountain,
    /// Water on the edge of the map.
    Sea,
    /// Water inside the map.
    Lake,
}

impl Terrain {
    /// Every terrain, in the order of their numbers; the first five are land.
    pub const ALL: [Self; 7] =
        [Self::Farmland, Self::Hill, Self::Forest, Self::Swamp, Self::Mountain, Self::Sea, Self::Lake];

    /// The name used in map files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["farmland", "hill", "forest", "swamp", "mountain", "sea", "lake"][self as usize]
    }
    /// Whether it is sea or lake.
    #[must_use]
    pub const fn is_water(self) -> bool {
        matches!(self, Self::Sea | Self::Lake)
    }
}

/// The layout of a map in drawings: the meaning of [`Map::position`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Layout {
    /// `[column, row]` of a hexagon; odd rows are half a cell to the right.
    Hex,
    /// Points on a canvas of 256 by 256, y down; a region is the area that is nearest to its point.
    Points,
    /// The sketch of the published board for 2 players; positions are unused and 0.
    Board2,
    /// The sketch of the published board for 3 players.
    Board3,
    /// The sketch of the published board for 4 players.
    Board4,
    /// The sketch of this project's board for 5 players.
    Board5,
}

impl Layout {
    /// Every layout, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Hex, Self::Points, Self::Board2, Self::Board3, Self::Board4, Self::Board5];

    /// The name used in map files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["hex", "points", "board_2", "board_3", "board_4", "board_5"][self as usize]
    }
    /// Whether regions have a [`Map::position`]; on a board with a sketch, the sketch has the positions.
    #[must_use]
    pub const fn has_positions(self) -> bool {
        self.regions().is_none()
    }
    /// The number of regions, if the layout fixes it.
    const fn regions(self) -> Option<usize> {
        match self {
            Self::Hex | Self::Points => None,
            Self::Board2 => Some(23),
            Self::Board3 => Some(30),
            Self::Board4 => Some(39),
            Self::Board5 => Some(46),
        }
    }
}

/// A map: regions, their terrains and features, and adjacency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Map {
    /// The regions that touch region `i`; empty past the last region.
    pub(crate) adjacency: [RegionSet; MAX_REGIONS],
    /// The regions of each [`Terrain`].
    pub(crate) terrain: [RegionSet; 7],
    /// Regions with a mine.
    pub(crate) mines: RegionSet,
    /// Regions with a magic source.
    pub(crate) magic_sources: RegionSet,
    /// Regions with a cavern.
    pub(crate) caverns: RegionSet,
    /// Regions on the rim of the map, water included: cells that miss a neighbour, or as in the map file.
    pub(crate) rim: RegionSet,
    /// Land that touches a sea of the rim.
    pub(crate) shore: RegionSet,
    /// Land that touches a sea or a lake.
    pub(crate) coastal: RegionSet,
    /// Regions that start with a Lost Tribe.
    pub(crate) lost_tribes: RegionSet,
    /// The place of each region in drawings; see [`Layout`].
    pub(crate) positions: [[u8; 2]; MAX_REGIONS],
    /// Number of regions.
    pub(crate) count: u8,
    /// A [`Layout`] as its number.
    pub(crate) layout: u8,
    /// Explicit padding: every byte of a snapshot is defined.
    pub(crate) zero: [u8; 6],
}

impl Map {
    /// Number of regions, 1 to [`MAX_REGIONS`].
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count as usize
    }
    /// Whether the map has no region; never true for a valid map.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }
    /// Every region.
    #[inline]
    #[must_use]
    pub const fn all(&self) -> RegionSet {
        RegionSet::first(self.count as usize)
    }
    /// Seas and lakes.
    #[inline]
    #[must_use]
    pub fn water(&self) -> RegionSet {
        self.of(Terrain::Sea) | self.of(Terrain::Lake)
    }
    /// Everything that is neither sea nor lake.
    #[inline]
    #[must_use]
    pub fn land(&self) -> RegionSet {
        self.all() - self.water()
    }
    /// The regions of one terrain.
    #[inline]
    #[must_use]
    pub const fn of(&self, terrain: Terrain) -> RegionSet {
        self.terrain[terrain as usize]
    }
    /// The terrain of a region.
    ///
    /// # Panics
    /// If the map has no such region.
    #[must_use]
    pub fn terrain(&self, region: RegionId) -> Terrain {
        let of = |t: &Terrain| self.of(*t).contains(region);
        Terrain::ALL.into_iter().find(of).expect("a region of the map")
    }
    /// The regions that touch `region`.
    #[inline]
    #[must_use]
    pub const fn neighbours(&self, region: RegionId) -> RegionSet {
        self.adjacency[region.index()]
    }
    /// The regions that touch a region of `set`; may include members of the set itself.
    #[inline]
    #[must_use]
    pub fn around(&self, set: RegionSet) -> RegionSet {
        set.iter().fold(RegionSet::EMPTY, |near, r| near | self.neighbours(r))
    }
    /// Regions with a mine.
    #[inline]
    #[must_use]
    pub const fn mines(&self) -> RegionSet {
        self.mines
    }
    /// Regions with a magic source.
    #[inline]
    #[must_use]
    pub const fn magic_sources(&self) -> RegionSet {
        self.magic_sources
    }
    /// Regions with a cavern.
    #[inline]
    #[must_use]
    pub const fn caverns(&self) -> RegionSet {
        self.caverns
    }
    /// Regions on the rim of the map, water included: hexagons that miss a neighbour, or as in the map file.
    #[inline]
    #[must_use]
    pub const fn rim(&self) -> RegionSet {
        self.rim
    }
    /// Land that touches a sea of the [`rim`](Map::rim); the shore of a lake is none.
    #[inline]
    #[must_use]
    pub const fn shore(&self) -> RegionSet {
        self.shore
    }
    /// Regions that a race without regions may enter: the [`rim`](Map::rim) and, by the published rules, the
    /// [`shore`](Map::shore).
    #[inline]
    #[must_use]
    pub fn border(&self) -> RegionSet {
        self.rim | self.shore
    }
    /// Land that touches a sea or a lake.
    #[inline]
    #[must_use]
    pub const fn coastal(&self) -> RegionSet {
        self.coastal
    }
    /// Regions that start with a Lost Tribe.
    #[inline]
    #[must_use]
    pub const fn lost_tribes(&self) -> RegionSet {
        self.lost_tribes
    }
    /// The layout of the map in drawings.
    ///
    /// # Panics
    /// If the map has not passed [`Map::validate`].
    #[must_use]
    pub fn layout(&self) -> Layout {
        Layout::ALL[usize::from(self.layout)]
    }
    /// The place of a region in drawings, in the units of [`Layout`].
    #[must_use]
    pub const fn position(&self, region: RegionId) -> [u8; 2] {
        self.positions[region.index()]
    }

    /// The regions of `within` that can be reached from its lowest one without leaving it.
    fn component(&self, within: RegionSet) -> RegionSet {
        let mut reached = RegionSet(within.0 & within.0.wrapping_neg());
        loop {
            let next = reached | (self.around(reached) & within);
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    /// Fills the sets derived from adjacency, terrain and rim: shore and coast.
    pub(crate) fn derive(&mut self) {
        self.shore = self.around(self.of(Terrain::Sea) & self.rim) & self.land();
        self.coastal = self.around(self.water()) & self.land();
    }

    /// Validates a map of arbitrary contents.
    ///
    /// # Errors
    /// [`Error::InvalidState`] names the region and the allowed values.
    pub fn validate(&self) -> Result<()> {
        self.check().map_err(|what| Error::state(format!("map: {what}")))
    }

    /// [`Map::validate`], with the plain message as error.
    pub(crate) fn check(&self) -> Result<(), String> {
        let fail = Err::<(), String>;
        if self.count == 0 || self.len() > MAX_REGIONS {
            return fail(format!("{} regions, 1 to {MAX_REGIONS} are allowed", self.count));
        }
        let all = self.all();
        let sets = [
            ("mine", self.mines),
            ("magic source", self.magic_sources),
            ("cavern", self.caverns),
            ("rim", self.rim),
            ("Lost Tribe", self.lost_tribes),
        ];
        for (name, set) in sets {
            if !set.is_subset(all) {
                return fail(format!("a {name} in a region past the last one, {}", self.count - 1));
            }
        }
        let mut seen = RegionSet::EMPTY;
        for set in self.terrain {
            if set.intersects(seen) || !set.is_subset(all) {
                return fail("a region has two terrains, or a terrain is given past the last region".into());
            }
            seen |= set;
        }
        if let Some(bare) = (all - seen).lowest() {
            return fail(format!("region {} has no terrain", bare.0));
        }
        for (i, near) in self.adjacency.iter().enumerate() {
            let region = RegionId(i as u8);
            if i >= self.len() {
                if !near.is_empty() || self.positions[i] != [0, 0] {
                    return fail(format!("data past the last region, {}", self.count - 1));
                }
                continue;
            }
            if !near.is_subset(all) || near.contains(region) {
                return fail(format!("region {i} touches itself or a region that is not on the map"));
            }
            if let Some(other) = near.iter().find(|&o| !self.neighbours(o).contains(region)) {
                return fail(format!("region {i} touches {}, which does not touch it back", other.0));
            }
        }
        if !self.lost_tribes.is_subset(self.land()) {
            return fail("a Lost Tribe is on water, only land is allowed".into());
        }
        if self.lost_tribes.len() > MAX_LOST_TRIBES {
            let n = self.lost_tribes.len();
            return fail(format!("{n} Lost Tribes, at most {MAX_LOST_TRIBES} are allowed"));
        }
        let land = self.land();
        if !land.intersects(self.border()) {
            return fail("no land region is border, so no race could enter; at least one is needed".into());
        }
        if let Some(cut) = (land - self.component(land)).lowest() {
            return fail(format!(
                "land region {} cannot be reached over land; land must be connected",
                cut.0
            ));
        }
        let mut derived = *self;
        derived.derive();
        if derived != *self {
            return fail("shore or coast do not follow from terrain and adjacency".into());
        }
        if usize::from(self.layout) >= Layout::ALL.len() || self.zero != [0; 6] {
            return fail(format!("unknown layout {}", self.layout));
        }
        self.check_layout()
    }

    fn check_layout(&self) -> Result<(), String> {
        let positions = &self.positions[..self.len()];
        let layout = self.layout();
        if let Some(regions) = layout.regions() {
            let name = layout.name();
            if regions != self.len() {
                return Err(format!("{} regions, layout {name} is for {regions}", self.len()));
            }
            if positions.iter().any(|&at| at != [0, 0]) {
                return Err(format!("layout {name} takes no positions"));
            }
            return Ok(());
        }
        for (i, at) in positions.iter().enumerate() {
            if let Some(j) = positions[..i].iter().position(|other| other == at) {
                return Err(format!("regions {j} and {i} are drawn at the same place, {at:?}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::mapgen::generate;
    use super::*;
    use ludovec_engine::chance::SeededChance;

    fn ids(set: RegionSet) -> BTreeSet<u8> {
        set.iter().map(|r| r.0).collect()
    }

    proptest! {
        #[test]
        fn region_sets_are_sets(a in 0..1u64 << MAX_REGIONS, b in 0..1u64 << MAX_REGIONS, region in 0u8..48) {
            let (a, b, region) = (RegionSet(a), RegionSet(b), RegionId(region));
            let (x, y) = (ids(a), ids(b));
            prop_assert_eq!(ids(a & b), &x & &y);
            prop_assert_eq!(ids(a | b), &x | &y);
            prop_assert_eq!(ids(a - b), &x - &y);
            prop_assert_eq!(ids(!a), &ids(RegionSet::ALL) - &x);
            prop_assert_eq!((a.len(), a.is_empty()), (x.len(), x.is_empty()));
            prop_assert_eq!(a.contains(region), x.contains(&region.0));
            prop_assert_eq!(a.intersects(b), !x.is_disjoint(&y));
            prop_assert_eq!(a.is_subset(b), x.is_subset(&y));
            prop_assert_eq!((a & b).is_subset(a), true);
            prop_assert_eq!(a.lowest().map(|r| r.0), x.first().copied());
            prop_assert_eq!(ids(a.from_id_up(region)), x.range(region.0..).copied().collect());
            prop_assert_eq!(a.iter().collect::<RegionSet>(), a);
            prop_assert_eq!((a.when(true), a.when(false)), (a, RegionSet::EMPTY));
            let (mut with, mut without) = (a, a);
            with.insert(region);
            without.remove(region);
            prop_assert_eq!((with, without), (a | RegionSet::single(region), a - RegionSet::single(region)));
        }

        #[test]
        fn arbitrary_bytes_are_no_map_and_no_panic(bytes in prop::collection::vec(any::<u8>(), size_of::<Map>())) {
            let map: Map = bytemuck::pod_read_unaligned(&bytes);
            prop_assert!(map.validate().is_err());
        }
    }

    #[test]
    fn a_map_takes_600_bytes() {
        assert_eq!(size_of::<Map>(), 600);
        assert!(Map::zeroed().validate().is_err());
    }

    #[test]
    fn validate_finds_every_kind_of_damage() {
        let good = generate(3, &mut SeededChance::from_seed(1)).unwrap();
        good.validate().unwrap();
        let beyond = RegionId(good.count);
        let lake = good.of(Terrain::Lake).lowest().unwrap();
        let near = good.neighbours(lake).lowest().unwrap();
        type Damage<'a> = &'a dyn Fn(&mut Map);
        let cases: [(Damage, &str); 18] = [
            (&|m| m.count = 0, "0 regions, 1 to 48"),
            (&|m| m.count = 49, "49 regions, 1 to 48"),
            (&|m| m.mines.insert(beyond), "a mine in a region past the last one"),
            (&|m| m.rim.insert(RegionId(63)), "a rim in a region past"),
            (&|m| m.terrain[0].insert(lake), "two terrains"),
            (&|m| m.terrain[0].insert(beyond), "past the last region"),
            (&|m| m.terrain[6].remove(lake), "has no terrain"),
            (&|m| m.adjacency[lake.index()].insert(lake), "touches itself"),
            (&|m| m.adjacency[lake.index()].remove(near), "does not touch it back"),
            (&|m| m.adjacency[beyond.index()].insert(lake), "data past the last region"),
            (&|m| m.positions[beyond.index()] = [1, 1], "data past the last region"),
            (&|m| m.lost_tribes.insert(lake), "a Lost Tribe is on water"),
            (&|m| m.lost_tribes = m.land(), "26 Lost Tribes, at most 18"),
            (&|m| (m.rim, m.shore) = (RegionSet::EMPTY, RegionSet::EMPTY), "no land region is border"),
            (&|m| m.coastal = RegionSet::EMPTY, "do not follow"),
            (&|m| m.shore.insert(beyond), "do not follow"),
            (&|m| m.layout = Layout::ALL.len() as u8, "unknown layout"),
            (&|m| m.positions[0] = m.positions[1], "regions 0 and 1 are drawn at the same place"),
        ];
        for (damage, expected) in cases {
            let mut map = good;
            damage(&mut map);
            let error = map.validate().unwrap_err().to_string();
            assert!(error.contains(expected), "{error:?} lacks {expected:?}");
        }
        // Every land region turned to water, one after the other: never a panic, and an error once land is not
        // connected.
        let mut map = good;
        for region in good.land() {
            map.terrain.iter_mut().for_each(|set| set.remove(region));
            map.terrain[Terrain::Lake as usize].insert(region);
            map.lost_tribes.remove(region);
            map.derive();
            let result = map.validate();
            assert_eq!(
                result.is_ok(),
                map.component(map.land()) == map.land() && map.land().intersects(map.border())
            );
        }
    }
}
