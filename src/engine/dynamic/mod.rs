//! The dynamic traits, for front ends that do not know the game's type.
//!
//! | file | holds |
//! |---|---|
//! | `any_game` | rules as a trait object |
//! | `vector`, `config` | many games side by side; configuration of a batch |
//! | `calls` | checks of the arguments of calls on a batch |
//! | `columns` | the output arrays of a batch |
//! | `record` | the record of a game |
//! | `analysis` | a player's analysis of a position |
//! | `tree_search`, `leaves` | a search tree a game of a batch; its leaves and their evaluation |
//! | `interrupt` | ending a long call early |
//! | `debug` | `Debug` for values behind the dynamic traits |
//! | `workload`, `effort` | single operations for benchmarks; how much the conformance suite plays |

pub(crate) mod analysis;
pub(crate) mod any_game;
pub mod calls;
pub mod columns;
pub(crate) mod config;
mod debug;
pub(crate) mod effort;
pub(crate) mod interrupt;
pub(crate) mod leaves;
pub(crate) mod record;
pub(crate) mod tree_search;
pub(crate) mod vector;
pub(crate) mod workload;
