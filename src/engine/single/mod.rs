//! One game with its history.
//!
//! | file | holds |
//! |---|---|
//! | `play` | the game |
//! | `history` | its steps, shared by copies |

mod history;
pub(crate) mod play;
