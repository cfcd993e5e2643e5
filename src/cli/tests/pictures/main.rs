//! The pictures of every game as people see them: rendered to pixels and checked, and those of the documents kept current.
//!
//! `LUDOVEC_UPDATE=1 cargo test --test pictures` (`make pictures`) writes `pictures/` anew, and every picture that is
//! checked here as PNG into `target/pictures`, for looking.
//!
//! | file | holds |
//! |---|---|
//! | `scenes` | the positions that are drawn |
//! | `drawing` | sizes, text that overlaps or is hard to read, the mark of the last move |
//! | `colours` | whether seats can be told apart by people who see fewer colours |
//! | `readme` | the pictures of README.md and the documentation |

mod colours;
mod drawing;
mod readme;
mod scenes;

use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn update() -> bool {
    std::env::var_os("LUDOVEC_UPDATE").is_some()
}

/// Where pictures for looking go.
fn gallery() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
    target.join("pictures")
}
