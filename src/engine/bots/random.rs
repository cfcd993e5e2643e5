//! The random source of bots.

use crate::contract::chance::{SeededChance, StreamId};

/// Separates the random streams of bots from those of play and of action samples.
const BOT_SALT: u64 = 0x0000_0000_626f_7421;

/// The random source of a bot; the stream's `episode` counts the questions to the bots of a game.
pub(crate) fn bot_chance(id: StreamId) -> SeededChance {
    SeededChance::new(StreamId { seed: id.mix(BOT_SALT), ..id })
}
