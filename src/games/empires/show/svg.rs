//! The map as a picture, with the original's glyphs, and a table of the players.

mod beside;

use std::fmt::{Result, Write};

use serde_json::json;

use crate::rules::map::{Cell, Map};
use crate::rules::ruleset::Structure;
use crate::rules::state::StateRef;
use ludovec_engine::drawing::{escape, marked_path, shortened, text_width};
use ludovec_engine::{Caption, MAX_PLAYERS, Place, SEAT_COLOURS, Theme, View};

/// Colours that depend on the theme.
struct Palette {
    paper: &'static str,
    neutral: &'static str,
    grid: &'static str,
    ink: &'static str,
    faded: &'static str,
    /// Lines between realms.
    border: &'static str,
}

const LIGHT: Palette = Palette {
    paper: "#fafaf7",
    neutral: "#e4e1d8",
    grid: "#ffffff",
    ink: "#222222",
    faded: "#5c5c5c",
    border: "#16181b",
};
const DARK: Palette = Palette {
    paper: "#17181b",
    neutral: "#34373d",
    grid: "#17181b",
    ink: "#eeeeee",
    faded: "#b0b0b0",
    border: "#ffffff",
};

/// The strokes of a structure's glyph in a square of 100 by 100; land is bare.
const fn strokes(structure: Structure) -> &'static str {
    match structure {
        Structure::Land => "",
        Structure::Farm => "M20 80 50 20M50 80 80 20",
        Structure::Fort => "M42 22 16 50 42 78M58 22 84 50 58 78",
        Structure::Castle => "M36 18H20V82H36M64 18H80V82H64",
    }
}

/// Left and top of the map.
const LEFT: usize = 30;
const TOP: usize = 62;
/// Height of a line of the table.
const LINE: usize = 26;
/// Minimum width of the map's part, for the table below it.
const TABLE: usize = 560;
/// Right ends of the table's columns of numbers, as shares of its width.
const COLUMNS: [(&str, f64); 6] =
    [("gold", 0.46), ("castles", 0.58), ("farms", 0.68), ("forts", 0.78), ("cells", 0.88), ("share", 1.0)];

/// Side of a cell. Small maps get larger cells, so that all pictures have about the same width.
fn side(map: &Map) -> usize {
    (800 / map.width).clamp(12, 48)
}

/// Left and top of a cell.
fn corner(cell: Cell, map: &Map) -> (usize, usize) {
    let side = side(map);
    (LEFT + cell.index() % map.width * side, TOP + cell.index() / map.width * side)
}

/// The places of a drawing that actions refer to: the cells.
pub(crate) fn places(map: &Map) -> Vec<Place> {
    let side = side(map) as f64;
    let place = |cell| {
        let (x, y) = corner(cell, map);
        Place::rectangle(vec![("position", json!(map.coordinates(cell)))], [x as f64, y as f64], [side, side])
    };
    (0..map.cells() as u16).map(Cell).map(place).collect()
}

impl StateRef<'_> {
    /// The map with the players below it; the cell of the last action is marked.
    pub(crate) fn to_svg(self, last: Option<Cell>, view: View, title: &str, caption: Caption<'_>) -> String {
        let mut svg = String::new();
        self.draw(&mut svg, last, view, title, caption).expect("a String takes everything");
        svg
    }

    fn draw(
        self,
        svg: &mut String,
        last: Option<Cell>,
        view: View,
        title: &str,
        caption: Caption<'_>,
    ) -> Result {
        let map = &self.rules.map;
        let side = side(map);
        let (world_width, world) = (map.width * side, map.height * side);
        let width = LEFT + world_width.max(TABLE) + LEFT / 2;
        let height = TOP + world + LINE * (self.rules.players + 2) + 22;
        let colours = view.theme.pick(&LIGHT, &DARK);
        let Palette { paper, neutral, grid, ink, .. } = colours;
        let shown = match view.board_only {
            true => format!("{LEFT} {TOP} {world_width} {world}"),
            false => format!("0 0 {width} {height}"),
        };
        write!(
            svg,
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{shown}" font-family="Arial, Helvetica, sans-serif"><defs>"##
        )?;
        for structure in Structure::BUILDABLE {
            let (name, path) = (structure.name(), strokes(structure));
            write!(
                svg,
                r##"<g id="empires-{name}" fill="none" stroke-linecap="round" stroke-linejoin="round"><path d="{path}" stroke="#000000" stroke-opacity=".75" stroke-width="21"/><path d="{path}" stroke="#ffffff" stroke-width="11"/></g>"##
            )?;
        }
        write!(
            svg,
            r#"</defs><rect width="{width}" height="{height}" fill="{paper}"/><rect x="{LEFT}" y="{TOP}" width="{world_width}" height="{world}" fill="{neutral}"/>"#
        )?;
        self.draw_lands(svg)?;
        let (right, bottom) = (LEFT + world_width, TOP + world);
        let mut lines = String::new();
        for x in 0..=map.width {
            write!(lines, "M{} {TOP}V{bottom}", LEFT + x * side)?;
        }
        for y in 0..=map.height {
            write!(lines, "M{LEFT} {}H{right}", TOP + y * side)?;
        }
        write!(svg, r#"<path d="{lines}" stroke="{grid}" stroke-opacity=".35"/>"#)?;
        self.draw_borders(svg, view.theme)?;
        self.draw_structures(svg)?;
        if let Some(cell) = last {
            let (x, y) = corner(cell, map);
            svg.push_str(&marked_path(&format!("M{x} {y}h{side}v{side}h-{side}z"), 2.5));
        }
        if !view.board_only {
            let headline = format!("{title}: {}", caption.standing);
            let size = ((width - LEFT - LEFT / 2) as f64 / text_width(&headline)).min(18.0);
            write!(
                svg,
                r#"<text x="{LEFT}" y="28" font-size="{size:.1}" font-weight="bold" fill="{ink}">{}</text>"#,
                escape(&headline)
            )?;
            draw_coordinates(svg, map, colours)?;
            self.draw_table(svg, caption, colours)?;
        }
        svg.push_str("</svg>");
        Ok(())
    }

    /// The cells of each seat, a path per row: a move changes one row, and films store changed elements.
    fn draw_lands(self, svg: &mut String) -> Result {
        let map = &self.rules.map;
        let side = side(map);
        for row in 0..map.height {
            let owners: Vec<Option<usize>> =
                (0..map.width).map(|x| self.owner(Cell((row * map.width + x) as u16))).collect();
            let mut lands = [const { String::new() }; MAX_PLAYERS];
            let mut x = 0;
            for run in owners.chunk_by(|a, b| a == b) {
                if let Some(owner) = run[0] {
                    let (left, top, width) = (LEFT + x * side, TOP + row * side, run.len() * side);
                    write!(lands[owner], "M{left} {top}h{width}v{side}h-{width}z")?;
                }
                x += run.len();
            }
            for (path, fill) in lands.iter().zip(SEAT_COLOURS).filter(|(path, _)| !path.is_empty()) {
                write!(svg, r#"<path d="{path}" fill="{fill}"/>"#)?;
            }
        }
        Ok(())
    }

    /// Lines between cells of different owners, a path per row.
    fn draw_borders(self, svg: &mut String, theme: Theme) -> Result {
        let map = &self.rules.map;
        let side = side(map);
        let border = theme.pick(&LIGHT, &DARK).border;
        let width = (side as f64 / 14.0).clamp(1.2, 2.5);
        for row in 0..map.height {
            let mut lines = String::new();
            for cell in (row * map.width..(row + 1) * map.width).map(|cell| Cell(cell as u16)) {
                let (x, y) = corner(cell, map);
                let differs = |other: usize| self.owner(cell) != self.owner(Cell(other as u16));
                if (cell.index() + 1) % map.width != 0 && differs(cell.index() + 1) {
                    write!(lines, "M{} {y}v{side}", x + side)?;
                }
                if cell.index() + map.width < map.cells() && differs(cell.index() + map.width) {
                    write!(lines, "M{x} {}h{side}", y + side)?;
                }
            }
            if !lines.is_empty() {
                write!(
                    svg,
                    r#"<path d="{lines}" stroke="{border}" stroke-width="{width:.1}" stroke-linecap="round"/>"#
                )?;
            }
        }
        Ok(())
    }

    fn draw_structures(self, svg: &mut String) -> Result {
        let map = &self.rules.map;
        let scale = side(map) as f32 / 100.0;
        for cell in (0..map.cells() as u16).map(Cell) {
            let structure = self.structure(cell);
            if structure != Structure::Land {
                let ((x, y), name) = (corner(cell, map), structure.name());
                write!(
                    svg,
                    r##"<use href="#empires-{name}" transform="translate({x} {y}) scale({scale})"/>"##
                )?;
            }
        }
        Ok(())
    }

    /// One line per player, below a header line, and the legend of the map.
    fn draw_table(self, svg: &mut String, caption: Caption<'_>, colours: &Palette) -> Result {
        let map = &self.rules.map;
        let Palette { ink, faded, .. } = colours;
        let width = (map.width * side(map)).max(TABLE) as f64;
        let top = TOP + map.height * side(map);
        let at = |share: f64| LEFT as f64 + share * width;
        for (name, share) in COLUMNS {
            write!(
                svg,
                r#"<text x="{:.1}" y="{}" font-size="13" fill="{faded}" text-anchor="end">{name}</text>"#,
                at(share),
                top + LINE
            )?;
        }
        for (seat, (fill, name)) in SEAT_COLOURS.iter().zip(caption.names).enumerate() {
            let y = top + LINE * (seat + 2);
            let to_move = caption.running && self.current() == seat;
            let state = match () {
                () if !self.is_alive(seat) => ", out",
                () if to_move => ", to move",
                () => "",
            };
            let name = escape(&format!("{}{state}", shortened(name, 16)));
            let weight = if to_move { "bold" } else { "normal" };
            write!(
                svg,
                r#"<rect x="{LEFT}" y="{}" width="16" height="16" rx="3" fill="{fill}" stroke="{ink}"/><text x="{}" y="{y}" font-size="15" font-weight="{weight}" fill="{ink}">{name}</text>"#,
                y - 13,
                LEFT + 24,
            )?;
            let tiles = self.tiles(seat);
            let [castles, farms, forts] = [Structure::Castle, Structure::Farm, Structure::Fort]
                .map(|structure| self.count(seat, structure).to_string());
            let share = format!("{:.1} %", 100.0 * f64::from(tiles) / map.cells() as f64);
            let gold = self.ledger.resources[seat].to_string();
            for (number, (_, share)) in
                [gold, castles, farms, forts, tiles.to_string(), share].iter().zip(COLUMNS)
            {
                write!(
                    svg,
                    r#"<text x="{:.1}" y="{y}" font-size="15" fill="{ink}" text-anchor="end">{number}</text>"#,
                    at(share)
                )?;
            }
        }
        let y = top + LINE * (self.rules.players + 2);
        for (i, structure) in Structure::BUILDABLE.into_iter().enumerate() {
            let (x, name) = (LEFT + i * 90, structure.name());
            write!(
                svg,
                r##"<use href="#empires-{name}" transform="translate({x} {}) scale(.16)"/><text x="{}" y="{y}" font-size="13" fill="{faded}">{name}</text>"##,
                y - 13,
                x + 22
            )?;
        }
        Ok(())
    }
}

/// Numbers of columns and rows; on large maps every fifth.
fn draw_coordinates(svg: &mut String, map: &Map, colours: &Palette) -> Result {
    let side = side(map);
    let step = if side >= 18 { 1 } else { 5 };
    let size = (side as f64 * 0.55).clamp(10.0, 12.0);
    write!(svg, r#"<g font-size="{size}" fill="{}">"#, colours.faded)?;
    for x in (0..map.width).step_by(step) {
        write!(
            svg,
            r#"<text x="{}" y="{}" text-anchor="middle">{x}</text>"#,
            LEFT + x * side + side / 2,
            TOP - 6
        )?;
    }
    for y in (0..map.height).step_by(step) {
        write!(
            svg,
            r#"<text x="{}" y="{}" text-anchor="end">{y}</text>"#,
            LEFT - 6,
            TOP + y * side + side / 2 + 4
        )?;
    }
    svg.push_str("</g>");
    Ok(())
}
