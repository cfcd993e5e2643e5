//! The rules under some options: the board, the colours, where they start, and the score.

use ludovec_engine::{Error, Options, Result};

use super::fit::Fits;
use super::pieces::{Color, Piece};
use super::placements::{ALL_PIECES, Placements};
use super::start::{self, FirstPlacements};
use super::state::{MAX_COLORS, PlacementArea, SINGLE_LAST, State};
use super::tiles::{Tile, TileSet};

/// Points for a colour with all pieces on the board.
const ALL_PLACED: usize = 15;
/// Further points if the last of them was the single square.
const SINGLE_SQUARE_LAST: usize = 5;

/// Where the first piece of a colour goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// Into any corner of the board.
    Free,
    /// Into the colour's own corner.
    Own,
    /// Over the colour's point of Blokus Duo.
    Duo,
}

/// The rules under some options.
#[derive(Clone)]
pub(crate) struct Ruleset {
    /// The number of players, or seats.
    pub(crate) players: usize,
    /// The number of colours, by turn. Colour `c` belongs to seat `c % players`.
    pub(crate) colors: usize,
    /// Rows and columns of the board.
    pub(crate) side: usize,
    /// All tiles of the board.
    pub(crate) board: TileSet,
    pub(crate) start: Start,
    /// By colour: the tiles of which its first piece must cover one.
    pub(crate) starts: [TileSet; MAX_COLORS],
    /// By colour: the first placements, if they start in the middle of the board.
    pub(crate) first: Option<&'static [FirstPlacements]>,
    pub(crate) bonus: bool,
    pub(crate) placements: &'static Placements,
    pub(crate) fits: &'static Fits,
}

impl Ruleset {
    /// Compiles checked options.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if they contradict one another.
    pub(crate) fn compile(options: &Options) -> Result<Self> {
        let players = options.int("players") as usize;
        let each = options.int("colors") as usize;
        let side = options.int("board") as usize;
        if each == 2 && players != 2 {
            return Err(Error::config(format!(
                "option colors=2 with players={players}: only two players have two colours each"
            )));
        }
        let colors = players * each;
        let corners = start::corners(side);
        let mut first = None;
        let start = match options.text("start") {
            Some("own") => Start::Own,
            Some("duo") => Start::Duo,
            _ => Start::Free,
        };
        let starts = match start {
            Start::Own => corners.map(|tile| TileSet::from_iter([tile])),
            Start::Duo => {
                if side != start::DUO_SIDE || colors > start::DUO.len() {
                    return Err(Error::config(format!(
                        "options start=duo, board={side}, players={players}, colors={each}: duo has two points, on board={}",
                        start::DUO_SIDE
                    )));
                }
                first = Some(start::duo());
                let mut starts = [TileSet::EMPTY; MAX_COLORS];
                starts.iter_mut().zip(start::DUO).for_each(|(set, tile)| set.insert(tile));
                starts
            }
            Start::Free => [TileSet::from_iter(corners); MAX_COLORS],
        };
        Ok(Self {
            players,
            colors,
            side,
            board: TileSet::board(side),
            start,
            starts,
            first,
            bonus: options.bool("bonus"),
            placements: Placements::on(side),
            fits: Fits::on(side),
        })
    }

    /// Whether each player has several colours.
    pub(crate) fn shares_seats(&self) -> bool {
        self.colors > self.players
    }
    /// Whether all colours may start on the same tiles.
    pub(crate) fn starts_are_free(&self) -> bool {
        self.start == Start::Free
    }
    /// The seat that plays `color`.
    #[inline]
    pub(crate) fn seat(&self, color: usize) -> usize {
        if self.shares_seats() { color % self.players } else { color }
    }
    /// The colours of `seat`, in turn order.
    pub(crate) fn colors_of(&self, seat: usize) -> impl Iterator<Item = usize> + use<> {
        (seat..self.colors).step_by(self.players)
    }
    /// The colours in play.
    pub(crate) fn palette(&self) -> &'static [Color] {
        &Color::ALL[..self.colors]
    }
    /// The colour in the view of `seat`: the current colour, or the next colour of the seat in turn order.
    #[inline]
    pub(crate) fn view<const N: usize, const C: usize>(&self, state: &State<N, C>, seat: usize) -> usize {
        if !self.shares_seats() {
            return seat;
        }
        let current = state.current();
        let ahead = (0..self.players).find(|ahead| (current + ahead) % self.players == seat).unwrap_or(0);
        (current + ahead) % self.colors
    }

    /// The empty board.
    pub(crate) fn init<const N: usize, const C: usize>(&self) -> State<N, C> {
        State::new(self)
    }
    /// The board from the point of view of `color`.
    #[inline(always)]
    pub(crate) fn area<const N: usize, const C: usize>(
        &self,
        state: &State<N, C>,
        color: usize,
        occupied: TileSet<N>,
    ) -> PlacementArea<N> {
        let (beside, diagonal) = state.tiles[color].around();
        let board = self.board.resized::<N>();
        let open = board.without(occupied | beside);
        let corners = if state.left[color] == ALL_PIECES { self.starts[color].resized() } else { diagonal };
        PlacementArea { open, corners: corners & open, blocked: (beside & board).without(occupied) }
    }
    /// The open corners of `color`.
    pub(crate) fn corners<const N: usize, const C: usize>(
        &self,
        state: &State<N, C>,
        color: usize,
    ) -> TileSet<N> {
        self.area(state, color, state.occupied()).corners
    }

    /// The points of `color`.
    #[inline]
    pub(crate) fn color_score<const N: usize, const C: usize>(
        &self,
        state: &State<N, C>,
        color: usize,
    ) -> usize {
        let bonus = match state.left[color] {
            0 if self.bonus => ALL_PLACED,
            SINGLE_LAST => ALL_PLACED + SINGLE_SQUARE_LAST,
            _ => 0,
        };
        state.tiles[color].len() + bonus
    }
    /// The points of `seat`.
    #[inline]
    pub(crate) fn score<const N: usize, const C: usize>(&self, state: &State<N, C>, seat: usize) -> usize {
        if !self.shares_seats() {
            return self.color_score(state, seat);
        }
        self.colors_of(seat).map(|color| self.color_score(state, color)).sum()
    }
    /// The largest change of a player's score in one step.
    pub(crate) fn largest_gain(&self) -> f32 {
        // With bonus: the single square as the last piece.
        if self.bonus { (1 + ALL_PLACED + SINGLE_SQUARE_LAST) as f32 } else { 5.0 }
    }
    /// Moves made so far.
    pub(crate) fn ply<const N: usize, const C: usize>(&self, state: &State<N, C>) -> usize {
        (0..self.colors).map(|color| (ALL_PIECES & !state.left[color]).count_ones() as usize).sum()
    }
    /// The pieces left after `piece` of a colour with the pieces `left`.
    #[inline]
    pub(crate) fn left_after(&self, left: u32, piece: Piece) -> u32 {
        let rest = left & !(1 << piece.index());
        if rest == 0 && self.bonus && piece == Piece::O1 { SINGLE_LAST } else { rest }
    }
    /// Whether the board has `tile`.
    pub(crate) fn has(&self, tile: Tile) -> bool {
        self.board.contains(tile)
    }
}
