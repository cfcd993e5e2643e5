//! A position as an SVG document: the map, the pieces, the row of combos, the players.
//!
//! This module draws without knowing the rules: the caller describes the table in a [`Scene`].

mod beside;
mod pieces;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use xxhash_rust::xxh3::xxh3_64;

use super::shapes::{Point, Shape, Shapes};
use crate::rules::map::{Map, RegionId, Terrain};
use crate::rules::roster::{Power, Race};
pub(crate) use beside::beside;
use ludovec_engine::drawing::{escape, marked_path, shortened, text_width};
use ludovec_engine::{Place, Theme};
use pieces::{ICONS, INK, LEGEND, PATTERNS, Palette, palette};

/// The contents of one drawing.
pub(crate) struct Scene<'a> {
    /// The map.
    pub(crate) map: &'a Map,
    /// Whether the map is drawn alone.
    pub(crate) alone: bool,
    /// One line above the map.
    pub(crate) caption: String,
    /// The pieces in each region of the map.
    pub(crate) regions: Vec<DrawnRegion>,
    /// The region of the last action.
    pub(crate) last: Option<RegionId>,
    /// The combos on offer, the free one first.
    pub(crate) row: Vec<DrawnCombo>,
    /// The players by seat, at most five.
    pub(crate) players: Vec<DrawnPlayer>,
}

/// The pieces in a region. The Mountain piece is drawn on all mountain terrain.
#[derive(Clone, Copy, Default)]
pub(crate) struct DrawnRegion {
    pub(crate) troops: Option<Troops>,
    pub(crate) lost_tribe: bool,
    pub(crate) lair: bool,
    pub(crate) fortress: bool,
    pub(crate) encampments: u8,
    pub(crate) hero: bool,
    pub(crate) dragon: bool,
    pub(crate) hole: bool,
    /// The current player's cost of conquering it, during a conquest decision.
    pub(crate) cost: Option<u8>,
}

/// The tokens of one race in a region.
#[derive(Clone, Copy)]
pub(crate) struct Troops {
    pub(crate) seat: usize,
    pub(crate) race: Race,
    /// `None` in decline.
    pub(crate) power: Option<Power>,
    pub(crate) tokens: u8,
    pub(crate) declined: bool,
}

/// A combo on offer and the coins on it.
pub(crate) struct DrawnCombo {
    pub(crate) race: Race,
    pub(crate) power: Power,
    pub(crate) coins: u32,
}

/// A player's side of the table.
pub(crate) struct DrawnPlayer {
    pub(crate) name: String,
    /// `None` when hidden.
    pub(crate) coins: Option<u16>,
    pub(crate) active: Option<(Race, Power)>,
    /// Tokens of the active race in hand.
    pub(crate) in_hand: u8,
    /// Races in decline, each with its tokens off the map.
    pub(crate) declined: Vec<(Race, u8)>,
    pub(crate) to_move: bool,
}

/// Width of the drawing; its height depends on the map.
const WIDTH: f64 = 900.0;
const MARGIN: f64 = 20.0;
/// Maximum size of the map.
const MAP_SIZE: Point = [WIDTH - 2.0 * MARGIN, 680.0];
const CAPTION_HEIGHT: f64 = 46.0;
const BOX_HEIGHT: f64 = 62.0;
const PLAYER_HEIGHT: f64 = 72.0;
const GAP: f64 = 10.0;
/// Minimum size of letters on the map.
const LEGIBLE: f64 = 10.0;
const LEGEND_LINE: f64 = 28.0;

/// Top of the row of combos below a map of this height and the legend.
fn row_top(map_height: f64) -> f64 {
    CAPTION_HEIGHT + map_height + 16.0 + 2.0 * LEGEND_LINE
}

/// The places of a drawing that actions refer to: the regions and the combos of the row.
pub(crate) fn places(map: &Map, combos: usize) -> Vec<Place> {
    let (shapes, [width, height]) = Shapes::fit(map, MAP_SIZE);
    let corner = [(WIDTH - width) / 2.0, CAPTION_HEIGHT];
    let regions = map.all().iter().zip(&shapes.regions).map(|(region, shape)| Place {
        means: vec![("region", region.0.into())],
        outline: outline(shape, corner),
        centre: [corner[0] + shape.centre[0], corner[1] + shape.centre[1]],
        room: shape.room,
        after: None,
    });
    let row = (0..combos).map(|i| {
        let (corner, width) = slot(i, combos, row_top(height));
        Place::rectangle(vec![("index", i.into())], corner, [width, BOX_HEIGHT])
    });
    regions.chain(row).collect()
}

/// Draws the scene, 900 units wide.
pub(crate) fn draw(picture: &Scene, theme: Theme) -> String {
    let colours = palette(theme);
    let (shapes, [width, height]) = Shapes::fit(picture.map, MAP_SIZE);
    let mut body = String::new();
    let left = (WIDTH - width) / 2.0;
    if !picture.alone {
        body.push_str("<g font-weight='bold'>");
        fitted(&mut body, [MARGIN, 31.0], WIDTH - 2.0 * MARGIN, 19.0, colours.words, &picture.caption);
        body.push_str("</g>");
    }
    let _ = write!(body, "<g transform='translate({left:.1} {CAPTION_HEIGHT})'>");
    draw_map(&mut body, picture, &shapes, colours);
    body.push_str("</g>");
    let total = if picture.alone { 0.0 } else { draw_table(&mut body, picture, height, colours) };
    let shown = match picture.alone {
        true => {
            format!("{:.1} {:.1} {:.1} {:.1}", left - 3.0, CAPTION_HEIGHT - 3.0, width + 6.0, height + 6.0)
        }
        false => format!("0 0 {WIDTH} {total:.0}"),
    };
    let mut defs = String::new();
    for (terrain, strokes) in Terrain::ALL.iter().zip(PATTERNS) {
        let _ = write!(
            defs,
            "<pattern id='{}' width='24' height='24' patternUnits='userSpaceOnUse'>\
             <path d='{strokes}' fill='none' stroke='{INK}' stroke-opacity='.22' stroke-width='1.3'/></pattern>",
            land(*terrain)
        );
    }
    for (name, drawing) in ICONS {
        let _ = write!(defs, "<g id='sw-{name}' stroke-linejoin='round'>{drawing}</g>");
    }
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='{shown}' font-family='Arial, Helvetica, sans-serif'>\
         <defs>{defs}</defs><rect width='{WIDTH}' height='{total:.0}' fill='{}'/>{body}</svg>",
        colours.paper
    )
}

/// Draws the legend, the row of combos and the players below a map of this height; returns the lower end.
fn draw_table(out: &mut String, picture: &Scene, map_height: f64, colours: &Palette) -> f64 {
    draw_legend(out, CAPTION_HEIGHT + map_height + 16.0, colours);
    let mut y = row_top(map_height);
    for (i, combo) in picture.row.iter().enumerate() {
        draw_combo(out, slot(i, picture.row.len(), y), i, combo, colours);
    }
    if !picture.row.is_empty() {
        y += BOX_HEIGHT + GAP;
    }
    for (seat, player) in picture.players.iter().enumerate() {
        draw_player(out, slot(seat, picture.players.len(), y), seat, player, colours);
    }
    if !picture.players.is_empty() {
        y += PLAYER_HEIGHT + GAP;
    }
    y + GAP
}

/// The colours of the seats.
pub(crate) fn seat_colours(theme: Theme) -> Vec<&'static str> {
    palette(theme).seats.iter().map(|(colour, _)| *colour).collect()
}

/// The name of a terrain's pattern.
fn land(terrain: Terrain) -> String {
    format!("sw-land-{}", terrain.name())
}

/// Corner and width of box `i` of `n` in a row at `y`.
fn slot(i: usize, n: usize, y: f64) -> (Point, f64) {
    let width = (WIDTH - 2.0 * MARGIN - GAP * (n - 1) as f64) / n as f64;
    ([MARGIN + i as f64 * (width + GAP), y], width)
}

fn text(out: &mut String, [x, y]: Point, size: f64, fill: &str, anchor: &str, words: &str) {
    let words = escape(words);
    let _ = write!(
        out,
        "<text x='{x:.1}' y='{y:.1}' font-size='{size:.1}' fill='{fill}' text-anchor='{anchor}'>{words}</text>"
    );
}

/// Text starting at `at`, smaller if it would be wider than `width`.
fn fitted(out: &mut String, at: Point, width: f64, size: f64, fill: &str, words: &str) {
    text(out, at, size.min(width / text_width(words).max(0.1)), fill, "start", words);
}

fn icon(out: &mut String, name: &str, [x, y]: Point, scale: f64) {
    let _ = write!(out, "<use href='#sw-{name}' transform='translate({x:.1} {y:.1}) scale({scale:.2})'/>");
}

fn outline(shape: &Shape, [left, top]: Point) -> String {
    let mut path = String::new();
    for polygon in &shape.loops {
        for (i, [x, y]) in polygon.iter().enumerate() {
            let _ = write!(path, "{}{:.1} {:.1}", if i == 0 { 'M' } else { 'L' }, left + x, top + y);
        }
        path.push('Z');
    }
    path
}

fn draw_map(out: &mut String, picture: &Scene, shapes: &Shapes, colours: &Palette) {
    let map = picture.map;
    let paths: Vec<String> = shapes.regions.iter().map(|shape| outline(shape, [0.0, 0.0])).collect();
    for (region, path) in map.all().iter().zip(&paths) {
        let (terrain, words) = (map.terrain(region), escape(&in_words(picture, region)));
        let (fill, land) = (colours.terrains[terrain as usize], land(terrain));
        let _ = write!(
            out,
            "<path fill-rule='evenodd' d='{path}' fill='{fill}'/>\
             <path fill-rule='evenodd' d='{path}' fill='url(#{land})'><title>{words}</title></path>"
        );
        // A band of the owner's colour along the inside of the outline.
        if let Some(troops) = picture.regions[region.index()].troops {
            let (colour, dashes) =
                (colours.seats[troops.seat].0, if troops.declined { " stroke-dasharray='7 6'" } else { "" });
            // The id is a hash of the path, so that equal ids of several drawings in one page refer to the same
            // clip path.
            let clip = xxh3_64(path.as_bytes());
            let _ = write!(
                out,
                "<clipPath id='sw-{clip:x}'><path clip-rule='evenodd' d='{path}'/></clipPath>\
                 <g clip-path='url(#sw-{clip:x})'><path d='{path}' fill='{colour}' fill-opacity='.16' \
                 fill-rule='evenodd' stroke='{colour}' stroke-width='13'{dashes}/></g>"
            );
        }
    }
    let all: String = paths.concat();
    let _ = write!(
        out,
        "<path d='{all}' fill='none' stroke='{INK}' stroke-width='2.2' stroke-linejoin='round'/>"
    );
    if let Some(region) = picture.last {
        out.push_str(&marked_path(&paths[region.index()], 3.0));
    }
    draw_differences(out, map, shapes, colours);
    for region in map.all() {
        draw_region(out, picture, region, &shapes.regions[region.index()], colours);
    }
}

/// Connects regions that are neighbours by the rules but drawn apart, with a dotted line.
fn draw_differences(out: &mut String, map: &Map, shapes: &Shapes, colours: &Palette) {
    for a in map.all() {
        let apart = map.neighbours(a).from_id_up(a) - shapes.touching[a.index()];
        for b in apart {
            let ([ax, ay], [bx, by]) = (shapes.regions[a.index()].centre, shapes.regions[b.index()].centre);
            let _ = write!(
                out,
                "<path d='M{ax:.1} {ay:.1}L{bx:.1} {by:.1}' stroke='{}' stroke-width='3' \
                 stroke-dasharray='1 7' stroke-linecap='round'/>",
                colours.words
            );
        }
    }
}

fn draw_region(out: &mut String, picture: &Scene, region: RegionId, shape: &Shape, colours: &Palette) {
    let (map, view) = (picture.map, &picture.regions[region.index()]);
    let [x, y] = shape.centre;
    // The layout below is for a circle with a radius of 48 and is scaled to the region; `least` keeps letters
    // legible in small regions.
    let scale = (shape.room / 48.0).clamp(0.5, 1.15);
    let least = |size: f64| size.max(LEGIBLE / scale);
    let _ = write!(out, "<g transform='translate({x:.1} {y:.1}) scale({scale:.3})'>");
    let features = [
        ("mine", map.mines().contains(region)),
        ("magic_source", map.magic_sources().contains(region)),
        ("cavern", map.caverns().contains(region)),
    ];
    let here = |pieces: &[(&'static str, bool)]| -> Vec<&'static str> {
        pieces.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect()
    };
    draw_number(out, [0.0, -36.0], least(11.0), region);
    if let Some(cost) = view.cost {
        draw_cost(out, [31.0, -26.0], least(12.0), cost);
    }
    line_of_icons(out, &here(&features), -23.0);
    match view.troops {
        Some(troops) => draw_troops(out, troops, scale, colours),
        None if view.lost_tribe => icon(out, "lost_tribe", [0.0, 4.0], 1.1),
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
    line_of_icons(out, &pieces, 30.0);
    out.push_str("</g>");
}

/// Icons side by side, overlapping if there are many.
fn line_of_icons(out: &mut String, names: &[&str], y: f64) {
    let step = (60.0 / names.len().max(1) as f64).min(19.0);
    let first = -step * (names.len() as f64 - 1.0) / 2.0;
    for (i, name) in names.iter().enumerate() {
        icon(out, name, [first + i as f64 * step, y], 0.85);
    }
}

/// A stack of tokens: power, race and number; in decline grey, without the power.
///
/// Parts that would be too small to read at this scale are left out: the power, and most letters of the race.
fn draw_troops(out: &mut String, troops: Troops, scale: f64, colours: &Palette) {
    let (colour, on_colour) = colours.seats[troops.seat];
    let (fill, ink) = if troops.declined { ("#cfc8bd", INK) } else { (colour, on_colour) };
    let (stroke, thick) = if troops.declined { (colour, 3.0) } else { ("#ffffff", 1.5) };
    let _ = write!(
        out,
        "<rect x='-40' y='-13' width='80' height='32' rx='7' fill='{fill}' stroke='{stroke}' \
         stroke-width='{thick}'/>"
    );
    let room = if troops.tokens < 10 { 54.0 } else { 42.0 };
    let legible = |words: &str| room / text_width(words) * scale >= 0.68 * LEGIBLE;
    match troops.power.filter(|power| legible(power.name())) {
        _ if !legible(troops.race.name()) || scale < 0.6 => {
            let race: String = troops.race.name().chars().take(3).collect();
            let style = if troops.declined { " font-style='italic'" } else { "" };
            let _ = write!(
                out,
                "<text x='-36' y='9.5' font-size='17'{style} fill='{ink}'>{}</text>",
                escape(&race)
            );
        }
        Some(power) => {
            fitted(out, [-36.0, -1.0], room, 9.5, ink, power.name());
            fitted(out, [-36.0, 12.5], room, 10.5, ink, troops.race.name());
        }
        None => {
            let style = if troops.declined { "italic" } else { "normal" };
            let _ = write!(out, "<g font-style='{style}'>");
            fitted(out, [-36.0, 7.0], room, 12.0, ink, troops.race.name());
            out.push_str("</g>");
        }
    }
    let _ = write!(
        out,
        "<text x='36' y='9.5' font-size='19' font-weight='bold' fill='{ink}' text-anchor='end'>{}</text>",
        troops.tokens
    );
}

/// A region's number, on a paper chip that keeps it legible on every terrain.
fn draw_number(out: &mut String, [x, y]: Point, size: f64, region: RegionId) {
    let words = region.0.to_string();
    let width = text_width(&words) * size + 0.7 * size;
    let _ = write!(
        out,
        "<rect x='{:.1}' y='{:.1}' width='{width:.1}' height='{:.1}' rx='{:.1}' fill='#f6efe0'/>",
        x - width / 2.0,
        y - 0.62 * size,
        1.24 * size,
        0.5 * size
    );
    text(out, [x, y + 0.36 * size], size, INK, "middle", &words);
}

/// The cost of a conquest: a number in a circle, with a sword through it.
fn draw_cost(out: &mut String, [x, y]: Point, size: f64, cost: u8) {
    let radius = size * 0.68;
    let _ = write!(
        out,
        "<path d='M{:.1} {:.1}L{:.1} {:.1}' stroke='{INK}' stroke-width='2.5' stroke-linecap='round'/>\
         <circle cx='{x:.1}' cy='{y:.1}' r='{radius:.1}' fill='#ffffff' stroke='{INK}' stroke-width='1.4'/>",
        x - 1.15 * radius,
        y + 1.15 * radius,
        x + 1.15 * radius,
        y - 1.15 * radius
    );
    let _ = write!(
        out,
        "<text x='{x:.1}' y='{:.1}' font-size='{size:.1}' font-weight='bold' fill='{INK}' \
         text-anchor='middle'>{cost}</text>",
        y + 0.36 * size
    );
}

/// A region as a sentence, for its tooltip.
fn in_words(picture: &Scene, region: RegionId) -> String {
    let (map, view) = (picture.map, &picture.regions[region.index()]);
    let mut words = format!("{} {}", map.terrain(region).name(), region.0);
    if let Some(Troops { seat, race, power, tokens, .. }) = view.troops {
        let power = power.map_or("declined", Power::name);
        let name = picture.players.get(seat).map_or("", |player| &player.name);
        let _ = write!(words, ": {tokens} {power} {} of {name}", race.name());
    } else if view.lost_tribe {
        words += ": a Lost Tribe";
    }
    if let Some(cost) = view.cost {
        let _ = write!(words, "; {cost} tokens conquer it");
    }
    words
}

/// A line with the pieces of the map, and a line of terrains.
fn draw_legend(out: &mut String, y: f64, colours: &Palette) {
    const ICON: f64 = 20.0;
    let widths = LEGEND.map(|(_, words)| ICON + 5.8 * words.len() as f64);
    let gap = (WIDTH - 2.0 * MARGIN - widths.iter().sum::<f64>()) / (LEGEND.len() - 1) as f64;
    let mut x = MARGIN;
    for ((name, words), width) in LEGEND.into_iter().zip(widths) {
        // The icons' colours are made for the map: beside it each icon gets a background like the map's.
        let _ = write!(
            out,
            "<rect x='{:.1}' y='{:.1}' width='18' height='18' rx='4' fill='{}'/>",
            x - 1.0,
            y - 9.0,
            colours.terrains[0]
        );
        icon(out, name, [x + 8.0, y], 0.75);
        text(out, [x + ICON, y + 4.0], 10.5, colours.words, "start", words);
        x += width + gap;
    }
    let step = (WIDTH - 2.0 * MARGIN) / Terrain::ALL.len() as f64;
    for (i, terrain) in Terrain::ALL.into_iter().enumerate() {
        let (x, y) = (MARGIN + i as f64 * step, y + LEGEND_LINE - 9.0);
        let left = x - 1.0;
        let _ = write!(
            out,
            "<rect x='{left:.1}' y='{y:.1}' width='36' height='18' rx='4' fill='{}' stroke='{INK}'/>\
             <rect x='{left:.1}' y='{y:.1}' width='36' height='18' rx='4' fill='url(#{})'/>",
            colours.terrains[terrain as usize],
            land(terrain)
        );
        text(out, [x + 42.0, y + 13.0], 11.0, colours.words, "start", terrain.name());
    }
}

fn draw_box(
    out: &mut String,
    ([x, y], [width, height]): (Point, Point),
    stroke: &str,
    thick: f64,
    colours: &Palette,
) {
    let _ = write!(
        out,
        "<rect x='{x:.1}' y='{y:.1}' width='{width:.1}' height='{height}' rx='7' fill='{}' \
         stroke='{stroke}' stroke-width='{thick}'/>",
        colours.panel
    );
}

fn coin(out: &mut String, [x, y]: Point, coins: &str) {
    let _ = write!(
        out,
        "<circle cx='{x:.1}' cy='{y:.1}' r='12' fill='#f4cf4d' stroke='#8a6a0f' stroke-width='1.5'/>"
    );
    text(out, [x, y + 4.5], 12.5, INK, "middle", coins);
}

fn draw_combo(out: &mut String, place: (Point, f64), index: usize, combo: &DrawnCombo, colours: &Palette) {
    let ([x, y], width) = place;
    draw_box(out, (place.0, [width, BOX_HEIGHT]), "#a08c6a", 1.0, colours);
    let cost = if index == 0 { "free".into() } else { format!("costs {index}") };
    let tokens = combo.race.start_tokens() + combo.power.bonus_tokens();
    text(out, [x + 9.0, y + 18.0], 11.0, colours.faded, "start", &cost);
    fitted(out, [x + 9.0, y + 36.0], width - 18.0, 14.0, colours.words, combo.power.name());
    let race = format!("{} ({tokens})", combo.race.name());
    fitted(out, [x + 9.0, y + 53.0], width - 18.0, 14.0, colours.words, &race);
    if combo.coins > 0 {
        coin(out, [x + width - 18.0, y + 17.0], &combo.coins.to_string());
    }
}

fn draw_player(out: &mut String, place: (Point, f64), seat: usize, player: &DrawnPlayer, colours: &Palette) {
    let ([x, y], width) = place;
    let (colour, on_colour) = colours.seats[seat];
    let size = [width, PLAYER_HEIGHT];
    draw_box(out, (place.0, size), colour, if player.to_move { 4.0 } else { 1.5 }, colours);
    fitted(
        out,
        [x + 37.0, y + 23.0],
        width - 76.0,
        14.0,
        colours.words,
        &shortened(&player.name, ((width - 76.0) / 6.5) as usize),
    );
    let _ = write!(out, "<circle cx='{:.1}' cy='{:.1}' r='12' fill='{colour}'/>", x + 19.0, y + 18.0);
    text(out, [x + 19.0, y + 23.0], 14.0, on_colour, "middle", &(seat + 1).to_string());
    let coins = player.coins.map_or("?".into(), |coins| coins.to_string());
    coin(out, [x + width - 19.0, y + 18.0], &coins);
    let mut active = player
        .active
        .map_or_else(|| "no active race".into(), |(race, power)| format!("{} {}", power.name(), race.name()));
    if player.in_hand > 0 {
        let _ = write!(active, ", {} in hand", player.in_hand);
    }
    fitted(out, [x + 9.0, y + 46.0], width - 18.0, 13.5, colours.words, &active);
    if !player.declined.is_empty() {
        let words = |&(race, in_hand): &(Race, u8)| match in_hand {
            0 => race.name().to_string(),
            n => format!("{} ({n} in hand)", race.name()),
        };
        let declined: Vec<_> = player.declined.iter().map(words).collect();
        let words = format!("in decline: {}", declined.join(", "));
        fitted(out, [x + 9.0, y + 63.0], width - 18.0, 12.0, colours.faded, &words);
    }
}
