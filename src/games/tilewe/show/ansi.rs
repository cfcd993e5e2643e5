//! The position in ANSI colours: two columns per tile, or four columns and two lines.

use std::fmt::Write;

use super::render::{board, letter, marked_corners, named, standing};
use crate::rules::pieces::{Color, Piece};
use crate::rules::ruleset::Ruleset;
use crate::rules::state::State;
use crate::rules::tiles::TileSet;
use ludovec_engine::{Caption, ansi};

/// A free tile's dot.
const FREE: u8 = 240;
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
    for (color, name) in named(rules, caption) {
        let c = color.index();
        let indent = name.chars().count() + 13;
        let name = painted(color, format_args!(" {name} "));
        let _ = write!(out, "{name} {:2}  {:6}", rules.color_score(state, c), standing(state, c, caption));
        let mut column = indent;
        for piece in state.pieces_left(c).map(Piece::name) {
            if column + 1 + piece.len() > WIDTH {
                let _ = write!(out, "\n{:indent$}", "");
                column = indent;
            }
            let _ = write!(out, " {piece}");
            column += 1 + piece.len();
        }
        out.push('\n');
    }
    out
}
