//! The observation as bytes. Seats are counted from the viewer.
//!
//! Sets of regions are 6 bytes of bits: bit `i % 8` of byte `i / 8` is region `i`
//! (`numpy.unpackbits(x, axis=-1, bitorder="little")` makes 48 plane entries of them). Numbers take a byte each,
//! with one for each region if they belong to regions. Races, powers and seats are counted from 1; 0 is none.

use crate::rules::map::{MAX_REGIONS, Map, RegionSet, Terrain};
use crate::rules::phase::Phase;
use crate::rules::pieces::{markers, stock};
use crate::rules::roster::{Power, Race};
use crate::rules::ruleset::Ruleset;
use crate::rules::state::{NONE, ROW, State, slot};
use ludovec_engine::{ObservationLayout, Row, Values};

/// Bytes of a set of regions.
const SET: usize = MAX_REGIONS / 8;
/// Number of sets that describe the ground.
const GROUND: usize = Terrain::ALL.len() + 5;
/// Bytes of a seat besides its regions: coins, and race, power, hand, displaced tokens of each army.
const SEAT: usize = 1 + 4 * slot::COUNT;
/// Number of values for the turn.
const TURN: usize = TURN_ENTRIES.len();
/// Names of the bytes of a seat.
pub(super) const SEAT_ENTRIES: [&str; SEAT] = [
    "coins",
    "active_race",
    "active_power",
    "active_hand",
    "active_displaced",
    "decline_race",
    "decline_power",
    "decline_hand",
    "decline_displaced",
    "spirit_race",
    "spirit_power",
    "spirit_hand",
    "spirit_displaced",
];
/// Names of the numbers for the turn.
pub(super) const TURN_ENTRIES: [&str; 19] = [
    "turn",
    "turns_left",
    "seat",
    "mover",
    "slot",
    "cursor",
    "die",
    "may_abandon",
    "battles",
    "attacked",
    "converted",
    "dragon_used",
    "first_turn",
    "leaps",
    "debt",
    "loose_encampments",
    "loose_heroes",
    "diplomat",
    "ally",
];

/// The fields, in the order in which [`observe`] writes them.
pub(super) fn layout(players: usize) -> ObservationLayout {
    let mut layout = ObservationLayout::default();
    layout.push("adjacency", &[MAX_REGIONS, SET], 255, "set of the regions that touch each region");
    layout.push(
        "ground",
        &[GROUND, SET],
        255,
        "sets: farmland, hill, forest, swamp, mountain, sea, lake, mine, magic source, cavern, border, coast",
    );
    layout.name(Values::axes(&["ground", ""]));
    layout.push(
        "held",
        &[players, slot::COUNT, SET],
        255,
        "sets of the regions each seat holds: active, in decline, in decline by Spirit",
    );
    layout.name(Values::axes(&["", "army", ""]));
    layout.push("conquered", &[SET], 255, "set of the regions the active race has conquered this turn");
    layout.push("tokens", &[MAX_REGIONS], Race::MOST_TOKENS, "race tokens in each region");
    layout.push(
        "base_cost",
        &[MAX_REGIONS],
        40,
        "the base cost of each region, before discounts; 0 is no region",
    );
    layout.push(
        "markers",
        &[MAX_REGIONS],
        markers::ALL,
        "sum of 1 Lost Tribe, 2 lair, 4 fortress, 8 hero, 16 hole, 32 dragon in each region",
    );
    layout.name(Values::axes(&[""]).with_bits("marker"));
    layout.push("encampments", &[MAX_REGIONS], stock::ENCAMPMENTS, "encampments in each region");
    layout.push(
        "seats",
        &[players, SEAT],
        255,
        "of each seat: coins, 0 when hidden, at most 255; then race, power, tokens in hand and displaced \
         tokens of its active race, the one in decline, and the one in decline by Spirit",
    );
    let armies = SEAT_ENTRIES.iter().filter_map(|entry| {
        let table = if entry.ends_with("_race") { "race_or_none" } else { "power_or_none" };
        (entry.ends_with("_race") || entry.ends_with("_power")).then_some((*entry, table))
    });
    layout.name(Values::axes(&["", "seat_entry"]).of_each(armies));
    layout.push("row", &[ROW, 3], 255, "race, power and coins of each place of the row");
    let combo = [("race", "race_or_none"), ("power", "power_or_none")];
    layout.name(Values::axes(&["", "combo_entry"]).of_each(combo));
    layout.push("tray", &[Race::COUNT], Race::MOST_TOKENS, "tokens of each race in the tray");
    layout.name(Values::axes(&["race"]));
    layout.push("race_stack", &[2], 255, "set of the unseen races");
    layout.name(Values::bits("race"));
    layout.push("returned", &[Race::COUNT], Race::COUNT as u8, "races under the stack, the next one first");
    layout.name(Values::element("race_or_none"));
    layout.push("power_stack", &[3], 255, "set of the powers in the stack");
    layout.name(Values::bits("power"));
    layout.push("power_discard", &[3], 255, "set of the discarded powers");
    layout.name(Values::bits("power"));
    layout.push("phase", &[Phase::ALL.len()], 1, "the phase, one-hot");
    layout.name(Values::axes(&["phase"]));
    layout.push(
        "turn",
        &[TURN],
        255,
        "turn from 1, turns left after it, turn owner, current player, slot of the acting army, \
         lowest region that may still get a piece, pips of a waiting Berserk roll plus 1, whether regions may be \
         abandoned, conquests that were not empty, seats attacked (bits), seats converted (bits), dragon used, \
         first turn of the race, Halfling conquests, tokens owed, encampments to place, heroes to place, \
         diplomat, ally",
    );
    layout.name(Values::axes(&["turn_entry"]).of_each([("slot", "army")]));
    layout
}

/// Writes sets of regions.
#[inline(always)]
fn put_sets<const N: usize, const PACKED: bool>(row: &mut Row<'_, PACKED>, sets: &[RegionSet; N]) {
    let out = row.bytes(N * SET);
    let (last, before) = sets.split_last().expect("at least one set");
    // Writing 8 bytes at once is faster than writing 6. The two surplus bytes of a set are overwritten by the next
    // set, so only the last set must be written exactly.
    for (i, set) in before.iter().enumerate() {
        out[i * SET..i * SET + 8].copy_from_slice(&set.0.to_le_bytes());
    }
    out[before.len() * SET..].copy_from_slice(&last.0.to_le_bytes()[..SET]);
}

/// Writes the observation of `viewer`.
#[inline(always)]
pub(super) fn observe<const PACKED: bool>(
    rules: &Ruleset,
    state: &State,
    viewer: usize,
    mut row: Row<'_, PACKED>,
) {
    let players = rules.players;
    let seat_at = |step: usize| {
        let seat = viewer + step;
        if seat >= players { seat - players } else { seat }
    };
    let relative = |seat: u8| {
        let seat = usize::from(seat);
        (if seat >= viewer { seat - viewer } else { seat + players - viewer }) as u8
    };
    let relative_or_none = |seat: u8| if seat == NONE { 0 } else { relative(seat) + 1 };
    // Rotates a bit set of seats: the bit of `seat` becomes the bit `relative(seat)`.
    let turned = |seats: u8| {
        let seats = u32::from(seats);
        ((seats >> viewer | seats << (players - viewer)) & ((1 << players) - 1)) as u8
    };

    let map: &Map = &state.map;
    put_sets(&mut row, &map.adjacency);
    put_sets(&mut row, &map.terrain);
    put_sets(&mut row, &[map.mines(), map.magic_sources(), map.caverns(), map.border(), map.coastal()]);
    for step in 0..players {
        put_sets(&mut row, &state.held[seat_at(step)]);
    }
    put_sets(&mut row, &[state.conquered]);
    row.numbers::<5>(&state.tokens);
    row.numbers::<6>(&state.base_cost);
    row.numbers::<6>(&state.markers);
    row.numbers::<3>(&state.encampments);
    for step in 0..players {
        let seat = seat_at(step);
        let shown = step == 0 || rules.public_coins;
        row.numbers::<8>(&[if shown { state.coins[seat].min(255) as u8 } else { 0 }]);
        for army in &state.armies[seat] {
            row.numbers::<8>(&[
                army.race.wrapping_add(1),
                army.power.wrapping_add(1),
                army.hand,
                army.displaced,
            ]);
        }
    }
    for combo in &state.row {
        row.numbers::<8>(&[combo.race.wrapping_add(1), combo.power.wrapping_add(1), combo.coins]);
    }
    row.numbers::<5>(&state.tray);
    row.numbers::<8>(&state.race_stack.to_le_bytes());
    row.numbers::<4>(&state.returned.map(|race| race.wrapping_add(1)));
    for powers in [state.power_stack, state.power_discard] {
        let [a, b, c, _] = powers.to_le_bytes();
        row.numbers::<8>(&[a, b, c]);
    }
    row.one_hot(Phase::ALL.len(), Some(usize::from(state.phase)));
    let turn: [u8; TURN] = [
        state.turn,
        rules.turns - state.turn,
        relative(state.seat),
        relative(state.mover),
        state.slot,
        state.cursor,
        state.die,
        state.may_abandon,
        state.battles,
        turned(state.attacked),
        turned(state.converted),
        state.dragon_used,
        state.first_turn,
        state.leaps,
        state.debt,
        state.loose_encampments,
        state.loose_heroes,
        relative_or_none(state.diplomat),
        relative_or_none(state.ally),
    ];
    row.numbers::<8>(&turn);
    row.finish();
}

const _: () = assert!(Race::COUNT <= 16 && Power::COUNT <= 24);
