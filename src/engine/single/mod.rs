//! One game with its history.
//!
//! | file | holds |
//! |---|---|
//! | `game` | the game: steps, history, chance, bots |
//! | `shown` | its drawings, texts and names |
//! | `erased` | the rules over states of an erased type, so that the rest is compiled once |
//! | `history` | its steps, shared by copies |
//! | `document` | its drawing as a document: size, title and description |
//! | `overlay` | marks on a drawing: places of actions, weights of actions |
//! | `typed` | a game of a known type, without a history |
//! | `refused_places` | reasons why places of a drawing make no legal action |

mod document;
pub(crate) mod erased;
pub(crate) mod game;
mod history;
mod overlay;
mod refused_places;
mod shown;
pub(crate) mod typed;
