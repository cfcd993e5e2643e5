//! One game as an object with the original's own methods.

pub(crate) mod board;
pub(crate) mod moves;
