//! The built-in bots, and help for players.

pub(crate) mod bots;
pub(crate) mod estimate;
pub(crate) mod guide;
