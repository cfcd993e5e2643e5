//! Many games of one kind, stepped side by side.
//!
//! | file | holds |
//! |---|---|
//! | `env` | the batch: every call of [`VectorEnv`](crate::VectorEnv) |
//! | `part` | a thread's share of the games |
//! | `slot` | one game: what a call does to it and what it writes |
//! | `next_sample` | the next action sample of a game |
//! | `layout`, `claim` | which columns there are; whose memory they are |
//! | `observer` | writing observations in the batch's format |
//! | `snapshot` | games as bytes |

mod claim;
pub(crate) mod env;
pub(crate) mod layout;
mod next_sample;
pub(crate) mod observer;
pub(crate) mod part;
mod slot;
pub mod snapshot;

#[cfg(test)]
pub(crate) use next_sample::nth_sample;
