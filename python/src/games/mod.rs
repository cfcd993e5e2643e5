//! What single games have beyond the engine's interfaces: their originals' own terms, a file a game.

pub(crate) mod chess;
pub(crate) mod empires;
pub(crate) mod starwars_risk;
pub(crate) mod tilewe;
