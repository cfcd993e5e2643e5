//! Chess as objects, for people who explore: one game with board, squares, pieces, players, events and rules.
//!
//! The concepts are those of the library this game is modelled on. Beneath them is the fast position: it alone
//! says which moves there are and what they do, and every object here is a view of it. What a view costs does
//! not matter when one game is looked at; batches do without it.
//!
//! ```
//! use ludovec::games::chess::objects::{Event, EventKind, Game, Position, Priority};
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
//! # Ok::<(), ludovec::engine::Error>(())
//! ```
//!
//! A move goes through these events, and nothing has changed before the last `Before` of it: `BeforeMove`,
//! `BeforeCaptured`, `BeforeRemovePiece`, `BeforeAddPiece`; then the position changes; then `AfterRemovePiece`,
//! `AfterAddPiece`, `AfterNewPiece`, `AfterCaptured`, `AfterMove`, `BeforeChangeTurn`, `AfterChangeTurn`. A move
//! is one step of the rules beneath, so whoever cancels a part of it cancels all of it.
//!
//! A piece of one's own is a line in a variant file. Where no line of a file says how it moves, a [`Rule`] that
//! listens to [`Event::BeforeGetMoveOptions`] adds options: the fast position takes those that it does not know
//! as they are written, the piece goes to the position and the captures go.

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
