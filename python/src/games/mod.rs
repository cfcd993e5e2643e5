//! APIs of single games beyond the engine's interfaces, in the terms of the original games; one file per game.

pub(crate) mod chess;
pub(crate) mod empires;
pub(crate) mod smallworld;
pub(crate) mod starwars_risk;
pub(crate) mod tilewe;
