//! One game with the original's own methods.

use std::fmt;

use ludovec_engine::{Error, Result, with_caption};

use super::Tilewe;
use super::moves::Move;
use super::pieces::{Color, Piece};
use super::render;
use super::state::State;
use super::tiles::Tile;

/// A game of Tilewe in [`Move`]s, with undo.
///
/// ```
/// use ludovec_tilewe::{Board, Color};
///
/// let mut board = Board::new(4)?;
/// let moves = board.generate_legal_moves(None);
/// assert_eq!(moves.len(), 232);
/// board.push("W5n-a1a1".parse()?)?;
/// assert_eq!((board.ply(), board.current_player()), (1, Color::Yellow));
/// board.pop()?;
/// assert_eq!(board.ply(), 0);
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
#[derive(Clone)]
pub struct Board {
    game: Tilewe,
    state: State,
    /// Every move so far, with the position before it.
    history: Vec<(Move, State)>,
}

impl Board {
    /// An empty board for 1 to 4 players.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for any other number.
    pub fn new(n_players: usize) -> Result<Self> {
        let game = Tilewe::with_players(n_players)?;
        Ok(Self { state: State::new(n_players), game, history: Vec::new() })
    }

    /// The number of players.
    pub fn n_players(&self) -> usize {
        self.game.players
    }
    /// The number of moves so far; a skipped player makes none.
    pub fn ply(&self) -> usize {
        self.history.len()
    }
    /// The moves made so far.
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.history.iter().map(|(m, _)| *m)
    }
    /// The current player; if the game is over, the player that moved last.
    pub fn current_player(&self) -> Color {
        Color::ALL[self.state.current()]
    }
    /// Whether the game is over: no player can move.
    pub fn finished(&self) -> bool {
        self.state.finished()
    }
    /// The players with the most tiles on the board so far; the winners once the game is finished.
    pub fn winners(&self) -> Vec<Color> {
        let scores = self.scores();
        let best = scores.iter().max();
        self.players().filter(|c| Some(&scores[c.index()]) == best).collect()
    }
    /// The number of tiles of each player on the board.
    pub fn scores(&self) -> Vec<usize> {
        (0..self.n_players()).map(|seat| self.state.score(seat)).collect()
    }
    /// The remaining pieces of `player`.
    pub fn remaining_pieces(&self, player: Color) -> Vec<Piece> {
        self.state.pieces_left(player.index()).collect()
    }
    /// The number of remaining pieces of `player`.
    pub fn n_remaining_pieces(&self, player: Color) -> usize {
        self.state.pieces_left(player.index()).count()
    }
    /// The open corners at which `player` can place one of its remaining pieces.
    pub fn player_corners(&self, player: Color) -> Vec<Tile> {
        self.game.live_corners(&self.state, player.index()).iter().collect()
    }
    /// The number of corners of [`Board::player_corners`].
    pub fn n_player_corners(&self, player: Color) -> usize {
        self.player_corners(player).len()
    }
    /// Whether `player` can still make a move.
    pub fn can_play(&self, player: Color) -> bool {
        self.state.can_play(player.index())
    }
    /// The colour of the tile on `tile`.
    pub fn color_at(&self, tile: Tile) -> Option<Color> {
        self.state.owner(tile)
    }

    /// The legal moves of a player, as if it were its turn; by default of the current player.
    ///
    /// One move for every contact on an open corner, spelled with the first rotation that gives the shape.
    pub fn generate_legal_moves(&self, for_player: Option<Color>) -> Vec<Move> {
        let seat = for_player.unwrap_or(self.current_player()).index();
        if !self.state.can_play(seat) {
            return Vec::new();
        }
        let corners = self.state.corners(seat);
        let placements = self.game.placements_for(&self.state, seat);
        placements.into_iter().flat_map(|placement| placement.moves(corners)).collect()
    }
    /// The number of moves of [`Board::generate_legal_moves`].
    pub fn n_legal_moves(&self, for_player: Option<Color>) -> usize {
        self.game.count_moves(&self.state, for_player.unwrap_or(self.current_player()).index()) as usize
    }
    /// Whether the current player may play `m`, in any of its spellings.
    pub fn is_legal(&self, m: Move) -> bool {
        self.check(m).is_ok()
    }
    /// Plays `m`.
    ///
    /// # Errors
    /// [`Error::Refused`] with the reason if it is illegal.
    pub fn push(&mut self, m: Move) -> Result<()> {
        self.check(m)?;
        self.history.push((m, self.state));
        self.game.place(&mut self.state, m.placement()?);
        Ok(())
    }
    /// Takes back the last move and returns it.
    ///
    /// # Errors
    /// [`Error::Refused`] if there is no move to take back.
    pub fn pop(&mut self) -> Result<Move> {
        let (m, before) =
            self.history.pop().ok_or_else(|| Error::illegal("there is no move to take back"))?;
        self.state = before;
        Ok(m)
    }
    /// The position, as a state of the environment.
    pub fn state(&self) -> &State {
        &self.state
    }

    fn players(&self) -> impl Iterator<Item = Color> {
        Color::ALL[..self.n_players()].iter().copied()
    }
    fn check(&self, m: Move) -> Result<()> {
        let placement = m.placement()?;
        self.game
            .objection_to_move(&self.state, self.state.current(), m, placement)
            .map_or(Ok(()), |refusal| Err(refusal.into()))
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = with_caption(&self.game, &self.state, |caption| render::text(&self.state, caption));
        f.write_str(&text)
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moves: Vec<_> = self.moves().map(|m| m.to_string()).collect();
        f.debug_struct("Board").field("n_players", &self.n_players()).field("moves", &moves).finish()
    }
}
