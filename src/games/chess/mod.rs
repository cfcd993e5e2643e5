//! Chess and its variants.
//!
//! | file or folder | holds |
//! |---|---|
//! | `board/` | bitboards, the position, moves as data, Zobrist keys |
//! | `movegen/` | the move generator: legal and pseudo-legal moves, attacks, checks, pins, making a move |
//! | `variant/` | variant files: how they are read and what they say; Betza notation |
//! | `tables/` | a variant compiled into lookup tables |
//! | `setup.rs` | a position as plain data, from FEN or JSON, and the check that it can be played |
//! | `chess960.rs` | drawn starting positions |
//! | `state.rs`, `history.rs` | a game in progress: repetition, past boards |
//! | `outcome.rs` | checkmate, stalemate, draws, variant endings |
//! | `game.rs` | the rules object that the engine plays |
//! | `actions.rs`, `actions/` | moves as action indices: flat, dense, AlphaZero's 73 planes |
//! | `observe.rs`, `observe/` | the observation: planes of any variant, AlphaZero's 119 planes |
//! | `options.rs` | the options of the environment |
//! | `notation/` | FEN, SAN, UCI, PGN |
//! | `json.rs` | states from and to JSON |
//! | `render.rs`, `svg.rs` | a position as text and as a drawing |
//! | `bots.rs` | players that ship with the game |
//! | `hook.rs` | variants with rules written in Rust |
//! | `objects/` | one game as objects: board, squares, pieces, events |
//! | `perft.rs` | counting the leaves of the game tree |
//! | `conform.rs` | recorded games of other engines |

mod actions;
mod board;
mod bots;
mod build;
mod chess960;
mod conform;
mod game;
mod game_end;
mod history;
pub mod hook;
mod json;
mod legal;
mod material;
mod movegen;
pub mod notation;
pub mod objects;
mod observe;
mod options;
mod perft;
mod render;
pub mod setup;
mod state;
mod step;
mod svg;
mod tables;
mod validate;
pub mod variant;

use crate::engine::Entry;

pub use board::moves::{Move, MoveKind};
pub use perft::perft;

/// The environment `chess`.
pub const ENTRY: Entry = Entry {
    id: "chess",
    name: "Chess",
    summary: options::SUMMARY,
    options: options::list,
    combinations: options::combinations,
    build: build::build,
    conform: Some(conform::conform),
    perft: Some(perft),
    check_variant: Some(variant::check),
    exports: &[("pgn", |record| notation::pgn::from_record(record, &[]))],
};

#[cfg(test)]
mod tests;
