//! What the drawing shows beside the battle in space, as text.

use super::{SHIP_NAMES, SPACE, label};
use crate::StarWarsRisk;
use crate::rules::board::{EMPIRE, REBEL, SHIELD_RUN, Ship};
use crate::rules::cards::{CardKind, total};
use crate::rules::phase::Phase;
use crate::rules::state::State;
use ludovec_engine::{Beside, Caption, Panel, PanelRow, View};

/// The battle in space, and everything around it.
pub(crate) fn beside(rules: &StarWarsRisk, state: &State, view: View, caption: Caption<'_>) -> Beside {
    let seat = state.seat();
    let mut panels = vec![card_in_play(rules, state)];
    for side in [seat, REBEL + EMPIRE - seat] {
        panels.extend(cards(rules, state, side, view.shows(side), caption));
    }
    let counters = rules.data.constants.throne_counters;
    let throne = [REBEL, EMPIRE].map(|side| {
        PanelRow::new(&*caption.names[side])
            .valued(format!("{} of {}", state.throne[side], counters[side]))
            .of(side)
    });
    let ships = Ship::ALL.map(|ship| {
        PanelRow::new(SHIP_NAMES[ship as usize]).valued(state.in_play(ship)).meaning("ship", ship.name())
    });
    let piles = [REBEL, EMPIRE].map(|side| {
        let piles = &state.piles[side];
        let [bonus, deck, gone] = [piles.bonus + piles.buried_size, piles.undrawn(), total(&piles.discard)];
        PanelRow::new(&*caption.names[side])
            .valued(format!("deck {deck}, bonus {bonus}, discard {gone}"))
            .of(side)
    });
    panels.extend([
        Panel::new("Battle in the throne room", throne),
        shield_run(rules, state),
        Panel::new("Ships", ships),
        Panel::new("Piles", piles),
    ]);
    let (at, size) = (SPACE.at, SPACE.size);
    Beside { board: [at.0, at.1, size.0, size.1], panels }
}

/// The uses of the card in play, and the dice.
fn card_in_play(rules: &StarWarsRisk, state: &State) -> Panel {
    let icons = rules.icons_in_play(state).into_iter().map(|icon| {
        let row = PanelRow::new(label(icon)).of(state.seat());
        match icon.ship() {
            Some(ship) => row.meaning("ship", ship.name()),
            None => row.meaning("type", icon.name()),
        }
    });
    let mut rows: Vec<PanelRow> = icons.collect();
    if rows.is_empty() {
        rows.push(PanelRow::new("none"));
    }
    if state.phase == Phase::Hit {
        let dice = (1..=6).rev().flat_map(|face| vec![face.to_string(); state.play.dice[face - 1].into()]);
        rows.push(PanelRow::new("dice").valued(dice.collect::<Vec<_>>().join(" ")));
    }
    Panel::new("Card in play", rows)
}

/// The ordered cards and the hand of a side; hidden cards are counted only.
fn cards(rules: &StarWarsRisk, state: &State, side: usize, shown: bool, caption: Caption<'_>) -> Vec<Panel> {
    let name = &caption.names[side];
    let [ordered, hand] = rules.rows(state, side, shown).map(|row| row.cards);
    let panel = |title: &str, cards: Vec<(f64, Option<CardKind>)>, in_hand: bool| {
        let hidden = cards.iter().filter(|(_, card)| card.is_none()).count();
        let known = cards.into_iter().filter_map(|(_, card)| card).map(|kind| {
            let uses: Vec<String> = rules.data.decks[side].icons[kind.index()].iter().map(label).collect();
            let row = PanelRow::new(uses.join(", ")).of(side);
            let playable = in_hand && side == state.seat();
            if playable { row.meaning("card", rules.data.card_name(side, kind)) } else { row }
        });
        let hidden = (hidden > 0).then(|| PanelRow::new("face down").valued(hidden).of(side));
        Panel::new(format!("{name}: {title}"), known.chain(hidden))
    };
    let panels = [panel("ordered, next first", ordered, false), panel("hand", hand, true)];
    panels.into_iter().filter(|panel| !panel.rows.is_empty()).collect()
}

/// How far the shield run has come, and what the next space needs.
fn shield_run(rules: &StarWarsRisk, state: &State) -> Panel {
    let passed = PanelRow::new("spaces passed").valued(format!("{} of {SHIELD_RUN}", state.shield));
    let next = usize::from(state.shield);
    let row = rules.data.shield_run.iter().enumerate().skip(next).map(|(i, value)| {
        let trooper = i < next + usize::from(state.stormtroopers);
        if trooper { format!("{value}+1") } else { value.to_string() }
    });
    let rest = PanelRow::new("numbers of the others").valued(row.collect::<Vec<_>>().join(" "));
    let rows =
        if state.shield_is_down() { vec![PanelRow::new("the shield is down")] } else { vec![passed, rest] };
    Panel::new("Shield generator on Endor", rows)
}
