//! Chess and its variants.
//!
//! | folder or file | holds |
//! |---|---|
//! | `entry.rs` | the registry's entry: from options to a playable game |
//! | `options.rs` | the options of the environment, and the start positions under them |
//! | `actions.rs`, `actions/` | moves as action indices: flat, dense, AlphaZero's 73 planes |
//! | `observe.rs`, `observe/` | the observation: planes of any variant, AlphaZero's 119 planes |
//! | `values.rs` | the names of numbers, and the state as columns |
//! | `words.rs` | moves and positions in words |
//! | `rules/mod.rs` | the game as a [`Game`](ludovec_engine::Game) of the engine |
//! | `rules/board/` | bitboards, the position, moves as data, Zobrist keys |
//! | `rules/movegen/` | move generator: legality, pawns, castling, en passant, checks, pins; making a move |
//! | `rules/variant/` | variant files: data model and parser; Betza notation |
//! | `rules/tables/` | a variant compiled into lookup tables |
//! | `rules/`: `chess960` | shuffled starts |
//! | `rules/`: `hook` | variants with rules written in Rust |
//! | `rules/`: `state`, `history` | a game in progress: position, repetition, past boards |
//! | `rules/`: `legal` | the mask of legal actions |
//! | `rules/`: `refused_squares` | reasons why chosen squares make no move |
//! | `rules/`: `step` | one step: the move, repetition, the result |
//! | `rules/`: `game_end` | checkmate, stalemate, draws, endings of variants |
//! | `rules/`: `perft` | counting the leaves of the game tree |
//! | `show/`: `picture`, `render`, `ansi`, `svg` | the game in pictures; a position as text, in a terminal's colours, and as a drawing |
//! | `exchange/notation/` | FEN, SAN, UCI, PGN |
//! | `exchange/`: `json` | states and moves as JSON |
//! | `exchange/`: `validate` | validation of positions and states of arbitrary contents |
//! | `exchange/`: `setup` | a position as plain data, and its conversion to and from a position |
//! | `exchange/`: `dialect`, `conform` | the variant as UCI engines know it; recorded games of other engines |
//! | `play/`: `bots`, `material`, `guide` | the built-in bots, and their piece values; help for players |
//! | `objects/` | one game as objects: board, squares, pieces, events |

mod actions;
#[cfg(not(test))]
mod entry;
mod exchange;
pub mod objects;
mod observe;
mod options;
mod play;
mod rules;
mod show;
#[cfg(test)]
mod tests;
mod values;
mod words;

#[cfg(not(test))]
pub use entry::ENTRY;
pub use exchange::{notation, setup};
pub use rules::board::moves::{Move, MoveKind};
pub use rules::perft::perft;
pub use rules::{hook, variant};

const ID: &str = "chess";
