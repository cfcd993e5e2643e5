//! A game: a board and the functions that end it.

use super::board::Board;
use super::event::Event;
use super::option::{MoveOption, Position};
use crate::rules::variant;
use ludovec_engine::{Error, Result};

/// Examines the board after every turn; a returned text ends the game.
///
/// Implemented by every cloneable function of the board, and by values with a state of their own.
///
/// ```
/// use ludovec_chess::objects::{Board, Game, Position, ResultFunction};
///
/// /// A draw after some turns.
/// #[derive(Clone)]
/// struct Patience(u32);
///
/// impl ResultFunction for Patience {
///     fn result(&mut self, _: &Board) -> Option<String> {
///         self.0 -= 1;
///         (self.0 == 0).then(|| "out of patience, draw".into())
///     }
///     fn clone_box(&self) -> Box<dyn ResultFunction> {
///         Box::new(self.clone())
///     }
/// }
///
/// let mut game = Game::new("chess", &[])?;
/// game.add_result(Patience(1));
/// let pawn = Position::new(4, 6);
/// let option = game.board_mut().move_options(pawn).remove(0);
/// game.play(pawn, &option)?;
/// assert_eq!(game.result(), Some("out of patience, draw"));
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
pub trait ResultFunction: Send {
    /// The result of the game if it has ended. The text is free-form.
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

/// The end rules of the variant's own file: checkmate, stalemate, repetition and the others.
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

/// A board and the functions that end the game. A clone is independent of the original.
#[derive(Clone)]
pub struct Game {
    board: Board,
    results: Vec<Box<dyn ResultFunction>>,
    result: Option<String>,
}

impl std::fmt::Debug for Game {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Game")
            .field("board", &self.board)
            .field("result", &self.result)
            .finish_non_exhaustive()
    }
}

impl Game {
    /// A game of a shipped variant or of a file, with options applied, that ends by the variant's rules.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] as [`variant::load`].
    pub fn new(name: &str, flags: &[&str]) -> Result<Self> {
        let variant = variant::load(name, flags)?;
        let start = variant.start.clone();
        Ok(Self::on(Board::new(&variant, &start)?, [Box::new(StandardResult) as Box<dyn ResultFunction>]))
    }

    /// Like [`Game::new`], from a given position.
    ///
    /// # Errors
    /// As [`Game::new`], and [`Error::InvalidState`] for a FEN that is not playable.
    pub fn from_fen(name: &str, flags: &[&str], fen: &str) -> Result<Self> {
        let variant = variant::load(name, flags)?;
        Ok(Self::on(Board::new(&variant, fen)?, [Box::new(StandardResult) as Box<dyn ResultFunction>]))
    }

    /// A game on `board` with the end functions `results`, called in their order.
    pub fn on(board: Board, results: impl IntoIterator<Item = Box<dyn ResultFunction>>) -> Self {
        Self { board, results: results.into_iter().collect(), result: None }
    }

    /// The board.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }
    /// The board, for changes and subscriptions.
    pub fn board_mut(&mut self) -> &mut Board {
        &mut self.board
    }
    /// The result of the game, if it has ended.
    #[must_use]
    pub fn result(&self) -> Option<&str> {
        self.result.as_deref()
    }
    /// Adds a result function, called after the others.
    pub fn add_result(&mut self, function: impl ResultFunction + 'static) {
        self.results.push(Box::new(function));
    }

    /// Makes a move, passes the turn and calls the result functions; false if a listener cancelled the move.
    ///
    /// # Errors
    /// [`Error::Refused`] if the game has ended, otherwise as [`Board::play`].
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
