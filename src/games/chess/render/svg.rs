//! A diagram as one SVG document: board, coordinates, pieces, pockets.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::glyphs::{self, Glyph};
use crate::engine::Theme;

/// What stands on a cell of a diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    White,
    Black,
    Nobody,
}

/// A piece to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Figure<'a> {
    pub(super) owner: Owner,
    /// The piece's name, which picks its shape.
    pub(super) name: &'a str,
    /// Its FEN letter, drawn when there is no shape of that name.
    pub(super) letter: char,
}

/// Everything a drawing shows.
#[derive(Debug)]
pub(super) struct Diagram<'a> {
    pub(super) theme: Theme,
    pub(super) width: usize,
    pub(super) height: usize,
    /// Cells that are no part of the board, first rank first.
    pub(super) holes: Vec<bool>,
    /// The pieces, first rank first.
    pub(super) figures: Vec<Option<Figure<'a>>>,
    /// White's and black's pieces in hand, with their numbers; `None` in games without pockets.
    pub(super) pockets: Option<[Vec<(Figure<'a>, u32)>; 2]>,
    /// Cells to highlight.
    pub(super) marked: Vec<usize>,
    /// Whether black is to move.
    pub(super) black_to_move: bool,
    /// A line under the board: counters and the like.
    pub(super) caption: String,
}

const CELL: usize = 45;
const MARGIN: usize = 24;
const CAPTION: usize = 26;

/// Draws the diagram, white at the bottom.
pub(super) fn draw(d: &Diagram) -> String {
    let (board_w, board_h) = (d.width * CELL, d.height * CELL);
    let pocket = if d.pockets.is_some() { CELL + 8 } else { 0 };
    let (left, top) = (MARGIN, MARGIN + pocket);
    let total_w = board_w + 2 * MARGIN;
    let total_h = board_h + 2 * MARGIN + 2 * pocket + CAPTION;
    let mut out = String::with_capacity(16 << 10);
    write!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_w} {total_h}" width="{}" height="{}" font-family="sans-serif">"#,
        total_w * 2,
        total_h * 2
    )
    .unwrap();
    definitions(&mut out, d);
    write!(out, r##"<rect width="{total_w}" height="{total_h}" rx="6" fill="#4a3b32"/>"##).unwrap();

    let corner = |cell: usize| (left + cell % d.width * CELL, top + (d.height - 1 - cell / d.width) * CELL);
    for cell in 0..d.width * d.height {
        if d.holes[cell] {
            continue;
        }
        let (x, y) = corner(cell);
        let dark = (cell % d.width + cell / d.width).is_multiple_of(2);
        let fill = match (d.marked.contains(&cell), dark) {
            (false, false) => "#ecd9b9",
            (false, true) => "#b58863",
            (true, false) => "#dfd873",
            (true, true) => "#b9a63c",
        };
        write!(out, r#"<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}"/>"#).unwrap();
        if let Some(figure) = d.figures[cell] {
            place(&mut out, figure, x, y);
        }
    }
    coordinates(&mut out, d, left, top);
    if let Some(pockets) = &d.pockets {
        for (row, pocket) in [(top + board_h + MARGIN, &pockets[0]), (MARGIN / 2, &pockets[1])] {
            hand(&mut out, pocket, left, row, board_w);
        }
    }
    let y = if d.black_to_move { top + CELL / 2 } else { top + board_h - CELL / 2 };
    let fill = if d.black_to_move { "#2b2927" } else { "#fbf7ef" };
    let x = left + board_w + MARGIN / 2;
    write!(out, r##"<circle cx="{x}" cy="{y}" r="6" fill="{fill}" stroke="#d9c7a8" stroke-width="1.5"/>"##)
        .unwrap();
    let (x, y) = (total_w / 2, total_h - CAPTION / 2 + 2);
    write!(
        out,
        r##"<text x="{x}" y="{y}" font-size="12" fill="#eadfcb" text-anchor="middle">{}</text></svg>"##,
        escape(&d.caption)
    )
    .unwrap();
    out
}

/// The letters and numbers around the board.
fn coordinates(out: &mut String, d: &Diagram, left: usize, top: usize) {
    out.push_str(r##"<g font-size="12" fill="#d9c7a8" text-anchor="middle">"##);
    for file in 0..d.width {
        let x = left + file * CELL + CELL / 2;
        let y = top + d.height * CELL + 16;
        let name = char::from(b'a' + file as u8);
        write!(out, r#"<text x="{x}" y="{y}">{name}</text>"#).unwrap();
    }
    for rank in 0..d.height {
        let y = top + (d.height - 1 - rank) * CELL + CELL / 2 + 4;
        write!(out, r#"<text x="{}" y="{y}">{}</text>"#, left / 2, rank + 1).unwrap();
    }
    out.push_str("</g>");
}

/// A row of pieces in hand with their numbers.
fn hand(out: &mut String, pocket: &[(Figure, u32)], left: usize, top: usize, width: usize) {
    write!(out, r##"<rect x="{left}" y="{top}" width="{width}" height="{CELL}" rx="5" fill="#8a6a50"/>"##)
        .unwrap();
    for (i, &(figure, number)) in pocket.iter().enumerate() {
        let x = left + i * CELL;
        place(out, figure, x, top);
        write!(
            out,
            r##"<text x="{}" y="{}" font-size="12" font-weight="bold" fill="#fbf7ef" text-anchor="end">{number}</text>"##,
            x + CELL - 1,
            top + CELL - 3
        )
        .unwrap();
    }
}

fn place(out: &mut String, figure: Figure, x: usize, y: usize) {
    write!(out, r##"<use href="#{}" x="{x}" y="{y}"/>"##, id(figure)).unwrap();
}

/// The name under which a figure's shape is defined: the same shape in every document.
fn id(figure: Figure) -> String {
    let owner = match figure.owner {
        Owner::White => 'w',
        Owner::Black => 'b',
        Owner::Nobody => 'n',
    };
    match shape(figure.name) {
        Some(_) => format!("chess-{owner}-{}", figure.name),
        None => format!("chess-{owner}-letter-{:x}", u32::from(figure.letter)),
    }
}

fn shape(name: &str) -> Option<&'static Glyph> {
    Some(match name {
        "pawn" => &glyphs::PAWN,
        "rook" => &glyphs::ROOK,
        "knight" => &glyphs::KNIGHT,
        "bishop" => &glyphs::BISHOP,
        "queen" => &glyphs::QUEEN,
        "king" => &glyphs::KING,
        "knook" | "chancellor" => &glyphs::CHANCELLOR,
        "archbishop" => &glyphs::ARCHBISHOP,
        "amazon" => &glyphs::AMAZON,
        "duck" => &glyphs::DUCK,
        "stone" => &glyphs::STONE,
        _ => return None,
    })
}

fn definitions(out: &mut String, d: &Diagram) {
    let in_hand = d.pockets.iter().flatten().flatten().map(|&(figure, _)| figure);
    let mut seen = BTreeSet::new();
    out.push_str("<defs>");
    for figure in d.figures.iter().flatten().copied().chain(in_hand) {
        if !seen.insert(id(figure)) {
            continue;
        }
        let (fill, line) = match (figure.owner, figure.name) {
            (_, "duck") => ("#f7c948", "#22201d"),
            (Owner::White, _) => ("#fbf7ef", "#22201d"),
            (Owner::Black, _) => ("#2b2927", "#e8e2d6"),
            (Owner::Nobody, _) => ("#9aa5a0", "#22201d"),
        };
        let glyph = shape(figure.name).unwrap_or(&glyphs::SHIELD);
        write!(
            out,
            r##"<g id="{}"><path d="{}" fill="{fill}" stroke="#22201d" stroke-width="1.4" stroke-linejoin="round"/>"##,
            id(figure),
            glyph.body
        )
        .unwrap();
        if !glyph.lines.is_empty() {
            write!(
                out,
                r#"<path d="{}" fill="none" stroke="{line}" stroke-width="1.3" stroke-linecap="round"/>"#,
                glyph.lines
            )
            .unwrap();
        }
        if shape(figure.name).is_none() {
            let letter = escape(&figure.letter.to_uppercase().to_string());
            write!(
                out,
                r#"<text x="22.5" y="27" font-size="18" font-weight="bold" fill="{line}" text-anchor="middle">{letter}</text>"#
            )
            .unwrap();
        }
        out.push_str("</g>");
    }
    out.push_str("</defs>");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
