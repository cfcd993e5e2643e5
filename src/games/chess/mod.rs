//! Chess and its variants.

mod actions;
mod attack;
mod az119;
mod az73;
mod bits;
mod bots;
mod compile;
mod conform;
mod ends;
mod game;
mod generate;
mod history;
pub mod hook;
mod json;
mod moves;
pub mod notation;
pub mod objects;
mod observe;
mod options;
mod perft;
mod plain;
mod play;
mod position;
mod render;
pub mod setup;
mod shuffle;
mod sinks;
mod state;
mod tables;
mod trial;
pub mod variant;
mod zobrist;

use crate::engine::Entry;

pub use moves::{Move, MoveKind};
pub use perft::perft;

/// The environment `chess`.
pub const ENTRY: Entry = Entry {
    id: "chess",
    name: "Chess",
    summary: options::SUMMARY,
    options: options::list,
    combinations: options::combinations,
    build: options::build,
    conform: Some(conform::conform),
    perft: Some(perft),
    check_variant: Some(variant::check),
    exports: &[("pgn", |record| notation::pgn::from_record(record, &[]))],
};

#[cfg(test)]
mod tests;
