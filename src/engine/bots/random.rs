//! What bots draw from.

use crate::engine::contract::chance::{SeededChance, StreamId};

/// Keeps the streams of bots apart from those of play and of action samples.
const BOT_SALT: u64 = 0x0000_0000_626f_7421;

/// What a bot draws from; `episode` counts what the bots of a game were asked.
pub(crate) fn bot_chance(id: StreamId) -> SeededChance {
    SeededChance::new(StreamId { seed: id.mix(BOT_SALT), ..id })
}
