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
//! Layers: rules at the bottom, one engine that steps any rules in batches, thin front ends on top:
//!
//! | folder | holds |
//! |---|---|
//! | `cli/` | the command-line program |
//! | `web/` | a page for playing and watching in a browser |
//! | `shm/` | games in shared memory, for other programs on the machine |
//! | `report/` | measurements and plots of an environment |
//! | `replay/` | recorded games: checks, drawings, videos |
//! | `raster/` | drawings as pixels |
//! | `network/` | networks that play: reading files and inference |
//! | `play/` | players, and games between players |
//! | `engine/` | steps any rules: batches, columns, chance, snapshots, the registry |
//! | `games/` | the rules: plain states, independent of batches and threads |

pub use ludovec_engine as engine;

pub mod games;
#[cfg(feature = "networks")]
pub mod network;
pub mod play;
#[cfg(feature = "raster")]
pub mod raster;
pub mod replay;
#[cfg(target_os = "linux")]
pub mod shm;
