//! Terminal colours as ANSI escape codes.

use std::fmt::Display;

/// Black in the 256-colour palette.
pub const BLACK: u8 = 16;
/// White in the 256-colour palette.
pub const WHITE: u8 = 231;

/// Text on a coloured background; both colours are from the 256-colour palette.
///
/// ```
/// use ludovec_engine::ansi;
/// assert_eq!(ansi::on(ansi::BLACK, ansi::WHITE, "a"), "\x1b[48;5;16;38;5;231ma\x1b[0m");
/// ```
pub fn on(ground: u8, ink: u8, text: impl Display) -> String {
    format!("\x1b[48;5;{ground};38;5;{ink}m{text}\x1b[0m")
}

/// Black or white, whichever has more contrast to the background.
///
/// ```
/// use ludovec_engine::ansi;
/// assert_eq!(ansi::ink_on(ansi::WHITE), ansi::BLACK);
/// ```
#[must_use]
pub fn ink_on(ground: u8) -> u8 {
    // The 256-colour palette: 16 system colours, a cube of 6x6x6 colours, 24 greys.
    let brightness = match ground {
        0..=6 | 8 => 0,
        7 | 9..=15 => 255,
        16..=231 => {
            let level = |i: u8| [0u32, 95, 135, 175, 215, 255][usize::from(i)];
            let cube = ground - 16;
            (299 * level(cube / 36) + 587 * level(cube / 6 % 6) + 114 * level(cube % 6)) / 1000
        }
        232.. => u32::from(ground - 232) * 10 + 8,
    };
    if brightness > 110 { BLACK } else { WHITE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bright_grounds_get_black_ink() {
        assert_eq!(
            [16, 231, 220, 22, 232, 255, 0, 15].map(ink_on),
            [WHITE, BLACK, BLACK, WHITE, WHITE, BLACK, WHITE, BLACK]
        );
    }
}
