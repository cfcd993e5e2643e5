//! The position in ANSI colours: two columns per tile, four columns and two lines, or half a line.

use std::fmt::Write;

use super::render::{board, letter, marked_corners, named, standing};
use crate::rules::pieces::{Color, Piece};
use crate::rules::ruleset::Ruleset;
use crate::rules::state::State;
use crate::rules::tiles::{Tile, TileSet};
use ludovec_engine::{Caption, ansi};

/// A free tile's dot.
const FREE: u8 = 240;
/// A free tile in half blocks.
const EMPTY: u8 = 236;
/// Maximum width of a line of pieces, in columns.
const WIDTH: usize = 76;

/// A colour in the 256-colour palette.
fn ground(color: Color) -> u8 {
    match color {
        Color::Blue => 27,
        Color::Yellow => 220,
        Color::Red => 160,
        Color::Green => 34,
    }
}

/// An open corner, and a tile that was placed last.
fn shades(color: Color) -> [u8; 2] {
    match color {
        Color::Blue => [18, 75],
        Color::Yellow => [58, 229],
        Color::Red => [52, 210],
        Color::Green => [22, 120],
    }
}

fn painted(color: Color, text: impl std::fmt::Display) -> String {
    ansi::on(ground(color), ansi::ink_on(ground(color)), text)
}

/// The board with the open corners of the current colour as `<>`, and the colours with their pieces. Tiles carry
/// the letter of their colour, in lower case for the piece that was placed last.
pub(crate) fn text(
    rules: &Ruleset,
    state: &State,
    last: TileSet,
    large: bool,
    caption: Caption<'_>,
) -> String {
    let corners = marked_corners(rules, state, caption);
    let [width, lines] = if large { [4, 2] } else { [2, 1] };
    let shown = |tile, line| match state.owner(tile) {
        Some(color) if last.contains(tile) => painted(color, letter(Some(color)).to_string().repeat(width)),
        Some(color) => {
            let sign = if line == 0 { letter(Some(color)).to_ascii_uppercase() } else { ' ' };
            painted(color, format_args!("{sign:<width$}"))
        }
        None => {
            let (colour, sign) = match corners.contains(tile) {
                true => (ground(Color::ALL[state.current()]), "<>"),
                false => (FREE, "."),
            };
            let sign = if line == 0 { sign } else { "" };
            format!("\x1b[38;5;{colour}m{sign:<width$}\x1b[0m")
        }
    };
    let mut out = board(rules, lines, shown, |column| format!("{column:<width$}"));
    for line in colors_left(rules, state, caption, WIDTH) {
        out += &line;
        out.push('\n');
    }
    out
}

/// The board with two rows of tiles in a line, and the colours beside it. Open corners of the current colour are dark,
/// and the tiles that were placed last light.
pub(crate) fn half_blocks(rules: &Ruleset, state: &State, last: TileSet, caption: Caption<'_>) -> String {
    let corners = marked_corners(rules, state, caption);
    let shown = |row, column| {
        let tile = Tile::new(row, column)?;
        Some(match state.owner(tile) {
            Some(color) if last.contains(tile) => shades(color)[1],
            Some(color) => ground(color),
            None if corners.contains(tile) => shades(Color::ALL[state.current()])[0],
            None => EMPTY,
        })
    };
    let mut beside = colors_left(rules, state, caption, WIDTH - rules.side - 4).into_iter();
    let mut out = String::new();
    for row in (0..rules.side).rev().step_by(2) {
        let _ = write!(out, "{:>2} ", row + 1);
        for column in 0..rules.side {
            let upper = shown(row, column).unwrap_or(EMPTY);
            // Below an odd number of rows is the terminal's background.
            let _ = match row.checked_sub(1).and_then(|lower| shown(lower, column)) {
                Some(lower) => write!(out, "{}", ansi::on(lower, upper, '▀')),
                None => write!(out, "\x1b[38;5;{upper}m▀\x1b[0m"),
            };
        }
        let _ = writeln!(out, " {}", beside.next().unwrap_or_default());
    }
    let names: String = ('a'..='t').take(rules.side).collect();
    let _ = writeln!(out, "   {names} {}", beside.next().unwrap_or_default());
    beside.for_each(|line| {
        let _ = writeln!(out, "{:1$} {line}", "", rules.side + 3);
    });
    out
}

/// Lines with the colours' names, scores and pieces, of at most `width` columns where names allow.
fn colors_left(rules: &Ruleset, state: &State, caption: Caption<'_>, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (color, name) in named(rules, caption) {
        let c = color.index();
        let indent = name.chars().count() + 13;
        let name = painted(color, format_args!(" {name} "));
        let mut line = format!("{name} {:2}  {:6}", rules.color_score(state, c), standing(state, c, caption));
        let mut column = indent;
        for piece in state.pieces_left(c).map(Piece::name) {
            if column + 1 + piece.len() > width {
                lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
                column = indent;
            }
            let _ = write!(line, " {piece}");
            column += 1 + piece.len();
        }
        lines.push(line);
    }
    lines
}
