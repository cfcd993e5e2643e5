//! Legality: the mask, and who can still play.

use crate::engine::{Error, mask};

use super::Tilewe;
use super::fit::Reach;
use super::moves::Move;
use super::pieces::{Color, Piece};
use super::placements::{PLACEMENTS, Placement};
use super::state::State;
use super::tiles::TileSet;

#[inline]
fn reach(state: &State, seat: usize) -> Reach {
    Reach::new(&state.ground(seat, state.occupied()))
}

impl Tilewe {
    /// Overwrites `mask` with the placements that `seat` could make if it were to move.
    #[inline]
    pub(super) fn legal_for(&self, state: &State, seat: usize, mask: &mut [u64]) {
        mask.fill(0);
        if state.can_play(seat) {
            reach(state, seat).mark(self.fits, state.left[seat], mask);
        }
    }

    /// The placements that `seat` could make if it were to move, in order.
    pub(super) fn placements_for(&self, state: &State, seat: usize) -> Vec<Placement> {
        let mut words = [0; mask::words(PLACEMENTS)];
        self.legal_for(state, seat, &mut words);
        mask::iter(&words).filter_map(Placement::new).collect()
    }

    /// How many moves `seat` could make if it were to move: one for each contact on an open corner.
    pub(super) fn count_moves(&self, state: &State, seat: usize) -> u32 {
        reach(state, seat).count(self.fits, state.left[seat])
    }

    /// The open corners of `seat` at which one of its pieces fits: those that the original's engine lists.
    pub(super) fn live_corners(&self, state: &State, seat: usize) -> TileSet {
        reach(state, seat).live_corners(self.fits, state.left[seat])
    }

    /// Which of the seats in `candidates` can make a move, one bit a seat.
    #[inline]
    pub(super) fn who_can_play(&self, state: &State, candidates: u16) -> u16 {
        let occupied = state.occupied();
        let can_play = |&seat: &usize| {
            let (ground, left) = (state.ground(seat, occupied), state.left[seat]);
            // The piece of one tile fits at any open corner.
            if left >> Piece::O1.index() & 1 == 1 {
                !ground.corners.is_empty()
            } else {
                Reach::new(&ground).any(self.fits, left)
            }
        };
        (0..self.players)
            .filter(|&seat| candidates >> seat & 1 == 1)
            .filter(can_play)
            .fold(0, |set, seat| set | 1 << seat)
    }

    /// Why `seat` may not make `placement`; `None` when it may.
    pub(super) fn objection(&self, state: &State, seat: usize, placement: Placement) -> Option<Error> {
        let color = Color::ALL[seat];
        let piece = placement.piece();
        let tiles = placement.tiles();
        let first = |set: TileSet| set.iter().next();
        if state.finished() {
            return Some(Error::GameOver("nobody can place a piece any more".into()));
        }
        if state.left[seat] >> piece.index() & 1 == 0 {
            return Some(Error::illegal(format!("{color} has placed {piece} already")));
        }
        if let Some(tile) = first(tiles & state.occupied()) {
            return Some(Error::illegal(format!("{tile} is taken")));
        }
        if let Some(tile) = first(tiles & state.tiles[seat].beside()) {
            return Some(Error::illegal(format!("{tile} is beside another {color} tile")));
        }
        if (tiles & state.corners(seat)).is_empty() {
            return Some(Error::illegal(format!("no tile of the piece lies on an open corner of {color}")));
        }
        None
    }

    /// Why `seat` may not make `m`, which makes `placement`; `None` when it may.
    pub(super) fn objection_to_move(
        &self,
        state: &State,
        seat: usize,
        m: Move,
        placement: Placement,
    ) -> Option<Error> {
        self.objection(state, seat, placement).or_else(|| {
            let (tile, color) = (m.to_tile, Color::ALL[seat]);
            (!state.corners(seat).contains(tile))
                .then(|| Error::illegal(format!("{tile} is not an open corner of {color}")))
        })
    }
}
