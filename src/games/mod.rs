//! The games, one folder each, and the registry: a game that is listed here is everywhere.

pub mod chess;
pub mod empires;
pub mod smallworld;
pub mod starwars_risk;
pub mod tilewe;

use serde_json::Value;

use crate::engine::{AnyGame, Entry, Result, registry};

/// Every environment, in the order of the documentation.
pub const GAMES: &[Entry] =
    &[smallworld::ENTRY, tilewe::ENTRY, chess::ENTRY, starwars_risk::ENTRY, empires::ENTRY];

/// The environment called `id`.
///
/// # Errors
/// [`Error::InvalidConfig`](crate::engine::Error::InvalidConfig) lists the known ids.
pub fn find(id: &str) -> Result<&'static Entry> {
    registry::find(GAMES, id)
}

/// What `env_spec/<env>.json` says, for an environment under any options.
///
/// # Errors
/// [`Error::InvalidConfig`](crate::engine::Error::InvalidConfig) for a game that is not listed here.
pub fn document(game: &dyn AnyGame) -> Result<Value> {
    Ok(registry::document(find(game.spec().env)?, game))
}
