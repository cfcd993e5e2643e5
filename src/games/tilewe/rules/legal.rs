//! Legality: the action mask, and the colours that can still play.

use ludovec_engine::{Refusal, mask};

use super::fit::Corners;
use super::pieces::Color;
use super::placements::{ALL_PIECES, PLACEMENTS, Placement};
use super::ruleset::Ruleset;
use super::start::FirstPlacements;
use super::state::{STUCK, State};
use super::tiles::TileSet;
use crate::objects::moves::Move;

impl Ruleset {
    /// The open corners of `color` with the open tiles around them.
    #[inline(always)]
    fn surroundings<const N: usize, const C: usize>(&self, state: &State<N, C>, color: usize) -> Corners<N> {
        Corners::new(&self.area(state, color, state.occupied()))
    }

    /// The placements from which `color` must choose, if its next piece goes into the middle of the board.
    #[inline(always)]
    fn in_the_middle<const N: usize, const C: usize>(
        &self,
        state: &State<N, C>,
        color: usize,
    ) -> Option<&'static FirstPlacements> {
        self.first.filter(|_| state.left[color] == ALL_PIECES).map(|first| &first[color])
    }

    /// Overwrites `mask` with the legal placements of `color`, as if it were its turn.
    #[inline]
    pub(crate) fn legal_for<const N: usize, const C: usize>(
        &self,
        state: &State<N, C>,
        color: usize,
        mask: &mut [u64],
    ) {
        mask.fill(0);
        if !state.can_play(color) {
            return;
        }
        if let Some(first) = self.in_the_middle(state, color) {
            return first.mark(&self.area(state, color, state.occupied()).open, mask);
        }
        self.surroundings(state, color).mark(self.fits, state.left[color], mask);
    }

    /// The legal placements of `color`, as if it were its turn, in order.
    pub(crate) fn placements_for<const N: usize, const C: usize>(
        &self,
        state: &State<N, C>,
        color: usize,
    ) -> Vec<Placement> {
        let mut words = [0; mask::words(PLACEMENTS)];
        let words = &mut words[..mask::words(self.placements.len())];
        self.legal_for(state, color, words);
        mask::iter(words).filter_map(|action| self.placements.get(action)).collect()
    }

    /// The number of [moves](Ruleset::moves) of `color`, as if it were its turn.
    pub(crate) fn count_moves(&self, state: &State, color: usize) -> u32 {
        if self.in_the_middle(state, color).is_some() {
            return self.moves(state, color).len() as u32;
        }
        self.surroundings(state, color).count(self.fits, state.left[color])
    }

    /// The moves of `color`, as if it were its turn: one for each contact on an open corner.
    pub(crate) fn moves(&self, state: &State, color: usize) -> Vec<Move> {
        let corners = self.corners(state, color);
        self.placements_for(state, color).into_iter().flat_map(|placement| placement.moves(corners)).collect()
    }

    /// The open corners of `color` at which one of its pieces fits: the corners of a player in the original engine.
    pub(crate) fn live_corners(&self, state: &State, color: usize) -> TileSet {
        if self.in_the_middle(state, color).is_some() {
            // The single square fits there.
            return self.corners(state, color);
        }
        self.surroundings(state, color).live_corners(self.fits, state.left[color])
    }

    /// The first open corner of `color`, from the tile with index `from` on, at which one of its pieces fits.
    #[inline]
    pub(crate) fn live_from<const N: usize, const C: usize>(
        &self,
        state: &State<N, C>,
        color: usize,
        from: u16,
    ) -> u16 {
        let corner = if self.in_the_middle(state, color).is_some() {
            // As in `live_corners`; there is one such tile.
            self.corners(state, color).iter().next()
        } else {
            self.surroundings(state, color).first_live(self.fits, state.left[color], from)
        };
        corner.map_or(STUCK, |tile| tile.index() as u16)
    }

    /// The value of [`State::live`], computed from the board.
    pub(crate) fn live<const N: usize, const C: usize>(&self, state: &State<N, C>) -> [u16; C] {
        std::array::from_fn(|color| if color < self.colors { self.live_from(state, color, 0) } else { STUCK })
    }

    /// The reason why `placement` is illegal for `color`; `None` if it is legal.
    pub(crate) fn objection(&self, state: &State, color: usize, placement: Placement) -> Option<Refusal> {
        let name = Color::ALL[color];
        let piece = placement.piece();
        let tiles = placement.tiles();
        let first = |set: TileSet| set.iter().next();
        if state.finished() {
            return Some(Refusal::game_over("no player can place a piece any more"));
        }
        if state.left[color] >> piece.index() & 1 == 0 {
            return Some(Refusal::illegal(format!("{name} has placed {piece} already")));
        }
        if let Some(tile) = first(tiles & state.occupied()) {
            return Some(Refusal::illegal(format!("{tile} is taken")));
        }
        if let Some(tile) = first(tiles & state.tiles[color].beside()) {
            return Some(Refusal::illegal(format!("{tile} is beside another {name} tile")));
        }
        if !(tiles & self.corners(state, color)).is_empty() {
            return None;
        }
        let starts = state.left[color] == ALL_PIECES && !self.starts_are_free();
        Some(Refusal::illegal(match first(self.starts[color]) {
            Some(start) if starts => format!("the first piece of {name} must cover {start}"),
            _ => format!("no tile of the piece is on an open corner of {name}"),
        }))
    }

    /// The reason why `m`, with its `placement`, is illegal for `color`; `None` if it is legal.
    pub(crate) fn objection_to_move(
        &self,
        state: &State,
        color: usize,
        m: Move,
        placement: Placement,
    ) -> Option<Refusal> {
        self.objection(state, color, placement).or_else(|| {
            let (tile, corners) = (m.to_tile, self.corners(state, color));
            // In the middle of the board a piece may start with a tile that is no contact; then any contact will do.
            let by_contact = placement.spellings().any(|spelling| corners.contains(spelling.to_tile));
            (by_contact && !corners.contains(tile))
                .then(|| Refusal::illegal(format!("{tile} is not an open corner of {}", Color::ALL[color])))
        })
    }
}
