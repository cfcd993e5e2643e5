//! The position as text.

use std::fmt::Write;

use super::pieces::{Color, Piece};
use super::state::State;
use super::tiles::{SIZE, Tile, TileSet};
use crate::engine::View;

/// What stands for a tile of `color`, or a free one.
pub(super) fn letter(color: Option<Color>) -> char {
    color.map_or('.', |c| c.name().as_bytes()[0].into())
}

/// The rows of the board from the top, one letter a tile.
pub(super) fn rows(state: &State) -> impl Iterator<Item = String> + '_ {
    let row = move |row| {
        (0..SIZE).map(move |column| letter(state.owner(Tile::from_index(row * SIZE + column)))).collect()
    };
    (0..SIZE).rev().map(row)
}

/// A colour in the terminal's palette of 256.
fn terminal_colour(color: Color) -> u8 {
    match color {
        Color::Blue => 33,
        Color::Yellow => 220,
        Color::Red => 196,
        Color::Green => 40,
    }
}

/// The board with the open corners of the player to move as `*`, and a line for each player.
pub(super) fn text(state: &State, players: usize, view: View) -> String {
    let mut out = String::new();
    let corners = marked_corners(state);
    for row in (0..SIZE).rev() {
        let _ = write!(out, "{:2} ", row + 1);
        for column in 0..SIZE {
            let tile = Tile::from_index(row * SIZE + column);
            let (colour, sign) = match state.owner(tile) {
                None if corners.contains(tile) => (Some(Color::ALL[state.current()]), '*'),
                owner => (owner, letter(owner)),
            };
            out.push(' ');
            match colour {
                Some(color) => out.push_str(&view.paint(terminal_colour(color), sign)),
                None => out.push(sign),
            }
        }
        out.push('\n');
    }
    out.push_str("   ");
    ('a'..='t').for_each(|column| {
        let _ = write!(out, " {column}");
    });
    out.push('\n');
    for &color in &Color::ALL[..players] {
        let seat = color.index();
        let left: Vec<_> = state.pieces_left(seat).map(Piece::name).collect();
        let (name, score) = (color.name(), state.score(seat));
        let name = view.paint(terminal_colour(color), format_args!("{name:6}"));
        let _ = writeln!(out, "{name} {score:2}  {:6}  {}", standing(state, seat), left.join(" "));
    }
    out
}

pub(super) fn standing(state: &State, seat: usize) -> &'static str {
    match (state.can_play(seat), state.current() == seat) {
        (false, _) => "stuck",
        (true, true) => "moves",
        (true, false) => "",
    }
}

/// The open corners of the player to move.
pub(super) fn marked_corners(state: &State) -> TileSet {
    if state.finished() { TileSet::EMPTY } else { state.corners(state.current()) }
}
