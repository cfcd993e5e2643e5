//! A diagram as one SVG document: board, coordinates, pieces, pockets.

mod glyphs;

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::engine::Theme;
use glyphs::Glyph;

/// What stands on a square of a diagram.
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
    /// Squares that are no part of the board, first rank first.
    pub(super) holes: Vec<bool>,
    /// The pieces, first rank first.
    pub(super) figures: Vec<Option<Figure<'a>>>,
    /// White's and black's pieces in hand, with their numbers; `None` in games without pockets.
    pub(super) pockets: Option<[Vec<(Figure<'a>, u32)>; 2]>,
    /// Squares that the last move went from and to.
    pub(super) played: Vec<usize>,
    /// Squares of royal pieces in check.
    pub(super) checked: Vec<usize>,
    /// Whether black is to move.
    pub(super) black_to_move: bool,
    /// A line under the board: counters and the like.
    pub(super) caption: String,
}

/// Colours that depend on the theme.
struct Palette {
    frame: &'static str,
    words: &'static str,
    /// Where the pieces in hand lie.
    tray: &'static str,
    /// Light and dark squares.
    squares: [&'static str; 2],
    /// The same, where the last move went from and to.
    played: [&'static str; 2],
    /// The same, in check.
    checked: [&'static str; 2],
}

const LIGHT: Palette = Palette {
    frame: "#f7f2e8",
    words: "#4a3b32",
    tray: "#dccbb0",
    squares: ["#ecd9b9", "#b58863"],
    played: ["#f3e38a", "#cdb349"],
    checked: ["#f0a58c", "#d9694a"],
};

const DARK: Palette = Palette {
    frame: "#26211e",
    words: "#d9c7a8",
    tray: "#6d5644",
    squares: ["#c9b591", "#8d6748"],
    played: ["#d9c96f", "#a8923c"],
    checked: ["#e0937a", "#bd5a3e"],
};

const SQUARE: usize = 45;
const MARGIN: usize = 24;
const CAPTION: usize = 26;

/// Height of what a colour holds in hand.
const POCKET: usize = SQUARE + 8;

/// Left and top of a square in the drawing.
fn corner(square: usize, width: usize, height: usize, pocket: usize) -> (usize, usize) {
    (MARGIN + square % width * SQUARE, MARGIN + pocket + (height - 1 - square / width) * SQUARE)
}

/// The outline of a square as path data, on a board of that size with or without hands.
pub(super) fn outline(square: usize, width: usize, height: usize, hands: bool) -> String {
    let (x, y) = corner(square, width, height, if hands { POCKET } else { 0 });
    format!("M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z")
}

/// Draws the diagram, white at the bottom.
pub(super) fn draw(d: &Diagram) -> String {
    let (board_w, board_h) = (d.width * SQUARE, d.height * SQUARE);
    let pocket = if d.pockets.is_some() { POCKET } else { 0 };
    let (left, top) = (MARGIN, MARGIN + pocket);
    let total_w = board_w + 2 * MARGIN;
    let total_h = board_h + 2 * MARGIN + 2 * pocket + CAPTION;
    let colours = d.theme.pick(&LIGHT, &DARK);
    let Palette { frame, words, .. } = colours;
    let mut out = String::with_capacity(16 << 10);
    write!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_w} {total_h}" font-family="Helvetica, Arial, sans-serif">"#
    )
    .unwrap();
    definitions(&mut out, d);
    write!(out, r##"<rect width="{total_w}" height="{total_h}" rx="6" fill="{frame}"/>"##).unwrap();

    for square in 0..d.width * d.height {
        if d.holes[square] {
            continue;
        }
        let (x, y) = corner(square, d.width, d.height, pocket);
        let dark = (square % d.width + square / d.width).is_multiple_of(2);
        let of = match () {
            () if d.checked.contains(&square) => colours.checked,
            () if d.played.contains(&square) => colours.played,
            () => colours.squares,
        };
        let fill = of[usize::from(dark)];
        write!(out, r#"<rect x="{x}" y="{y}" width="{SQUARE}" height="{SQUARE}" fill="{fill}"/>"#).unwrap();
        if let Some(figure) = d.figures[square] {
            place(&mut out, figure, x, y);
        }
    }
    coordinates(&mut out, d, left, top, words);
    if let Some(pockets) = &d.pockets {
        for (row, pocket) in [(top + board_h + MARGIN, &pockets[0]), (MARGIN / 2, &pockets[1])] {
            hand(&mut out, pocket, left, row, board_w, colours.tray);
        }
    }
    let y = if d.black_to_move { top + SQUARE / 2 } else { top + board_h - SQUARE / 2 };
    let fill = if d.black_to_move { "#2b2927" } else { "#fbf7ef" };
    let x = left + board_w + MARGIN / 2;
    write!(out, r##"<circle cx="{x}" cy="{y}" r="6" fill="{fill}" stroke="{words}" stroke-width="1.5"/>"##)
        .unwrap();
    let (x, y) = (total_w / 2, total_h - CAPTION / 2 + 2);
    write!(
        out,
        r##"<text x="{x}" y="{y}" font-size="12" fill="{words}" text-anchor="middle">{}</text></svg>"##,
        escape(&d.caption)
    )
    .unwrap();
    out
}

/// The letters and numbers around the board.
fn coordinates(out: &mut String, d: &Diagram, left: usize, top: usize, words: &str) {
    write!(out, r#"<g font-size="12" fill="{words}" text-anchor="middle">"#).unwrap();
    for file in 0..d.width {
        let x = left + file * SQUARE + SQUARE / 2;
        let y = top + d.height * SQUARE + 16;
        let name = char::from(b'a' + file as u8);
        write!(out, r#"<text x="{x}" y="{y}">{name}</text>"#).unwrap();
    }
    for rank in 0..d.height {
        let y = top + (d.height - 1 - rank) * SQUARE + SQUARE / 2 + 4;
        write!(out, r#"<text x="{}" y="{y}">{}</text>"#, left / 2, rank + 1).unwrap();
    }
    out.push_str("</g>");
}

/// A row of pieces in hand with their numbers.
fn hand(out: &mut String, pocket: &[(Figure, u32)], left: usize, top: usize, width: usize, tray: &str) {
    write!(out, r##"<rect x="{left}" y="{top}" width="{width}" height="{SQUARE}" rx="5" fill="{tray}"/>"##)
        .unwrap();
    for (i, &(figure, number)) in pocket.iter().enumerate() {
        let x = left + i * SQUARE;
        place(out, figure, x, top);
        write!(
            out,
            r##"<text x="{}" y="{}" font-size="12" font-weight="bold" fill="#22201d" text-anchor="end">{number}</text>"##,
            x + SQUARE - 1,
            top + SQUARE - 3
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
