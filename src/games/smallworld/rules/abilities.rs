//! Abilities: the rule changes of races and powers.
//!
//! The abilities themselves are data: one entry per race in [`races`](super::races), one per power in
//! [`powers`](super::powers). The rules read them as region sets and small numbers, so a decision takes the same
//! few instructions for every combo.

use super::map::{Map, RegionSet, Terrain};
use super::phase::Phase;

/// A set of kinds of ground, as bits: the seven terrains and four features. A region is on the ground if it has at
/// least one of the kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TerrainSet(u16);

impl TerrainSet {
    pub const NONE: Self = Self(0);
    pub const FARMLAND: Self = Self(1 << Terrain::Farmland as u16);
    pub const HILL: Self = Self(1 << Terrain::Hill as u16);
    pub const FOREST: Self = Self(1 << Terrain::Forest as u16);
    pub const SWAMP: Self = Self(1 << Terrain::Swamp as u16);
    pub const MOUNTAIN: Self = Self(1 << Terrain::Mountain as u16);
    pub const LAND: Self = Self((1 << Terrain::Sea as u16) - 1);
    pub const WATER: Self = Self(1 << Terrain::Sea as u16 | 1 << Terrain::Lake as u16);
    pub const ANY: Self = Self(Self::LAND.0 | Self::WATER.0);
    pub const MINE: Self = Self(1 << 7);
    pub const MAGIC_SOURCE: Self = Self(1 << 8);
    pub const CAVERN: Self = Self(1 << 9);
    pub const COAST: Self = Self(1 << 10);

    /// The union of two sets.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    /// The regions of `map` that are on this ground.
    #[inline]
    pub fn regions(self, map: &Map) -> RegionSet {
        let mut kinds = self.0;
        let mut regions = RegionSet::EMPTY;
        while kinds != 0 {
            regions |= match kinds.trailing_zeros() {
                terrain @ 0..7 => map.of(Terrain::ALL[terrain as usize]),
                7 => map.mines(),
                8 => map.magic_sources(),
                9 => map.caverns(),
                _ => map.coastal(),
            };
            kinds &= kinds - 1;
        }
        regions
    }
}

/// The rule changes of a race or a power.
///
/// An army has the abilities of its race and of its power while it is active. In decline only the fields with names
/// that end in `declined` or `in_decline` count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ability {
    /// Regions on this ground cost one token less to conquer.
    pub cheap: TerrainSet,
    /// Regions that touch a held region on this ground cost one token less to conquer.
    pub cheap_around: TerrainSet,
    /// Regions on this ground are in reach from anywhere.
    pub in_reach: TerrainSet,
    /// All regions on this ground count as touching each other when conquering.
    pub linked: TerrainSet,
    /// Water that the army can conquer.
    pub sails: TerrainSet,
    /// One coin per turn for each held region.
    pub pays: TerrainSet,
    /// One coin per turn for each region held in decline.
    pub pays_declined: TerrainSet,
    /// One coin per turn for each held region with one of these markers.
    pub pays_markers: u8,
    /// Coins per turn.
    pub pays_flat: u8,
    /// Coins at the first scoring only.
    pub pays_once: u8,
    /// Coins for each conquest of a non-empty region in the turn.
    pub pays_battle: u8,
    /// Tokens borrowed for the conquests of each turn and returned at redeployment.
    pub loan: u8,
    /// Conquests of non-empty regions for each token gained when redeploying; 0 gains none.
    pub battles_per_recruit: u8,
    /// Tokens saved of the one that is lost with every conquered region: 0 or 1.
    pub saves: u8,
    /// Markers (bits) placed in every conquered region.
    pub marks: u8,
    /// Number of first conquests that may be anywhere on the map and get a hole.
    pub holes: u8,
    /// May replace lone active tokens of opponents.
    pub converts: bool,
    /// Keeps all its tokens when it goes into decline and continues to conquer.
    pub fights_in_decline: bool,
    /// May roll the die before choosing a target.
    pub rolls_first: bool,
    /// Has the dragon: one token conquers a region, once per turn.
    pub dragon: bool,
    /// The pieces or choice after redeployment.
    pub after_redeployment: AfterRedeployment,
    /// Goes into decline beside an earlier race in decline instead of taking its place.
    pub spirit: bool,
    /// May go into decline right after scoring.
    pub stout: bool,
}

/// The pieces or choice of a power after redeployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterRedeployment {
    Nothing,
    Encampments,
    Fortress,
    Heroes,
    Ally,
}

impl AfterRedeployment {
    /// The phase in which the pieces are placed or the choice is made.
    pub const fn phase(self) -> Option<Phase> {
        match self {
            Self::Nothing => None,
            Self::Encampments => Some(Phase::PlaceEncampments),
            Self::Fortress => Some(Phase::PlaceFortress),
            Self::Heroes => Some(Phase::PlaceHeroes),
            Self::Ally => Some(Phase::ChooseDiplomatAlly),
        }
    }
}

impl Ability {
    /// Changes nothing.
    pub const NONE: Self = Self {
        cheap: TerrainSet::NONE,
        cheap_around: TerrainSet::NONE,
        in_reach: TerrainSet::NONE,
        linked: TerrainSet::NONE,
        sails: TerrainSet::NONE,
        pays: TerrainSet::NONE,
        pays_declined: TerrainSet::NONE,
        pays_markers: 0,
        pays_flat: 0,
        pays_once: 0,
        pays_battle: 0,
        loan: 0,
        battles_per_recruit: 0,
        saves: 0,
        marks: 0,
        holes: 0,
        converts: false,
        fights_in_decline: false,
        rolls_first: false,
        dragon: false,
        after_redeployment: AfterRedeployment::Nothing,
        spirit: false,
        stout: false,
    };
}
