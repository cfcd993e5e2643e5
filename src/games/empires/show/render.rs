//! A position as text, plain or with ANSI colours.

use std::fmt::Write;

use crate::rules::map::Cell;
use crate::rules::ruleset::Structure;
use crate::rules::state::StateRef;
use ludovec_engine::{Caption, MAX_PLAYERS};

/// Terminal colours of the seats (256-colour palette), and of neutral land.
const TERMINAL_COLOURS: [u8; MAX_PLAYERS] = [33, 196, 40, 220, 51, 255, 201, 208];
const TERMINAL_NEUTRAL: u8 = 238;

/// The interval between numbered columns of the map.
const COLUMNS_A_NUMBER: usize = 5;
/// Maximum number of map columns side by side in plain text: terminals have 80 columns, and a cell takes 2.
const COLUMNS: usize = 38;

/// A glyph of two signs in `width` columns: equal signs are repeated, brackets move apart.
fn widened(glyph: &str, width: usize) -> String {
    let [first, last] = [&glyph[..1], &glyph[1..]];
    let filling = if first == last { first } else { " " };
    format!("{first}{}{last}", filling.repeat(width - 2))
}

impl StateRef<'_> {
    /// The map with coordinates, two characters per cell: the owner, counted from 1, and half of the structure's
    /// glyph. Wide maps are cut into parts, one below the other. A status line per player follows.
    pub(crate) fn to_text(self, caption: Caption<'_>) -> String {
        let map = &self.rules.map;
        let each = map.width.div_ceil(map.width.div_ceil(COLUMNS));
        let mut text = String::new();
        for first in (0..map.width).step_by(each) {
            let columns = first..(first + each).min(map.width);
            text += "   ";
            for x in columns.clone() {
                let number = if x % COLUMNS_A_NUMBER == 0 { x.to_string() } else { String::new() };
                write!(text, "{number:<2}").expect("a String takes everything");
            }
            text.truncate(text.trim_end().len());
            for y in 0..map.height {
                write!(text, "\n{y:>2} ").expect("a String takes everything");
                for x in columns.clone() {
                    let cell = Cell((y * map.width + x) as u16);
                    let owner = self.owner(cell).map_or(".".into(), |seat| (seat + 1).to_string());
                    text += &owner;
                    text += &self.structure(cell).glyph()[..1];
                }
            }
            text += "\n\n";
        }
        text += caption.standing;
        text.push('\n');
        self.write_statuses(&mut text, caption, |text, seat, status| writeln!(text, "{} {status}", seat + 1));
        text
    }

    /// The original's glyphs in ANSI colours with coordinates, then a status line per player. Large cells have four
    /// columns and two lines.
    pub(crate) fn to_terminal(self, large: bool, caption: Caption<'_>) -> String {
        let map = &self.rules.map;
        let [width, lines] = if large { [4, 2] } else { [2, 1] };
        let columns = (0..map.width).step_by(COLUMNS_A_NUMBER);
        let mut text: String = columns.map(|x| format!("{x:<0$}", width * COLUMNS_A_NUMBER)).collect();
        text = format!("   {}\n", text.trim_end());
        for (y, line) in (0..map.height).flat_map(|y| (0..lines).map(move |line| (y, line))) {
            let number = if line == 0 { y.to_string() } else { String::new() };
            write!(text, "{number:>2} ").expect("a String takes everything");
            for x in 0..map.width {
                let cell = Cell((y * map.width + x) as u16);
                let colour = self.owner(cell).map_or(TERMINAL_NEUTRAL, |seat| TERMINAL_COLOURS[seat]);
                let glyph = self.structure(cell).glyph();
                write!(text, "\x1b[38;5;{colour}m{}\x1b[0m", widened(glyph, width))
                    .expect("a String takes everything");
            }
            text.push('\n');
        }
        text += caption.standing;
        text.push('\n');
        self.write_statuses(&mut text, caption, |text, seat, status| {
            writeln!(text, "\x1b[38;5;{}m{status}\x1b[0m", TERMINAL_COLOURS[seat])
        });
        text
    }

    fn write_statuses(
        self,
        text: &mut String,
        caption: Caption<'_>,
        mut write_line: impl FnMut(&mut String, usize, &str) -> std::fmt::Result,
    ) {
        for seat in 0..self.rules.players {
            write_line(text, seat, &self.status_line(seat, &caption.names[seat]))
                .expect("a String takes everything");
        }
    }

    /// Resources, structures, cells and share of the map of one seat.
    fn status_line(self, seat: usize, name: &str) -> String {
        let tiles = self.tiles(seat);
        let mut line = format!("{name}: {}$", self.ledger.resources[seat]);
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
}
