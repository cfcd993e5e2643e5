//! How a position is shown, and to whom.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::Serialize;
use serde_json::Value;

use crate::contract::error::{Error, Result};
use crate::contract::named::Named;
use crate::contract::spec::MAX_PLAYERS;

/// Colours of seats, which people with the common colour-vision deficiencies can distinguish too.
pub const SEAT_COLOURS: [&str; MAX_PLAYERS] =
    ["#5f7cf0", "#c9507f", "#1f7a2e", "#f3dd3c", "#93dbe2", "#6a1a78", "#c09a5c", "#16181b"];

/// Colours of drawings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Theme {
    /// Dark on light.
    #[default]
    Light,
    /// Light on dark.
    Dark,
}

impl Named for Theme {
    const NAMES: &'static [(&'static str, Self)] = &[("light", Self::Light), ("dark", Self::Dark)];
}

impl Theme {
    /// The one of two values that belongs to the theme.
    pub fn pick<T>(self, light: T, dark: T) -> T {
        match self {
            Self::Light => light,
            Self::Dark => dark,
        }
    }
}

impl FromStr for Theme {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::named(text).ok_or_else(|| Error::config(format!("theme={text:?}: light or dark is needed")))
    }
}

/// How a position is shown, and to whom. The default shows everything, light, without terminal colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct View {
    /// Colours of a drawing.
    pub theme: Theme,
    /// Whether text carries terminal colours (ANSI escape codes).
    pub ansi: bool,
    /// The seat that looks: what it may not see is shown as hidden. `None` shows everything.
    pub seat: Option<usize>,
    /// Whether a drawing shows the board alone, without what lies beside it.
    pub board_only: bool,
    /// Whether a board that has two sides is drawn from the second one's.
    pub flipped: bool,
    /// Length of a drawing's longer side in pixels; [`View::SIZE`] when not given.
    pub size: Option<u32>,
}

impl View {
    /// Length of a drawing's longer side in pixels, when nobody asks for another.
    pub const SIZE: u32 = 720;
    /// The lengths that are allowed.
    pub const SIZES: RangeInclusive<u32> = 16..=8192;

    /// Whether things are shown that only `seat` may see.
    pub fn shows(self, seat: usize) -> bool {
        self.seat.is_none_or(|viewer| viewer == seat)
    }

    /// Text in a colour of the terminal's palette of 256, plain without [`View::ansi`].
    pub fn paint(self, colour: u8, text: impl Display) -> String {
        if self.ansi { format!("\x1b[38;5;{colour}m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// A clickable part of a drawing, which actions refer to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Place {
    /// Keys and values: an action refers to the place when the action's object holds one of these keys with its value.
    pub means: Vec<(&'static str, Value)>,
    /// Its outline in the coordinates of the drawing, as path data of SVG; it may lie outside of the drawing.
    pub outline: String,
    /// Where a mark on it is drawn.
    pub centre: [f64; 2],
    /// Largest radius of a mark at `centre`.
    pub room: f64,
    /// For places that are offered only after another one was chosen: the key and value that the other place means. The
    /// drawing itself does not show such places; front ends draw their outlines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<(&'static str, Value)>,
}

impl Place {
    /// A rectangle.
    pub fn rectangle(means: Vec<(&'static str, Value)>, [x, y]: [f64; 2], [width, height]: [f64; 2]) -> Self {
        Self {
            means,
            outline: format!("M{x} {y}h{width}v{height}h-{width}z"),
            centre: [x + width / 2.0, y + height / 2.0],
            room: width.min(height) / 2.0,
            after: None,
        }
    }
}

/// Marks that a caller wants on a drawing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Marks {
    /// Actions whose places are marked: all legal ones, or those of one piece.
    pub actions: Vec<u32>,
    /// A weight for every action index, such as a policy or visit counts; empty for none.
    pub weights: Vec<f32>,
}
