//! Drawing options, as given by Python.

use ludovec::engine::{Error, View};
use pyo3::prelude::*;

/// Theme, seat of the viewer, whether to draw the board alone, whether to view it from the second side, longer side
/// in pixels.
#[derive(FromPyObject)]
pub(crate) struct DrawingOptions(String, Option<usize>, bool, bool, Option<u32>);

impl DrawingOptions {
    pub(crate) fn view(&self) -> Result<View, Error> {
        let Self(theme, seat, board_only, flipped, size) = self;
        Ok(View {
            theme: theme.parse()?,
            seat: *seat,
            board_only: *board_only,
            flipped: *flipped,
            size: *size,
            ..View::default()
        })
    }
}
