//! Animations and videos of games.
//!
//! | file | holds |
//! |---|---|
//! | `pace` | selection and duration of the shown positions |
//! | `gif` | animated GIF files |
//! | `mp4` | videos, encoded by ffmpeg |
//! | `animated_svg` | one animated SVG document |

mod animated_svg;
#[cfg(feature = "raster")]
mod gif;
#[cfg(feature = "raster")]
mod mp4;
mod pace;

pub use animated_svg::animated_svg;
#[cfg(feature = "raster")]
pub use gif::gif;
#[cfg(feature = "raster")]
pub use mp4::mp4;
pub use pace::{Every, Frame, Pace};
