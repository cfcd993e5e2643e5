//! Names of numbers, and the state as columns.

use super::observe::{SEAT_ENTRIES, TURN_ENTRIES};
use crate::rules::map::{RegionSet, Terrain};
use crate::rules::phase::Phase;
use crate::rules::pieces::MARKERS;
use crate::rules::roster::{Power, Race};
use crate::rules::state::{Army, Combo, State, slot};
use ludovec_engine::{Column, StateColumn, ValueTables, Values, state_columns, table};

/// Features of regions besides terrain, in the order of the observation's sets.
const FEATURES: [&str; 5] = ["MINE", "MAGIC_SOURCE", "CAVERN", "BORDER", "COASTAL"];
/// Names of the bytes of a place in the row.
const COMBO_ENTRIES: [&str; 3] = ["race", "power", "coins"];
/// Names of the bytes of an army in the state.
const ARMY_ENTRIES: [&str; 4] = ["race", "power", "hand", "displaced"];

impl Column for RegionSet {
    const DTYPE: &'static str = u64::DTYPE;
    fn shape() -> Vec<usize> {
        u64::shape()
    }
}

impl Column for Army {
    const DTYPE: &'static str = u8::DTYPE;
    fn shape() -> Vec<usize> {
        vec![size_of::<Self>()]
    }
}

impl Column for Combo {
    const DTYPE: &'static str = u8::DTYPE;
    fn shape() -> Vec<usize> {
        vec![size_of::<Self>()]
    }
}

/// All tables.
pub(super) fn tables() -> ValueTables {
    let (races, powers) = (Race::ALL.map(Race::name), Power::ALL.map(Power::name));
    let terrains = Terrain::ALL.map(|terrain| terrain.name().to_uppercase());
    ValueTables::from([
        table("race", races),
        table("race_or_none", ["none"].into_iter().chain(races)),
        table("power", powers),
        table("power_or_none", ["none"].into_iter().chain(powers)),
        table("phase", Phase::ALL.map(Phase::name)),
        table("marker", MARKERS.map(|marker| marker.name)),
        table("ground", terrains.iter().cloned().chain(FEATURES.map(String::from))),
        table("terrain", terrains),
        table("army", slot::NAMES),
        table("army_entry", ARMY_ENTRIES),
        table("seat_entry", SEAT_ENTRIES),
        table("combo_entry", COMBO_ENTRIES),
        table("turn_entry", TURN_ENTRIES),
    ])
}

/// The state columns. Races, powers and seats count from 0; 255 means none.
pub(super) fn columns() -> Vec<StateColumn> {
    let set = |what: &str| format!("{what}: bit i stands for region i");
    let named = |names: &[&str]| Values::axes(names).of_each([("race", "race"), ("power", "power")]);
    state_columns!(State {
        map.adjacency: &set("the regions that touch each region"),
        map.terrain: &set("the regions of each terrain") => Values::axes(&["terrain"]),
        map.mines: &set("regions with a mine"),
        map.magic_sources: &set("regions with a magic source"),
        map.caverns: &set("regions with a cavern"),
        map.rim: &set("regions on the rim of the map, water included"),
        map.shore: &set("land that touches a sea of the rim"),
        map.coastal: &set("land that touches a sea or a lake"),
        map.lost_tribes: &set("regions that start with a Lost Tribe"),
        map.positions: "where each region is drawn",
        map.count: "number of regions",
        map.layout: "how the map is drawn",
        held: &set("the regions of each army, by seat") => Values::axes(&["", "army"]),
        conquered: &set("the regions that the active race has conquered this turn"),
        tokens: "race tokens in each region",
        markers: "markers in each region" => Values::axes(&[""]).with_bits("marker"),
        encampments: "encampments in each region",
        base_cost: "what each region costs before discounts; 0 is no region",
        armies: "each army by seat, 255 for no race" => named(&["", "army", "army_entry"]),
        power_stack: "powers in the stack, as bits" => Values::bits("power"),
        power_discard: "discarded powers, as bits" => Values::bits("power"),
        coins: "the coins of each seat",
        race_stack: "races that were not revealed yet, as bits" => Values::bits("race"),
        returned: "races under the stack, the next one first, 255 past the last" => Values::element("race"),
        returned_len: "how many races are under the stack",
        row_len: "how many places of the row are taken",
        row: "the places of the row, 255 for no race" => named(&["", "combo_entry"]),
        tray: "tokens of each race in the tray" => Values::axes(&["race"]),
        turn: "the turn, from 1",
        seat: "the seat that has the turn",
        mover: "the current player",
        phase: "the phase" => Values::element("phase"),
        slot: "the army of the current player that conquers or redeploys" => Values::element("army"),
        cursor: "the lowest region that may still get a piece",
        die: "pips of a waiting Berserk roll plus 1",
        may_abandon: "whether regions may be abandoned",
        battles: "conquests of the active race this turn that were not empty",
        attacked: "seats that were attacked this turn, as bits",
        converted: "seats of which a token was converted this turn, as bits",
        dragon_used: "whether the dragon has conquered this turn",
        first_turn: "whether the active race was picked this turn",
        leaps: "conquests so far of the Halflings in play, at most 2",
        debt: "tokens that the Amazons have to give back",
        loose_encampments: "encampments to place",
        loose_heroes: "heroes to place",
        diplomat: "the seat that offered peace, or 255",
        ally: "the seat that it has peace with, or 255",
    })
}
