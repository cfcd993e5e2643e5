//! Generic bots, and bots by name.
//!
//! | file | holds |
//! |---|---|
//! | `named_bot` | a bot by name, and its choices |
//! | `random` | the random source of bots |

pub(crate) mod named_bot;
pub(crate) mod random;
