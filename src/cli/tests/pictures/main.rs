//! The pictures of every game: rendered to pixels and checked; the pictures of the documents are kept current.
//!
//! `LUDOVEC_UPDATE=1 cargo test --test pictures` (`make pictures`) rewrites `docs/pictures/`, and writes every checked
//! picture as PNG into `target/pictures`, for inspection.
//!
//! | file | holds |
//! |---|---|
//! | `scenes` | the positions to draw |
//! | `drawing` | sizes, overlapping or illegible text, the mark of the last move |
//! | `frames` | text stays in its frame, under all options |
//! | `colours` | whether seats are distinguishable under colour-vision deficiencies |
//! | `readme` | the pictures of README.md and the documentation |

mod colours;
mod drawing;
mod frames;
mod readme;
mod scenes;

use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn update() -> bool {
    std::env::var_os("LUDOVEC_UPDATE").is_some()
}

/// The folder of pictures for inspection.
fn gallery() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
    target.join("pictures")
}
