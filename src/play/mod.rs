//! Who plays, and how games between players are run.
//!
//! | file | holds |
//! |---|---|
//! | `player` | a player of a seat: a bot of the engine's, a program behind an address, code of the caller's |
//! | `remote` | the bot in another program, asked over HTTP |
//! | `table` | one game with somebody in every seat: people, bots, undo, what a screen may show |
//! | `selfplay/` | batches of games played by bots, with statistics by seat |
//! | `tournament/` | players against each other in many games, with Elo ratings |

pub mod player;
#[cfg(feature = "remote")]
mod remote;
pub mod selfplay;
pub mod table;
pub mod tournament;
