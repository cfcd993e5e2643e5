//! One game with its history.

pub(crate) mod play;
