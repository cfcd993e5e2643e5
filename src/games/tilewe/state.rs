//! One game in progress, and values derived from it.

use bytemuck::{Pod, Zeroable};

use super::pieces::{Color, Piece};
use super::placements::ALL_PIECES;
use super::tiles::{Tile, TileSet};

/// Maximum number of players.
pub(super) const MAX_SEATS: usize = Color::ALL.len();

/// A game in progress. Seats without a player have no tiles, no pieces and cannot play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct State {
    /// The tiles of each seat.
    pub(super) tiles: [TileSet; MAX_SEATS],
    /// The remaining pieces of each seat, one bit per piece.
    pub(super) left: [u32; MAX_SEATS],
    /// The live corner of each seat: the first of its open corners at which one of its pieces fits, as a tile
    /// index; [`STUCK`] if there is none. It is derived from the rest, and stored because it takes long to find.
    pub(super) live: [u16; MAX_SEATS],
    /// The current player's seat; if the game is over, the seat that moved last.
    pub(super) current: u32,
}

/// The value for the live corner of a seat that cannot play.
pub(super) const STUCK: u16 = u16::MAX;

/// The board from the point of view of one seat.
pub(super) struct PlacementArea {
    /// The tiles that the seat may cover.
    pub(super) open: TileSet,
    /// Its open corners.
    pub(super) corners: TileSet,
    /// Free tiles beside its own: it may not cover them.
    pub(super) blocked: TileSet,
}

impl State {
    /// The empty board.
    pub(super) fn new(players: usize) -> Self {
        let left = std::array::from_fn(|seat| if seat < players { ALL_PIECES } else { 0 });
        let live = std::array::from_fn(|seat| if seat < players { 0 } else { STUCK });
        Self { tiles: [TileSet::EMPTY; MAX_SEATS], left, live, current: 0 }
    }

    #[inline]
    pub(super) fn occupied(&self) -> TileSet {
        let [a, b, c, d] = self.tiles;
        a | b | c | d
    }
    /// The board from the point of view of `seat`.
    #[inline(always)]
    pub(super) fn placement_area(&self, seat: usize, occupied: TileSet) -> PlacementArea {
        let (beside, diagonal) = self.tiles[seat].around();
        let open = !(occupied | beside);
        let corners = if self.left[seat] == ALL_PIECES { TileSet::BOARD_CORNERS } else { diagonal };
        PlacementArea { open, corners: corners & open, blocked: beside & !occupied }
    }
    /// The open corners of `seat`.
    pub(super) fn corners(&self, seat: usize) -> TileSet {
        self.placement_area(seat, self.occupied()).corners
    }
    #[inline]
    pub(super) fn can_play(&self, seat: usize) -> bool {
        self.live[seat] != STUCK
    }
    #[inline]
    pub(super) fn finished(&self) -> bool {
        self.live == [STUCK; MAX_SEATS]
    }
    #[inline]
    pub(super) fn current(&self) -> usize {
        self.current as usize
    }
    /// Tiles that `seat` has placed.
    #[inline]
    pub(super) fn score(&self, seat: usize) -> usize {
        self.tiles[seat].len()
    }
    /// Moves made so far in a game of `players`.
    pub(super) fn ply(&self, players: usize) -> usize {
        (0..players).map(|seat| (ALL_PIECES & !self.left[seat]).count_ones() as usize).sum()
    }
    /// The remaining pieces of `seat`.
    pub(super) fn pieces_left(&self, seat: usize) -> impl Iterator<Item = Piece> {
        let left = self.left[seat];
        Piece::ALL.iter().copied().filter(move |p| left >> p.index() & 1 == 1)
    }
    /// The colour of the tile on `tile`.
    pub(super) fn owner(&self, tile: Tile) -> Option<Color> {
        Color::ALL.iter().copied().find(|c| self.tiles[c.index()].contains(tile))
    }
}
