//! Legality: the action mask, and the seats that can still play.

use ludovec_engine::{Refusal, mask};

use super::Tilewe;
use super::fit::Corners;
use super::moves::Move;
use super::pieces::Color;
use super::placements::{PLACEMENTS, Placement};
use super::state::{MAX_SEATS, STUCK, State};
use super::tiles::TileSet;

/// The open corners of `seat` with the open tiles around them.
#[inline(always)]
fn corners(state: &State, seat: usize) -> Corners {
    Corners::new(&state.placement_area(seat, state.occupied()))
}

impl Tilewe {
    /// Overwrites `mask` with the legal placements of `seat`, as if it were its turn.
    #[inline]
    pub(super) fn legal_for(&self, state: &State, seat: usize, mask: &mut [u64]) {
        mask.fill(0);
        if state.can_play(seat) {
            corners(state, seat).mark(self.fits, state.left[seat], mask);
        }
    }

    /// The legal placements of `seat`, as if it were its turn, in order.
    pub(super) fn placements_for(&self, state: &State, seat: usize) -> Vec<Placement> {
        let mut words = [0; mask::words(PLACEMENTS)];
        self.legal_for(state, seat, &mut words);
        mask::iter(&words).filter_map(Placement::new).collect()
    }

    /// The number of moves of `seat`, as if it were its turn: one for each contact on an open corner.
    pub(super) fn count_moves(&self, state: &State, seat: usize) -> u32 {
        corners(state, seat).count(self.fits, state.left[seat])
    }

    /// The open corners of `seat` at which one of its pieces fits: the corners of a player in the original engine.
    pub(super) fn live_corners(&self, state: &State, seat: usize) -> TileSet {
        corners(state, seat).live_corners(self.fits, state.left[seat])
    }

    /// The first open corner of `seat`, from the tile with index `from` on, at which one of its pieces fits.
    #[inline]
    pub(super) fn live_from(&self, state: &State, seat: usize, from: u16) -> u16 {
        let corner = corners(state, seat).first_live(self.fits, state.left[seat], from);
        corner.map_or(STUCK, |tile| tile.index() as u16)
    }

    /// The value of [`State::live`], computed from the board.
    pub(super) fn live(&self, state: &State) -> [u16; MAX_SEATS] {
        std::array::from_fn(|seat| if seat < self.players { self.live_from(state, seat, 0) } else { STUCK })
    }

    /// The reason why `placement` is illegal for `seat`; `None` if it is legal.
    pub(super) fn objection(&self, state: &State, seat: usize, placement: Placement) -> Option<Refusal> {
        let color = Color::ALL[seat];
        let piece = placement.piece();
        let tiles = placement.tiles();
        let first = |set: TileSet| set.iter().next();
        if state.finished() {
            return Some(Refusal::game_over("no player can place a piece any more"));
        }
        if state.left[seat] >> piece.index() & 1 == 0 {
            return Some(Refusal::illegal(format!("{color} has placed {piece} already")));
        }
        if let Some(tile) = first(tiles & state.occupied()) {
            return Some(Refusal::illegal(format!("{tile} is taken")));
        }
        if let Some(tile) = first(tiles & state.tiles[seat].beside()) {
            return Some(Refusal::illegal(format!("{tile} is beside another {color} tile")));
        }
        if (tiles & state.corners(seat)).is_empty() {
            return Some(Refusal::illegal(format!("no tile of the piece is on an open corner of {color}")));
        }
        None
    }

    /// The reason why `m`, with its `placement`, is illegal for `seat`; `None` if it is legal.
    pub(super) fn objection_to_move(
        &self,
        state: &State,
        seat: usize,
        m: Move,
        placement: Placement,
    ) -> Option<Refusal> {
        self.objection(state, seat, placement).or_else(|| {
            let (tile, color) = (m.to_tile, Color::ALL[seat]);
            (!state.corners(seat).contains(tile))
                .then(|| Refusal::illegal(format!("{tile} is not an open corner of {color}")))
        })
    }
}
