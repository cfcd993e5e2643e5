//! The position as a picture.

mod beside;

use std::fmt::Write;

use super::render::{marked_corners, standing};
use crate::rules::pieces::{Color, Piece, Rotation};
use crate::rules::placements::Placement;
use crate::rules::ruleset::Ruleset;
use crate::rules::state::State;
use crate::rules::tiles::{SIZE, Tile, TileSet};
use ludovec_engine::drawing::{escape, marked_path, shortened, text_width};
use ludovec_engine::{Caption, Place, View};

pub(crate) use beside::beside;

/// Side of a tile of the largest board; the tiles of smaller boards are larger.
const CELL: usize = 28;
/// Left of the board.
const MARGIN: usize = 30;
/// Top of the board.
const TOP: usize = 50;
/// Side of a tile in the lists of pieces.
const SMALL: usize = 8;
/// Width and height of a piece's slot in the lists.
const SLOT: (usize, usize) = (42, 35);
/// Side of a tile of a piece that is offered for placement.
const OFFERED: usize = 20;
/// Height of a player's list of pieces, including the gap to the next.
const PANEL: usize = 153;
/// Room for the board.
const BOARD: usize = SIZE * CELL;
const PANEL_X: usize = MARGIN + BOARD + 24;
const PANEL_WIDTH: usize = 310;
const WIDTH: usize = PANEL_X + PANEL_WIDTH + 4;
const HEIGHT: usize = TOP + 4 * PANEL;
/// Tiles of all pieces: a full score bar.
const ALL_TILES: usize = 89;

/// Fill, outline, and an ink that is legible on the fill. The fills are distinguishable for all kinds of colour
/// vision.
fn paint(color: Color) -> (&'static str, &'static str, &'static str) {
    match color {
        Color::Blue => ("#1f4fb4", "#0f2a66", "#ffffff"),
        Color::Yellow => ("#f4cc2f", "#8f6f08", "#1c1c1c"),
        Color::Red => ("#b5341c", "#6b1808", "#ffffff"),
        Color::Green => ("#4fb28a", "#1d6047", "#1c1c1c"),
    }
}

/// The colours of the seats.
pub(crate) fn seat_colours() -> Vec<&'static str> {
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
    words: "#2b2b2b",
    faded: "#5f5f5f",
};

const DARK: Palette = Palette {
    paper: "#1b1c1f",
    board: "#2a2c31",
    grid: "#3d4047",
    panel: "#242629",
    edge: "#3d4047",
    placed: "#2a2c30",
    words: "#f0f0f0",
    faded: "#b4b4b4",
};

/// The tiles of a board in the picture.
#[derive(Clone, Copy)]
struct Grid {
    side: usize,
    /// Side of a tile.
    cell: usize,
}

impl Grid {
    fn new(rules: &Ruleset) -> Self {
        Self { side: rules.side, cell: BOARD / rules.side }
    }
    /// Width and height of the board.
    fn length(self) -> usize {
        self.side * self.cell
    }
    /// Left and top of a tile.
    fn corner_of(self, tile: Tile) -> (usize, usize) {
        (MARGIN + tile.column() * self.cell, TOP + (self.side - 1 - tile.row()) * self.cell)
    }
}

/// The board, with the last placement marked, and, beside it, the remaining pieces of every colour.
pub(crate) fn svg(
    rules: &Ruleset,
    state: &State,
    last: Option<Placement>,
    view: View,
    title: &str,
    caption: Caption<'_>,
) -> String {
    let colours = view.theme.pick(&LIGHT, &DARK);
    let grid = Grid::new(rules);
    let shown = match view.board_only {
        true => format!("{MARGIN} {TOP} {0} {0}", grid.length()),
        false => format!("0 0 {WIDTH} {HEIGHT}"),
    };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{shown}\" \
         font-family=\"Arial, Helvetica, sans-serif\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{}\"/>\n",
        colours.paper
    );
    draw_board(&mut out, grid, rules, state, caption, colours);
    if let Some(placement) = last {
        out.push_str(&marked_path(&borders(grid, &placement.tiles()).1, 2.5));
    }
    if !view.board_only {
        draw_coordinates(&mut out, grid, colours);
        let headline = format!("{title}: {}", caption.standing);
        // Most headlines have the full size, which is written without decimals.
        let size = ((WIDTH - 2 * MARGIN) as f64 / text_width(&headline)).min(18.0);
        let size = (size * 10.0).floor() / 10.0;
        let _ = writeln!(
            out,
            "<text x=\"{MARGIN}\" y=\"30\" font-size=\"{size}\" font-weight=\"bold\" fill=\"{}\">{}</text>",
            colours.words,
            escape(&headline)
        );
        for &color in rules.palette() {
            draw_panel(&mut out, rules, state, color, caption, colours);
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Left and top of a piece in a colour's list: three lines of seven.
fn listed(color: usize, piece: Piece) -> (usize, usize) {
    (PANEL_X + piece.index() % 7 * SLOT.0, TOP + color * PANEL + 37 + piece.index() / 7 * SLOT.1)
}

/// Left and top of a piece in this rotation: in a line below the drawing, or in two lines below the board alone.
fn offered(rotation: Rotation, view: View) -> (usize, usize) {
    let (i, all) = (rotation.index(), Rotation::ALL.len());
    if !view.board_only {
        return (MARGIN + i * (WIDTH - MARGIN) / all, HEIGHT + OFFERED);
    }
    let in_line = all / 2;
    (MARGIN + i % in_line * BOARD / in_line, TOP + BOARD + 2 * OFFERED + i / in_line * 6 * OFFERED)
}

/// The places of a drawing that placements refer to: the tiles of the board, the rotations and the remaining pieces
/// of the current colour.
pub(crate) fn places(rules: &Ruleset, state: &State, view: View) -> Vec<Place> {
    let grid = Grid::new(rules);
    let square = |(x, y), side| format!("M{x} {y}h{side}v{side}h-{side}z");
    let place = |means, (x, y): (usize, usize), (width, height): (usize, usize)| {
        Place::rectangle(vec![means], [x as f64, y as f64], [width as f64, height as f64])
    };
    let tile = |tile: Tile| {
        place(("to_tile", tile.to_string().into()), grid.corner_of(tile), (grid.cell, grid.cell))
    };
    let tiles = rules.board.iter().map(tile);
    let color = state.current();
    let left: Vec<Piece> = state.pieces_left(color).collect();
    let pieces = left.iter().map(|&piece| place(("piece", piece.name().into()), listed(color, piece), SLOT));
    let turned = left.iter().flat_map(|piece| piece.shapes()).map(|shape| {
        let (left, top) = offered(shape.rotation(), view);
        let tile = |tile: &Tile| {
            let row = shape.height() - 1 - tile.row();
            square((left + tile.column() * OFFERED, top + row * OFFERED), OFFERED)
        };
        Place {
            means: vec![("rotation", shape.rotation().name().into())],
            outline: shape.tiles().iter().map(tile).collect(),
            centre: [left as f64, top as f64],
            room: OFFERED as f64,
            after: Some(("piece", shape.piece().name().into())),
        }
    });
    tiles.chain(pieces).chain(turned).collect()
}

/// The tiles of a placement.
pub(crate) fn footprint(rules: &Ruleset, placement: &Placement) -> String {
    let grid = Grid::new(rules);
    let tile = |tile| {
        let (x, y) = grid.corner_of(tile);
        format!("M{x} {y}h{0}v{0}h-{0}z", grid.cell)
    };
    placement.tiles().iter().map(tile).collect()
}

fn draw_board(
    out: &mut String,
    grid: Grid,
    rules: &Ruleset,
    state: &State,
    caption: Caption<'_>,
    colours: &Palette,
) {
    let Palette { board, grid: line, .. } = colours;
    let length = grid.length();
    let _ = writeln!(
        out,
        "<rect x=\"{MARGIN}\" y=\"{TOP}\" width=\"{length}\" height=\"{length}\" fill=\"{board}\"/>"
    );
    let (right, bottom) = (MARGIN + length, TOP + length);
    let mut lines = String::new();
    for i in 0..=grid.side {
        let (x, y) = (MARGIN + i * grid.cell, TOP + i * grid.cell);
        let _ = write!(lines, "M{x} {TOP}V{bottom}M{MARGIN} {y}H{right}");
    }
    let _ = writeln!(out, "<path d=\"{lines}\" stroke=\"{line}\" fill=\"none\"/>");
    for &color in Color::ALL {
        draw_tiles(out, grid, &state.tiles[color.index()], color);
    }
    let (fill, ..) = paint(Color::ALL[state.current()]);
    let ring = colours.words;
    for tile in marked_corners(rules, state, caption).iter() {
        let (x, y) = grid.corner_of(tile);
        let (x, y) = (x + grid.cell / 2, y + grid.cell / 2);
        let _ = writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"{fill}\" stroke=\"{ring}\"/>");
    }
}

/// The letters and numbers around the board.
fn draw_coordinates(out: &mut String, grid: Grid, colours: &Palette) {
    let faded = colours.faded;
    for i in 0..grid.side {
        let across = MARGIN + i * grid.cell + grid.cell / 2;
        let down = TOP + i * grid.cell + grid.cell / 2;
        let file = char::from(b'a' + i as u8);
        let _ = writeln!(
            out,
            "<text x=\"{across}\" y=\"{}\" font-size=\"12\" fill=\"{faded}\" text-anchor=\"middle\">{file}</text>\
             <text x=\"{}\" y=\"{}\" font-size=\"12\" fill=\"{faded}\" text-anchor=\"end\">{}</text>",
            TOP + grid.length() + 18,
            MARGIN - 7,
            down + 4,
            grid.side - i,
        );
    }
}

/// Fills tiles and outlines their pieces.
fn draw_tiles(out: &mut String, grid: Grid, tiles: &TileSet, color: Color) {
    let (fill, stroke, _) = paint(color);
    let mut squares = String::new();
    for tile in tiles.iter() {
        let (x, y) = grid.corner_of(tile);
        let _ = write!(squares, "M{x} {y}h{0}v{0}h-{0}z", grid.cell);
    }
    let (seams, edges) = borders(grid, tiles);
    let _ = writeln!(
        out,
        "<path d=\"{squares}\" fill=\"{fill}\"/>\
         <path d=\"{seams}\" stroke=\"#fff\" stroke-opacity=\"0.35\"/>\
         <path d=\"{edges}\" stroke=\"{stroke}\" stroke-width=\"2\" stroke-linecap=\"round\"/>"
    );
}

/// The sides that tiles share, and their outer sides.
fn borders(grid: Grid, tiles: &TileSet) -> (String, String) {
    let (mut seams, mut edges) = (String::new(), String::new());
    let cell = grid.cell;
    for tile in tiles.iter() {
        let (x, y) = grid.corner_of(tile);
        let same = |row: Option<usize>, column: Option<usize>| {
            row.zip(column).and_then(|(r, c)| Tile::new(r, c)).is_some_and(|t| tiles.contains(t))
        };
        let (row, column) = (tile.row(), tile.column());
        let sides = [
            (same(Some(row + 1), Some(column)), format!("M{x} {y}h{cell}")),
            (same(row.checked_sub(1), Some(column)), format!("M{x} {}h{cell}", y + cell)),
            (same(Some(row), column.checked_sub(1)), format!("M{x} {y}v{cell}")),
            (same(Some(row), Some(column + 1)), format!("M{} {y}v{cell}", x + cell)),
        ];
        for (inside, line) in sides {
            if inside { seams.push_str(&line) } else { edges.push_str(&line) }
        }
    }
    (seams, edges)
}

/// The name of a colour's player, its score and its pieces; placed pieces are drawn as outlines.
fn draw_panel(
    out: &mut String,
    rules: &Ruleset,
    state: &State,
    color: Color,
    caption: Caption<'_>,
    colours: &Palette,
) {
    let Palette { panel, edge, placed, words, faded, .. } = colours;
    let c = color.index();
    let (fill, stroke, ink) = paint(color);
    let top = TOP + c * PANEL;
    let right = PANEL_X + 7 * SLOT.0;
    let moves = standing(state, c, caption) == "moves";
    let initial = color.name()[..1].to_uppercase();
    let (frame, thick) = if moves { (*words, 2) } else { (*edge, 1) };
    let standing = if moves { "to move" } else { standing(state, c, caption) };
    let _ = writeln!(
        out,
        "<rect x=\"{}\" y=\"{top}\" width=\"{PANEL_WIDTH}\" height=\"{}\" rx=\"6\" fill=\"{panel}\" stroke=\"{frame}\" stroke-width=\"{thick}\"/>\
         <rect x=\"{PANEL_X}\" y=\"{}\" width=\"18\" height=\"18\" rx=\"3\" fill=\"{fill}\" stroke=\"{stroke}\"/>\
         <text x=\"{}\" y=\"{}\" font-size=\"13\" font-weight=\"bold\" fill=\"{ink}\" text-anchor=\"middle\">{initial}</text>\
         <text x=\"{}\" y=\"{}\" font-size=\"14\" font-weight=\"bold\" fill=\"{words}\">{}</text>\
         <text x=\"{}\" y=\"{}\" font-size=\"12\" fill=\"{faded}\" text-anchor=\"end\">{standing}</text>\
         <text x=\"{right}\" y=\"{}\" font-size=\"16\" font-weight=\"bold\" fill=\"{words}\" text-anchor=\"end\">{}</text>",
        PANEL_X - 8,
        PANEL - 8,
        top + 6,
        PANEL_X + 9,
        top + 20,
        PANEL_X + 25,
        top + 20,
        escape(&shortened(&caption.names[rules.seat(c)], 20)),
        right - 34,
        top + 20,
        top + 21,
        rules.color_score(state, c),
    );
    // The score as a bar, full when every piece is placed.
    let (bar_top, length) = (top + 28, (right - PANEL_X) as f64);
    let _ = writeln!(
        out,
        "<rect x=\"{PANEL_X}\" y=\"{bar_top}\" width=\"{length}\" height=\"6\" rx=\"3\" fill=\"{edge}\"/>\
         <rect x=\"{PANEL_X}\" y=\"{bar_top}\" width=\"{:.1}\" height=\"6\" rx=\"3\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\".6\"/>",
        length * (state.tiles_of(c) as f64 / ALL_TILES as f64).clamp(0.0, 1.0),
    );
    for &piece in Piece::ALL {
        let left = state.left[c] >> piece.index() & 1 == 1;
        let shape = piece.shape(if piece == Piece::I5 { Rotation::East } else { Rotation::North });
        let (x, y) = listed(c, piece);
        let mut squares = String::new();
        for tile in shape.tiles() {
            let (x, y) = (x + tile.column() * SMALL, y + 2 + (shape.height() - 1 - tile.row()) * SMALL);
            let _ = write!(squares, "M{x} {y}h{SMALL}v{SMALL}h-{SMALL}z");
        }
        let (fill, stroke) = if left { (fill, *panel) } else { (*placed, *edge) };
        let _ = writeln!(out, "<path d=\"{squares}\" fill=\"{fill}\" stroke=\"{stroke}\"/>");
    }
}
