//! Chess and its variants.
//!
//! | file or folder | holds |
//! |---|---|
//! | `board/` | bitboards, the position, moves as data, Zobrist keys |
//! | `movegen/` | move generator: legality, pawns, castling, en passant, checks, pins; making a move |
//! | `variant/` | variant files: data model and parser; Betza notation |
//! | `tables/` | a variant compiled into lookup tables |
//! | `notation/` | FEN, SAN, UCI, PGN |
//! | `objects/` | one game as objects: board, squares, pieces, events |
//! | `options.rs` | the options of the environment, and the start positions under them |
//! | `make.rs` | from options to a playable game |
//! | `rules.rs` | the game as a [`Game`](ludovec_engine::Game) of the engine |
//! | `words.rs`, `picture.rs`, `guide.rs` | moves and positions in words and in pictures; helpers for players |
//! | `dialect.rs` | the variant as UCI engines know it |
//! | `setup.rs`, `setup/` | a position as plain data, and its conversion to and from a position |
//! | `chess960.rs` | shuffled starting positions |
//! | `state.rs`, `history.rs` | a game in progress: position, repetition, past boards |
//! | `actions.rs`, `actions/` | moves as action indices: flat, dense, AlphaZero's 73 planes |
//! | `legal.rs` | the mask of legal actions |
//! | `step.rs` | one step: the move, repetition, the result |
//! | `game_end.rs` | checkmate, stalemate, draws, endings of variants |
//! | `observe.rs`, `observe/` | the observation: planes of any variant, AlphaZero's 119 planes |
//! | `values.rs` | the names of numbers, and the state as columns |
//! | `json.rs` | states and moves as JSON |
//! | `refused_squares.rs` | reasons why chosen squares make no move |
//! | `validate.rs` | validation of positions and states of arbitrary contents |
//! | `render.rs`, `ansi.rs`, `svg.rs`, `svg/` | a position as text, in a terminal's colours, and as a drawing |
//! | `bots.rs`, `material.rs` | built-in bots, and their piece values |
//! | `hook.rs` | hooks: variants with rules written in Rust |
//! | `perft.rs` | counting the leaves of the game tree |
//! | `conform.rs` | recorded games of other engines |

mod actions;
mod ansi;
mod board;
mod bots;
mod chess960;
mod conform;
mod dialect;
mod game_end;
mod guide;
mod history;
pub mod hook;
mod json;
mod legal;
mod make;
mod material;
mod movegen;
pub mod notation;
pub mod objects;
mod observe;
mod options;
mod perft;
mod picture;
mod refused_squares;
mod render;
mod rules;
pub mod setup;
mod state;
mod step;
mod svg;
mod tables;
#[cfg(test)]
mod tests;
mod validate;
mod values;
pub mod variant;
mod words;

use ludovec_engine::{Entry, Tool};

pub use board::moves::{Move, MoveKind};
pub use perft::perft;

const ID: &str = "chess";

/// The environment `chess`.
pub const ENTRY: Entry = Entry::new(ID, "Chess", options::SUMMARY, options::list, make::make)
    .with_rules(options::RULES, Some(options::RULES_LINK))
    .with_combinations(options::combinations)
    .with_tools(&[
        Tool::Conform(conform::conform),
        Tool::Perft(perft::perft_shown),
        Tool::CheckVariant(variant::check),
        Tool::Import("pgn", notation::import::pgn),
        Tool::Import("epd", notation::import::epd),
        Tool::Uci(dialect::VARIANTS),
        Tool::Export("pgn", notation::pgn::export),
        Tool::Export("fen", notation::pgn::export_fen),
        Tool::Export("epd", notation::pgn::export_epd),
    ])
    .with_champions(ludovec_assets::networks::CHESS);
