//! Names of numbers, and the state as columns.

use std::mem::offset_of;

use crate::rules::board::{Ring, SIDES, SPACES, Ship};
use crate::rules::cards::{CardKind, Counts, Icon, KINDS};
use crate::rules::game_data::GameData;
use crate::rules::phase::{GameResult, Phase};
use crate::rules::piles::Piles;
use crate::rules::state::{PartialPlay, State};
use ludovec_engine::{Column, StateColumn, ValueTables, Values, state_columns, table};

/// Names of the board planes in the observation, after the planes of the ships.
const PLAY_PLANES: [&str; 3] = ["from", "at", "target"];
/// Names of the bytes of a play in the state.
const PLAY_ENTRIES: [&str; 11] =
    ["ship", "count", "from", "at", "target", "die_1", "die_2", "die_3", "die_4", "die_5", "die_6"];
/// The piles with sizes in the observation.
const SIZE_ENTRIES: [&str; 4] = ["hand", "ordered", "bonus", "deck"];

impl Column for Ship {
    const DTYPE: &'static str = u8::DTYPE;
    fn shape() -> Vec<usize> {
        u8::shape()
    }
}

impl Column for Phase {
    const DTYPE: &'static str = u8::DTYPE;
    fn shape() -> Vec<usize> {
        u8::shape()
    }
}

impl Column for GameResult {
    const DTYPE: &'static str = u8::DTYPE;
    fn shape() -> Vec<usize> {
        u8::shape()
    }
}

impl Column for PartialPlay {
    const DTYPE: &'static str = u8::DTYPE;
    fn shape() -> Vec<usize> {
        vec![size_of::<Self>()]
    }
}

/// All tables.
pub(super) fn tables(rules: &GameData) -> ValueTables {
    let card = |seat: usize, kind: usize| {
        let deck = &rules.decks[seat];
        if kind < deck.kinds {
            rules.card_name(seat, CardKind(kind as u8)).to_string()
        } else {
            "none".into()
        }
    };
    let ships = Ship::ALL.map(Ship::name);
    let space = |s: usize| {
        let ring = match rules.rings[s] {
            Ring::Mothership => "mothership",
            Ring::Outer => "outer",
            Ring::Middle => "middle",
            Ring::Inner => "inner",
        };
        format!("{ring} {s}")
    };
    ValueTables::from([
        table("side", SIDES),
        table("phase", Phase::ALL.map(Phase::name)),
        table("outcome", GameResult::ALL.map(GameResult::name)),
        table("ship", ships),
        table("icon", Icon::ALL.map(Icon::name)),
        table("space", (0..SPACES).map(space)),
        table("plane", ships.into_iter().chain(PLAY_PLANES)),
        table("play_entry", PLAY_ENTRIES),
        table("size_entry", SIZE_ENTRIES),
        table("face", 1..=6),
        table("rebel_card", (0..KINDS).map(|kind| card(0, kind))),
        table("empire_card", (0..KINDS).map(|kind| card(1, kind))),
        // Cards are numbered separately in the two decks.
        table("card", (0..KINDS).map(|kind| format!("rebel {}, empire {}", card(0, kind), card(1, kind)))),
    ])
}

/// The state columns.
pub(super) fn columns() -> Vec<StateColumn> {
    let mut columns = state_columns!(State {
        occupied: "by kind of ship: the spaces with such ships, as bits" => Values::axes(&["ship"]).with_bits("space"),
        turns: "cards turned",
        round: "rounds begun",
        ships: "by kind and space: how many ships, or the hit points of a capital ship" => Values::axes(&["ship", "space"]),
        phase: "what is decided" => Values::element("phase"),
        outcome: "the result" => Values::element("outcome"),
        seat: "the current player" => Values::element("side"),
        card: "the card in play, of the current player's deck; 255 for none" => Values::element("card"),
        motherships: "the mothership spaces that are not destroyed, as bits",
        shield: "spaces of the shield run passed",
        stormtroopers: "how many of the next spaces of the shield run have stormtroopers",
        throne: "the counters of the throne room" => Values::axes(&["side"]),
        play: "the play of the turned card as far as it is decided; 255 for no space"
            => Values::axes(&["play_entry"]).of_each([("ship", "ship"), ("from", "space"), ("at", "space"), ("target", "space")]),
    });
    let piles = |name: &str, offset: usize, field: fn(&Piles) -> &Counts, meaning: &str| {
        let column = StateColumn::of(name, offset_of!(State, piles) + offset, field, meaning);
        column.of_each(SIDES.len(), size_of::<Piles>()).named(Values::axes(&["side", "card"]))
    };
    let number = |name: &str, offset: usize, field: fn(&Piles) -> &u8, meaning: &str| {
        let column = StateColumn::of(name, offset_of!(State, piles) + offset, field, meaning);
        column.of_each(SIDES.len(), size_of::<Piles>()).named(Values::axes(&["side"]))
    };
    let stack = StateColumn::of(
        "stack",
        offset_of!(State, piles) + offset_of!(Piles, stack),
        |piles: &Piles| &piles.stack,
        "the ordered cards, the last one is turned first; 255 where there is none",
    );
    columns.extend([
        piles("hand", offset_of!(Piles, hand), |p| &p.hand, "cards in hand"),
        piles("discard", offset_of!(Piles, discard), |p| &p.discard, "discarded cards"),
        piles("deck", offset_of!(Piles, deck), |p| &p.deck, "cards not seen since the last shuffle"),
        piles("buried", offset_of!(Piles, buried), |p| &p.buried, "bonus cards from before the last shuffle"),
        piles("ceiling", offset_of!(Piles, ceiling), |p| &p.ceiling, "the most cards that can be unseen"),
        piles("kept", offset_of!(Piles, kept), |p| &p.kept, "cards that were not among the unseen ones"),
        stack.of_each(SIDES.len(), size_of::<Piles>()).named(Values::axes(&["side", ""]).of("card")),
        number("ordered", offset_of!(Piles, ordered), |p| &p.ordered, "ordered cards that are left"),
        number("bonus", offset_of!(Piles, bonus), |p| &p.bonus, "bonus cards among the deck"),
        number("hand_size", offset_of!(Piles, hand_size), |p| &p.hand_size, "cards in hand"),
        number("deck_size", offset_of!(Piles, deck_size), |p| &p.deck_size, "cards in the deck"),
        number("buried_size", offset_of!(Piles, buried_size), |p| &p.buried_size, "cards that are buried"),
    ]);
    columns
}
