//! The position as a picture.

use std::fmt::Write;

use super::pieces::{Color, Piece, Rotation};
use super::placements::Placement;
use super::render::{marked_corners, standing};
use super::state::State;
use super::tiles::{SIZE, Tile, TileSet};
use crate::engine::{Place, Theme};

/// Side of a tile in the picture.
const CELL: usize = 28;
/// Left and top of the board.
const MARGIN: usize = 30;
/// Side of a tile in the lists of pieces.
const SMALL: usize = 7;
/// Side of a tile of a piece that is offered to be placed.
const OFFERED: usize = 12;
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

/// The colours of the seats.
pub(super) fn seat_colours() -> Vec<&'static str> {
    Color::ALL.iter().map(|&color| paint(color).0).collect()
}

/// Colours that depend on the theme.
struct Palette {
    paper: &'static str,
    board: &'static str,
    grid: &'static str,
    panel: &'static str,
    edge: &'static str,
    placed: &'static str,
    words: &'static str,
    faded: &'static str,
}

const LIGHT: Palette = Palette {
    paper: "#faf8f4",
    board: "#efebe2",
    grid: "#d3ccbd",
    panel: "#ffffff",
    edge: "#ddd6c8",
    placed: "#f1ede5",
    words: "#333333",
    faded: "#777777",
};

const DARK: Palette = Palette {
    paper: "#1b1c1f",
    board: "#2a2c31",
    grid: "#3d4047",
    panel: "#242629",
    edge: "#3d4047",
    placed: "#2a2c30",
    words: "#eeeeee",
    faded: "#999999",
};

/// The board, with the last placement marked, and, beside it, what every player has left.
pub(super) fn svg(state: &State, last: Option<Placement>, players: usize, theme: Theme) -> String {
    let colours = theme.pick(&LIGHT, &DARK);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"Helvetica, Arial, sans-serif\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{}\"/>\n",
        colours.paper
    );
    draw_board(&mut out, state, colours);
    if let Some(placement) = last {
        let (_, edges) = borders(&placement.tiles());
        let words = colours.words;
        let _ = writeln!(
            out,
            "<path d=\"{edges}\" stroke=\"{words}\" stroke-width=\"3\" stroke-linecap=\"round\"/>"
        );
    }
    for &color in &Color::ALL[..players] {
        draw_panel(&mut out, state, color, colours);
    }
    out.push_str("</svg>\n");
    out
}

/// Left and top of a tile.
fn corner_of(tile: Tile) -> (usize, usize) {
    (MARGIN + tile.column() * CELL, MARGIN + (SIZE - 1 - tile.row()) * CELL)
}

/// Left and top of a piece in a player's list: three lines of seven.
fn listed(seat: usize, piece: Piece) -> (usize, usize) {
    (PANEL_X + piece.index() % 7 * 41, MARGIN + seat * PANEL + 32 + piece.index() / 7 * 33)
}

/// Left and top of a piece that is turned so, in a line below the drawing.
fn offered(rotation: Rotation) -> (usize, usize) {
    (MARGIN + rotation.index() * (WIDTH - MARGIN) / Rotation::ALL.len(), HEIGHT + OFFERED)
}

/// The tiles of the board, the ways to turn a piece and the pieces that the seat to move has left, which
/// placements name.
pub(super) fn places(state: &State) -> Vec<Place> {
    let square = |(x, y), side| format!("M{x} {y}h{side}v{side}h-{side}z");
    let tiles = Tile::all().map(|tile| Place {
        means: vec![("to_tile", tile.to_string().into())],
        outline: square(corner_of(tile), CELL),
        after: None,
    });
    let seat = state.current();
    let left: Vec<Piece> =
        Piece::ALL.iter().copied().filter(|piece| state.left[seat] >> piece.index() & 1 == 1).collect();
    let pieces = left.iter().map(|&piece| Place {
        means: vec![("piece", piece.name().into())],
        outline: square(listed(seat, piece), 33),
        after: None,
    });
    let turned = left.iter().flat_map(|piece| piece.shapes()).map(|shape| {
        let (left, top) = offered(shape.rotation());
        let tile = |tile: &Tile| {
            let row = shape.height() - 1 - tile.row();
            square((left + tile.column() * OFFERED, top + row * OFFERED), OFFERED)
        };
        Place {
            means: vec![("rotation", shape.rotation().name().into())],
            outline: shape.tiles().iter().map(tile).collect(),
            after: Some(("piece", shape.piece().name().into())),
        }
    });
    tiles.chain(pieces).chain(turned).collect()
}

fn draw_board(out: &mut String, state: &State, colours: &Palette) {
    let Palette { board, grid: line, faded, .. } = colours;
    let _ = writeln!(
        out,
        "<rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{BOARD}\" height=\"{BOARD}\" fill=\"{board}\"/>"
    );
    let end = MARGIN + BOARD;
    let mut grid = String::new();
    for i in 0..=SIZE {
        let at = MARGIN + i * CELL;
        let _ = write!(grid, "M{at} {MARGIN}V{end}M{MARGIN} {at}H{end}");
    }
    let _ = writeln!(out, "<path d=\"{grid}\" stroke=\"{line}\" fill=\"none\"/>");
    for i in 0..SIZE {
        let middle = MARGIN + i * CELL + CELL / 2;
        let file = char::from(b'a' + i as u8);
        let rank = SIZE - i;
        let _ = writeln!(
            out,
            "<text x=\"{middle}\" y=\"{}\" font-size=\"12\" fill=\"{faded}\" text-anchor=\"middle\">{file}</text>\
             <text x=\"{}\" y=\"{}\" font-size=\"12\" fill=\"{faded}\" text-anchor=\"end\">{rank}</text>",
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
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"{fill}\" fill-opacity=\"0.7\" stroke=\"{stroke}\"/>"
        );
    }
}

/// Fills tiles and outlines the pieces they make.
fn draw_tiles(out: &mut String, tiles: &TileSet, color: Color) {
    let (fill, stroke) = paint(color);
    let mut squares = String::new();
    for tile in tiles.iter() {
        let (x, y) = corner_of(tile);
        let _ = write!(squares, "M{x} {y}h{CELL}v{CELL}h-{CELL}z");
    }
    let (seams, edges) = borders(tiles);
    let _ = writeln!(
        out,
        "<path d=\"{squares}\" fill=\"{fill}\"/>\
         <path d=\"{seams}\" stroke=\"#fff\" stroke-opacity=\"0.35\"/>\
         <path d=\"{edges}\" stroke=\"{stroke}\" stroke-width=\"2\" stroke-linecap=\"round\"/>"
    );
}

/// The sides that tiles share, and those around them.
fn borders(tiles: &TileSet) -> (String, String) {
    let (mut seams, mut edges) = (String::new(), String::new());
    for tile in tiles.iter() {
        let (x, y) = corner_of(tile);
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
    (seams, edges)
}

/// A player's score and pieces; placed ones are pale.
fn draw_panel(out: &mut String, state: &State, color: Color, colours: &Palette) {
    let Palette { panel, edge, placed, words, faded, .. } = colours;
    let seat = color.index();
    let (fill, stroke) = paint(color);
    let top = MARGIN + seat * PANEL;
    let moves = state.can_play(seat) && state.current() == seat;
    let _ = writeln!(
        out,
        "<rect x=\"{}\" y=\"{}\" width=\"302\" height=\"{}\" rx=\"6\" fill=\"{panel}\" stroke=\"{}\" stroke-width=\"{}\"/>\
         <rect x=\"{PANEL_X}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{fill}\" stroke=\"{stroke}\"/>\
         <text x=\"{}\" y=\"{}\" font-size=\"15\" font-weight=\"bold\" fill=\"{words}\">{color} {}</text>\
         <text x=\"{}\" y=\"{}\" font-size=\"12\" fill=\"{faded}\" text-anchor=\"end\">{}</text>",
        PANEL_X - 8,
        top,
        PANEL - 12,
        if moves { stroke } else { edge },
        if moves { 2 } else { 1 },
        top + 9,
        PANEL_X + 20,
        top + 20,
        state.score(seat),
        PANEL_X + 286,
        top + 20,
        if moves { "to move" } else { standing(state, seat) },
    );
    for &piece in Piece::ALL {
        let left = state.left[seat] >> piece.index() & 1 == 1;
        let shape = piece.shape(if piece == Piece::I5 { Rotation::East } else { Rotation::North });
        let (x, y) = listed(seat, piece);
        let mut squares = String::new();
        for tile in shape.tiles() {
            let (x, y) = (x + tile.column() * SMALL, y + (shape.height() - 1 - tile.row()) * SMALL);
            let _ = write!(squares, "M{x} {y}h{SMALL}v{SMALL}h-{SMALL}z");
        }
        let (fill, stroke) = if left { (fill, stroke) } else { (*placed, *edge) };
        let _ = writeln!(out, "<path d=\"{squares}\" fill=\"{fill}\" stroke=\"{stroke}\"/>");
    }
}
