//! The position as text.

use std::fmt::Write;

use super::pieces::{Color, Piece};
use super::state::State;
use super::tiles::{SIZE, Tile, TileSet};
use ludovec_engine::Caption;
use ludovec_engine::drawing::shortened;

/// The letter of a tile of `color`, or of a free tile.
pub(super) fn letter(color: Option<Color>) -> char {
    color.map_or('.', |c| c.name().as_bytes()[0].into())
}

/// The rows of the board from the top, one letter per tile.
pub(super) fn rows(state: &State) -> impl Iterator<Item = String> + '_ {
    let row = move |row| {
        (0..SIZE).map(move |column| letter(state.owner(Tile::from_index(row * SIZE + column)))).collect()
    };
    (0..SIZE).rev().map(row)
}

/// The rows of the board from the top with their numbers, then the letters of the columns. Tiles and letters are
/// formatted by `tile` and `name`, all with the same width.
pub(super) fn board(tile: impl Fn(Tile) -> String, name: impl Fn(char) -> String) -> String {
    let mut out = String::new();
    for row in (0..SIZE).rev() {
        let _ = write!(out, "{:2} ", row + 1);
        (0..SIZE).for_each(|column| out += &tile(Tile::from_index(row * SIZE + column)));
        out.push('\n');
    }
    out.push_str("   ");
    ('a'..='t').for_each(|column| out += &name(column));
    out.push('\n');
    out
}

/// The board with the open corners of the current player as `*`, and a line for each player.
pub(super) fn text(state: &State, caption: Caption<'_>) -> String {
    let corners = marked_corners(state, caption);
    let shown = |tile| match state.owner(tile) {
        None if corners.contains(tile) => " *".into(),
        owner => format!(" {}", letter(owner)),
    };
    let mut out = board(shown, |column| format!(" {column}"));
    for (color, name) in named(caption) {
        let seat = color.index();
        let left: Vec<_> = state.pieces_left(seat).map(Piece::name).collect();
        let (letter, score, standing) =
            (letter(Some(color)), state.score(seat), standing(state, seat, caption));
        let _ = writeln!(out, "{letter} {name} {score:2}  {standing:6}  {}", left.join(" "));
    }
    out
}

/// The colours in play with the names of their players, padded to the same width.
pub(super) fn named(caption: Caption<'_>) -> impl Iterator<Item = (Color, String)> {
    let names: Vec<String> = caption.names.iter().map(|name| shortened(name, 16)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    Color::ALL.iter().copied().zip(names).map(move |(color, name)| (color, format!("{name:width$}")))
}

pub(super) fn standing(state: &State, seat: usize, caption: Caption<'_>) -> &'static str {
    match (state.can_play(seat), caption.running && state.current() == seat) {
        (false, _) => "stuck",
        (true, true) => "moves",
        (true, false) => "",
    }
}

/// The open corners of the current player.
pub(super) fn marked_corners(state: &State, caption: Caption<'_>) -> TileSet {
    if caption.running { state.corners(state.current()) } else { TileSet::EMPTY }
}
