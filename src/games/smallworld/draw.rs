//! A position as an SVG document: the map, who stands where, the row of combos, the players.
//!
//! This module draws and knows no rules: whoever calls it says what is on the table, in a [`Picture`].

use std::fmt::Write;

use super::map::{Map, RegionId, Terrain};
use super::roster::{Power, Race};
use super::shapes::{Point, Shape, Shapes};

/// Everything that one drawing shows.
pub(super) struct Picture<'a> {
    /// The map.
    pub(super) map: &'a Map,
    /// One line above the map.
    pub(super) caption: String,
    /// What stands in each region of the map.
    pub(super) regions: Vec<RegionView>,
    /// The combos on offer, the free one first.
    pub(super) row: Vec<ComboView>,
    /// The players by seat, at most five.
    pub(super) players: Vec<PlayerView>,
}

/// What stands in a region. The Mountain piece is drawn wherever the terrain is mountain.
#[derive(Clone, Copy, Default)]
pub(super) struct RegionView {
    pub(super) troops: Option<Troops>,
    pub(super) lost_tribe: bool,
    pub(super) lair: bool,
    pub(super) fortress: bool,
    pub(super) encampments: u8,
    pub(super) hero: bool,
    pub(super) dragon: bool,
    pub(super) hole: bool,
}

/// The tokens of one race in a region.
#[derive(Clone, Copy)]
pub(super) struct Troops {
    pub(super) seat: usize,
    pub(super) race: Race,
    pub(super) tokens: u8,
    pub(super) declined: bool,
}

/// A combo on offer and the coins that lie on it.
pub(super) struct ComboView {
    pub(super) race: Race,
    pub(super) power: Power,
    pub(super) coins: u32,
}

/// A player's side of the table.
pub(super) struct PlayerView {
    /// `None` when hidden.
    pub(super) coins: Option<u16>,
    pub(super) active: Option<(Race, Power)>,
    /// Tokens of the active race that are in hand.
    pub(super) in_hand: u8,
    /// Races in decline that are still on the map.
    pub(super) declined: Vec<Race>,
    pub(super) to_move: bool,
}

/// Width of the drawing; its height follows from the map.
const WIDTH: f64 = 900.0;
const MARGIN: f64 = 20.0;
/// Most room for the map.
const MAP_SIZE: Point = [WIDTH - 2.0 * MARGIN, 680.0];
const CAPTION_HEIGHT: f64 = 46.0;
const BOX_HEIGHT: f64 = 62.0;
const GAP: f64 = 10.0;

const INK: &str = "#2b2620";
const FADED: &str = "#7a6a50";
const PAPER: &str = "#f6efe0";
const PANEL: &str = "#fffaf0";

/// A seat's colour and what is legible on it.
const SEATS: [(&str, &str); 5] = [
    ("#c0392b", "#ffffff"),
    ("#2456a6", "#ffffff"),
    ("#f2c230", INK),
    ("#7b3f98", "#ffffff"),
    ("#2f2f33", "#ffffff"),
];

/// Fill of each [`Terrain`], and the strokes of its pattern on a tile of 24 by 24.
const TERRAINS: [(&str, &str); 7] = [
    ("#ecd88a", "M2 6h9M13 18h9M2 10h9M13 22h9"),
    ("#b3cc7a", "M2 10q5-8 10 0M13 21q5-8 10 0"),
    ("#5f9a5c", "M6 3l-4 8h8zM18 14l-4 8h8z"),
    ("#8aa294", "M4 10v-5M7 10v-7M10 10v-5M2 10h10M15 21v-5M18 21v-7M21 21v-5M13 21h10"),
    ("#b5aaa2", "M1 11l5-9 5 9M13 22l5-9 5 9"),
    ("#5d9fd3", "M1 7q3-4 6 0t6 0M11 19q3-4 6 0t6 0"),
    ("#93cdea", "M1 7q3-4 6 0t6 0M11 19q3-4 6 0t6 0"),
];

/// Small pieces, each drawn in a square of 20 by 20 around the origin.
const ICONS: [(&str, &str); 11] = [
    // A pickaxe.
    (
        "mine",
        "<path d='M-5 8L4-3' stroke='#7a4a1e' stroke-width='3'/>\
         <path d='M-5-6Q4-8 8 3Q3-3-5-6Z' fill='#4d5560' stroke='#1d2126'/>",
    ),
    // A star.
    (
        "magic_source",
        "<path d='M0-9L2.3-3 9-2.8 3.7 1.3 5.6 8 0 4.2-5.6 8-3.7 1.3-9-2.8-2.3-3Z' \
         fill='#d86bd0' stroke='#5b1b63'/>",
    ),
    // The mouth of a cave.
    (
        "cavern",
        "<path d='M-9 8V2A9 9 0 0 1 9 2V8Z' fill='#8d7a68' stroke='#3a2e24'/>\
         <path d='M-5 8V4A5 5 0 0 1 5 4V8Z' fill='#1c1613'/>",
    ),
    (
        "mountain",
        "<path d='M-9 8L-1-8 9 8Z' fill='#6d6560' stroke='#2d2825'/>\
         <path d='M-4-2L-1-8 2.8-2 0-3.4Z' fill='#ffffff'/>",
    ),
    (
        "lair",
        "<path d='M-9 8Q-9-7 0-7T9 8Z' fill='#5f7d3a' stroke='#26361a'/>\
         <path d='M-3 8Q-3 0 0 0T3 8Z' fill='#1f2a14'/>\
         <path d='M-7 0l-1.5-7 4.5 3.500zM7 0l1.5-7-4.5 3.500z' fill='#f3ead2' stroke='#26361a'/>",
    ),
    (
        "fortress",
        "<path d='M-8 8V-7H-4V-4H-2V-7H2V-4H4V-7H8V8Z' fill='#c9c4bb' stroke='#37322c'/>\
         <path d='M-2.5 8V4A2.5 2.5 0 0 1 2.5 4V8Z' fill='#37322c'/>",
    ),
    (
        "encampment",
        "<path d='M-9 8L0-8 9 8Z' fill='#efe3c2' stroke='#5b4526'/><path d='M-3 8L0-1 3 8Z' fill='#5b4526'/>",
    ),
    // A crossed shield.
    (
        "hero",
        "<path d='M-7-7H7V0Q7 6 0 9Q-7 6-7 0Z' fill='#f7d34a' stroke='#6b4d00'/>\
         <path d='M0-7V9M-7-1H7' stroke='#6b4d00' stroke-width='2'/>",
    ),
    // A head with an open mouth.
    (
        "dragon",
        "<path d='M-9 5Q-8-8 3-8L1-4Q9-5 9 0L2 1 8 4Q2 9-3 5Q-5 9-9 5Z' fill='#c0281c' stroke='#4a0a05'/>\
         <circle cx='0' cy='-3' r='1.3' fill='#ffe45c'/>",
    ),
    (
        "hole",
        "<ellipse cy='3' rx='9' ry='5.5' fill='#6b4a2a' stroke='#2e1d0e'/>\
         <ellipse cy='3.8' rx='6' ry='3.2' fill='#170e06'/>",
    ),
    // A lone figure.
    (
        "lost_tribe",
        "<path d='M-7 9Q-7-1 0-1T7 9Z' fill='#8a6a4a' stroke='#33251a'/>\
         <circle cy='-4' r='4' fill='#d9b48c' stroke='#33251a'/>",
    ),
];

/// What the legend says, under the names of [`ICONS`].
const LEGEND: [(&str, &str); 11] = [
    ("mine", "mine"),
    ("magic_source", "magic source"),
    ("cavern", "cavern"),
    ("mountain", "mountain"),
    ("lost_tribe", "Lost Tribe"),
    ("lair", "lair"),
    ("fortress", "fortress"),
    ("encampment", "camp"),
    ("hero", "hero"),
    ("dragon", "dragon"),
    ("hole", "hole"),
];

/// Draws it, 900 units wide.
pub(super) fn svg(picture: &Picture) -> String {
    let (shapes, [width, height]) = Shapes::fit(picture.map, MAP_SIZE);
    let mut body = String::new();
    let left = (WIDTH - width) / 2.0;
    text(&mut body, [MARGIN, 31.0], 20.0, INK, "start", &picture.caption);
    let _ = write!(body, "<g transform='translate({left:.1} {CAPTION_HEIGHT})'>");
    draw_map(&mut body, picture, &shapes);
    body.push_str("</g>");
    let mut y = CAPTION_HEIGHT + height + 16.0;
    draw_legend(&mut body, y);
    y += 30.0;
    for (i, combo) in picture.row.iter().enumerate() {
        draw_combo(&mut body, slot(i, picture.row.len(), y), i, combo);
    }
    if !picture.row.is_empty() {
        y += BOX_HEIGHT + GAP;
    }
    for (seat, player) in picture.players.iter().enumerate() {
        draw_player(&mut body, slot(seat, picture.players.len(), y), seat, player);
    }
    if !picture.players.is_empty() {
        y += BOX_HEIGHT + GAP;
    }
    let total = y + GAP;
    let mut defs = String::new();
    for (terrain, (fill, strokes)) in Terrain::ALL.iter().zip(TERRAINS) {
        let _ = write!(
            defs,
            "<pattern id='sw-land-{}' width='24' height='24' patternUnits='userSpaceOnUse'>\
             <rect width='24' height='24' fill='{fill}'/>\
             <path d='{strokes}' fill='none' stroke='{INK}' stroke-opacity='.22' stroke-width='1.3'/></pattern>",
            terrain.name()
        );
    }
    for (name, drawing) in ICONS {
        let _ = write!(defs, "<g id='sw-{name}' stroke-linejoin='round'>{drawing}</g>");
    }
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' \
         viewBox='0 0 {WIDTH} {total:.0}' font-family='Georgia, \"DejaVu Serif\", serif'>\
         <defs>{defs}</defs><rect width='{WIDTH}' height='{total:.0}' fill='{PAPER}'/>{body}</svg>"
    )
}

/// Corner and width of box `i` of `n` in a row at `y`.
fn slot(i: usize, n: usize, y: f64) -> (Point, f64) {
    let width = (WIDTH - 2.0 * MARGIN - GAP * (n - 1) as f64) / n as f64;
    ([MARGIN + i as f64 * (width + GAP), y], width)
}

fn text(out: &mut String, [x, y]: Point, size: f64, fill: &str, anchor: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    let _ = write!(
        out,
        "<text x='{x:.1}' y='{y:.1}' font-size='{size:.1}' fill='{fill}' text-anchor='{anchor}'>{words}</text>"
    );
}

/// Words from `at` on, smaller where they would be longer than `width`.
fn fitted(out: &mut String, at: Point, width: f64, size: f64, fill: &str, words: &str) {
    let letters = words.chars().count().max(1) as f64;
    text(out, at, size.min(width / (0.56 * letters)), fill, "start", words);
}

fn icon(out: &mut String, name: &str, [x, y]: Point, scale: f64) {
    let _ =
        write!(out, "<use xlink:href='#sw-{name}' transform='translate({x:.1} {y:.1}) scale({scale:.2})'/>");
}

fn outline(shape: &Shape) -> String {
    let mut path = String::new();
    for polygon in &shape.loops {
        for (i, [x, y]) in polygon.iter().enumerate() {
            let _ = write!(path, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
        }
        path.push('Z');
    }
    path
}

fn draw_map(out: &mut String, picture: &Picture, shapes: &Shapes) {
    let map = picture.map;
    let paths: Vec<String> = shapes.regions.iter().map(outline).collect();
    for (region, path) in map.all().iter().zip(&paths) {
        let (i, terrain) = (region.0, map.terrain(region).name());
        let _ = write!(
            out,
            "<clipPath id='sw-r{i}'><path clip-rule='evenodd' d='{path}'/></clipPath>\
             <path fill-rule='evenodd' d='{path}' fill='url(#sw-land-{terrain})'/>"
        );
        // A band of the owner's colour along the inside of the outline.
        if let Some(troops) = picture.regions[region.index()].troops {
            let (colour, dashes) =
                (SEATS[troops.seat].0, if troops.declined { " stroke-dasharray='7 6'" } else { "" });
            let _ = write!(
                out,
                "<g clip-path='url(#sw-r{i})'><path d='{path}' fill='{colour}' fill-opacity='.16' \
                 fill-rule='evenodd' stroke='{colour}' stroke-width='13'{dashes}/></g>"
            );
        }
    }
    let all: String = paths.concat();
    let _ = write!(
        out,
        "<path d='{all}' fill='none' stroke='{INK}' stroke-width='2.2' stroke-linejoin='round'/>"
    );
    draw_differences(out, map, shapes);
    for region in map.all() {
        draw_region(out, picture, region, &shapes.regions[region.index()]);
    }
}

/// Regions that touch but are drawn apart are joined by a line of dots.
fn draw_differences(out: &mut String, map: &Map, shapes: &Shapes) {
    for a in map.all() {
        let apart = map.neighbours(a).from_id_up(a) - shapes.touching[a.index()];
        for b in apart {
            let ([ax, ay], [bx, by]) = (shapes.regions[a.index()].centre, shapes.regions[b.index()].centre);
            let _ = write!(
                out,
                "<path d='M{ax:.1} {ay:.1}L{bx:.1} {by:.1}' stroke='{INK}' stroke-width='3' \
                 stroke-dasharray='1 7' stroke-linecap='round'/>"
            );
        }
    }
}

fn draw_region(out: &mut String, picture: &Picture, region: RegionId, shape: &Shape) {
    let (map, view) = (picture.map, &picture.regions[region.index()]);
    let [x, y] = shape.centre;
    // Everything below is laid out for a circle with a radius of 48.
    let _ = write!(
        out,
        "<g transform='translate({x:.1} {y:.1}) scale({:.3})'>",
        (shape.room / 48.0).clamp(0.5, 1.15)
    );
    let features = [
        ("mine", map.mines().contains(region)),
        ("magic_source", map.magic_sources().contains(region)),
        ("cavern", map.caverns().contains(region)),
    ];
    let here = |pieces: &[(&'static str, bool)]| -> Vec<&'static str> {
        pieces.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect()
    };
    text(out, [0.0, -31.0], 10.5, INK, "middle", &region.0.to_string());
    line_of_icons(out, &here(&features), -20.0);
    match view.troops {
        Some(troops) => draw_troops(out, troops),
        None if view.lost_tribe => icon(out, "lost_tribe", [0.0, 5.0], 1.1),
        None => {}
    }
    let mut pieces = here(&[
        ("mountain", map.of(Terrain::Mountain).contains(region)),
        ("lair", view.lair),
        ("fortress", view.fortress),
        ("hero", view.hero),
        ("dragon", view.dragon),
        ("hole", view.hole),
        ("lost_tribe", view.lost_tribe && view.troops.is_some()),
    ]);
    pieces.extend((0..view.encampments).map(|_| "encampment"));
    line_of_icons(out, &pieces, 27.0);
    out.push_str("</g>");
}

/// Icons side by side, overlapping where there are many.
fn line_of_icons(out: &mut String, names: &[&str], y: f64) {
    let step = (60.0 / names.len().max(1) as f64).min(19.0);
    let first = -step * (names.len() as f64 - 1.0) / 2.0;
    for (i, name) in names.iter().enumerate() {
        icon(out, name, [first + i as f64 * step, y], 0.85);
    }
}

/// A stack of tokens: how many, of which race; in decline turned over to grey.
fn draw_troops(out: &mut String, troops: Troops) {
    let (colour, on_colour) = SEATS[troops.seat];
    let (fill, ink) = if troops.declined { ("#cfc8bd", INK) } else { (colour, on_colour) };
    let (stroke, thick) = if troops.declined { (colour, 3.0) } else { ("#ffffff", 1.5) };
    let _ = write!(
        out,
        "<rect x='-31' y='-10' width='62' height='26' rx='7' fill='{fill}' stroke='{stroke}' \
         stroke-width='{thick}'/>"
    );
    let race: String = troops.race.name().chars().take(3).collect();
    text(out, [-26.0, 8.0], 13.5, ink, "start", &race);
    let _ = write!(
        out,
        "<text x='27' y='9.5' font-size='18' font-weight='bold' fill='{ink}' text-anchor='end'>{}</text>",
        troops.tokens
    );
}

fn draw_legend(out: &mut String, y: f64) {
    const ICON: f64 = 20.0;
    let widths = LEGEND.map(|(_, words)| ICON + 5.8 * words.len() as f64);
    let gap = (WIDTH - 2.0 * MARGIN - widths.iter().sum::<f64>()) / (LEGEND.len() - 1) as f64;
    let mut x = MARGIN;
    for ((name, words), width) in LEGEND.into_iter().zip(widths) {
        icon(out, name, [x + 8.0, y], 0.75);
        text(out, [x + ICON, y + 4.0], 10.5, INK, "start", words);
        x += width + gap;
    }
}

fn draw_box(out: &mut String, ([x, y], width): (Point, f64), stroke: &str, thick: f64) {
    let _ = write!(
        out,
        "<rect x='{x:.1}' y='{y:.1}' width='{width:.1}' height='{BOX_HEIGHT}' rx='7' fill='{PANEL}' \
         stroke='{stroke}' stroke-width='{thick}'/>"
    );
}

fn coin(out: &mut String, [x, y]: Point, coins: &str) {
    let _ = write!(
        out,
        "<circle cx='{x:.1}' cy='{y:.1}' r='12' fill='#f4cf4d' stroke='#8a6a0f' stroke-width='1.5'/>"
    );
    text(out, [x, y + 4.5], 12.5, INK, "middle", coins);
}

fn draw_combo(out: &mut String, place: (Point, f64), index: usize, combo: &ComboView) {
    let ([x, y], width) = place;
    draw_box(out, place, "#a08c6a", 1.0);
    let cost = if index == 0 { "free".into() } else { format!("costs {index}") };
    let tokens = combo.race.start_tokens() + combo.power.bonus_tokens();
    text(out, [x + 9.0, y + 18.0], 11.0, FADED, "start", &cost);
    fitted(out, [x + 9.0, y + 36.0], width - 18.0, 14.0, INK, combo.power.name());
    fitted(out, [x + 9.0, y + 53.0], width - 18.0, 14.0, INK, &format!("{} ({tokens})", combo.race.name()));
    if combo.coins > 0 {
        coin(out, [x + width - 18.0, y + 17.0], &combo.coins.to_string());
    }
}

fn draw_player(out: &mut String, place: (Point, f64), seat: usize, player: &PlayerView) {
    let ([x, y], width) = place;
    let (colour, on_colour) = SEATS[seat];
    draw_box(out, place, colour, if player.to_move { 4.0 } else { 1.5 });
    let _ = write!(out, "<circle cx='{:.1}' cy='{:.1}' r='12' fill='{colour}'/>", x + 19.0, y + 18.0);
    text(out, [x + 19.0, y + 23.0], 14.0, on_colour, "middle", &seat.to_string());
    coin(out, [x + width - 19.0, y + 18.0], &player.coins.map_or("?".into(), |coins| coins.to_string()));
    if player.in_hand > 0 {
        text(out, [x + 37.0, y + 22.0], 12.0, FADED, "start", &format!("{} in hand", player.in_hand));
    }
    let active = player
        .active
        .map_or_else(|| "no active race".into(), |(race, power)| format!("{} {}", power.name(), race.name()));
    fitted(out, [x + 9.0, y + 43.0], width - 18.0, 13.5, INK, &active);
    if !player.declined.is_empty() {
        let declined: Vec<_> = player.declined.iter().map(|race| race.name()).collect();
        let words = format!("declined: {}", declined.join(", "));
        fitted(out, [x + 9.0, y + 57.0], width - 18.0, 11.0, FADED, &words);
    }
}

#[cfg(test)]
mod tests {
    use super::super::boards::board;
    use super::super::map::MAX_REGIONS;
    use super::super::mapgen::generate;
    use super::*;
    use crate::engine::chance::{Chance, SeededChance};

    /// A table full of everything, for looks and for the tests.
    fn crowded(map: &Map, chance: &mut SeededChance) -> String {
        let regions = map.all().iter().map(|region| {
            let mut yes = || chance.uniform(5) == 0;
            let mut view = RegionView { lair: yes(), fortress: yes(), hero: yes(), ..Default::default() };
            (view.dragon, view.hole) = (yes(), yes());
            view.encampments = if yes() { chance.uniform(6) as u8 } else { 0 };
            let race = Race::ALL[chance.uniform(14) as usize];
            let troops = Troops {
                seat: chance.uniform(5) as usize,
                race,
                tokens: 1 + chance.uniform(12) as u8,
                declined: chance.uniform(3) == 0,
            };
            match chance.uniform(3) {
                0 => RegionView { lost_tribe: map.lost_tribes().contains(region), ..Default::default() },
                1 => RegionView { troops: Some(troops), ..Default::default() },
                _ => RegionView { troops: Some(troops), ..view },
            }
        });
        let players = (0..5).map(|seat| PlayerView {
            coins: (seat != 2).then_some(20 + 31 * seat as u16),
            active: (seat != 3).then_some((Race::Sorcerers, Power::DragonMaster)),
            in_hand: seat as u8,
            declined: vec![Race::Halflings, Race::Skeletons],
            to_move: seat == 1,
        });
        let row = (0..6).map(|i| ComboView { race: Race::ALL[i], power: Power::ALL[3 * i], coins: i as u32 });
        svg(&Picture {
            map,
            caption: "Turn 4 of 10: seat 1 conquers & <redeploys>".into(),
            regions: regions.collect(),
            row: row.collect(),
            players: players.collect(),
        })
    }

    #[test]
    fn every_kind_of_map_is_drawn_as_well_formed_xml() {
        let mut chance = SeededChance::from_seed(12);
        let ring = |n: usize| {
            let near = |i: usize| [(i + n - 1) % n, (i + 1) % n];
            let terrain = |i: usize| Terrain::ALL[i % 5].name();
            Map::from_json(&serde_json::json!({"regions": (0..n).map(|i| serde_json::json!({
                "terrain": terrain(i), "border": true, "neighbours": near(i),
            })).collect::<Vec<_>>()}))
            .unwrap()
        };
        let mut maps: Vec<Map> = (2..=4).map(|players| *board(players).unwrap()).collect();
        maps.extend((2..=5).map(|players| generate(players, &mut chance).unwrap()));
        maps.extend([ring(12), ring(MAX_REGIONS)]);
        for (i, map) in maps.iter().enumerate() {
            let svg = crowded(map, &mut chance);
            check_xml(&svg);
            for region in map.all() {
                assert!(svg.contains(&format!("id='sw-r{}'", region.0)));
            }
            // For looking at: LUDOVEC_SVG_DIR=/tmp cargo test draw
            if let Some(folder) = std::env::var_os("LUDOVEC_SVG_DIR") {
                std::fs::write(std::path::Path::new(&folder).join(format!("smallworld-{i}.svg")), svg)
                    .unwrap();
            }
        }
    }

    /// Tags nest, text is escaped, no coordinate is not a number.
    fn check_xml(svg: &str) {
        assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("& "));
        let mut open = Vec::new();
        for piece in svg.split('<').skip(1) {
            let (tag, _) = piece.split_once('>').expect("every tag is closed");
            let name = tag.trim_start_matches('/').split(' ').next().unwrap();
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert!(open.is_empty());
    }
}
