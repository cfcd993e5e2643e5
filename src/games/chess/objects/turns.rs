//! Players and whose turn comes next.

/// Who owns pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    /// 0 has the upper-case pieces of FEN (white), 1 the lower-case ones (black).
    pub seat: usize,
    /// What it is called; any name will do.
    pub name: String,
}

/// The players' seats in the order of their turns; can be cloned in the middle.
///
/// Every iterator of seats that can be cloned is one, so `[0, 1].into_iter().cycle()` or a chain of others:
///
/// ```
/// use ludovec_chess::objects::{Game, TurnIterator};
/// let mut game = Game::new("chess", &[])?;
/// let board = game.board_mut();
/// // Black has the turn after the next one too.
/// let rest = board.take_turn_iterator();
/// board.set_turn_iterator([1].into_iter().chain(rest));
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
pub trait TurnIterator: Send {
    /// Whose turn comes next; `None` when nobody's does.
    fn next_seat(&mut self) -> Option<usize>;
    /// A copy that goes on from here.
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
