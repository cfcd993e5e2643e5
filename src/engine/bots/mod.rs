//! Generic bots, and bots by name.
//!
//! | file | holds |
//! |---|---|
//! | `policy` | a bot by name, and its choices |
//! | `random` | the random source of bots |

pub(crate) mod policy;
pub(crate) mod random;
