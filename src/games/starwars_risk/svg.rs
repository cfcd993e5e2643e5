//! The position as a picture.

use std::f64::consts::{PI, TAU};
use std::fmt::Write;

use super::StarWarsRisk;
use super::board::{EMPIRE, REBEL, Ring, SHIELD_RUN, SHIPS, SIDES, Ship, Space, SpaceSet};
use super::render::headline;
use super::state::{Phase, State};
use crate::engine::View;

const WIDTH: f64 = 960.;
const HEIGHT: f64 = 800.;
/// The Death Star.
const CENTRE: (f64, f64) = (352., 394.);
const DEATH_STAR: f64 = 66.;
/// Where the panel beside the board begins.
const PANEL: f64 = 716.;
/// Turns the motherships to the top.
const TURN: f64 = -PI / 3.;

const TEXT: &str = "#e8ecf4";
const DIM: &str = "#8b95ab";
const SIDE_COLOURS: [&str; 2] = ["#f08a3c", "#58c46b"];
const SHIP_COLOURS: [&str; SHIPS] = ["#f2643d", "#f2b632", "#e58fb4", "#d8dde8", "#63c97a", "#a98bf0"];
const SHIP_NAMES: [&str; SHIPS] =
    ["X-wing", "Y-wing", "B-wing", "Falcon (hit points)", "TIE fighter", "Executor (hit points)"];
const SHIP_LETTERS: [&str; SHIPS] = ["X", "Y", "B", "F", "T", "E"];

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

/// An SVG document under construction. Writing to a string cannot fail.
struct Drawing(String);

impl Drawing {
    fn text(&mut self, (x, y): (f64, f64), size: f64, fill: &str, anchor: &str, text: &str) {
        _ = write!(
            self.0,
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" fill="{fill}" text-anchor="{anchor}">{text}</text>"#
        );
    }
    fn bold(&mut self, (x, y): (f64, f64), size: f64, fill: &str, anchor: &str, text: &str) {
        _ = write!(
            self.0,
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" font-weight="bold" fill="{fill}" text-anchor="{anchor}">{text}</text>"#
        );
    }
    fn rect(&mut self, (x, y): (f64, f64), (w, h): (f64, f64), radius: f64, style: &str) {
        _ = write!(
            self.0,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{w:.1}" height="{h:.1}" rx="{radius}" {style}/>"#
        );
    }
    fn circle(&mut self, (x, y): (f64, f64), radius: f64, style: &str) {
        _ = write!(self.0, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" {style}/>"#);
    }
    /// A piece of a ring.
    fn sector(&mut self, (inner, outer): (f64, f64), (from, to): (f64, f64), style: &str) {
        let gap = 2. / outer;
        let (from, to) = (from + gap, to - gap);
        let large = u8::from((to - from).rem_euclid(TAU) > PI);
        let [(ax, ay), (bx, by)] = [polar(outer, from), polar(outer, to)];
        let [(cx, cy), (dx, dy)] = [polar(inner, to), polar(inner, from)];
        _ = write!(
            self.0,
            r#"<path d="M{ax:.1} {ay:.1}A{outer} {outer} 0 {large} 1 {bx:.1} {by:.1}L{cx:.1} {cy:.1}A{inner} {inner} 0 {large} 0 {dx:.1} {dy:.1}Z" {style}/>"#
        );
    }
    /// A ship's letter and number on a chip centred at a point.
    fn chip(&mut self, (x, y): (f64, f64), ship: Ship, label: &str) {
        let style = format!(r##"fill="{}" stroke="#0b0f1a""##, SHIP_COLOURS[ship as usize]);
        self.rect((x - 16., y - 8.5), (32., 17.), 8.5, &style);
        self.bold((x, y + 4.), 11.5, "#10141f", "middle", label);
    }
    /// A labelled bar of `most` parts of which `now` are full.
    fn bar(&mut self, at: (f64, f64), name: &str, now: u8, most: u8, colour: &str) {
        self.text((at.0, at.1 - 6.), 12., TEXT, "start", &format!("{name} {now}"));
        for i in 0..most {
            let fill = if i < now { colour } else { "#232b40" };
            self.rect((at.0 + f64::from(i) * 16.5, at.1), (14., 12.), 3., &format!(r#"fill="{fill}""#));
        }
    }
}

impl StarWarsRisk {
    pub(super) fn svg(&self, state: &State, view: View) -> String {
        let mut d = Drawing(format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="Helvetica, Arial, sans-serif"><rect width="{WIDTH}" height="{HEIGHT}" fill="#0b0f1a"/>"##
        ));
        for i in 0..140u32 {
            // Multiples of irrational numbers scatter evenly.
            let (x, y) = (f64::from(i) * 0.618_034 % 1. * WIDTH, f64::from(i) * 0.754_878 % 1. * HEIGHT);
            let radius = f64::from(i % 3) * 0.3 + 0.5;
            d.circle((x, y), radius, r##"fill="#c8d4f0" opacity="0.45""##);
        }
        d.bold((24., 32.), 17., TEXT, "start", &headline(self, state));
        for space in SpaceSet::ALL.iter() {
            self.draw_space(&mut d, state, space);
        }
        draw_death_star(&mut d, state);
        self.draw_panel(&mut d, state);
        self.draw_shield_run(&mut d, state);
        d.0.push_str("</svg>");
        d.0
    }

    fn draw_space(&self, d: &mut Drawing, state: &State, space: Space) {
        let ring = self.tables.rings[space.index()];
        let (radii, arc) = (radii(ring), self.tables.arcs[space.index()]);
        let destroyed = ring == Ring::Mothership && state.motherships >> space.0 & 1 == 0;
        let fill = match () {
            () if destroyed => "#14161d",
            () if state.fleet(REBEL).contains(space) => "#3a2a22",
            () if state.fleet(EMPIRE).contains(space) => "#1c3527",
            () if ring == Ring::Mothership => "#2a2f42",
            () => "#182036",
        };
        let play = &state.play;
        let (edge, width) = match Some(space) {
            s if s == play.target() => ("#ff5a5a", 3.),
            s if s == play.at() => ("#ffe08a", 3.),
            s if s == play.from() => ("#9fb4e8", 3.),
            _ => ("#3a476b", 1.),
        };
        let dash = if destroyed { r#" stroke-dasharray="4 4""# } else { "" };
        let style =
            format!(r#"fill="{fill}" fill-opacity="0.93" stroke="{edge}" stroke-width="{width}"{dash}"#);
        d.sector(radii, arc, &style);

        let angle = f64::midpoint(arc.0, arc.1);
        let number = polar(radii.1 - 11., arc.0 + 13. / radii.1);
        d.text((number.0, number.1 + 3.5), 10., DIM, "middle", &space.0.to_string());
        let (x, y) = polar(f64::midpoint(radii.0, radii.1), angle);
        if destroyed {
            d.text((x, y + 4.), 13., DIM, "middle", "✕");
        }
        let here: Vec<(Ship, u8)> =
            Ship::ALL.into_iter().map(|s| (s, state.count(s, space))).filter(|(_, n)| *n > 0).collect();
        // Left and right of the Death Star spaces are higher than wide.
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

    fn draw_panel(&self, d: &mut Drawing, state: &State) {
        let counters = self.tables.constants.throne_counters;
        d.bold((PANEL, 84.), 15., TEXT, "start", "Throne room");
        for seat in [REBEL, EMPIRE] {
            let at = (PANEL, 116. + seat as f64 * 38.);
            d.bar(at, SIDES[seat], state.throne[seat], counters[seat], SIDE_COLOURS[seat]);
        }

        d.bold((PANEL, 214.), 15., TEXT, "start", "Card in play");
        let (icons, colour) = match state.card() {
            Some(kind) => {
                let icons = self.tables.decks[state.seat()].icons[kind.index()];
                (icons.iter().map(|i| i.name().replace('_', " ")).collect(), SIDE_COLOURS[state.seat()])
            }
            None => (vec!["none".to_string()], DIM),
        };
        d.rect(
            (PANEL, 226.),
            (218., 84.),
            8.,
            &format!(r##"fill="#182036" stroke="{colour}" stroke-width="1.5""##),
        );
        for (i, icon) in icons.iter().enumerate() {
            d.text((PANEL + 16., 250. + i as f64 * 22.), 14., colour, "start", icon);
        }
        if state.phase == Phase::Hit {
            let dice = (1..=6).rev().flat_map(|f| vec![f; state.play.dice[f - 1].into()]);
            for (i, face) in dice.enumerate() {
                let at = (PANEL + 178., 234. + i as f64 * 14.5);
                d.rect(at, (26., 13.), 3., &format!(r#"fill="{TEXT}""#));
                d.bold((at.0 + 13., at.1 + 10.5), 11., "#10141f", "middle", &face.to_string());
            }
        }

        d.bold((PANEL, 350.), 15., TEXT, "start", "Cards");
        for (column, name) in ["hand", "ordered", "bonus", "deck", "discard"].iter().enumerate() {
            d.text((PANEL + 66. + column as f64 * 38., 372.), 10.5, DIM, "middle", name);
        }
        for seat in [REBEL, EMPIRE] {
            let piles = &state.piles[seat];
            let y = 394. + seat as f64 * 24.;
            d.text((PANEL, y), 13., SIDE_COLOURS[seat], "start", SIDES[seat]);
            let discard = super::cards::total(&piles.discard);
            let waiting = piles.bonus + piles.buried_size;
            let sizes = [piles.hand_size, piles.ordered, waiting, piles.undrawn(), discard];
            for (column, size) in sizes.iter().enumerate() {
                d.text((PANEL + 66. + column as f64 * 38., y), 13., TEXT, "middle", &size.to_string());
            }
        }

        d.bold((PANEL, 470.), 15., TEXT, "start", "Ships");
        for ship in Ship::ALL {
            let y = 492. + ship as u8 as f64 * 25.;
            d.chip((PANEL + 16., y), ship, SHIP_LETTERS[ship as usize]);
            d.text((PANEL + 42., y + 4.), 13., TEXT, "start", SHIP_NAMES[ship as usize]);
            d.text((PANEL + 218., y + 4.), 13., TEXT, "end", &state.in_play(ship).to_string());
        }
    }

    fn draw_shield_run(&self, d: &mut Drawing, state: &State) {
        let (left, top, step) = (24., 756., 32.6);
        let passed = format!("Shield generator run: {} of {SHIELD_RUN} spaces passed", state.shield);
        let title = if state.shield_is_down() { "Shield generator run: the shield is down" } else { &passed };
        d.bold((left, top - 10.), 13., TEXT, "start", title);
        for (i, value) in self.tables.shield_run.iter().enumerate() {
            let trooper = (state.shield..state.shield + state.stormtroopers).contains(&(i as u8));
            let done = i < usize::from(state.shield);
            let (fill, text) = match (done, trooper) {
                (true, _) => (SIDE_COLOURS[REBEL], "#10141f"),
                (_, true) => ("#e8ecf4", "#10141f"),
                _ => ("#232b40", TEXT),
            };
            let x = left + i as f64 * step;
            d.rect((x, top), (step - 3., 30.), 5., &format!(r#"fill="{fill}""#));
            let label = if trooper { format!("{value}+1") } else { value.to_string() };
            d.bold((x + step / 2. - 1.5, top + 20.), 13., text, "middle", &label);
        }
    }
}

fn draw_death_star(d: &mut Drawing, state: &State) {
    let open = if state.shield_is_down() { "#ff5a5a" } else { "#7f8798" };
    d.circle(CENTRE, DEATH_STAR, &format!(r##"fill="#4a5060" stroke="{open}" stroke-width="3""##));
    let (x, y) = CENTRE;
    _ = write!(
        d.0,
        r##"<path d="M{:.1} {y}H{:.1}" stroke="#2c313d" stroke-width="4"/>"##,
        x - DEATH_STAR + 2.,
        x + DEATH_STAR - 2.
    );
    d.circle((x + 20., y - 26.), 15., r##"fill="#3a3f4d" stroke="#2c313d" stroke-width="2""##);
    let label = if state.shield_is_down() { "shield down" } else { "shield up" };
    d.text((x, y + 28.), 12., TEXT, "middle", label);
}
