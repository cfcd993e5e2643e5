//! What bots draw from, and the uniform draw.

use crate::engine::contract::chance::{Chance, SeededChance, StreamId};
use crate::engine::contract::mask;

/// Keeps the streams of bots apart from those of play and of action samples.
const BOT_SALT: u64 = 0x0000_0000_626f_7421;

/// What a bot draws from; `episode` counts what the bots of a game were asked.
pub(crate) fn bot_chance(id: StreamId) -> SeededChance {
    SeededChance::new(StreamId { seed: id.mix(BOT_SALT), ..id })
}

/// One of the actions in `mask`, of which there is at least one, each as likely.
pub(crate) fn at_random(mask: &[u64], chance: &mut impl Chance) -> u32 {
    let rank = chance.uniform(mask::count(mask));
    mask::select(mask, rank).expect("the rank is below the count")
}
