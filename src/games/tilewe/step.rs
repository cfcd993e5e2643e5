//! Playing a placement.

use super::Tilewe;
use super::placements::Placement;
use super::state::State;

impl Tilewe {
    /// Places a piece of the player to move and passes the turn to the next player who can play.
    #[inline]
    pub(super) fn place(&self, state: &mut State, placement: Placement) {
        let seat = state.current();
        state.tiles[seat] |= placement.tiles();
        state.left[seat] &= !(1 << placement.piece().index());
        state.can_play = self.who_can_play(state, state.can_play);
        if let Some(next) = (1..=self.players).map(|i| (seat + i) % self.players).find(|&s| state.can_play(s))
        {
            state.current = next as u16;
        }
    }
}
