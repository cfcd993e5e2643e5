//! How a position is shown, and to whom.

use std::fmt::Display;
use std::str::FromStr;

use serde::Serialize;
use serde_json::Value;

use crate::engine::contract::error::{Error, Result};
use crate::engine::contract::named::Named;
use crate::engine::contract::spec::MAX_PLAYERS;

/// Colours of seats, told apart under the common colour-vision deficiencies too.
pub const SEAT_COLOURS: [&str; MAX_PLAYERS] =
    ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8833", "#777777"];

/// Colours of drawings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
}

impl View {
    /// Whether what only `seat` may see is shown.
    pub fn shows(self, seat: usize) -> bool {
        self.seat.is_none_or(|viewer| viewer == seat)
    }

    /// Text in a colour of the terminal's palette of 256, plain without [`View::ansi`].
    pub fn paint(self, colour: u8, text: impl Display) -> String {
        if self.ansi { format!("\x1b[38;5;{colour}m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// A part of a drawing that actions refer to, for people who point at it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Place {
    /// An action refers to it whose object holds one of these keys with that value.
    pub means: Vec<(&'static str, Value)>,
    /// Its outline in the coordinates of the drawing, as path data of SVG; it may lie outside of the drawing.
    pub outline: String,
    /// It is offered only to those who have pointed at a place that means this; what is offered so is no part of
    /// the drawing itself, and its outline is all there is to see.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<(&'static str, Value)>,
}
