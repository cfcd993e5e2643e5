//! Positions, moves and games in writing.

pub mod fen;

use super::variant::schema::{Cell, Variant};

/// The name of a cell: `e4`.
pub(crate) fn cell_name(variant: &Variant, cell: Cell) -> String {
    format!("{}{}", char::from(b'a' + cell % variant.width), cell / variant.width + 1)
}

/// The cell that `name` names.
pub(crate) fn cell_named(variant: &Variant, name: &str) -> Option<Cell> {
    let (&letter @ b'a'..=b'p', digits) = name.as_bytes().split_first()? else { return None };
    let plain = !digits.starts_with(b"0") && digits.iter().all(u8::is_ascii_digit);
    let rank: u8 = name.get(1..)?.parse().ok().filter(|_| plain)?;
    let file = letter - b'a';
    (file < variant.width && (1..=variant.height).contains(&rank)).then(|| (rank - 1) * variant.width + file)
}
