//! Players, and games between players.
//!
//! | file | holds |
//! |---|---|
//! | `player` | a player: a bot of the engine or one outside it; choosing for many games |
//! | `trust` | which texts of a client become players and options |
//! | `outside_bot` | the trait of bots outside the engine |
//! | `address`, `remote` | bots in other programs: their addresses, requests over HTTP |
//! | `programs/` | players that are programs on this machine: UCI, GTP, JSON lines |
//! | `language_model` | players that are language models, made by the Python package |
//! | `network` | players that are networks, with or without a search |
//! | `policy_rollouts` | actions and leaves that are evaluated by games that a policy plays on |
//! | `thinking` | searches of one position that report while they run |
//! | `network_thinking`, `playout_thinking` | the searches of networks and of bots with playouts |
//! | `web_api/` | the web API of the page without a transport: requests and answers as JSON |
//! | `seated_game` | one game with a person or bot in every seat, undo, the visible information |
//! | `levels` | the levels of opponents for people |
//! | `review` | the price of every action of a game; a recorded game with its review as a page |
//! | `named_line` | lines of play in words |
//! | `selfplay/` | batches of games played by bots, with statistics by seat |
//! | `tournament/` | players against each other in many games, with Elo ratings |
//! | `results` | how results are counted: shared wins, confidence margins |
//! | `throughput` | how fast a batch steps |

use ludovec_engine as engine;
use ludovec_games as games;
use ludovec_replay as replay;

pub mod address;
mod every_action;
mod forced_win;
pub mod language_model;
pub mod levels;
pub mod named_line;
#[cfg(feature = "networks")]
pub mod network;
#[cfg(feature = "networks")]
mod network_thinking;
pub mod outside_bot;
pub mod player;
mod playout_thinking;
#[cfg(feature = "networks")]
pub mod policy_rollouts;
#[cfg(feature = "remote")]
pub mod programs;
pub mod recent_moves;
#[cfg(feature = "remote")]
mod remote;
pub mod results;
pub mod review;
pub mod seated_game;
pub mod selfplay;
pub mod thinking;
pub mod throughput;
pub mod tournament;
pub mod trust;
pub mod web_api;

pub use ludovec_engine::files;
