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

use crate::engine::{Entry, Tool};

pub use moves::{Move, MoveKind};
pub use perft::perft;

/// The environment `chess`.
pub const ENTRY: Entry = Entry::new("chess", "Chess", options::SUMMARY, options::list, options::build)
    .with_combinations(options::combinations)
    .with_tools(&[
        Tool::Conform(conform::conform),
        Tool::Perft(perft),
        Tool::CheckVariant(variant::check),
        Tool::Export("pgn", |record| notation::pgn::from_record(record, &[])),
    ]);

#[cfg(test)]
mod tests;
