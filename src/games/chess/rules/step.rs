//! One step of a game: makes the move, counts repetitions, and decides the result.

use super::board::moves::Move;
use super::board::position::{MoveRules, Position, phase};
use super::history::History;
use super::state::State;
use super::tables::Tables;

impl<R: MoveRules, H: History> State<R, H> {
    /// Makes a legal move and decides whether the game is over, at the latest after `max_plies`.
    #[inline]
    pub(crate) fn advance(&mut self, tables: &Tables<R::Bits>, max_plies: u16, mv: Move) {
        let Position { key, rights, unmoved, phase, .. } = self.position;
        self.position.make_move(tables, mv);
        // After an irreversible move no earlier position can occur again: after the loss of a castling right, and, unless
        // positions can return after progress, after a capture or pawn move and after the loss of an unmoved mark.
        let progress = self.position.halfmoves == 0 || (!R::ORTHODOX && self.position.unmoved != unmoved);
        let final_progress = progress && (R::ORTHODOX || !tables.progress_returns);
        if final_progress || self.position.rights != rights {
            self.forget();
        } else if R::ORTHODOX || phase == phase::MOVE {
            self.remember(key);
        }
        if !R::ORTHODOX && (phase, self.position.phase) != (phase::MOVE, phase::MOVE) {
            self.recount();
        }
        self.history.push(&self.position, self.occurrences);
        self.detect_end(tables, max_plies);
    }
}
