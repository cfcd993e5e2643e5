//! Chess as objects, for exploration: one game with board, squares, pieces, players, events and rules.
//!
//! Under the objects is a game of the environment (`erased.rs`). It alone determines the moves and their effects,
//! and every object here is read from it. Reading objects takes far more time than a step; batches do not use them.
//!
//! | file | holds |
//! |---|---|
//! | `game.rs` | one game: board, turns, result |
//! | `board.rs`, `board/` | the board, its options and changes |
//! | `option.rs` | a move as an option of a piece, and positions on the board |
//! | `piece.rs` | pieces, and their identities after a move |
//! | `event.rs`, `rule.rs` | events on a board, and rules that listen |
//! | `turns.rs` | players, and the order of turns |
//! | `erased.rs` | the game under the objects, type-erased |
//!
//! ```
//! use ludovec_chess::objects::{Event, EventKind, Game, Position, Priority};
//!
//! let mut game = Game::new("chess", &[])?;
//! // White's pawns stay at home.
//! game.board_mut().subscribe(EventKind::BeforeMove, Priority::NORMAL, |_, event| {
//!     if let Event::BeforeMove { piece, cancelled, .. } = event {
//!         *cancelled |= piece.name == "pawn" && piece.player == Some(0);
//!     }
//! });
//! let pawn = Position::new(4, 6);
//! let option = game.board_mut().move_options(pawn).remove(0);
//! assert!(!game.play(pawn, &option)?);
//! # Ok::<(), ludovec_engine::Error>(())
//! ```
//!
//! A move goes through these events, and all `Before` events come ahead of any change: `BeforeMove`,
//! `BeforeCaptured`, `BeforeRemovePiece`, `BeforeAddPiece`; then the position changes; then `AfterRemovePiece`,
//! `AfterAddPiece`, `AfterNewPiece`, `AfterCaptured`, `AfterMove`, `BeforeChangeTurn`, `AfterChangeTurn`. A move is
//! one step of the underlying rules, so cancelling a part of it cancels all of it.
//!
//! A custom piece is a line in a variant file. If its movement cannot be written in a file, a [`Rule`] that listens
//! to [`Event::BeforeGetMoveOptions`] adds options. An option that the underlying game does not know is carried out
//! literally: the piece goes to the option's position, and its captures are removed.

mod board;
mod erased;
mod event;
mod game;
mod option;
mod piece;
mod rule;
#[cfg(test)]
mod tests;
mod turns;

pub use board::{Board, Square};
pub use event::{Event, EventKind, Priority, Subscription};
pub use game::{Game, ResultFunction, StandardResult};
pub use option::{Extra, MoveOption, Position};
pub use piece::{Piece, PieceId};
pub use rule::Rule;
pub use turns::{Player, TurnIterator};
