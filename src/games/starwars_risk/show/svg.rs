//! The position as a picture.

mod beside;

use std::f64::consts::{PI, TAU};
use std::fmt::Write;

use serde_json::Value;

use crate::StarWarsRisk;
use crate::rules::board::{EMPIRE, REBEL, Ring, SHIELD_RUN, SHIPS, SIDES, Ship, Space, SpaceSet};
use crate::rules::cards::{CardKind, Icon};
use crate::rules::phase::Phase;
use crate::rules::state::State;
use ludovec_engine::drawing::{escape, marked_path, shortened, text_width};
use ludovec_engine::{Caption, Place, Theme, View};

pub(crate) use beside::beside;

const WIDTH: f64 = 960.;
const HEIGHT: f64 = 972.;
/// The centre of the Death Star.
const CENTRE: (f64, f64) = (352., 394.);
const DEATH_STAR: f64 = 66.;
/// The left edge of the panel beside the board.
const PANEL: f64 = 716.;
/// The gap between groups of cards.
const GAP: f64 = 24.;
/// A card's width and height.
const CARD: (f64, f64) = (86., 66.);
const CARDS_LEFT: f64 = 96.;
/// Rotation of the whole board, which brings the motherships to the top.
const TURN: f64 = -PI / 3.;

/// Colours that depend on the theme.
struct Palette {
    paper: &'static str,
    stars: &'static str,
    words: &'static str,
    dim: &'static str,
    /// By side: colour of its words and marks.
    sides: [&'static str; 2],
    /// Background of the three battles.
    ground: &'static str,
    /// By side: fill of spaces with its ships.
    held: [&'static str; 2],
    space: &'static str,
    mothership: &'static str,
    destroyed: &'static str,
    edge: &'static str,
    /// Edges of an action's origin, way and target.
    from: &'static str,
    at: &'static str,
    target: &'static str,
    /// Empty places of the shield run and of bars, and the stormtroopers that fill them.
    empty: &'static str,
    trooper: &'static str,
}

const LIGHT: Palette = Palette {
    paper: "#f6f7fb",
    stars: "#c3cbe0",
    words: "#1b2233",
    dim: "#4c566f",
    sides: ["#a84c06", "#0b4f36"],
    ground: "#fdfdff",
    held: ["#fadcc6", "#cfebd5"],
    space: "#e6eaf4",
    mothership: "#d3d9e8",
    destroyed: "#f0f1f5",
    edge: "#a6b0c8",
    from: "#3c5fc0",
    at: "#d09a00",
    target: "#d92b2b",
    empty: "#d8ddea",
    trooper: "#ffffff",
};

const DARK: Palette = Palette {
    paper: "#0b0f1a",
    stars: "#c8d4f0",
    words: "#e8ecf4",
    dim: "#aab4c9",
    sides: ["#f6a54c", "#2fa38d"],
    ground: "#101626",
    held: ["#4a2f1e", "#17453c"],
    space: "#182036",
    mothership: "#2a2f42",
    destroyed: "#14161d",
    edge: "#3a476b",
    from: "#9fb4e8",
    at: "#ffe08a",
    target: "#ff5a5a",
    empty: "#232b40",
    trooper: "#e8ecf4",
};

/// The colours of the sides.
pub(crate) fn seat_colours(theme: Theme) -> Vec<&'static str> {
    theme.pick(&LIGHT, &DARK).sides.to_vec()
}

/// Ink on bright marks.
const INK: &str = "#10141f";
const SHIP_COLOURS: [&str; SHIPS] = ["#f2643d", "#f2b632", "#e58fb4", "#d8dde8", "#63c97a", "#a98bf0"];
const SHIP_NAMES: [&str; SHIPS] =
    ["X-wing", "Y-wing", "B-wing", "Falcon (hit points)", "TIE fighter", "Executor (hit points)"];
const SHIP_LETTERS: [&str; SHIPS] = ["X", "Y", "B", "F", "T", "E"];

/// A row of cards under one title.
struct CardRow {
    title: &'static str,
    left: f64,
    /// Their left edges and kinds; the kind is `None` if it is hidden from the viewer.
    cards: Vec<(f64, Option<CardKind>)>,
}

/// Top of a side's cards.
fn cards_top(seat: usize) -> f64 {
    792. + seat as f64 * 92.
}

/// The position of icon `i` of the card in play.
fn icon_line(i: usize) -> f64 {
    250. + i as f64 * 22.
}

/// The position of a kind of ship in the list.
fn ship_line(ship: Ship) -> f64 {
    492. + f64::from(ship as u8) * 25.
}

/// The three battles, each on its own background: title, left, top, width and height, and the sign beside the
/// title.
const SPACE: Battle = Battle {
    title: "Battle in space",
    at: (12., 46.),
    size: (680., 660.),
    sign: "M0-9L3 1 9 5V8L2 6 1 9H-1L-2 6-9 8V5L-3 1Z",
};
const THRONE: Battle = Battle {
    title: "Duel in the throne room",
    at: (704., 46.),
    size: (244., 142.),
    sign: "M-8 8L-5 5M-6 3L-2 7M-4 4L8-8M8 8L5 5M6 3L2 7M4 4L-8-8",
};
const ENDOR: Battle = Battle {
    title: "Shield generator on Endor",
    at: (12., 710.),
    size: (936., 62.),
    sign: "M-9 7A9 9 0 0 1 9 7ZM-3 7V3H3V7M0-2V3",
};

/// One of the three battles.
struct Battle {
    title: &'static str,
    at: (f64, f64),
    size: (f64, f64),
    sign: &'static str,
}

/// Inner and outer radius.
fn radii(ring: Ring) -> (f64, f64) {
    match ring {
        Ring::Inner => (74., 148.),
        Ring::Middle => (152., 224.),
        Ring::Outer => (228., 296.),
        Ring::Mothership => (304., 346.),
    }
}

/// A point by radius and angle, clockwise from the top.
fn polar(radius: f64, angle: f64) -> (f64, f64) {
    let (sin, cos) = (angle + TURN).sin_cos();
    (CENTRE.0 + radius * sin, CENTRE.1 - radius * cos)
}

/// The outline of a piece of a ring.
fn sector((inner, outer): (f64, f64), (from, to): (f64, f64)) -> String {
    let gap = 2. / outer;
    let (from, to) = (from + gap, to - gap);
    let large = u8::from((to - from).rem_euclid(TAU) > PI);
    let [(ax, ay), (bx, by)] = [polar(outer, from), polar(outer, to)];
    let [(cx, cy), (dx, dy)] = [polar(inner, to), polar(inner, from)];
    format!(
        "M{ax:.1} {ay:.1}A{outer} {outer} 0 {large} 1 {bx:.1} {by:.1}L{cx:.1} {cy:.1}A{inner} {inner} 0 {large} 0 {dx:.1} {dy:.1}Z"
    )
}

/// The middle of a piece of a ring.
fn middle(radii: (f64, f64), arc: (f64, f64)) -> (f64, f64) {
    polar(f64::midpoint(radii.0, radii.1), f64::midpoint(arc.0, arc.1))
}

/// An SVG document under construction. Writing to a string cannot fail.
struct Drawing {
    out: String,
    colours: &'static Palette,
}

impl Drawing {
    fn text(&mut self, (x, y): (f64, f64), size: f64, fill: &str, anchor: &str, text: &str) {
        _ = write!(
            self.out,
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" fill="{fill}" text-anchor="{anchor}">{}</text>"#,
            escape(text)
        );
    }
    /// The background of a battle.
    fn battle(&mut self, battle: &Battle) {
        let Battle { title, at, size, sign } = battle;
        let Palette { ground, edge, words, .. } = self.colours;
        self.rect(*at, *size, 10., &format!(r#"fill="{ground}" fill-opacity="0.75" stroke="{edge}""#));
        _ = write!(
            self.out,
            r#"<path d="{sign}" transform="translate({:.1} {:.1})" fill="none" stroke="{words}" stroke-width="1.6" stroke-linejoin="round" stroke-linecap="round"/>"#,
            at.0 + 20.,
            at.1 + 17.
        );
        self.bold((at.0 + 36., at.1 + 22.), 15., words, "start", title);
    }
    fn bold(&mut self, (x, y): (f64, f64), size: f64, fill: &str, anchor: &str, text: &str) {
        _ = write!(
            self.out,
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" font-weight="bold" fill="{fill}" text-anchor="{anchor}">{}</text>"#,
            escape(text)
        );
    }
    fn rect(&mut self, (x, y): (f64, f64), (w, h): (f64, f64), radius: f64, style: &str) {
        _ = write!(
            self.out,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{w:.1}" height="{h:.1}" rx="{radius}" {style}/>"#
        );
    }
    fn circle(&mut self, (x, y): (f64, f64), radius: f64, style: &str) {
        _ = write!(self.out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" {style}/>"#);
    }
    fn sector(&mut self, radii: (f64, f64), arc: (f64, f64), style: &str) {
        _ = write!(self.out, r#"<path d="{}" {style}/>"#, sector(radii, arc));
    }
    /// A ship's letter and number on a chip centred at a point.
    fn chip(&mut self, (x, y): (f64, f64), ship: Ship, label: &str) {
        let style = format!(r##"fill="{}" stroke="#0b0f1a""##, SHIP_COLOURS[ship as usize]);
        self.rect((x - 16., y - 8.5), (32., 17.), 8.5, &style);
        self.bold((x, y + 4.), 11.5, INK, "middle", label);
    }
    /// A labelled bar of `most` parts; `now` of them are full.
    fn bar(&mut self, at: (f64, f64), name: &str, now: u8, most: u8, colour: &str) {
        // The number is at the right end.
        let room = 188.;
        let size = (room / text_width(name)).clamp(9., 13.);
        let name = shortened(name, (room / size) as usize);
        self.text((at.0, at.1 - 6.), size, self.colours.words, "start", &name);
        self.bold((at.0 + 218., at.1 - 6.), 14., self.colours.words, "end", &now.to_string());
        for i in 0..most {
            let fill = if i < now { colour } else { self.colours.empty };
            self.rect((at.0 + f64::from(i) * 16.5, at.1), (14., 12.), 3., &format!(r#"fill="{fill}""#));
        }
    }
}

/// Draws the position; `last` are outlines of the spaces of the last action.
pub(crate) fn svg(
    rules: &StarWarsRisk,
    state: &State,
    last: &[String],
    view: View,
    title: &str,
    caption: Caption<'_>,
) -> String {
    let colours = view.theme.pick(&LIGHT, &DARK);
    let mut d = Drawing { out: String::new(), colours };
    let (at, size) = (SPACE.at, SPACE.size);
    let shown = match view.board_only {
        true => format!("{} {} {} {}", at.0, at.1, size.0, size.1),
        false => format!("0 0 {WIDTH} {HEIGHT}"),
    };
    _ = write!(
        d.out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{shown}" font-family="Arial, Helvetica, sans-serif"><rect width="{WIDTH}" height="{HEIGHT}" fill="{}"/>"#,
        colours.paper
    );
    for i in 0..140u32 {
        // Low-discrepancy sequence: fractional parts of multiples of irrational numbers spread the stars evenly.
        let (x, y) = (f64::from(i) * 0.618_034 % 1. * WIDTH, f64::from(i) * 0.754_878 % 1. * HEIGHT);
        let radius = f64::from(i % 3) * 0.3 + 0.5;
        d.circle((x, y), radius, &format!(r#"fill="{}" opacity="0.45""#, colours.stars));
    }
    d.battle(&SPACE);
    for space in SpaceSet::ALL.iter() {
        rules.draw_space(&mut d, state, space);
    }
    draw_death_star(&mut d, state);
    // A line wider than the spaces' own edges.
    last.iter().for_each(|outline| d.out.push_str(&marked_path(outline, 5.5)));
    if !view.board_only {
        let headline = format!("{title}: {}", caption.standing);
        d.bold((20., 32.), 18., colours.words, "start", &headline);
        d.battle(&THRONE);
        d.battle(&ENDOR);
        rules.draw_panel(&mut d, state, caption.names);
        rules.draw_shield_run(&mut d, state);
        for seat in [REBEL, EMPIRE] {
            rules.draw_cards(&mut d, state, seat, view.shows(seat), caption);
        }
    }
    d.out.push_str("</svg>");
    d.out
}

/// The places of a drawing that actions refer to: the spaces, the Death Star, the kinds of ships, the icons of the
/// card in play and the current player's hand.
pub(crate) fn places(rules: &StarWarsRisk, state: &State, view: View) -> Vec<Place> {
    let rectangle = |means: (&'static str, Value), at: (f64, f64), size: (f64, f64)| {
        Place::rectangle(vec![means], [at.0, at.1], [size.0, size.1])
    };
    let spaces = SpaceSet::ALL.iter().map(|space| {
        let (radii, arc) = (radii(rules.data.rings[space.index()]), rules.data.arcs[space.index()]);
        let (x, y) = middle(radii, arc);
        Place {
            means: ["from", "to", "space"].map(|key| (key, space.0.into())).to_vec(),
            outline: sector(radii, arc),
            centre: [x, y],
            room: (radii.1 - radii.0) / 2.,
            after: None,
        }
    });
    let ships = Ship::ALL
        .into_iter()
        .map(|ship| rectangle(("ship", ship.name().into()), (PANEL, ship_line(ship) - 11.), (218., 22.)));
    let icons = rules.icons_in_play(state).into_iter().enumerate().map(|(i, icon)| {
        let means = match icon.ship() {
            Some(ship) => ("ship", ship.name().into()),
            None => ("type", icon.name().into()),
        };
        rectangle(means, (PANEL + 8., icon_line(i) - 15.), (160., 20.))
    });
    let seat = state.seat();
    let [_, hand] = rules.rows(state, seat, true);
    // The places of the hand tell its cards.
    let hand = hand.cards.into_iter().filter(|_| view.shows(seat)).filter_map(|(left, card)| {
        let name = rules.data.card_name(seat, card?);
        Some(rectangle(("card", name.into()), (left, cards_top(seat)), CARD))
    });
    let (x, y) = (CENTRE.0 - DEATH_STAR, CENTRE.1);
    let half = |width: f64| format!("a{DEATH_STAR} {DEATH_STAR} 0 0 1 {width} 0");
    let circle = format!("M{x} {y}{}{}z", half(2. * DEATH_STAR), half(-2. * DEATH_STAR));
    let death_star = Place {
        means: vec![("type", "attack_deathstar".into())],
        outline: circle,
        centre: [CENTRE.0, CENTRE.1],
        room: DEATH_STAR / 2.,
        after: None,
    };
    spaces.chain(ships).chain(icons).chain(hand).chain([death_star]).collect()
}

impl StarWarsRisk {
    /// The icons of the card in play.
    fn icons_in_play(&self, state: &State) -> Vec<Icon> {
        let card = state.card();
        card.map_or_else(Vec::new, |kind| self.data.decks[state.seat()].icons[kind.index()].iter().collect())
    }

    /// The layout of a side's order stack and hand, face down if hidden from the viewer.
    fn rows(&self, state: &State, seat: usize, shown: bool) -> [CardRow; 2] {
        let piles = &state.piles[seat];
        let hand = self.cards(seat, &piles.hand).flat_map(|(kind, n)| vec![kind; n.into()]);
        let (ordered, hand): (Vec<_>, Vec<_>) = if shown {
            (piles.chosen().rev().map(Some).collect(), hand.map(Some).collect())
        } else {
            (vec![None; piles.ordered.into()], vec![None; piles.hand_size.into()])
        };
        let room = WIDTH - CARDS_LEFT - 24. - 3. * GAP - CARD.0;
        let step = (CARD.0 + 6.).min(room / (ordered.len() + hand.len()).max(1) as f64);
        let mut next = CARDS_LEFT;
        [("ordered, next first", ordered), ("hand", hand)].map(|(title, cards)| {
            let left = next;
            next += if cards.is_empty() { CARD.0 + 6. } else { cards.len() as f64 * step } + GAP;
            let cards = cards.into_iter().enumerate().map(|(i, card)| (left + i as f64 * step, card));
            CardRow { title, left, cards: cards.collect() }
        })
    }

    fn draw_space(&self, d: &mut Drawing, state: &State, space: Space) {
        let ring = self.data.rings[space.index()];
        let (radii, arc) = (radii(ring), self.data.arcs[space.index()]);
        let destroyed = ring == Ring::Mothership && state.motherships >> space.0 & 1 == 0;
        let colours = d.colours;
        let fill = match () {
            () if destroyed => colours.destroyed,
            () if state.fleet(REBEL).contains(space) => colours.held[REBEL],
            () if state.fleet(EMPIRE).contains(space) => colours.held[EMPIRE],
            () if ring == Ring::Mothership => colours.mothership,
            () => colours.space,
        };
        let play = &state.play;
        let (edge, width) = match Some(space) {
            s if s == play.target() => (colours.target, 3.),
            s if s == play.at() => (colours.at, 3.),
            s if s == play.from() => (colours.from, 3.),
            _ => (colours.edge, 1.),
        };
        let dash = if destroyed { r#" stroke-dasharray="4 4""# } else { "" };
        let style =
            format!(r#"fill="{fill}" fill-opacity="0.93" stroke="{edge}" stroke-width="{width}"{dash}"#);
        d.sector(radii, arc, &style);

        let number = polar(radii.1 - 11., arc.0 + 13. / radii.1);
        d.text((number.0, number.1 + 3.5), 11., colours.dim, "middle", &space.0.to_string());
        let (x, y) = middle(radii, arc);
        if destroyed {
            _ = write!(
                d.out,
                r#"<path d="M{:.1} {:.1}l10 10m0-10l-10 10" stroke="{}" stroke-width="2"/>"#,
                x - 5.,
                y - 5.,
                colours.dim
            );
        }
        let here: Vec<(Ship, u8)> =
            Ship::ALL.into_iter().map(|s| (s, state.count(s, space))).filter(|(_, n)| *n > 0).collect();
        // Spaces to the left and right of the Death Star are higher than wide: they have room for one column of
        // chips.
        let columns = if (x - CENTRE.0).abs() > (y - CENTRE.1).abs() { 1 } else { 2 };
        for (row, ships) in here.chunks(columns).enumerate() {
            let rows = here.len().div_ceil(columns) as f64;
            let y = y + (row as f64 - (rows - 1.) / 2.) * 19.;
            for (column, (ship, n)) in ships.iter().enumerate() {
                let x = x + (column as f64 - (ships.len() as f64 - 1.) / 2.) * 34.;
                d.chip((x, y), *ship, &format!("{}{n}", SHIP_LETTERS[*ship as usize]));
            }
        }
    }

    fn draw_panel(&self, d: &mut Drawing, state: &State, names: &[String]) {
        let counters = self.data.constants.throne_counters;
        let colours = d.colours;
        for seat in [REBEL, EMPIRE] {
            let at = (PANEL, 108. + seat as f64 * 44.);
            d.bar(at, &names[seat], state.throne[seat], counters[seat], d.colours.sides[seat]);
        }

        d.bold((PANEL, 218.), 15., colours.words, "start", "Card in play");
        let icons = self.icons_in_play(state);
        let (icons, colour) = match state.card() {
            Some(_) => (icons.into_iter().map(label).collect(), d.colours.sides[state.seat()]),
            None => (vec!["none".to_string()], colours.dim),
        };
        d.rect(
            (PANEL, 226.),
            (218., 84.),
            8.,
            &format!(r#"fill="{}" stroke="{colour}" stroke-width="1.5""#, colours.space),
        );
        for (i, icon) in icons.iter().enumerate() {
            d.text((PANEL + 16., icon_line(i)), 14., colour, "start", icon);
        }
        if state.phase == Phase::Hit {
            let dice = (1..=6).rev().flat_map(|f| vec![f; state.play.dice[f - 1].into()]);
            for (i, face) in dice.enumerate() {
                let at = (PANEL + 178., 234. + i as f64 * 14.5);
                d.rect(at, (26., 13.), 3., &format!(r#"fill="{}""#, colours.words));
                d.bold((at.0 + 13., at.1 + 10.5), 11., colours.paper, "middle", &face.to_string());
            }
        }

        d.bold((PANEL, 350.), 15., colours.words, "start", "Cards");
        for (column, name) in ["hand", "ordered", "bonus", "deck", "discard"].iter().enumerate() {
            d.text((PANEL + 66. + column as f64 * 37., 372.), 10.5, colours.dim, "middle", name);
        }
        for seat in [REBEL, EMPIRE] {
            let piles = &state.piles[seat];
            let y = 394. + seat as f64 * 24.;
            d.bold((PANEL, y), 12., d.colours.sides[seat], "start", SIDES[seat]);
            let discard = crate::rules::cards::total(&piles.discard);
            let waiting = piles.bonus + piles.buried_size;
            let sizes = [piles.hand_size, piles.ordered, waiting, piles.undrawn(), discard];
            for (column, size) in sizes.iter().enumerate() {
                d.text(
                    (PANEL + 66. + column as f64 * 37., y),
                    13.,
                    colours.words,
                    "middle",
                    &size.to_string(),
                );
            }
        }

        d.bold((PANEL, 470.), 15., colours.words, "start", "Ships");
        for ship in Ship::ALL {
            let y = ship_line(ship);
            d.chip((PANEL + 16., y), ship, SHIP_LETTERS[ship as usize]);
            d.text((PANEL + 42., y + 4.), 13., colours.words, "start", SHIP_NAMES[ship as usize]);
            d.text((PANEL + 218., y + 4.), 13., colours.words, "end", &state.in_play(ship).to_string());
        }
    }

    fn draw_cards(&self, d: &mut Drawing, state: &State, seat: usize, shown: bool, caption: Caption<'_>) {
        let colours = d.colours;
        let name = &caption.names[seat];
        let top = cards_top(seat);
        let size = (76. / text_width(name)).clamp(9., 15.);
        d.bold(
            (16., top + 26.),
            size,
            colours.sides[seat],
            "start",
            &shortened(name, (142. / size) as usize),
        );
        if caption.running && state.seat() == seat {
            d.text((16., top + 46.), 12., colours.dim, "start", "to move");
        }
        for CardRow { title, left, cards } in self.rows(state, seat, shown) {
            d.text((left, top - 5.), 11.5, colours.dim, "start", title);
            if cards.is_empty() {
                let style = format!(r#"fill="none" stroke="{}" stroke-dasharray="4 4""#, colours.edge);
                d.rect((left, top), CARD, 6., &style);
            }
            for (x, card) in cards {
                let fill = if card.is_some() { colours.space } else { colours.held[seat] };
                let style = format!(r#"fill="{fill}" stroke="{}" stroke-width="1.2""#, colours.sides[seat]);
                d.rect((x, top), CARD, 6., &style);
                match card {
                    Some(kind) => {
                        let icons = self.data.decks[seat].icons[kind.index()];
                        for (i, icon) in icons.iter().enumerate() {
                            let (at, words) = ((x + 6., top + 19. + i as f64 * 18.), label(icon));
                            let size = ((CARD.0 - 10.) / text_width(&words)).min(11.5);
                            d.text(at, size, colours.words, "start", &words);
                        }
                    }
                    None => {
                        d.bold((x + CARD.0 / 2., top + CARD.1 / 2. + 6.), 17., colours.words, "middle", "?")
                    }
                }
            }
        }
    }

    fn draw_shield_run(&self, d: &mut Drawing, state: &State) {
        let colours = d.colours;
        let (left, top) = (24., 738.);
        let step = (ENDOR.size.0 - 24.) / SHIELD_RUN as f64;
        let passed = format!("{} of {SHIELD_RUN} spaces passed", state.shield);
        let title = if state.shield_is_down() { "the shield is down" } else { &passed };
        d.text((WIDTH - 24., top - 8.), 13., colours.dim, "end", title);
        for (i, value) in self.data.shield_run.iter().enumerate() {
            let trooper = (state.shield..state.shield + state.stormtroopers).contains(&(i as u8));
            let done = i < usize::from(state.shield);
            let (fill, text) = match (done, trooper) {
                (true, _) => (colours.sides[REBEL], colours.paper),
                (_, true) => (colours.trooper, "#10141f"),
                _ => (colours.empty, colours.words),
            };
            let x = left + i as f64 * step;
            let style = format!(r#"fill="{fill}" stroke="{}""#, colours.edge);
            d.rect((x, top), (step - 3., 28.), 5., &style);
            let sum = if trooper { format!("{value}+1") } else { value.to_string() };
            d.bold((x + step / 2. - 1.5, top + 19.), 13., text, "middle", &sum);
        }
    }
}

/// A short label for the use of a card.
fn label(icon: Icon) -> String {
    match icon.ship() {
        Some(ship) if ship.is_capital() => SHIP_NAMES[ship as usize].trim_end_matches(" (hit points)").into(),
        Some(ship) => SHIP_NAMES[ship as usize].into(),
        None => icon.name().replace('_', " "),
    }
}

fn draw_death_star(d: &mut Drawing, state: &State) {
    let open = if state.shield_is_down() { d.colours.target } else { "#7f8798" };
    d.circle(CENTRE, DEATH_STAR, &format!(r##"fill="#4a5060" stroke="{open}" stroke-width="3""##));
    let (x, y) = CENTRE;
    _ = write!(
        d.out,
        r##"<path d="M{:.1} {y}H{:.1}" stroke="#2c313d" stroke-width="4"/>"##,
        x - DEATH_STAR + 2.,
        x + DEATH_STAR - 2.
    );
    d.circle((x + 20., y - 26.), 15., r##"fill="#3a3f4d" stroke="#2c313d" stroke-width="2""##);
    let label = if state.shield_is_down() { "shield down" } else { "shield up" };
    d.text((x, y + 28.), 12., "#ffffff", "middle", label);
}
