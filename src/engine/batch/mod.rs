//! Many games of one environment, stepped side by side.
//!
//! | file | holds |
//! |---|---|
//! | `env` | the batch: every call of [`VectorEnv`](crate::VectorEnv) |
//! | `part` | a thread's share of the games |
//! | `slot` | one game: steps, resets and its output rows |
//! | `slots` | the memory of the games, for views that outlive the batch |
//! | `next_sample` | the next action sample of a game |
//! | `layout`, `claim` | the columns; ownership of their memory |
//! | `observer` | writing observations in the batch's format |
//! | `snapshot` | games as bytes |
//! | `starts` | positions from outside, and the start positions of episodes |

mod claim;
pub(crate) mod env;
pub(crate) mod layout;
mod next_sample;
pub(crate) mod observer;
pub(crate) mod part;
mod slot;
mod slots;
pub mod snapshot;
mod starts;

#[cfg(test)]
pub(crate) use next_sample::nth_sample;
