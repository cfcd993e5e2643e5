//! Vectorized reinforcement-learning environments for rule-heavy board games.
//!
//! Rules below, one engine that steps any rules in batches, thin front ends on top:
//!
//! ```text
//! front ends   cli   player   replay   selfplay   shm   tournament
//! engine       trait Game, BatchEnv, columns, chance, snapshots, registry
//! games        plain states and rules; they know nothing of batches and threads
//! ```

#[cfg(feature = "cli")]
pub mod cli;
pub mod engine;
pub mod games;
pub mod player;
pub mod replay;
pub mod selfplay;
#[cfg(target_os = "linux")]
pub mod shm;
pub mod tournament;
