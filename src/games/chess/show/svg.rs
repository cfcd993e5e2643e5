//! A diagram as one SVG document: title, board, coordinates, pieces, pockets, players.

mod glyphs;

use std::collections::BTreeSet;
use std::fmt::Write;

use glyphs::Glyph;
use ludovec_engine::Theme;
use ludovec_engine::drawing::{arrow, escape, shortened, text_width};

/// The owner of a piece in a diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    White,
    Black,
    Nobody,
}

/// A piece to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Figure<'a> {
    pub(crate) owner: Owner,
    /// The piece's name, which selects its shape.
    pub(crate) name: &'a str,
    /// Its FEN letter, drawn if the name has no shape.
    pub(crate) letter: char,
}

/// The contents of a drawing.
#[derive(Debug)]
pub(crate) struct Diagram<'a> {
    pub(crate) theme: Theme,
    pub(crate) board: BoardLayout,
    /// Whether only the board is drawn, without its surroundings.
    pub(crate) alone: bool,
    /// Squares outside the board's shape, first rank first.
    pub(crate) holes: Vec<bool>,
    /// The pieces, first rank first.
    pub(crate) figures: Vec<Option<Figure<'a>>>,
    /// White's and black's pieces in hand, with their numbers; `None` in games without pockets.
    pub(crate) pockets: Option<[Vec<(Figure<'a>, u32)>; 2]>,
    /// Origin and destination of the last move, in this order.
    pub(crate) played: Vec<usize>,
    /// Squares of royal pieces in check.
    pub(crate) checked: Vec<usize>,
    /// The side to move; `None` if the game is over.
    pub(crate) to_move: Option<usize>,
    /// The name of the game.
    pub(crate) title: String,
    /// The status of the game.
    pub(crate) caption: String,
    /// The players' names, white first.
    pub(crate) names: [&'a str; 2],
}

/// A board's size, and its layout in a drawing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoardLayout {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Whether pieces in hand are drawn beside it.
    pub(crate) hands: bool,
    /// Whether black is at the bottom.
    pub(crate) flipped: bool,
}

/// Colours that depend on the theme.
struct Palette {
    frame: &'static str,
    words: &'static str,
    faded: &'static str,
    /// Background of the pieces in hand.
    tray: &'static str,
    /// Light and dark squares.
    squares: [&'static str; 2],
    /// The same for the origin and destination of the last move.
    played: [&'static str; 2],
    /// The same for a king in check.
    checked: [&'static str; 2],
}

const LIGHT: Palette = Palette {
    frame: "#f7f2e8",
    words: "#33271f",
    faded: "#6b5847",
    tray: "#dccbb0",
    squares: ["#ecd9b9", "#b58863"],
    played: ["#f3e38a", "#cdb349"],
    checked: ["#f0a58c", "#d9694a"],
};

const DARK: Palette = Palette {
    frame: "#26211e",
    words: "#f0e3cb",
    faded: "#c3b295",
    tray: "#6d5644",
    squares: ["#c9b591", "#8d6748"],
    played: ["#d9c96f", "#a8923c"],
    checked: ["#e0937a", "#bd5a3e"],
};

/// Colour of squares that do not exist: darker than the squares of either theme.
const HOLE: &str = "#17110d";
/// Colours of the last move's arrow and of its outline: on any square at least one of the two is visible.
const ARROW: [&str; 2] = ["#1d3f94", "#ffffff"];
/// Colours of white's and black's pieces.
const SIDES: [&str; 2] = ["#fbf7ef", "#2b2927"];

/// The name of the shape of Berolina pawns, whose pieces are called pawns.
pub(crate) const BEROLINA: &str = "berolina";

const SQUARE: usize = 45;
const MARGIN: usize = 24;
/// Height of the two lines above everything.
const HEADER: usize = 48;
/// Height of the line with a player's name.
const NAME: usize = 28;
/// Height of a row of pieces in hand.
const POCKET: usize = SQUARE + 6;

impl BoardLayout {
    /// Top of the squares.
    fn top(self) -> usize {
        HEADER + NAME + if self.hands { POCKET } else { 0 }
    }

    /// Left and top of a square in the drawing.
    fn corner(self, square: usize) -> [usize; 2] {
        let (file, rank) = (square % self.width, square / self.width);
        let (column, row) = match self.flipped {
            false => (file, self.height - 1 - rank),
            true => (self.width - 1 - file, rank),
        };
        [MARGIN + column * SQUARE, self.top() + row * SQUARE]
    }

    /// Left, top and side of a square.
    pub(crate) fn square(self, square: usize) -> ([f64; 2], f64) {
        (self.corner(square).map(|at| at as f64), SQUARE as f64)
    }

    fn middle(self, square: usize) -> [f64; 2] {
        self.corner(square).map(|at| (at + SQUARE / 2) as f64)
    }
}

/// Draws the diagram.
pub(crate) fn draw(d: &Diagram) -> String {
    let board = d.board;
    let (board_w, board_h) = (board.width * SQUARE, board.height * SQUARE);
    let total_w = board_w + 2 * MARGIN;
    let beside = NAME + if board.hands { POCKET } else { 0 };
    let total_h = board.top() + board_h + MARGIN + beside + 4;
    let colours = d.theme.pick(&LIGHT, &DARK);
    let mut out = String::with_capacity(16 << 10);
    let shown = match d.alone {
        true => format!("{MARGIN} {} {board_w} {board_h}", board.top()),
        false => format!("0 0 {total_w} {total_h}"),
    };
    write!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{shown}" font-family="Arial, Helvetica, sans-serif">"#
    )
    .unwrap();
    definitions(&mut out, d);
    if !d.alone {
        write!(out, r##"<rect width="{total_w}" height="{total_h}" fill="{}"/>"##, colours.frame).unwrap();
    }
    squares(&mut out, d, colours);
    if let [from, to] = d.played[..] {
        let (from, to) = (board.middle(from), board.middle(to));
        out.push_str(&arrow(from, to, 8.0, ARROW[0], ARROW[1], 1.0));
    }
    for (square, figure) in d.figures.iter().enumerate() {
        if let Some(figure) = figure {
            let [x, y] = board.corner(square);
            place(&mut out, *figure, x, y);
        }
    }
    if !d.alone {
        coordinates(&mut out, board, colours.faded);
        header(&mut out, d, total_w, colours);
        let bottom = board.top() + board_h + MARGIN;
        for colour in 0..2 {
            // Name and pieces in hand of the colour at the bottom are below the board, the pieces in hand next to
            // the squares.
            let below = (colour == 0) != board.flipped;
            let hand_top = if below { bottom } else { HEADER + NAME };
            let name_top = if below { bottom + beside - NAME } else { HEADER };
            if let Some(pockets) = &d.pockets {
                hand(&mut out, &pockets[colour], hand_top, board_w, colours.tray);
            }
            player(&mut out, d, colour, name_top, colours);
        }
    }
    out.push_str("</svg>");
    out
}

fn squares(out: &mut String, d: &Diagram, colours: &Palette) {
    let board = d.board;
    for square in 0..board.width * board.height {
        let [x, y] = board.corner(square);
        if d.holes[square] {
            write!(
                out,
                r##"<rect x="{x}" y="{y}" width="{SQUARE}" height="{SQUARE}" fill="{HOLE}"/><path d="M{} {}h35v35" fill="none" stroke="#4d4038" stroke-width="1.5"/>"##,
                x + 5,
                y + 5
            )
            .unwrap();
            continue;
        }
        let dark = (square % board.width + square / board.width).is_multiple_of(2);
        let of = match () {
            () if d.checked.contains(&square) => colours.checked,
            () if d.played.contains(&square) => colours.played,
            () => colours.squares,
        };
        let fill = of[usize::from(dark)];
        write!(out, r#"<rect x="{x}" y="{y}" width="{SQUARE}" height="{SQUARE}" fill="{fill}"/>"#).unwrap();
    }
}

/// Name and status of the game, in two lines.
fn header(out: &mut String, d: &Diagram, width: usize, colours: &Palette) {
    let room = (width - 2 * MARGIN) as f64;
    for (words, y, most, weight, fill) in
        [(&d.title, 21, 15.0, "bold", colours.words), (&d.caption, 39, 13.0, "normal", colours.faded)]
    {
        let size = (room / text_width(words)).clamp(8.0, most);
        let words = escape(&shortened(words, (room / (size * 0.52)) as usize));
        write!(
            out,
            r#"<text x="{MARGIN}" y="{y}" font-size="{size:.1}" font-weight="{weight}" fill="{fill}">{words}</text>"#
        )
        .unwrap();
    }
}

/// A player's name with the colour of the player's pieces, bold for the current player.
fn player(out: &mut String, d: &Diagram, colour: usize, top: usize, colours: &Palette) {
    let Palette { words, .. } = colours;
    let (x, y, fill) = (MARGIN, top + NAME / 2, SIDES[colour]);
    let moves = d.to_move == Some(colour);
    let weight = if moves { "bold" } else { "normal" };
    let name = escape(&shortened(d.names[colour], d.board.width * SQUARE / 12));
    write!(
        out,
        r##"<circle cx="{}" cy="{y}" r="7" fill="{fill}" stroke="{words}" stroke-width="1.5"/><text x="{}" y="{}" font-size="14" font-weight="{weight}" fill="{words}">{name}</text>"##,
        x + 8,
        x + 24,
        y + 5
    )
    .unwrap();
    if moves {
        let (x, y) = (x + d.board.width * SQUARE, y + 4);
        let faded = colours.faded;
        write!(
            out,
            r#"<text x="{x}" y="{y}" font-size="12" fill="{faded}" text-anchor="end">to move</text>"#
        )
        .unwrap();
    }
}

/// The letters and numbers around the board.
fn coordinates(out: &mut String, board: BoardLayout, fill: &str) {
    write!(out, r#"<g font-size="12" fill="{fill}" text-anchor="middle">"#).unwrap();
    let below = board.top() + board.height * SQUARE + 16;
    for file in 0..board.width {
        let [x, _] = board.middle(file);
        let name = char::from(b'a' + file as u8);
        write!(out, r#"<text x="{x}" y="{below}">{name}</text>"#).unwrap();
    }
    for rank in 0..board.height {
        let [_, y] = board.middle(rank * board.width);
        write!(out, r#"<text x="{}" y="{}">{}</text>"#, MARGIN / 2, y + 4.0, rank + 1).unwrap();
    }
    out.push_str("</g>");
}

/// A row of pieces in hand with their numbers.
fn hand(out: &mut String, pocket: &[(Figure, u32)], top: usize, width: usize, tray: &str) {
    write!(out, r##"<rect x="{MARGIN}" y="{top}" width="{width}" height="{SQUARE}" rx="5" fill="{tray}"/>"##)
        .unwrap();
    for (i, &(figure, number)) in pocket.iter().enumerate() {
        let x = MARGIN + i * SQUARE;
        place(out, figure, x, top);
        let (cx, cy) = (x + SQUARE - 8, top + SQUARE - 9);
        write!(
            out,
            r##"<circle cx="{cx}" cy="{cy}" r="8" fill="#17110d"/><text x="{cx}" y="{}" font-size="12" font-weight="bold" fill="#ffffff" text-anchor="middle">{number}</text>"##,
            cy + 4
        )
        .unwrap();
    }
}

fn place(out: &mut String, figure: Figure, x: usize, y: usize) {
    write!(out, r##"<use href="#{}" x="{x}" y="{y}"/>"##, id(figure)).unwrap();
}

/// The name of a figure's shape definition: the same shape in every document.
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
        BEROLINA => &glyphs::BEROLINA,
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
        "nightrider" => &glyphs::NIGHTRIDER,
        "grasshopper" => &glyphs::GRASSHOPPER,
        "mann" => &glyphs::MANN,
        "fers" => &glyphs::FERS,
        "alfil" => &glyphs::ALFIL,
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
            (Owner::White, _) => (SIDES[0], "#22201d"),
            (Owner::Black, _) => (SIDES[1], "#e8e2d6"),
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
