//! One game in progress.

use bytemuck::{Pod, Zeroable};

use super::pieces::{Color, PIECES, Piece};
use super::placements::ALL_PIECES;
use super::ruleset::Ruleset;
use super::tiles::{SIZE, Tile, TileSet};

/// Maximum number of colours, and of players.
pub(crate) const MAX_COLORS: usize = Color::ALL.len();

/// A game in progress, with room for `N` rows of the board and `C` colours. Colours that are not in play have no
/// tiles, no pieces and cannot play.
///
/// There are two sizes: `State` holds every game, [`SmallState`] games of two colours on boards up to 14x14.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct State<const N: usize = SIZE, const C: usize = MAX_COLORS> {
    /// The tiles of each colour.
    pub(crate) tiles: [TileSet<N>; C],
    /// The remaining pieces of each colour, one bit per piece; or [`SINGLE_LAST`].
    pub(crate) left: [u32; C],
    /// The live corner of each colour: the first of its open corners at which one of its pieces fits, as a tile
    /// index; [`STUCK`] if there is none. It is derived from the rest, and stored because it takes long to find.
    pub(crate) live: [u16; C],
    /// The current colour; if the game is over, the colour that moved last.
    pub(crate) current: u32,
}

/// Rows of the largest board with a [`SmallState`].
pub(crate) const SMALL_SIZE: usize = 14;
/// Maximum number of colours of a [`SmallState`].
pub(crate) const SMALL_COLORS: usize = 2;
/// A game of one or two colours on a board up to 14x14.
pub type SmallState = State<SMALL_SIZE, SMALL_COLORS>;

/// The value for the live corner of a colour that cannot play.
pub(crate) const STUCK: u16 = u16::MAX;

/// In games with a bonus: no pieces are left, and the single square was the last.
pub(crate) const SINGLE_LAST: u32 = 1 << PIECES;

/// The board from the point of view of one colour.
pub(crate) struct PlacementArea<const N: usize = SIZE> {
    /// The tiles that the colour may cover.
    pub(crate) open: TileSet<N>,
    /// Its open corners.
    pub(crate) corners: TileSet<N>,
    /// Free tiles beside its own: it may not cover them.
    pub(crate) blocked: TileSet<N>,
}

// Safety: all fields are valid when all bytes are zero.
unsafe impl<const N: usize, const C: usize> Zeroable for State<N, C> {}
// Safety: all fields are Pod, `repr(C)` lays them out in order, and HAS_NO_PADDING, evaluated for every new game,
// checks that there is no padding between or after them. (The derive does not support const generics.)
unsafe impl<const N: usize, const C: usize> Pod for State<N, C> {}

impl<const N: usize, const C: usize> State<N, C> {
    const HAS_NO_PADDING: () = assert!(size_of::<Self>() == C * (4 * N + 4 + 2) + 4);

    /// The empty board.
    pub(crate) fn new(rules: &Ruleset) -> Self {
        const { Self::HAS_NO_PADDING };
        let left = std::array::from_fn(|color| if color < rules.colors { ALL_PIECES } else { 0 });
        // The single square fits at every start.
        let start =
            |color: usize| rules.starts[color].iter().next().map_or(STUCK, |tile| tile.index() as u16);
        let live = std::array::from_fn(|color| if color < rules.colors { start(color) } else { STUCK });
        Self { tiles: [TileSet::EMPTY; C], left, live, current: 0 }
    }

    /// The same game with room for other boards. Colours without room must not be in play.
    pub(crate) fn resized<const M: usize, const D: usize>(&self) -> State<M, D> {
        State {
            tiles: std::array::from_fn(|c| self.tiles.get(c).map_or(TileSet::EMPTY, TileSet::resized)),
            left: std::array::from_fn(|c| self.left.get(c).copied().unwrap_or(0)),
            live: std::array::from_fn(|c| self.live.get(c).copied().unwrap_or(STUCK)),
            current: self.current,
        }
    }

    #[inline]
    pub(crate) fn occupied(&self) -> TileSet<N> {
        self.tiles.iter().fold(TileSet::EMPTY, |all, &tiles| all | tiles)
    }
    #[inline]
    pub(crate) fn can_play(&self, color: usize) -> bool {
        self.live[color] != STUCK
    }
    #[inline]
    pub(crate) fn finished(&self) -> bool {
        self.live == [STUCK; C]
    }
    /// The current colour.
    #[inline]
    pub(crate) fn current(&self) -> usize {
        self.current as usize
    }
    /// Tiles that `color` has placed.
    #[inline]
    pub(crate) fn tiles_of(&self, color: usize) -> usize {
        self.tiles[color].len()
    }
    /// The remaining pieces of `color`.
    pub(crate) fn pieces_left(&self, color: usize) -> impl Iterator<Item = Piece> + use<N, C> {
        let left = self.left[color];
        Piece::ALL.iter().copied().filter(move |p| left >> p.index() & 1 == 1)
    }
    /// The colour of the tile on `tile`.
    pub(crate) fn owner(&self, tile: Tile) -> Option<Color> {
        Color::ALL.iter().copied().zip(&self.tiles).find(|(_, tiles)| tiles.contains(tile)).map(|(c, _)| c)
    }
}
