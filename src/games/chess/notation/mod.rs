//! Positions, moves and games in writing.
//!
//! Moves are written in UCI (`e2e4`, `e7e8q`) and in standard algebraic notation (`e4`, `e8=Q`). For what the
//! standard game does not have:
//!
//! | move | UCI | SAN |
//! |---|---|---|
//! | a piece from the hand, an own piece that replaces an enemy's, the duck | `N@f3` `P@f6` `D@h5` | the same |
//! | a merger | `b1a1` | `Na1=O` |
//! | two bishops that swap | `c1f1` | `Bc1<>f1` |
//! | a decay up to d5 | `d1d5:split` | `Qd1/d5` |
//! | castling along the file | `e1e3` | `O-O-e3` |
//! | no move | `0000` | `--` |

pub mod fen;
pub mod pgn;
pub(super) mod recorded;
pub(super) mod san;
#[cfg(test)]
mod tests;
pub(super) mod uci;

use super::board::moves::Move;
use super::board::position::{MoveRules, Position};
use super::tables::Tables;
use super::variant::schema::{Square, Variant};

/// The legal moves of a position.
pub(super) fn legal_moves<R: MoveRules>(tables: &Tables<R::Bits>, position: &Position<R>) -> Vec<Move> {
    let mut moves = Vec::new();
    position.each_move(tables, |mv| moves.push(mv));
    moves
}

/// The name of a square: `e4`.
pub(crate) fn square_name(variant: &Variant, square: Square) -> String {
    format!("{}{}", char::from(b'a' + square % variant.width), square / variant.width + 1)
}

/// The square that `name` names.
pub(crate) fn square_named(variant: &Variant, name: &str) -> Option<Square> {
    let (&letter @ b'a'..=b'p', digits) = name.as_bytes().split_first()? else { return None };
    let plain = !digits.starts_with(b"0") && digits.iter().all(u8::is_ascii_digit);
    let rank: u8 = name.get(1..)?.parse().ok().filter(|_| plain)?;
    let file = letter - b'a';
    (file < variant.width && (1..=variant.height).contains(&rank)).then(|| (rank - 1) * variant.width + file)
}

/// As much of a text as an error message should repeat.
fn shortened(text: &str) -> String {
    let text = text.trim();
    let mut short: String = text.chars().take(100).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}
