//! Display settings of a position, and its viewer.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::options::named::Named;
use crate::contract::spec::MAX_PLAYERS;
use crate::contract::support::error::{Error, Result};
use crate::contract::support::kept;

/// Colours of seats, distinguishable with the common colour-vision deficiencies.
pub const SEAT_COLOURS: [&str; MAX_PLAYERS] =
    ["#5f7cf0", "#c9507f", "#1f7a2e", "#f3dd3c", "#93dbe2", "#6a1a78", "#c09a5c", "#16181b"];

/// Colours of drawings.
///
/// ```
/// use ludovec_engine::Theme;
/// assert_eq!("dark".parse(), Ok(Theme::Dark));
/// assert_eq!(Theme::Dark.pick("ink", "paper"), "paper");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
    /// Picks one of two values by theme.
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

/// The size of a board's cells in text with terminal colours. Games without cells, or without a form for a size, use the
/// medium one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CellSize {
    /// Half a line: two rows of cells in one line of half blocks.
    Small,
    /// One line.
    #[default]
    Medium,
    /// Several lines, for large terminals.
    Large,
}

/// Display settings of a position, and its viewer. The default shows everything, with the light theme and without
/// terminal colours.
///
/// ```
/// use ludovec_engine::View;
/// let view = View { seat: Some(1), ..View::default() };
/// assert!(view.shows(1) && !view.shows(0) && View::default().shows(0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct View {
    /// Colours of a drawing.
    pub theme: Theme,
    /// Whether text carries terminal colours (ANSI escape codes).
    pub ansi: bool,
    /// The size of a board's cells in text with terminal colours.
    pub cells: CellSize,
    /// The seat of the viewer: information hidden from this player is not shown. `None` shows everything.
    pub seat: Option<usize>,
    /// Whether a drawing shows only the board, without the panels beside it.
    pub board_only: bool,
    /// Whether a board with two sides is drawn from the second player's side.
    pub flipped: bool,
    /// Length of a drawing's longer side in pixels; default [`View::SIZE`].
    pub size: Option<u32>,
}

impl View {
    /// Default length of a drawing's longer side in pixels.
    pub const SIZE: u32 = 720;
    /// The allowed lengths.
    pub const SIZES: RangeInclusive<u32> = 16..=8192;

    /// Whether private information of `seat` is shown.
    #[must_use]
    pub fn shows(self, seat: usize) -> bool {
        self.seat.is_none_or(|viewer| viewer == seat)
    }

    /// Text in a colour of the terminal's 256-colour palette; plain without [`View::ansi`].
    ///
    /// ```
    /// use ludovec_engine::View;
    /// assert_eq!(View::default().paint(9, "red"), "red");
    /// assert_eq!(View { ansi: true, ..View::default() }.paint(9, "red"), "\x1b[38;5;9mred\x1b[0m");
    /// ```
    pub fn paint(self, colour: u8, text: impl Display) -> String {
        if self.ansi { format!("\x1b[38;5;{colour}m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// A clickable part of a drawing, which actions refer to.
///
/// ```
/// use ludovec_engine::Place;
/// let place = Place::rectangle(vec![("column", 3.into())], [30.0, 0.0], [10.0, 60.0]);
/// assert_eq!((place.centre, place.room), ([35.0, 30.0], 5.0));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// Keys and values: an action refers to the place if the action's object has one of these keys with the same
    /// value.
    #[serde(deserialize_with = "kept::keys")]
    pub means: Vec<(&'static str, Value)>,
    /// Its outline in the coordinates of the drawing, as SVG path data; it may be outside the drawing.
    pub outline: String,
    /// Centre of a mark on the place.
    pub centre: [f64; 2],
    /// Largest radius of a mark at `centre`.
    pub room: f64,
    /// For dependent places, offered only after another place was chosen: the key and value of that other place. The
    /// drawing itself does not show dependent places; front ends draw their outlines.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "kept::key")]
    pub after: Option<(&'static str, Value)>,
}

impl Place {
    /// A rectangle.
    #[must_use]
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

/// Marks on a drawing, requested by the caller.
///
/// ```
/// use ludovec_engine::Marks;
/// let marks = Marks { actions: vec![3], weights: vec![0.1, 0.2, 0.3, 0.4], ..Marks::default() };
/// assert_ne!(marks, Marks::default());
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Marks {
    /// Actions with marked places: all legal actions, or the actions of one piece.
    pub actions: Vec<u32>,
    /// A weight for every action index, such as a policy or visit counts; empty for none.
    pub weights: Vec<f32>,
    /// Draws only this many weights, the largest ones; `None` draws all. Shares are of all weights.
    pub largest: Option<usize>,
}
