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
//! | `rules.rs` | the game as the engine plays it |
//! | `words.rs`, `picture.rs`, `guide.rs` | moves and positions in words, in pictures; what helps players |
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
mod game_end;
mod guide;
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
mod picture;
mod render;
mod rules;
pub mod setup;
mod state;
mod step;
mod svg;
mod tables;
mod validate;
pub mod variant;
mod words;

use crate::engine::{Entry, Tool};

pub use board::moves::{Move, MoveKind};
pub use perft::perft;

/// The environment `chess`.
pub const ENTRY: Entry = Entry::new("chess", "Chess", options::SUMMARY, options::list, build::build)
    .with_combinations(options::combinations)
    .with_tools(&[
        Tool::Conform(conform::conform),
        Tool::Perft(perft),
        Tool::CheckVariant(variant::check),
        Tool::Export("pgn", |record| notation::pgn::from_record(record, &[])),
    ]);

#[cfg(test)]
mod tests;
