//! The position as text and as a picture.

use std::fmt::Write;

use super::pieces::{Color, Piece, Rotation};
use super::state::State;
use super::tiles::{SIZE, Tile, TileSet};
use crate::engine::{Theme, View};

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

fn standing(state: &State, seat: usize) -> &'static str {
    match (state.can_play(seat), state.current() == seat) {
        (false, _) => "stuck",
        (true, true) => "moves",
        (true, false) => "",
    }
}

/// The open corners of the player to move.
fn marked_corners(state: &State) -> TileSet {
    if state.finished() { TileSet::EMPTY } else { state.corners(state.current()) }
}

/// Side of a tile in the picture.
const CELL: usize = 28;
/// Left and top of the board.
const MARGIN: usize = 30;
/// Side of a tile in the lists of pieces.
const SMALL: usize = 7;
/// Height of a player's list of pieces.
const PANEL: usize = 146;
const BOARD: usize = SIZE * CELL;
const PANEL_X: usize = MARGIN + BOARD + 24;
const WIDTH: usize = PANEL_X + 316;
const HEIGHT: usize = BOARD + 2 * MARGIN;

/// Fill and outline of a colour.
fn paint(color: Color) -> (&'static str, &'static str) {
    match color {
        Color::Blue => ("#3b73c8", "#234a87"),
        Color::Yellow => ("#edc02e", "#a8821a"),
        Color::Red => ("#d64541", "#93292a"),
        Color::Green => ("#43a05a", "#296b3a"),
    }
}

pub(super) fn svg(state: &State, players: usize, theme: Theme) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" font-family=\"Helvetica, Arial, sans-serif\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#faf8f4\"/>\n"
    );
    draw_board(&mut out, state);
    for &color in &Color::ALL[..players] {
        draw_panel(&mut out, state, color);
    }
    out.push_str("</svg>\n");
    out
}

/// Left and top of a tile.
fn corner_of(tile: Tile) -> (usize, usize) {
    (MARGIN + tile.column() * CELL, MARGIN + (SIZE - 1 - tile.row()) * CELL)
}

fn draw_board(out: &mut String, state: &State) {
    let _ = writeln!(
        out,
        "<rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{BOARD}\" height=\"{BOARD}\" fill=\"#efebe2\"/>"
    );
    let end = MARGIN + BOARD;
    let mut grid = String::new();
    for i in 0..=SIZE {
        let at = MARGIN + i * CELL;
        let _ = write!(grid, "M{at} {MARGIN}V{end}M{MARGIN} {at}H{end}");
    }
    let _ = writeln!(out, "<path d=\"{grid}\" stroke=\"#d3ccbd\" fill=\"none\"/>");
    for i in 0..SIZE {
        let middle = MARGIN + i * CELL + CELL / 2;
        let file = char::from(b'a' + i as u8);
        let rank = SIZE - i;
        let _ = writeln!(
            out,
            "<text x=\"{middle}\" y=\"{}\" font-size=\"12\" fill=\"#777\" text-anchor=\"middle\">{file}</text>\
             <text x=\"{}\" y=\"{}\" font-size=\"12\" fill=\"#777\" text-anchor=\"end\">{rank}</text>",
            end + 18,
            MARGIN - 7,
            middle + 4,
        );
    }
    for &color in Color::ALL {
        draw_tiles(out, &state.tiles[color.index()], color);
    }
    let (fill, stroke) = paint(Color::ALL[state.current()]);
    for tile in marked_corners(state).iter() {
        let (x, y) = corner_of(tile);
        let (x, y) = (x + CELL / 2, y + CELL / 2);
        let _ = writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"{fill}\" fill-opacity=\"0.45\" stroke=\"{stroke}\"/>"
        );
    }
}

/// Fills tiles and outlines the pieces they make.
fn draw_tiles(out: &mut String, tiles: &TileSet, color: Color) {
    let (fill, stroke) = paint(color);
    let (mut squares, mut seams, mut edges) = (String::new(), String::new(), String::new());
    for tile in tiles.iter() {
        let (x, y) = corner_of(tile);
        let _ = write!(squares, "M{x} {y}h{CELL}v{CELL}h-{CELL}z");
        let same = |row: Option<usize>, column: Option<usize>| {
            row.zip(column).and_then(|(r, c)| Tile::new(r, c)).is_some_and(|t| tiles.contains(t))
        };
        let (row, column) = (tile.row(), tile.column());
        let sides = [
            (same(Some(row + 1), Some(column)), format!("M{x} {y}h{CELL}")),
            (same(row.checked_sub(1), Some(column)), format!("M{x} {}h{CELL}", y + CELL)),
            (same(Some(row), column.checked_sub(1)), format!("M{x} {y}v{CELL}")),
            (same(Some(row), Some(column + 1)), format!("M{} {y}v{CELL}", x + CELL)),
        ];
        for (inside, line) in sides {
            if inside { seams.push_str(&line) } else { edges.push_str(&line) }
        }
    }
    let _ = writeln!(
        out,
        "<path d=\"{squares}\" fill=\"{fill}\"/>\
         <path d=\"{seams}\" stroke=\"#fff\" stroke-opacity=\"0.35\"/>\
         <path d=\"{edges}\" stroke=\"{stroke}\" stroke-width=\"2\" stroke-linecap=\"round\"/>"
    );
}

/// A player's score and pieces; placed ones are pale.
fn draw_panel(out: &mut String, state: &State, color: Color) {
    let seat = color.index();
    let (fill, stroke) = paint(color);
    let top = MARGIN + seat * PANEL;
    let moves = state.can_play(seat) && state.current() == seat;
    let _ = writeln!(
        out,
        "<rect x=\"{}\" y=\"{}\" width=\"302\" height=\"{}\" rx=\"6\" fill=\"#fff\" stroke=\"{}\" stroke-width=\"{}\"/>\
         <rect x=\"{PANEL_X}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{fill}\" stroke=\"{stroke}\"/>\
         <text x=\"{}\" y=\"{}\" font-size=\"15\" font-weight=\"bold\" fill=\"#333\">{color} {}</text>\
         <text x=\"{}\" y=\"{}\" font-size=\"12\" fill=\"#777\" text-anchor=\"end\">{}</text>",
        PANEL_X - 8,
        top,
        PANEL - 12,
        if moves { stroke } else { "#ddd6c8" },
        if moves { 2 } else { 1 },
        top + 9,
        PANEL_X + 20,
        top + 20,
        state.score(seat),
        PANEL_X + 286,
        top + 20,
        if moves { "to move" } else { standing(state, seat) },
    );
    // Three lines of seven pieces.
    for &piece in Piece::ALL {
        let left = state.left[seat] >> piece.index() & 1 == 1;
        let shape = piece.shape(if piece == Piece::I5 { Rotation::East } else { Rotation::North });
        let (x, y) = (PANEL_X + piece.index() % 7 * 41, top + 32 + piece.index() / 7 * 33);
        let mut squares = String::new();
        for tile in shape.tiles() {
            let (x, y) = (x + tile.column() * SMALL, y + (shape.height() - 1 - tile.row()) * SMALL);
            let _ = write!(squares, "M{x} {y}h{SMALL}v{SMALL}h-{SMALL}z");
        }
        let (fill, stroke) = if left { (fill, stroke) } else { ("#f1ede5", "#ddd6c8") };
        let _ = writeln!(out, "<path d=\"{squares}\" fill=\"{fill}\" stroke=\"{stroke}\"/>");
    }
}
