//! Bots that play any game, and bots by name.
//!
//! | file | holds |
//! |---|---|
//! | `policy` | a bot by name, and what it chooses |
//! | `rating` | how good actions look at the end of the turn |
//! | `search`, `playout` | flat Monte Carlo and UCT over determinisations; their playouts |
//! | `random` | what bots draw from |

mod playout;
pub(crate) mod policy;
pub(crate) mod random;
mod rating;
mod search;
