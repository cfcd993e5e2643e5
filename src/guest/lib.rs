//! Games that are made while the program runs: rules over a record of plain bytes.
//!
//! The engine compiles its hot loops for each type of state. A guest's states are known only at run time, so that they
//! are kept in one of four types of different size, and the calls go through the trait object [`GuestRules`].
//!
//! | file | holds |
//! |---|---|
//! | `rules.rs` | the trait of a guest: what Python classes and C functions implement |
//! | `state.rs` | the state of a guest in memory: a header of the engine and the guest's record |
//! | `game.rs` | a guest as a game of the engine |
//! | `words.rs` | the other traits of the contract: positions as JSON, pictures, bots |
//! | `fields.rs` | the fields of a record as JSON |
//! | `functions.rs` | rules as C functions |
//! | `abi.rs` | the border to libraries of games: C structs, the numbers of failures |
//! | `library.rs`, `description.rs` | the games of a library as guests, and what a library says about a game |
//! | `export.rs`, `answers.rs` | games in Rust as a library: the rules, the answers in words |

pub mod abi;
mod answers;
mod description;
#[doc(hidden)]
pub mod export;
mod fields;
mod functions;
mod game;
mod library;
mod rules;
mod state;
#[cfg(test)]
mod tests;
mod words;

pub use self::description::{BotName, Features, described_spec, read_options};
pub use self::functions::{ChanceHandle, Function, uniform, weighted};
pub use self::game::game;
pub use self::library::{AbiFunction, GamesFunction, check_abi, entries};
pub use self::rules::{GuestRules, Player};
pub use self::state::LARGEST_RECORD;
