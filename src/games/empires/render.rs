//! Pictures of a position: plain text, terminal colours, SVG.

use std::fmt::Write;

use super::map::Cell;
use super::observe::seat_name;
use super::rules::Structure;
use super::state::View;
use crate::engine::Theme;

/// Terminal colours of the seats (256-colour palette), and of neutral land.
const TERMINAL_COLOURS: [u8; 8] = [33, 196, 40, 220, 51, 255, 201, 208];
const TERMINAL_NEUTRAL: u8 = 238;

/// Fill colours of the seats in SVG, told apart under the common colour-vision deficiencies too.
const SVG_COLOURS: [&str; 8] =
    ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8833", "#777777"];

impl View<'_> {
    /// Each cell as the owner's digit and the original's glyph, then a status line a player.
    pub(super) fn to_text(self) -> String {
        let mut text = String::new();
        self.write_world(&mut text, |text, owner, glyph| match owner {
            Some(seat) => write!(text, "{seat}{glyph}"),
            None => write!(text, " {glyph}"),
        });
        self.write_statuses(&mut text, |text, seat, status| writeln!(text, "{seat} {status}"));
        text
    }

    /// The original's glyphs in terminal colours, then a status line a player.
    pub(super) fn to_terminal(self) -> String {
        let mut text = String::new();
        self.write_world(&mut text, |text, owner, glyph| {
            let colour = owner.map_or(TERMINAL_NEUTRAL, |seat| TERMINAL_COLOURS[seat]);
            write!(text, "\x1b[38;5;{colour}m{glyph}\x1b[0m")
        });
        self.write_statuses(&mut text, |text, seat, status| {
            writeln!(text, "\x1b[38;5;{}m{status}\x1b[0m", TERMINAL_COLOURS[seat])
        });
        text
    }

    fn write_world(
        self,
        text: &mut String,
        mut write_cell: impl FnMut(&mut String, Option<usize>, &str) -> std::fmt::Result,
    ) {
        let map = &self.rules.map;
        for cell in (0..map.cells() as u16).map(Cell) {
            write_cell(text, self.owner(cell), self.structure(cell).glyph())
                .expect("a String takes everything");
            if (cell.index() + 1) % map.width == 0 {
                text.push('\n');
            }
        }
        text.push_str(&self.headline());
        text.push('\n');
    }

    fn write_statuses(
        self,
        text: &mut String,
        mut write_line: impl FnMut(&mut String, usize, &str) -> std::fmt::Result,
    ) {
        for seat in 0..self.rules.players {
            write_line(text, seat, &self.status_line(seat)).expect("a String takes everything");
        }
    }

    fn headline(self) -> String {
        let (turn, last) = (self.ledger.turn, self.rules.max_turns - 1);
        if self.is_over() {
            format!("game over after turn {}", turn - 1)
        } else {
            format!("turn {turn} of {last}, {} to move", seat_name(self.current()))
        }
    }

    /// Resources, structures, cells and share of the map of one seat.
    fn status_line(self, seat: usize) -> String {
        let tiles = self.tiles(seat);
        let mut line = format!("{}: {}$", seat_name(seat), self.ledger.resources[seat]);
        for structure in [Structure::Castle, Structure::Farm, Structure::Fort] {
            write!(line, " {}{}", self.count(seat, structure), structure.glyph())
                .expect("a String takes everything");
        }
        write!(line, " {tiles} cells {}%", 100 * tiles as usize / self.rules.map.cells())
            .expect("a String takes everything");
        if !self.is_alive(seat) {
            line += " eliminated";
        } else if self.is_over() {
            line += " winner";
        }
        line
    }

    /// The map with a legend below it.
    pub(super) fn to_svg(self, theme: Theme) -> String {
        let map = &self.rules.map;
        // Small maps get large cells, so that every picture is about as wide.
        let side = (800 / map.width).clamp(10, 48);
        let line = 26;
        let (width, world) = ((map.width * side).max(480), map.height * side);
        let height = world + line * (self.rules.players + 1) + 16;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-8 -8 {} {}\" font-family=\"sans-serif\">\n\
             <style>.b{{fill:#fff;fill-opacity:.92;stroke:#222;stroke-width:6;stroke-linejoin:round}}</style>\n\
             <defs>\n\
             <g id=\"farm\"><path d=\"M20 80 50 20M50 80 80 20\" stroke=\"#fff\" stroke-opacity=\".92\" \
             stroke-width=\"11\" stroke-linecap=\"round\"/></g>\n\
             <g id=\"fort\"><path class=\"b\" d=\"M50 14 86 50 50 86 14 50z\"/></g>\n\
             <g id=\"castle\"><path class=\"b\" d=\"M14 86V18h16v14h12V18h16v14h12V18h16v68z\"/>\
             <path d=\"M40 86V62a10 10 0 0 1 20 0v24z\" fill=\"#222\"/></g>\n\
             </defs>\n\
             <rect x=\"-8\" y=\"-8\" width=\"100%\" height=\"100%\" fill=\"#fafaf7\"/>\n\
             <rect width=\"{}\" height=\"{world}\" fill=\"#e4e1d8\"/>\n",
            width + 16,
            height + 16,
            map.width * side,
        );
        let mut draw = |args: std::fmt::Arguments<'_>| {
            svg.write_fmt(args).expect("a String takes everything");
            svg.push('\n');
        };
        for cell in (0..map.cells() as u16).map(Cell) {
            let Some(owner) = self.owner(cell) else { continue };
            let (x, y) = (cell.index() % map.width * side, cell.index() / map.width * side);
            let fill = SVG_COLOURS[owner];
            draw(format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" fill=\"{fill}\"/>"
            ));
            let structure = self.structure(cell);
            if structure != Structure::Land {
                let (name, scale) = (structure.name(), side as f32 / 100.0);
                draw(format_args!("<use href=\"#{name}\" transform=\"translate({x} {y}) scale({scale})\"/>"));
            }
        }
        let mut grid = String::new();
        for x in 0..=map.width {
            write!(grid, "M{} 0V{world}", x * side).expect("a String takes everything");
        }
        for y in 0..=map.height {
            write!(grid, "M0 {}H{}", y * side, map.width * side).expect("a String takes everything");
        }
        draw(format_args!("<path d=\"{grid}\" stroke=\"#fff\" stroke-opacity=\".45\"/>"));
        draw(format_args!(
            "<text x=\"0\" y=\"{}\" font-size=\"17\" font-weight=\"bold\" fill=\"#222\">{}</text>",
            world + line,
            self.headline()
        ));
        for (seat, fill) in SVG_COLOURS.iter().enumerate().take(self.rules.players) {
            let (y, weight) = (
                world + line * (seat + 2),
                if !self.is_over() && self.current() == seat { "bold" } else { "normal" },
            );
            draw(format_args!(
                "<rect y=\"{}\" width=\"16\" height=\"16\" rx=\"3\" fill=\"{fill}\"/>\
                 <text x=\"26\" y=\"{y}\" font-size=\"16\" font-weight=\"{weight}\" fill=\"#222\">{}</text>",
                y - 14,
                self.status_line(seat).replace('<', "&lt;").replace('>', "&gt;")
            ));
        }
        svg + "</svg>\n"
    }
}
