//! Players and the order of turns.

/// An owner of pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    /// 0 has the upper-case pieces of FEN (white), 1 the lower-case ones (black).
    pub seat: usize,
    /// Its name; any text is allowed.
    pub name: String,
}

/// The players' seats in the order of their turns; can be cloned at any point.
///
/// Implemented by every cloneable iterator of seats, for example `[0, 1].into_iter().cycle()` or a chain:
///
/// ```
/// use ludovec_chess::objects::{Game, TurnIterator};
/// let mut game = Game::new("chess", &[])?;
/// let board = game.board_mut();
/// // Black also gets the turn after the next one.
/// let rest = board.take_turn_iterator();
/// board.set_turn_iterator([1].into_iter().chain(rest));
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
pub trait TurnIterator: Send {
    /// The seat of the next turn; `None` if there is none.
    fn next_seat(&mut self) -> Option<usize>;
    /// A copy that continues from the current point.
    fn clone_box(&self) -> Box<dyn TurnIterator>;
}

impl<I: Iterator<Item = usize> + Clone + Send + 'static> TurnIterator for I {
    fn next_seat(&mut self) -> Option<usize> {
        self.next()
    }
    fn clone_box(&self) -> Box<dyn TurnIterator> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn TurnIterator> {
    fn clone(&self) -> Self {
        // `as_ref` is needed: the box is a `TurnIterator` itself, and its own `clone_box` would recurse.
        self.as_ref().clone_box()
    }
}

impl Iterator for dyn TurnIterator {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        self.next_seat()
    }
}
