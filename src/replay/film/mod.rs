//! Games that move: animations and videos.
//!
//! | file | holds |
//! |---|---|
//! | `pace` | which positions are shown, and for how long |
//! | `gif` | animated GIF files |
//! | `mp4` | videos, where ffmpeg is |
//! | `animated_svg` | one SVG document that plays |

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
