//! The dynamic traits, for front ends that do not know the game's type.
//!
//! | file | holds |
//! |---|---|
//! | `any_game` | rules as a trait object |
//! | `vector`, `config` | many games side by side; configuration of a batch |
//! | `calls` | checks of the arguments of calls on a batch |
//! | `columns` | the output arrays of a batch |
//! | `single`, `record` | one game with history and undo; its record |
//! | `analysis` | a player's analysis of a position |
//! | `tree_search` | one search tree per game of a batch |
//! | `interrupt` | interruption of long calls |
//! | `workload`, `effort` | single operations for benchmarks; the extent of the conformance suite |

pub(crate) mod analysis;
pub(crate) mod any_game;
pub mod calls;
pub mod columns;
pub(crate) mod config;
#[cfg(any(test, feature = "conformance"))]
pub(crate) mod effort;
pub(crate) mod interrupt;
pub(crate) mod record;
pub(crate) mod single;
pub(crate) mod tree_search;
pub(crate) mod vector;
pub(crate) mod workload;
