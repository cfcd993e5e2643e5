//! Fleets: games owned by one process; any program on the machine can attach to them by name.
//!
//! A fleet has the output columns of its games, and the columns for actions, in a POSIX shared-memory segment. Games
//! are grouped in blocks. A client claims a run of free blocks and steps them through their mailboxes; client and
//! workers synchronize by futex. `env_spec/shared_memory.md` is the ABI.
//!
//! Liveness: fleet and clients hold locks on bytes of the segment. The kernel releases them when the process ends for
//! any reason.
//!
//! | file | holds |
//! |---|---|
//! | `abi` | the layout of a segment |
//! | `segment` | segments by name: created, opened, mapped |
//! | `lock` | locks on bytes of the segment |
//! | `error` | errors of fleets |
//! | `futex` | waiting for a word to change |
//! | `guard` | keeps a process alive after its segment was truncated |
//! | `fleet` | [`Fleet`]: start, wait, stop |
//! | `server` | the threads of a fleet, which serve requests |
//! | `connection`, `client` | a connection to a fleet, [`attach`] |
//! | `spectator` | read-only access while others play: [`Spectator`] |
//!
//! Linux only.

#![cfg(target_os = "linux")]

use ludovec_engine as engine;
use ludovec_games as games;

mod abi;
mod client;
mod connection;
mod error;
mod fleet;
mod futex;
mod guard;
mod lock;
mod segment;
mod server;
mod spectator;

pub use client::{AttachedEnv, attach};
pub use fleet::{Fleet, FleetConfig};
pub use spectator::Spectator;
