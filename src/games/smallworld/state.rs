//! A game in progress as a plain value.

use bytemuck::{Pod, Zeroable};

use super::columns::{self, RegionBytes};
use super::map::{MAX_REGIONS, Map, RegionId, RegionSet, Terrain};
use super::phase::Phase;
use super::pieces::markers;
use super::roster::{Power, Race};

/// Most seats a game can have.
pub const MAX_SEATS: usize = 5;
/// Combinations of race and power on offer.
pub const ROW: usize = 6;
/// Stands for no race, no power, no seat.
pub(super) const NONE: u8 = u8::MAX;

/// Where a player's armies stand in [`State::armies`] and [`State::held`].
pub(super) mod slot {
    /// The active race.
    pub const ACTIVE: usize = 0;
    /// The race in decline.
    pub const DECLINED: usize = 1;
    /// A race that declined with the Spirit power: it takes no other race's place.
    pub const SPIRIT: usize = 2;
    /// Slots of a player.
    pub const COUNT: usize = 3;
    /// Names by slot.
    pub const NAMES: [&str; COUNT] = ["active", "decline", "decline_spirit"];
}

/// A race of some player's, without the regions it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Army {
    /// A [`Race`] by number; [`NONE`] when the slot is empty, and then everything else here is too.
    pub race: u8,
    /// The [`Power`] it has, or had when it went into decline.
    pub power: u8,
    /// Tokens off the map that can be used.
    pub hand: u8,
    /// Tokens that got away from conquered regions and wait for the end of the turn.
    pub displaced: u8,
}

impl Army {
    /// No army.
    pub const EMPTY: Self = Self { race: NONE, power: NONE, hand: 0, displaced: 0 };

    #[inline]
    pub fn exists(&self) -> bool {
        self.race != NONE
    }
    #[inline]
    pub fn race(&self) -> Option<Race> {
        Race::from_index(usize::from(self.race))
    }
    #[inline]
    pub fn power(&self) -> Option<Power> {
        Power::from_index(usize::from(self.power))
    }
}

/// A race with its power in the row, and the coins that lie on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Combo {
    pub race: u8,
    pub power: u8,
    pub coins: u8,
}

impl Combo {
    /// An empty place of the row.
    pub const EMPTY: Self = Self { race: NONE, power: NONE, coins: 0 };
}

/// The army in a slot of a player's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ArmyId {
    pub seat: usize,
    pub slot: usize,
}

/// One game: the map, what stands on it, who owns what, and where in the turn it is.
///
/// A stack whose order nobody knows is stored as a set, and its next badge is drawn at random when it is revealed.
/// Everything in the state is public, except coins.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct State {
    pub(super) map: Map,
    /// The regions of each army, by seat and [`slot`].
    pub(super) held: [[RegionSet; slot::COUNT]; MAX_SEATS],
    /// Regions that the active race has conquered this turn.
    pub(super) conquered: RegionSet,
    /// Race tokens in each region.
    pub(super) tokens: RegionBytes,
    /// [`markers`] in each region.
    pub(super) markers: RegionBytes,
    /// Encampments in each region.
    pub(super) encampments: RegionBytes,
    /// What each region costs before discounts: 2, its tokens, its defending pieces, 1 for a mountain.
    /// Follows from the other columns.
    pub(super) toll: RegionBytes,
    pub(super) armies: [[Army; slot::COUNT]; MAX_SEATS],
    /// Powers whose badges lie in the stack, as bits.
    pub(super) power_stack: u32,
    /// Powers whose badges have been discarded, as bits.
    pub(super) power_discard: u32,
    pub(super) coins: [u16; MAX_SEATS],
    /// Races in the part of the stack that nobody has seen, as bits.
    pub(super) race_stack: u16,
    /// Races that were put back under the stack, the next to come first.
    pub(super) returned: [u8; Race::COUNT],
    pub(super) returned_len: u8,
    pub(super) row_len: u8,
    pub(super) row: [Combo; ROW],
    /// Tokens of each race that are in the tray.
    pub(super) tray: [u8; Race::COUNT],
    /// The turn, from 1.
    pub(super) turn: u8,
    /// Whose turn it is.
    pub(super) seat: u8,
    /// Who decides: somebody else than `seat` when a victim redeploys.
    pub(super) mover: u8,
    /// A [`Phase`] by number.
    pub(super) phase: u8,
    /// The [`slot`] of the mover's army that conquers or redeploys.
    pub(super) slot: u8,
    /// In placement phases: regions with lower ids are done with.
    pub(super) cursor: u8,
    /// One more than the pips of a Berserk roll that waits for its target; 0 without one.
    pub(super) die: u8,
    /// Whether regions may be abandoned: no conquest yet.
    pub(super) may_abandon: u8,
    /// Conquests of the active race this turn that were not empty.
    pub(super) battles: u8,
    /// Opponents whose active race was attacked this turn, as bits.
    pub(super) attacked: u8,
    /// Opponents of whom a token was converted this turn, as bits.
    pub(super) converted: u8,
    /// Whether the dragon has conquered this turn.
    pub(super) dragon_used: u8,
    /// Whether the active race was picked this turn.
    pub(super) first_turn: u8,
    /// Conquests so far of the Halflings in play, up to 2.
    pub(super) leaps: u8,
    /// Tokens the Amazons have to give back.
    pub(super) debt: u8,
    /// Encampments off the map that are to be placed.
    pub(super) loose_camps: u8,
    /// Heroes off the map that are to be placed.
    pub(super) loose_heroes: u8,
    /// The seat that offered peace, or [`NONE`].
    pub(super) diplomat: u8,
    /// The seat it has peace with, or [`NONE`].
    pub(super) ally: u8,
    /// No padding: every byte of a snapshot is accounted for.
    pub(super) zero: [u8; 5],
}

const _: () = assert!(size_of::<State>() - size_of::<Map>() <= 512);

impl State {
    /// An empty board before the first turn: nobody has anything.
    pub(super) fn new(map: Map, players: usize) -> Self {
        let mut state = Self {
            map,
            armies: [[Army::EMPTY; slot::COUNT]; MAX_SEATS],
            power_stack: (1 << Power::COUNT) - 1,
            race_stack: (1 << Race::COUNT) - 1,
            row: [Combo::EMPTY; ROW],
            returned: [NONE; Race::COUNT],
            tray: Race::ALL.map(Race::max_tokens),
            turn: 1,
            diplomat: NONE,
            ally: NONE,
            ..Zeroable::zeroed()
        };
        state.coins[..players].fill(5);
        for region in map.lost_tribes() {
            state.markers[region.index()] = markers::LOST_TRIBE;
        }
        state.toll[..map.len()].fill(2);
        for region in map.of(Terrain::Mountain) | map.lost_tribes() {
            state.refresh_toll(region);
        }
        state
    }

    #[inline]
    pub(super) fn phase(&self) -> Phase {
        Phase::ALL[usize::from(self.phase)]
    }
    #[inline]
    pub(super) fn set_phase(&mut self, phase: Phase) {
        self.phase = phase as u8;
    }
    /// The army that conquers or redeploys.
    #[inline]
    pub(super) fn acting(&self) -> ArmyId {
        ArmyId { seat: usize::from(self.mover), slot: usize::from(self.slot) }
    }
    #[inline]
    pub(super) fn army(&self, id: ArmyId) -> &Army {
        &self.armies[id.seat][id.slot]
    }
    #[inline]
    pub(super) fn army_mut(&mut self, id: ArmyId) -> &mut Army {
        &mut self.armies[id.seat][id.slot]
    }
    /// Tokens of an army that stand nowhere on the map.
    #[inline]
    pub(super) fn off_map(&self, id: ArmyId) -> u8 {
        self.army(id).hand + self.army(id).displaced
    }
    /// The regions an army holds.
    #[inline]
    pub(super) fn held(&self, id: ArmyId) -> RegionSet {
        self.held[id.seat][id.slot]
    }
    /// The regions the active race of `seat` holds.
    #[inline]
    pub(super) fn active(&self, seat: usize) -> RegionSet {
        self.held[seat][slot::ACTIVE]
    }
    /// Who holds a region.
    #[inline]
    pub(super) fn occupant(&self, region: RegionId) -> Option<ArmyId> {
        let at = self.held.as_flattened().iter().position(|held| held.contains(region))?;
        Some(ArmyId { seat: at / slot::COUNT, slot: at % slot::COUNT })
    }
    /// The regions with one of some [`markers`].
    #[inline]
    pub(super) fn marked(&self, bits: u8) -> RegionSet {
        columns::with_any(&self.markers, bits)
    }
    /// What `region` costs before discounts, added up from what stands there.
    pub(super) fn toll_of(&self, region: RegionId) -> u8 {
        let i = region.index();
        let mountain = self.map.of(Terrain::Mountain).contains(region);
        let pieces = (self.markers[i] & markers::DEFENDING).count_ones() as u8;
        2 + self.tokens[i] + self.encampments[i] + pieces + u8::from(mountain)
    }
    /// Brings a region's toll up to date after a change to what stands there.
    #[inline]
    pub(super) fn refresh_toll(&mut self, region: RegionId) {
        self.toll[region.index()] = self.toll_of(region);
    }
    /// Race tokens that a player has on the map, active and declined.
    pub(super) fn tokens_on_map(&self, seat: usize) -> u32 {
        let held = self.held[seat].iter().fold(RegionSet::EMPTY, |all, &s| all | s);
        held.iter().map(|r| u32::from(self.tokens[r.index()])).sum()
    }

    /// Takes every piece off a region and the region from the army that holds it; returns the number of race tokens.
    pub(super) fn vacate(&mut self, id: ArmyId, region: RegionId) -> u8 {
        self.held[id.seat][id.slot].remove(region);
        self.clear(region)
    }

    /// Takes every piece off a region; returns how many race tokens that were.
    pub(super) fn clear(&mut self, region: RegionId) -> u8 {
        let i = region.index();
        self.markers[i] = 0;
        self.encampments[i] = 0;
        let tokens = std::mem::take(&mut self.tokens[i]);
        self.refresh_toll(region);
        tokens
    }

    /// Takes some [`markers`] off some regions. None of them counts in a toll.
    pub(super) fn unmark(&mut self, regions: RegionSet, bits: u8) {
        debug_assert!(bits & markers::DEFENDING == 0);
        for region in regions {
            self.markers[region.index()] &= !bits;
        }
    }

    /// Takes the encampments off some regions.
    pub(super) fn strike_camps(&mut self, regions: RegionSet) {
        for region in regions - columns::at_most(&self.encampments, 0) {
            self.encampments[region.index()] = 0;
            self.refresh_toll(region);
        }
    }

    /// Moves all but one token of each region of an army into its hand.
    pub(super) fn gather(&mut self, id: ArmyId) {
        let mut gathered = 0;
        for region in self.held(id) {
            let i = region.index();
            let extra = self.tokens[i] - 1;
            self.tokens[i] = 1;
            self.toll[i] -= extra;
            gathered += extra;
        }
        self.army_mut(id).hand += gathered;
    }
}

/// Every region a map could have, for columns.
pub(super) fn regions() -> impl Iterator<Item = RegionId> {
    (0..MAX_REGIONS as u8).map(RegionId)
}
