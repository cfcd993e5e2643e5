//! The board in ANSI colours: one sign per piece, squares of two colours.

use std::fmt::Write;

use super::render::{held, on};
use crate::exchange::notation::fen;
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::position::MoveRules;
use crate::rules::history::History;
use crate::rules::state::State;
use crate::rules::tables::Tables;
use crate::rules::variant::schema::Square;
use ludovec_engine::{Caption, ansi};

/// Background colours of the 256-colour palette; black and white pieces are legible on all of them.
const LIGHT: u8 = 137;
const DARK: u8 = 95;
/// The origin and destination of the last move.
const PLAYED: u8 = 65;
/// A king in check.
const CHECKED: u8 = 160;
/// Inks of white, black and neutral pieces.
const INKS: [u8; 2] = [ansi::WHITE, ansi::BLACK];
const NEUTRAL: u8 = 228;

/// Signs of the pieces of standard chess; the others are shown by their letters.
const SIGNS: [(&str, char); 6] =
    [("king", '♚'), ("queen", '♛'), ("rook", '♜'), ("bishop", '♝'), ("knight", '♞'), ("pawn", '♟')];

/// Columns and lines of a square, and of a large one.
const SQUARES: [[usize; 2]; 2] = [[3, 1], [7, 3]];

/// The board with white at the bottom, and the other information about the position beside it. Holes are blank.
pub(crate) fn text<R: MoveRules, H: History>(
    tables: &Tables<R::Bits>,
    state: &State<R, H>,
    played: &[Square],
    large: bool,
    caption: Caption<'_>,
) -> String {
    let variant = &tables.variant;
    let position = &state.position;
    let checked = position.checkers.any().then(|| position.royal(tables, position.turn()));
    let is_checked = |square: Square| checked.as_ref().is_some_and(|royal| royal.has(square));
    let [width, height] = SQUARES[usize::from(large)];
    let mut out = String::new();
    let lines = (0..variant.height).rev().flat_map(|rank| (0..height).map(move |line| (rank, line)));
    for (rank, line) in lines {
        let middle = line == height / 2;
        match middle {
            true => write!(out, "{:>2} ", rank + 1).expect("writing to a String"),
            false => out.push_str("   "),
        }
        for file in 0..variant.width {
            let square = rank * variant.width + file;
            if !tables.board.has(square) {
                write!(out, "{:width$}", "").expect("writing to a String");
                continue;
            }
            let ground = match (file + rank) % 2 {
                _ if is_checked(square) => CHECKED,
                _ if played.contains(&square) => PLAYED,
                0 => DARK,
                _ => LIGHT,
            };
            let neutral = position.neutral.has(square);
            let (sign, ink) = match on(tables, position, square) {
                Some((kind, colour)) => {
                    let name = variant.pieces[usize::from(kind)].name.as_str();
                    let sign = SIGNS.iter().find(|(known, _)| *known == name).map(|(_, sign)| *sign);
                    let sign = sign.unwrap_or_else(|| fen::letter(variant, kind, 0));
                    (sign, if neutral { NEUTRAL } else { INKS[usize::from(colour)] })
                }
                None if neutral => ('*', NEUTRAL),
                None => (' ', ansi::WHITE),
            };
            let sign = if middle { sign } else { ' ' };
            out.push_str(&ansi::on(ground, ink, format_args!("{sign:^width$}")));
        }
        out.push('\n');
    }
    out.push_str("   ");
    for file in 0..variant.width {
        write!(out, "{:^width$}", char::from(b'a' + file)).expect("writing to a String");
    }
    out.push('\n');
    if variant.drops.is_some() {
        for (colour, name) in caption.names.iter().enumerate() {
            writeln!(out, "{name} holds {}", held(tables, position, colour)).expect("writing to a String");
        }
    }
    out + caption.standing + "\n"
}
