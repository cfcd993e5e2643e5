//! Vectorized reinforcement-learning environments for rule-heavy board games.
//!
//! Rules below, one engine that steps any rules in batches, thin front ends on top:
//!
//! | folder | holds |
//! |---|---|
//! | `cli/` | the command-line program |
//! | `web/` | a page to play and watch in a browser |
//! | `shm/` | games in shared memory, for other programs on the machine |
//! | `report/` | what an environment is like, measured and plotted |
//! | `replay/` | recorded games: checked, drawn |
//! | `play/` | who plays, and how games between players are run |
//! | `engine/` | steps any rules: batches, columns, chance, snapshots, the registry |
//! | `games/` | the rules: plain states that know nothing of batches and threads |

#[cfg(feature = "cli")]
pub mod cli;
pub mod engine;
pub mod games;
pub mod play;
pub mod replay;
#[cfg(feature = "cli")]
pub mod report;
#[cfg(target_os = "linux")]
pub mod shm;
#[cfg(feature = "cli")]
pub mod web;
