//! The map as a picture, with the original's glyphs.

use std::fmt::Write;

use serde_json::json;

use super::map::{Cell, Map};
use super::ruleset::Structure;
use super::state::StateRef;
use crate::engine::{MAX_PLAYERS, Place, SEAT_COLOURS, Theme};

/// Colours that depend on the theme.
struct Palette {
    paper: &'static str,
    neutral: &'static str,
    grid: &'static str,
    ink: &'static str,
    faded: &'static str,
}

const LIGHT: Palette =
    Palette { paper: "#fafaf7", neutral: "#e4e1d8", grid: "#fff", ink: "#222", faded: "#777" };
const DARK: Palette =
    Palette { paper: "#17181b", neutral: "#2a2c31", grid: "#000", ink: "#eee", faded: "#999" };

/// The strokes of a structure's glyph in a square of 100 by 100.
const fn strokes(structure: Structure) -> &'static str {
    match structure {
        // Four dots, which are drawn as a pattern.
        Structure::Land => "",
        Structure::Farm => "M20 80 50 20M50 80 80 20",
        Structure::Fort => "M42 22 16 50 42 78M58 22 84 50 58 78",
        Structure::Castle => "M36 18H20V82H36M64 18H80V82H64",
    }
}

/// Height of a line of the legend.
const LINE: usize = 26;

/// Side of a cell: small maps get large cells, so that every picture is about as wide.
fn side(map: &Map) -> usize {
    (800 / map.width).clamp(10, 48)
}

/// The cells, which actions name.
pub(super) fn places(map: &Map) -> Vec<Place> {
    let side = side(map);
    let place = |cell| Place {
        means: vec![("position", json!(map.coordinates(cell)))],
        outline: square(cell, map, side),
        after: None,
    };
    (0..map.cells() as u16).map(Cell).map(place).collect()
}

/// The outline of a cell.
fn square(cell: Cell, map: &Map, side: usize) -> String {
    let (x, y) = (cell.index() % map.width * side, cell.index() / map.width * side);
    format!("M{x} {y}h{side}v{side}h-{side}z")
}

impl StateRef<'_> {
    /// The map with the players below it; the cell of the last action is marked.
    pub(super) fn to_svg(self, last: Option<Cell>, theme: Theme) -> String {
        let mut svg = String::new();
        self.draw(&mut svg, last, theme.pick(&LIGHT, &DARK)).expect("a String takes everything");
        svg
    }

    fn draw(self, svg: &mut String, last: Option<Cell>, colours: &Palette) -> std::fmt::Result {
        let map = &self.rules.map;
        let side = side(map);
        let (world_width, world) = (map.width * side, map.height * side);
        let width = world_width.max(480) + 16;
        let height = world + LINE * (self.rules.players + 2) + 20;
        let Palette { paper, neutral, grid, ink, faded } = colours;
        write!(
            svg,
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -8 {width} {height}" font-family="Helvetica, Arial, sans-serif"><defs>"##
        )?;
        for structure in [Structure::Farm, Structure::Fort, Structure::Castle] {
            let (name, path) = (structure.name(), strokes(structure));
            write!(
                svg,
                r##"<g id="empires-{name}" fill="none" stroke-linecap="round" stroke-linejoin="round"><path d="{path}" stroke="#000" stroke-opacity=".4" stroke-width="19"/><path d="{path}" stroke="#fff" stroke-width="11"/></g>"##
            )?;
        }
        write!(
            svg,
            r#"<pattern id="empires-land-{side}" width="{side}" height="{side}" patternUnits="userSpaceOnUse"><g transform="scale({})">"#,
            scale(side)
        )?;
        for (x, y) in [(34, 36), (66, 36), (34, 64), (66, 64)] {
            write!(svg, r##"<circle cx="{x}" cy="{y}" r="6.5" fill="#888" fill-opacity=".4"/>"##)?;
        }
        write!(
            svg,
            r#"</g></pattern></defs><rect x="-8" y="-8" width="{width}" height="{height}" fill="{paper}"/><rect width="{world_width}" height="{world}" fill="{neutral}"/>"#
        )?;
        self.draw_cells(svg, side)?;
        let mut lines = String::new();
        for x in 0..=map.width {
            write!(lines, "M{} 0V{world}", x * side)?;
        }
        for y in 0..=map.height {
            write!(lines, "M0 {}H{world_width}", y * side)?;
        }
        write!(svg, r#"<path d="{lines}" stroke="{grid}" stroke-opacity=".45"/>"#)?;
        if let Some(cell) = last {
            let square = square(cell, map, side);
            write!(svg, r#"<path d="{square}" fill="none" stroke="{ink}" stroke-width="3"/>"#)?;
        }
        let headline = self.headline();
        write!(
            svg,
            r#"<text y="{}" font-size="17" font-weight="bold" fill="{ink}">{headline}</text>"#,
            world + LINE
        )?;
        for (seat, fill) in SEAT_COLOURS.iter().enumerate().take(self.rules.players) {
            let y = world + LINE * (seat + 2);
            let to_move = !self.is_over() && self.current() == seat;
            write!(
                svg,
                r#"<rect y="{}" width="16" height="16" rx="3" fill="{fill}"/><text x="26" y="{y}" font-size="16" font-weight="{}" fill="{ink}">{}</text>"#,
                y - 14,
                if to_move { "bold" } else { "normal" },
                escape(&self.status_line(seat))
            )?;
        }
        let names = [Structure::Land, Structure::Farm, Structure::Fort, Structure::Castle]
            .map(|structure| format!("{} {}", structure.glyph(), structure.name()));
        write!(
            svg,
            r#"<text y="{}" font-size="14" fill="{faded}">{}</text></svg>"#,
            world + LINE * (self.rules.players + 2),
            escape(&names.join("   "))
        )
    }

    /// The cells in the colours of their owners, and what stands on them.
    fn draw_cells(self, svg: &mut String, side: usize) -> std::fmt::Result {
        let map = &self.rules.map;
        let mut lands = [const { String::new() }; MAX_PLAYERS];
        let mut built = lands.clone();
        let mut glyphs = String::new();
        for cell in (0..map.cells() as u16).map(Cell) {
            let Some(owner) = self.owner(cell) else { continue };
            let (x, y) = (cell.index() % map.width * side, cell.index() / map.width * side);
            let structure = self.structure(cell);
            let paths = if structure == Structure::Land { &mut lands } else { &mut built };
            write!(paths[owner], "M{x} {y}h{side}v{side}h-{side}z")?;
            if structure != Structure::Land {
                let name = structure.name();
                write!(
                    glyphs,
                    r##"<use href="#empires-{name}" transform="translate({x} {y}) scale({})"/>"##,
                    scale(side)
                )?;
            }
        }
        let paint = |svg: &mut String, paths: &[String]| -> std::fmt::Result {
            for (path, fill) in paths.iter().zip(SEAT_COLOURS).filter(|(path, _)| !path.is_empty()) {
                write!(svg, r#"<path d="{path}" fill="{fill}"/>"#)?;
            }
            Ok(())
        };
        paint(svg, &lands)?;
        write!(
            svg,
            r#"<rect width="{}" height="{}" fill="url(#empires-land-{side})"/>"#,
            map.width * side,
            map.height * side
        )?;
        paint(svg, &built)?;
        svg.push_str(&glyphs);
        Ok(())
    }
}

/// What shrinks a square of 100 by 100 to a cell.
fn scale(side: usize) -> f32 {
    side as f32 / 100.0
}

fn escape(text: &str) -> String {
    text.replace('<', "&lt;").replace('>', "&gt;")
}
