//! The random source of bots.

use crate::contract::chance::{SeededChance, StreamId};

/// Separates the random streams of bots from the streams of play and action samples.
const BOT_SALT: u64 = 0x0000_0000_626f_7421;

/// The random source of a bot; `episode` of the stream counts the bot decisions in a game.
pub(crate) fn bot_chance(id: StreamId) -> SeededChance {
    SeededChance::new(StreamId { seed: id.mix(BOT_SALT), ..id })
}
