//! One game with its history.
//!
//! | file | holds |
//! |---|---|
//! | `play` | the game |
//! | `history` | its steps, shared by copies |
//! | `document` | its drawing as a document: size, title and description |
//! | `overlay` | marks on a drawing: places of actions, weights of actions |

mod document;
mod history;
mod overlay;
pub(crate) mod play;
