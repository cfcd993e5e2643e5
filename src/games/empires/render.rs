//! A position as text, plain or in terminal colours.

use std::fmt::Write;

use super::map::Cell;
use super::ruleset::Structure;
use super::state::StateRef;
use crate::engine::MAX_PLAYERS;

/// Terminal colours of the seats (256-colour palette), and of neutral land.
const TERMINAL_COLOURS: [u8; MAX_PLAYERS] = [33, 196, 40, 220, 51, 255, 201, 208];
const TERMINAL_NEUTRAL: u8 = 238;

impl StateRef<'_> {
    /// Each cell as the owner's digit and the original's glyph, then a status line a player.
    pub(super) fn to_text(self) -> String {
        let mut text = String::new();
        self.write_world(
            &mut text,
            |_, _| {},
            |text, owner, glyph| match owner {
                Some(seat) => write!(text, "{seat}{glyph}"),
                None => write!(text, " {glyph}"),
            },
        );
        self.write_statuses(&mut text, |text, seat, status| writeln!(text, "{seat} {status}"));
        text
    }

    /// The original's glyphs in terminal colours with coordinates, then a status line a player.
    pub(super) fn to_terminal(self) -> String {
        const COLUMNS_A_NUMBER: usize = 5;
        let columns = (0..self.rules.map.width).step_by(COLUMNS_A_NUMBER);
        let mut text: String = columns.map(|x| format!("{x:<0$}", 2 * COLUMNS_A_NUMBER)).collect();
        text = format!("   {}\n", text.trim_end());
        self.write_world(
            &mut text,
            |text, y| write!(text, "{y:>2} ").expect("a String takes everything"),
            |text, owner, glyph| {
                let colour = owner.map_or(TERMINAL_NEUTRAL, |seat| TERMINAL_COLOURS[seat]);
                write!(text, "\x1b[38;5;{colour}m{glyph}\x1b[0m")
            },
        );
        self.write_statuses(&mut text, |text, seat, status| {
            writeln!(text, "\x1b[38;5;{}m{status}\x1b[0m", TERMINAL_COLOURS[seat])
        });
        text
    }

    fn write_world(
        self,
        text: &mut String,
        begin_row: impl Fn(&mut String, usize),
        mut write_cell: impl FnMut(&mut String, Option<usize>, &str) -> std::fmt::Result,
    ) {
        let map = &self.rules.map;
        for cell in (0..map.cells() as u16).map(Cell) {
            if cell.index() % map.width == 0 {
                begin_row(text, cell.index() / map.width);
            }
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

    pub(super) fn headline(self) -> String {
        let (turn, last) = (self.ledger.turn, self.rules.max_turns - 1);
        if self.is_over() {
            format!("game over after turn {}", turn - 1)
        } else {
            format!("turn {turn} of {last}, {} to move", self.rules.names[self.current()])
        }
    }

    /// Resources, structures, cells and share of the map of one seat.
    pub(super) fn status_line(self, seat: usize) -> String {
        let tiles = self.tiles(seat);
        let mut line = format!("{}: {}$", self.rules.names[seat], self.ledger.resources[seat]);
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
