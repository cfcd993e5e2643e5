//! Vectorized reinforcement-learning environments for rule-heavy board games.
//!
//! Rules below, one engine that steps any rules in batches, thin front ends on top:
//!
//! ```text
//! front ends   cli   drawing   player   replay   selfplay   shm   table   tournament   web
//! engine       trait Game, BatchEnv, columns, chance, snapshots, registry
//! games        plain states and rules; they know nothing of batches and threads
//! ```

#[cfg(feature = "cli")]
pub mod cli;
pub mod drawing;
pub mod engine;
pub mod games;
#[cfg(feature = "cli")]
mod http;
pub mod player;
#[cfg(feature = "cli")]
pub mod plot;
pub mod replay;
#[cfg(feature = "cli")]
pub mod report;
pub mod selfplay;
#[cfg(target_os = "linux")]
pub mod shm;
pub mod table;
pub mod tournament;
#[cfg(feature = "cli")]
pub mod web;
