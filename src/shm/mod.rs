//! Fleets: games that one process owns and any program on the machine attaches to by name.
//!
//! A fleet puts the output columns of its games, and the columns for actions, in a POSIX shared-memory
//! segment. Games are dealt out in blocks; a client claims a run of free blocks and steps them through their
//! mailboxes, hand to hand with the fleet's workers by futex. `env_spec/shared_memory.md` is the ABI.
//!
//! The kernel knows which processes are alive: fleet and clients hold locks on bytes of the segment, which the kernel
//! releases when the process ends, however it ends.
//!
//! | file | holds |
//! |---|---|
//! | `abi` | the layout of a segment |
//! | `segment` | segments by name: created, opened, mapped |
//! | `lock` | locks on bytes of the segment |
//! | `error` | what can go wrong |
//! | `futex` | waiting for a word to change |
//! | `guard` | what keeps a process alive whose segment was truncated |
//! | `fleet` | [`Fleet`]: made, waited for, stopped |
//! | `server` | the threads of a fleet: they serve requests |
//! | `connection`, `client` | the way to a fleet, [`attach`] |
//! | `spectator` | looking on while others play: [`Spectator`] |
//!
//! Linux only.

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
