//! One game with its history.
//!
//! | file | holds |
//! |---|---|
//! | `play` | the game |
//! | `erased` | the rules over states of an erased type, so that the rest is compiled once |
//! | `history` | its steps, shared by copies |
//! | `document` | its drawing as a document: size, title and description |
//! | `overlay` | marks on a drawing: places of actions, weights of actions |

mod document;
pub(crate) mod erased;
mod history;
mod overlay;
pub(crate) mod play;
