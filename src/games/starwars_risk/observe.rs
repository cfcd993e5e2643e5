//! The observation of a seat, as a row of bytes and as JSON.

use serde_json::{Map, Value, json};

use super::StarWarsRisk;
use crate::rules::board::{SHIPS, SIDES, SPACES, Ship, Space};
use crate::rules::cards::{CardKind, Counts, ICONS, KINDS};
use crate::rules::phase::Phase;
use crate::rules::piles::{Piles, STACK};
use crate::rules::state::State;
use ludovec_engine::{ObservationLayout, Row, Values};

/// Planes of the board, one value per space: one plane for each kind of ship; then the origin of the ships in play,
/// their current or next space, and their target.
const PLANES: usize = SHIPS + 3;
/// The number of piles of each seat that are counted: hand, order stack, bonus cards, deck.
const SIZES: usize = 4;
/// Elements of a row.
pub(super) const LEN: usize = 3
    + Phase::ALL.len()
    + PLANES * SPACES
    + 6
    + 4
    + ICONS
    + SHIPS
    + 1
    + 6
    + KINDS
    + STACK * ICONS
    + 3 * KINDS
    + 2 * SIZES;

/// The fields in the order in which [`observe`] writes them.
pub(super) fn layout() -> ObservationLayout {
    let mut l = ObservationLayout::default();
    l.push("side", &[1], 1, "the viewer: 0 rebel, 1 empire");
    l.name(Values::element("side"));
    l.push("to_move", &[1], 1, "1 if the viewer is the current player");
    l.push("round", &[1], 255, "rounds begun, 255 for more");
    let phases = "the decision, one-hot: order, icon, from, to, count, again, attack, fire, hit, over";
    l.push("phase", &[Phase::ALL.len()], 1, phases);
    l.name(Values::axes(&["phase"]));
    let planes = "by space: number of X-wings, Y-wings, B-wings, hit points of the Falcon, number of TIE \
                  fighters, hit points of the Executor; then 1 at the origin of the ships of the play, \
                  at their current or next space, and at their target or the target of the Death Star";
    l.push("board", &[PLANES, SPACES], 56, planes);
    l.name(Values::axes(&["plane", "space"]));
    l.push("motherships", &[6], 1, "1 for each mothership space that is not destroyed");
    l.push("shield", &[1], 28, "spaces of the shield run passed");
    l.push("stormtroopers", &[1], 9, "how many of the next spaces of the shield run have stormtroopers");
    l.push("throne", &[2], 13, "counter of the viewer, then of the opponent, in the throne room");
    l.push("card", &[ICONS], 1, "icons of the turned card: move_xwing, move_ywing, move_bwing, move_falcon, move_tie, move_executor, shield, lightsaber, hat, lightning, stormtroopers, fire_deathstar");
    l.name(Values::axes(&["icon"]));
    l.push("ship", &[SHIPS], 1, "the kind of ship that is played, one-hot");
    l.name(Values::axes(&["ship"]));
    l.push("count", &[1], 56, "how many ships move and attack");
    l.push("dice", &[6], 5, "dice not used yet, by face");
    l.name(Values::axes(&["face"]));
    l.push("hand", &[KINDS], 8, "cards in the viewer's hand, by kind");
    l.name(Values::axes(&["card"]));
    l.push(
        "stack",
        &[STACK, ICONS],
        1,
        "icons of the cards the viewer has ordered, the next to be turned first",
    );
    l.name(Values::axes(&["", "icon"]));
    l.push("discard", &[KINDS], 8, "the viewer's discard, by kind");
    l.name(Values::axes(&["card"]));
    l.push("opponent_discard", &[KINDS], 8, "the opponent's discard, by kind");
    l.name(Values::axes(&["card"]));
    let ceiling = "the maximum number of cards of each kind in the opponent's bonus cards and deck since its \
                   last shuffle; in the bonus cards from before that shuffle, while some are waiting";
    l.push("opponent_ceiling", &[KINDS], 8, ceiling);
    l.name(Values::axes(&["card"]));
    let sizes =
        "of the viewer, then of the opponent: cards in hand, ordered, bonus cards waiting, in the deck";
    l.push("sizes", &[2, SIZES], 30, sizes);
    l.name(Values::axes(&["", "size_entry"]));
    l
}

/// Writes the observation of `seat`.
#[inline(always)]
pub(super) fn observe<const PACKED: bool>(
    rules: &StarWarsRisk,
    state: &State,
    seat: usize,
    mut row: Row<'_, PACKED>,
) {
    let (own, other) = (&state.piles[seat], &state.piles[1 - seat]);
    let deck = &rules.data.decks[seat];
    let icons = |kind: CardKind| u64::from(deck.icons[kind.index()].0);
    let play = &state.play;

    row.numbers::<1>(&[seat as u8]);
    row.numbers::<1>(&[u8::from(state.seat() == seat && state.phase != Phase::Over)]);
    row.numbers::<8>(&[state.round.min(255) as u8]);
    row.one_hot(Phase::ALL.len(), Some(state.phase as usize));
    for plane in &state.ships {
        row.numbers::<BOARD_BITS>(plane);
    }
    for space in [play.from(), play.at(), play.target()] {
        let mut plane = [0; SPACES];
        if let Some(space) = space {
            plane[space.index()] = 1;
        }
        row.numbers::<BOARD_BITS>(&plane);
    }
    row.flags(6, [state.motherships.into()]);
    row.numbers::<5>(&[state.shield]);
    row.numbers::<4>(&[state.stormtroopers]);
    row.numbers::<4>(&[state.throne[seat], state.throne[1 - seat]]);
    let mover_icons = &rules.data.decks[state.seat()].icons;
    row.flags(ICONS, [state.card().map_or(0, |kind| mover_icons[kind.index()].0.into())]);
    let moving = !matches!(state.phase, Phase::Order | Phase::Icon | Phase::Fire | Phase::Over);
    row.one_hot(SHIPS, moving.then_some(play.ship as usize));
    row.numbers::<6>(&[play.count]);
    row.numbers::<3>(&play.dice);
    row.numbers::<4>(&own.hand);
    let mut next_cards = own.chosen().rev();
    row.flags(ICONS, (0..STACK).map(|_| next_cards.next().map_or(0, icons)));
    row.numbers::<4>(&own.discard);
    row.numbers::<4>(&other.discard);
    row.numbers::<4>(&other.ceiling);
    let sizes =
        |piles: &Piles| [piles.hand_size, piles.ordered, piles.buried_size + piles.bonus, piles.undrawn()];
    row.numbers::<5>([sizes(own), sizes(other)].as_flattened());
    row.finish();
}

/// Bits of a number of ships or hit points in the packed observation.
const BOARD_BITS: usize = 6;
const _: () = assert!((SPACES * BOARD_BITS).is_multiple_of(8), "planes of the board fill whole bytes");

/// The observation of `seat`, as an object.
pub(super) fn observation_to_json(rules: &StarWarsRisk, state: &State, seat: usize) -> Value {
    let mut json = rules.public_json(state);
    let own = &state.piles[seat];
    json.insert("side".into(), SIDES[seat].into());
    json.insert("hand".into(), rules.hand_json(state, seat));
    json.insert("stack".into(), rules.stack_json(seat, own));
    for (name, side) in [("own", seat), ("opponent", 1 - seat)] {
        let piles = &state.piles[side];
        let pile = json!({
            "hand": piles.hand_size,
            "ordered": piles.ordered,
            "bonus": piles.buried_size + piles.bonus,
            "deck": piles.undrawn(),
            "discard": rules.counts_json(side, &piles.discard),
            "ceiling": rules.counts_json(side, &piles.ceiling),
        });
        json.insert(name.into(), pile);
    }
    Value::Object(json)
}

impl StarWarsRisk {
    /// Counts by the names of the cards, without zeros.
    pub(super) fn counts_json(&self, seat: usize, counts: &Counts) -> Value {
        let deck = &self.data.decks[seat];
        let present = deck.names.iter().zip(counts).filter(|(_, n)| **n > 0);
        Value::Object(present.map(|(name, &n)| (name.clone(), n.into())).collect::<Map<_, _>>())
    }

    pub(super) fn hand_json(&self, state: &State, seat: usize) -> Value {
        self.counts_json(seat, &state.piles[seat].hand)
    }

    /// The names of the cards chosen for the order stack, in the order chosen.
    pub(super) fn stack_json(&self, seat: usize, piles: &Piles) -> Value {
        piles.chosen().map(|kind| self.data.card_name(seat, kind)).collect()
    }

    /// All public information: everything except cards in hand, ordered or unseen.
    pub(super) fn public_json(&self, state: &State) -> Map<String, Value> {
        let spaces = (0..SPACES as u8).map(|s| {
            let here = Ship::ALL.into_iter().map(|ship| (ship, state.count(ship, Space(s))));
            let here = here.filter(|(_, n)| *n > 0).map(|(ship, n)| (ship.name().to_string(), n.into()));
            Value::Object(here.collect::<Map<_, _>>())
        });
        let motherships: Vec<u8> = (0..6).filter(|m| state.motherships >> m & 1 == 1).collect();
        let card = state.card().map(|kind| self.data.card_name(state.seat(), kind));
        let json = json!({
            "round": state.round,
            "turns": state.turns,
            "phase": state.phase.name(),
            "to_move": SIDES[state.seat()],
            "outcome": state.outcome.name(),
            "spaces": spaces.collect::<Vec<_>>(),
            "motherships": motherships,
            "shield": state.shield,
            "stormtroopers": state.stormtroopers,
            "throne": { SIDES[0]: state.throne[0], SIDES[1]: state.throne[1] },
            "card": card,
            "play": self.play_json(state),
        });
        match json {
            Value::Object(map) => map,
            _ => unreachable!("written as an object above"),
        }
    }

    fn play_json(&self, state: &State) -> Value {
        let play = &state.play;
        if matches!(state.phase, Phase::Order | Phase::Icon | Phase::Fire | Phase::Over) {
            return Value::Null;
        }
        let space = |s: Option<Space>| s.map(|s| s.0);
        let dice: Vec<u8> =
            (1..=6u8).rev().flat_map(|f| vec![f; play.dice[usize::from(f) - 1].into()]).collect();
        json!({
            "ship": play.ship.name(),
            "count": play.count,
            "from": space(play.from()),
            "at": space(play.at()),
            "target": space(play.target()),
            "dice": dice,
        })
    }
}
