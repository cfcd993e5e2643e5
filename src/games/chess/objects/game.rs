//! A game: a board and what decides when it is over.

use super::board::Board;
use super::event::Event;
use super::option::{MoveOption, Position};
use ludovec_engine::{Error, Result};
use crate::variant;

/// Looks at the board after every turn; what it returns ends the game.
///
/// Every function of the board that can be cloned is one, and so is a value that counts as it goes.
pub trait ResultFunction: Send {
    /// How the game has ended, if it has. There is no structure to the text.
    fn result(&mut self, board: &Board) -> Option<String>;
    /// A copy with its state.
    fn clone_box(&self) -> Box<dyn ResultFunction>;
}

impl<F: FnMut(&Board) -> Option<String> + Clone + Send + 'static> ResultFunction for F {
    fn result(&mut self, board: &Board) -> Option<String> {
        self(board)
    }
    fn clone_box(&self) -> Box<dyn ResultFunction> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn ResultFunction> {
    fn clone(&self) -> Self {
        self.as_ref().clone_box()
    }
}

/// The endings of the variant's own file: checkmate, stalemate, repetition and the others.
#[derive(Debug, Clone, Copy, Default)]
pub struct StandardResult;

impl ResultFunction for StandardResult {
    fn result(&mut self, board: &Board) -> Option<String> {
        let (winner, reason) = board.ending()?;
        Some(match winner {
            Some(seat) => format!("{reason}, {} wins", board.players()[seat].name),
            None => format!("{reason}, draw"),
        })
    }
    fn clone_box(&self) -> Box<dyn ResultFunction> {
        Box::new(*self)
    }
}

/// A board and what decides when the game is over. A clone goes its own way from here.
#[derive(Clone)]
pub struct Game {
    board: Board,
    results: Vec<Box<dyn ResultFunction>>,
    result: Option<String>,
}

impl std::fmt::Debug for Game {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Game").field("board", &self.board).field("result", &self.result).finish_non_exhaustive()
    }
}

impl Game {
    /// A game of a shipped variant or of a file, with options laid over it, that ends by the variant's rules.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] as [`variant::load`].
    pub fn new(name: &str, flags: &[&str]) -> Result<Self> {
        let variant = variant::load(name, flags)?;
        let start = variant.start.clone();
        Ok(Self::on(Board::new(&variant, &start)?, [Box::new(StandardResult) as Box<dyn ResultFunction>]))
    }

    /// The same from a position of one's own.
    ///
    /// # Errors
    /// As [`Game::new`], and [`Error::InvalidState`] for a FEN that cannot be played.
    pub fn from_fen(name: &str, flags: &[&str], fen: &str) -> Result<Self> {
        let variant = variant::load(name, flags)?;
        Ok(Self::on(Board::new(&variant, fen)?, [Box::new(StandardResult) as Box<dyn ResultFunction>]))
    }

    /// A game on `board` that ends by `results`, asked in their order.
    pub fn on(board: Board, results: impl IntoIterator<Item = Box<dyn ResultFunction>>) -> Self {
        Self { board, results: results.into_iter().collect(), result: None }
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }
    /// The board, to change it or to listen to it.
    pub fn board_mut(&mut self) -> &mut Board {
        &mut self.board
    }
    /// How the game has ended, if it has.
    pub fn result(&self) -> Option<&str> {
        self.result.as_deref()
    }
    /// Adds a result function that is asked after the others.
    pub fn add_result(&mut self, function: impl ResultFunction + 'static) {
        self.results.push(Box::new(function));
    }

    /// Makes a move, lets the turn go on and asks the result functions; false when a listener cancelled it.
    ///
    /// # Errors
    /// [`Error::Refused`] when the game has ended, otherwise as [`Board::play`].
    pub fn play(&mut self, from: Position, option: &MoveOption) -> Result<bool> {
        if let Some(result) = &self.result {
            return Err(Error::game_over(result.clone()));
        }
        let played = self.board.play(from, option)?;
        if played {
            self.result = self.results.iter_mut().find_map(|function| function.result(&self.board));
            if let Some(result) = self.result.clone() {
                self.board.publish(&mut Event::AfterGameEnd { result });
            }
        }
        Ok(played)
    }
}
