//! Custom rules that listen to a board.
//!
//! This file and `board` import each other: a board owns its rules and passes itself to them.

use super::board::Board;
use super::event::{Event, EventKind, Priority};

/// Custom logic with a state, which is cloned with the board.
///
/// For logic without a state, pass a function to [`Board::subscribe`].
///
/// ```
/// use ludovec_chess::objects::{Board, Event, EventKind, Game, Position, Priority, Rule};
///
/// /// The first move of a king in a game gives its player another turn.
/// #[derive(Clone, Default)]
/// struct ExtraTurn {
///     used: bool,
/// }
///
/// impl Rule for ExtraTurn {
///     fn listens_to(&self) -> Vec<(EventKind, Priority)> {
///         vec![(EventKind::AfterMove, Priority::HIGH)]
///     }
///     fn on_event(&mut self, board: &mut Board, event: &mut Event) {
///         if let Event::AfterMove { piece, .. } = event
///             && piece.name == "king"
///             && !std::mem::replace(&mut self.used, true)
///         {
///             let rest = board.take_turn_iterator();
///             board.set_turn_iterator([board.current_player().seat].into_iter().chain(rest));
///         }
///     }
///     fn clone_box(&self) -> Box<dyn Rule> {
///         Box::new(self.clone())
///     }
/// }
///
/// let mut game = Game::from_fen("chess", &[], "4k3/8/8/8/8/8/8/4K2R w - - 0 1")?;
/// game.board_mut().add_rule(ExtraTurn::default());
/// let king = Position::new(4, 7);
/// let option = game.board_mut().move_options(king).remove(0);
/// game.play(king, &option)?;
/// assert_eq!(game.board().current_player().seat, 0);
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
pub trait Rule: Send {
    /// The events it listens to, with their priorities.
    fn listens_to(&self) -> Vec<(EventKind, Priority)>;
    /// Called once, when the rule joins a board.
    fn on_join_board(&mut self, _board: &mut Board) {}
    /// Called for every event that it listens to, except the events that it causes itself during the call.
    fn on_event(&mut self, board: &mut Board, event: &mut Event);
    /// A copy with its state.
    fn clone_box(&self) -> Box<dyn Rule>;
}

impl Clone for Box<dyn Rule> {
    fn clone(&self) -> Self {
        self.as_ref().clone_box()
    }
}
