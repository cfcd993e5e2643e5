//! Playing a placement.

use super::Tilewe;
use super::placements::Placement;
use super::state::{STUCK, State};
use super::tiles::Tile;

impl Tilewe {
    /// Places a piece of the current player and passes the turn to the next player with a legal placement.
    #[inline]
    pub(super) fn place(&self, state: &mut State, placement: Placement) {
        let seat = state.current();
        placement.cover(&mut state.tiles[seat]);
        state.left[seat] &= !(1 << placement.piece().index());
        for other in (0..self.players).filter(|&other| other != seat) {
            // A piece of another seat can only close tiles to this one, so no piece fits at a corner where none
            // fitted before: the search can start from the live corner. It is needed only if the piece is near that
            // corner.
            let corner = state.live[other];
            if corner != STUCK && placement.is_near(Tile::from_index(corner.into())) {
                state.live[other] = self.live_from(state, other, corner);
            }
        }
        state.live[seat] = self.live_from(state, seat, 0);
        if let Some(next) = (1..=self.players).map(|i| (seat + i) % self.players).find(|&s| state.can_play(s))
        {
            state.current = next as u32;
        }
    }
}
