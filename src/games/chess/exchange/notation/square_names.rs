//! Names of squares: `e4`.

use crate::rules::variant::schema::{Square, Variant};

/// The name of a square: `e4`.
pub(crate) fn square_name(variant: &Variant, square: Square) -> String {
    format!("{}{}", char::from(b'a' + square % variant.width), square / variant.width + 1)
}

/// The square with the name `name`.
pub(crate) fn square_named(variant: &Variant, name: &str) -> Option<Square> {
    let (&letter @ b'a'..=b'p', digits) = name.as_bytes().split_first()? else { return None };
    let plain = !digits.starts_with(b"0") && digits.iter().all(u8::is_ascii_digit);
    let rank: u8 = name.get(1..)?.parse().ok().filter(|_| plain)?;
    let file = letter - b'a';
    (file < variant.width && (1..=variant.height).contains(&rank)).then(|| (rank - 1) * variant.width + file)
}
