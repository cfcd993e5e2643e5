//! The built-in bots, and help for players.

pub(crate) mod bots;
pub(crate) mod guide;
