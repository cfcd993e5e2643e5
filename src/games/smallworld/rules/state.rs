//! A game in progress as a plain value.

use bytemuck::{Pod, Zeroable};

use super::columns::{self, RegionBytes};
use super::map::{MAX_REGIONS, Map, RegionId, RegionSet, Terrain};
use super::phase::Phase;
use super::pieces::markers;
use super::roster::{Power, Race};
use super::scoring::START;

/// Maximum number of seats.
pub const MAX_SEATS: usize = 5;
/// Number of combos (race with power) on offer.
pub const ROW: usize = 6;
/// The value for no race, no power, no seat.
pub(crate) const NONE: u8 = u8::MAX;

/// Indices of a player's armies in [`State::armies`] and [`State::held`].
pub(crate) mod slot {
    /// The active race.
    pub const ACTIVE: usize = 0;
    /// The race in decline.
    pub const DECLINED: usize = 1;
    /// A race that declined with the Spirit power: it replaces no other race.
    pub const SPIRIT: usize = 2;
    /// Slots of a player.
    pub const COUNT: usize = 3;
    /// Names by slot.
    pub const NAMES: [&str; COUNT] = ["active", "decline", "decline_spirit"];
}

/// A player's race, without the regions it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Army {
    /// A [`Race`] by number; [`NONE`] if the slot is empty, and then all other fields are empty too.
    pub race: u8,
    /// The [`Power`] it has, or had when it went into decline.
    pub power: u8,
    /// Tokens off the map that can be used.
    pub hand: u8,
    /// Surviving tokens of conquered regions that wait for the end of the turn.
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

/// A race with its power in the row, and the coins on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Combo {
    pub race: u8,
    pub power: u8,
    pub coins: u8,
}

impl Combo {
    /// An empty place of the row.
    pub const EMPTY: Self = Self { race: NONE, power: NONE, coins: 0 };
}

/// The army in a slot of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ArmyId {
    pub seat: usize,
    pub slot: usize,
}

/// One game: the map, its pieces, the owners of regions, and the phase of the turn.
///
/// A stack in unknown order is stored as a set, and its next badge is drawn at random when it is revealed. All of
/// the state is public, except coins.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct State {
    pub(crate) map: Map,
    /// The regions of each army, by seat and [`slot`].
    pub(crate) held: [[RegionSet; slot::COUNT]; MAX_SEATS],
    /// Regions that the active race has conquered this turn.
    pub(crate) conquered: RegionSet,
    /// Race tokens in each region.
    pub(crate) tokens: RegionBytes,
    /// [`markers`] in each region.
    pub(crate) markers: RegionBytes,
    /// Encampments in each region.
    pub(crate) encampments: RegionBytes,
    /// Base cost: the cost of each region before discounts: 2, its tokens, its defending pieces, 1 for a mountain.
    /// Derived from the other columns.
    pub(crate) base_cost: RegionBytes,
    pub(crate) armies: [[Army; slot::COUNT]; MAX_SEATS],
    /// Powers with badges in the stack, as bits.
    pub(crate) power_stack: u32,
    /// Powers with discarded badges, as bits.
    pub(crate) power_discard: u32,
    pub(crate) coins: [u16; MAX_SEATS],
    /// Races in the unseen part of the stack, as bits.
    pub(crate) race_stack: u16,
    /// Races that were put back under the stack, the next to be drawn first.
    pub(crate) returned: [u8; Race::COUNT],
    pub(crate) returned_len: u8,
    pub(crate) row_len: u8,
    pub(crate) row: [Combo; ROW],
    /// Tokens of each race that are in the tray.
    pub(crate) tray: [u8; Race::COUNT],
    /// The turn, from 1.
    pub(crate) turn: u8,
    /// The seat of the turn owner.
    pub(crate) seat: u8,
    /// The current player: differs from `seat` while a victim redeploys.
    pub(crate) mover: u8,
    /// A [`Phase`] by number.
    pub(crate) phase: u8,
    /// The [`slot`] of the mover's army that conquers or redeploys.
    pub(crate) slot: u8,
    /// In placement phases: regions with lower ids are finished.
    pub(crate) cursor: u8,
    /// One more than the pips of a Berserk roll without a target yet; 0 without one.
    pub(crate) die: u8,
    /// Whether regions may be abandoned: before the first conquest.
    pub(crate) may_abandon: u8,
    /// Conquests of non-empty regions by the active race this turn.
    pub(crate) battles: u8,
    /// Opponents with an attack on their active race this turn, as bits.
    pub(crate) attacked: u8,
    /// Opponents with a token converted this turn, as bits.
    pub(crate) converted: u8,
    /// Whether the dragon has conquered this turn.
    pub(crate) dragon_used: u8,
    /// Whether the active race was picked this turn.
    pub(crate) first_turn: u8,
    /// Conquests so far of the Halflings in play, capped at 2.
    pub(crate) leaps: u8,
    /// Tokens that the Amazons have to return.
    pub(crate) debt: u8,
    /// Encampments off the map, still to be placed.
    pub(crate) loose_encampments: u8,
    /// Heroes off the map, still to be placed.
    pub(crate) loose_heroes: u8,
    /// The seat that offered peace, or [`NONE`].
    pub(crate) diplomat: u8,
    /// The seat at peace with it, or [`NONE`].
    pub(crate) ally: u8,
    /// Explicit padding: every byte of a snapshot is defined.
    pub(crate) zero: [u8; 5],
}

const _: () = assert!(size_of::<State>() - size_of::<Map>() <= 512);

impl State {
    /// An empty board before the first turn.
    pub(crate) fn new(map: Map, players: usize) -> Self {
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
        state.coins[..players].fill(START);
        for region in map.lost_tribes() {
            state.markers[region.index()] = markers::LOST_TRIBE;
        }
        state.base_cost[..map.len()].fill(2);
        for region in map.of(Terrain::Mountain) | map.lost_tribes() {
            state.refresh_base_cost(region);
        }
        state
    }

    #[inline]
    pub(crate) fn phase(&self) -> Phase {
        Phase::ALL[usize::from(self.phase)]
    }
    #[inline]
    pub(crate) fn set_phase(&mut self, phase: Phase) {
        self.phase = phase as u8;
    }
    /// The army that conquers or redeploys.
    #[inline]
    pub(crate) fn acting(&self) -> ArmyId {
        ArmyId { seat: usize::from(self.mover), slot: usize::from(self.slot) }
    }
    #[inline]
    pub(crate) fn army(&self, id: ArmyId) -> &Army {
        &self.armies[id.seat][id.slot]
    }
    #[inline]
    pub(crate) fn army_mut(&mut self, id: ArmyId) -> &mut Army {
        &mut self.armies[id.seat][id.slot]
    }
    /// Tokens of an army off the map.
    #[inline]
    pub(crate) fn off_map(&self, id: ArmyId) -> u8 {
        self.army(id).hand + self.army(id).displaced
    }
    /// The regions an army holds.
    #[inline]
    pub(crate) fn held(&self, id: ArmyId) -> RegionSet {
        self.held[id.seat][id.slot]
    }
    /// The regions the active race of `seat` holds.
    #[inline]
    pub(crate) fn active(&self, seat: usize) -> RegionSet {
        self.held[seat][slot::ACTIVE]
    }
    /// The army that holds a region.
    #[inline]
    pub(crate) fn occupant(&self, region: RegionId) -> Option<ArmyId> {
        let at = self.held.as_flattened().iter().position(|held| held.contains(region))?;
        Some(ArmyId { seat: at / slot::COUNT, slot: at % slot::COUNT })
    }
    /// The regions with one of some [`markers`].
    #[inline]
    pub(crate) fn marked(&self, bits: u8) -> RegionSet {
        columns::with_any(&self.markers, bits)
    }
    /// The base cost of `region` before discounts, computed from its pieces.
    pub(crate) fn base_cost_of(&self, region: RegionId) -> u8 {
        let i = region.index();
        let mountain = self.map.of(Terrain::Mountain).contains(region);
        let pieces = (self.markers[i] & markers::DEFENDING).count_ones() as u8;
        2 + self.tokens[i] + self.encampments[i] + pieces + u8::from(mountain)
    }
    /// Updates a region's base cost after a change of its pieces.
    #[inline]
    pub(crate) fn refresh_base_cost(&mut self, region: RegionId) {
        self.base_cost[region.index()] = self.base_cost_of(region);
    }
    /// Race tokens of a player on the map, active and declined.
    pub(crate) fn tokens_on_map(&self, seat: usize) -> u32 {
        let held = self.held[seat].iter().fold(RegionSet::EMPTY, |all, &s| all | s);
        held.iter().map(|r| u32::from(self.tokens[r.index()])).sum()
    }

    /// Removes every piece from a region and the region from its army; returns the number of race tokens.
    pub(crate) fn vacate(&mut self, id: ArmyId, region: RegionId) -> u8 {
        self.held[id.seat][id.slot].remove(region);
        self.clear(region)
    }

    /// Removes every piece from a region; returns the number of race tokens.
    pub(crate) fn clear(&mut self, region: RegionId) -> u8 {
        let i = region.index();
        self.markers[i] = 0;
        self.encampments[i] = 0;
        let tokens = std::mem::take(&mut self.tokens[i]);
        self.refresh_base_cost(region);
        tokens
    }

    /// Removes some [`markers`] from some regions. These markers must not count in the base cost.
    pub(crate) fn unmark(&mut self, regions: RegionSet, bits: u8) {
        debug_assert!(bits & markers::DEFENDING == 0);
        for region in regions {
            self.markers[region.index()] &= !bits;
        }
    }

    /// Removes the encampments from some regions.
    pub(crate) fn strike_encampments(&mut self, regions: RegionSet) {
        for region in regions - columns::at_most(&self.encampments, 0) {
            self.encampments[region.index()] = 0;
            self.refresh_base_cost(region);
        }
    }

    /// Moves all except one token of each region of an army into its hand.
    pub(crate) fn gather(&mut self, id: ArmyId) {
        let mut gathered = 0;
        for region in self.held(id) {
            let i = region.index();
            let extra = self.tokens[i] - 1;
            self.tokens[i] = 1;
            self.base_cost[i] -= extra;
            gathered += extra;
        }
        self.army_mut(id).hand += gathered;
    }
}

/// All possible regions, for columns.
pub(crate) fn regions() -> impl Iterator<Item = RegionId> {
    (0..MAX_REGIONS as u8).map(RegionId)
}
