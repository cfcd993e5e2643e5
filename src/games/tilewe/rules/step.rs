//! Playing a placement.

use super::placements::Placement;
use super::ruleset::Ruleset;
use super::state::{STUCK, State};
use super::tiles::Tile;

impl Ruleset {
    /// Places a piece of the current colour and passes the turn to the next colour with a legal placement.
    #[inline]
    pub(crate) fn place<const N: usize, const C: usize>(
        &self,
        state: &mut State<N, C>,
        placement: Placement,
    ) {
        let color = state.current();
        self.placements.cover(placement, &mut state.tiles[color]);
        state.left[color] = self.left_after(state.left[color], self.placements.piece(placement));
        for other in (0..self.colors).filter(|&other| other != color) {
            // A piece of another colour can only close tiles to this one, so no piece fits at a corner where none
            // fitted before: the search can start from the live corner. It is needed only if the piece is near that
            // corner.
            let corner = state.live[other];
            if corner != STUCK && placement.is_near(Tile::from_index(corner.into())) {
                state.live[other] = self.live_from(state, other, corner);
            }
        }
        state.live[color] = self.live_from(state, color, 0);
        if let Some(next) = (1..=self.colors).map(|i| (color + i) % self.colors).find(|&c| state.can_play(c))
        {
            state.current = next as u32;
        }
    }
}
