//! Vectorized reinforcement-learning environments for rule-heavy board games.
//!
//! ```
//! use ludovec::engine::{BatchConfig, OptionValue};
//!
//! // Find an environment, compile its rules under options, step 256 games side by side.
//! let entry = ludovec::games::find("smallworld")?;
//! let game = entry.make([("players", OptionValue::from(2i64))])?;
//! let mut env = game.vector(BatchConfig { num_envs: 256, seed: 7, ..BatchConfig::default() })?;
//!
//! let mut actions = vec![0; 256];
//! for _ in 0..100 {
//!     env.sample_actions(&mut actions)?; // one legal action per game, uniformly
//!     env.step(&actions)?; // finished games reset automatically
//! }
//!
//! // Read the output columns: [games, ...] arrays that the next step overwrites.
//! let columns = env.columns();
//! assert_eq!(columns.observations_view().shape(), [256, env.game().spec().observation_len()]);
//! assert_eq!(columns.rewards_view().shape(), [256, 2]);
//! assert!(columns.current_player.iter().all(|&player| player < 2));
//! # Ok::<(), ludovec::engine::Error>(())
//! ```
//!
//! Your own game implements [`engine::Rules`] and is registered by [`games::register`]; see the example
//! `connect_four`.
//!
//! Every layer is a crate, and Cargo refuses an upward dependency. This library has them under one name:
//!
//! | module | holds |
//! |---|---|
//! | [`play`] | players, self-play, tournaments, reviews |
//! | [`replay`] | recorded games: checked, drawn, filmed |
//! | [`shm`] | games in shared memory, for other programs on the machine |
//! | `raster` | drawings as pixels |
//! | `network` | networks from files, and their evaluation |
//! | [`games`] | the registry; each game is a crate of its own |
//! | [`pinned`] | specifications and rollouts in committed files |
//! | [`engine`] | steps any rules: batches, columns, chance, search, snapshots |

pub use ludovec_engine as engine;
pub use ludovec_games as games;
pub use ludovec_games::pinned;
#[cfg(feature = "networks")]
pub use ludovec_network as network;
pub use ludovec_play as play;
#[cfg(feature = "raster")]
pub use ludovec_raster as raster;
#[cfg(target_os = "linux")]
pub use ludovec_shm as shm;

/// Recorded games: checks against this version of the rules, drawings, pages with a review.
pub mod replay {
    pub use ludovec_play::review::page;
    pub use ludovec_replay::*;
}

/// The examples of the page "Ludovec from Rust".
#[cfg(all(doctest, feature = "games"))]
#[doc = include_str!("../docs/use/rust.md")]
struct RustPage;
