//! The position as text.

use std::fmt::Write;

use crate::rules::pieces::{Color, Piece};
use crate::rules::ruleset::Ruleset;
use crate::rules::state::State;
use crate::rules::tiles::{Tile, TileSet};
use ludovec_engine::Caption;
use ludovec_engine::drawing::shortened;

/// The letter of a tile of `color`, or of a free tile.
pub(crate) fn letter(color: Option<Color>) -> char {
    color.map_or('.', |c| c.name().as_bytes()[0].into())
}

/// The rows of the board from the top, one letter per tile.
pub(crate) fn rows(rules: &Ruleset, state: &State) -> impl Iterator<Item = String> {
    let shown = |row| tiles_of_row(rules, row).map(|tile| letter(state.owner(tile))).collect();
    (0..rules.side).rev().map(shown)
}

fn tiles_of_row(rules: &Ruleset, row: usize) -> impl Iterator<Item = Tile> + use<> {
    (0..rules.side).filter_map(move |column| Tile::new(row, column))
}

/// The rows of the board from the top with their numbers, then the letters of the columns. A tile has `lines` lines,
/// which `tile` formats; letters are formatted by `name`, all with the same width.
pub(crate) fn board(
    rules: &Ruleset,
    lines: usize,
    tile: impl Fn(Tile, usize) -> String,
    name: impl Fn(char) -> String,
) -> String {
    let mut out = String::new();
    for (row, line) in (0..rules.side).rev().flat_map(|row| (0..lines).map(move |line| (row, line))) {
        let number = if line == 0 { (row + 1).to_string() } else { String::new() };
        let _ = write!(out, "{number:>2} ");
        tiles_of_row(rules, row).for_each(|at| out += &tile(at, line));
        out.push('\n');
    }
    out.push_str("   ");
    ('a'..='t').take(rules.side).for_each(|column| out += &name(column));
    out.push('\n');
    out
}

/// The board with the open corners of the current colour as `*`, and a line for each colour.
pub(crate) fn text(rules: &Ruleset, state: &State, caption: Caption<'_>) -> String {
    let corners = marked_corners(rules, state, caption);
    let shown = |tile, _| match state.owner(tile) {
        None if corners.contains(tile) => " *".into(),
        owner => format!(" {}", letter(owner)),
    };
    let mut out = board(rules, 1, shown, |column| format!(" {column}"));
    for (color, name) in named(rules, caption) {
        let c = color.index();
        let left: Vec<_> = state.pieces_left(c).map(Piece::name).collect();
        let (letter, score, standing) =
            (letter(Some(color)), rules.color_score(state, c), standing(state, c, caption));
        let _ = writeln!(out, "{letter} {name} {score:2}  {standing:6}  {}", left.join(" "));
    }
    out
}

/// The colours in play with the names of their players, padded to the same width.
pub(crate) fn named(rules: &Ruleset, caption: Caption<'_>) -> impl Iterator<Item = (Color, String)> {
    let names: Vec<String> = caption.names.iter().map(|name| shortened(name, 16)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let colors = rules.palette().iter().copied();
    colors.zip(names.into_iter().cycle()).map(move |(color, name)| (color, format!("{name:width$}")))
}

pub(crate) fn standing(state: &State, color: usize, caption: Caption<'_>) -> &'static str {
    match (state.can_play(color), caption.running && state.current() == color) {
        (false, _) => "stuck",
        (true, true) => "moves",
        (true, false) => "",
    }
}

/// The open corners of the current colour.
pub(crate) fn marked_corners(rules: &Ruleset, state: &State, caption: Caption<'_>) -> TileSet {
    if caption.running { rules.corners(state, state.current()) } else { TileSet::EMPTY }
}
