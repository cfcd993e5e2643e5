//! One game with the original's own methods.

use std::fmt;

use ludovec_engine::{Error, OptionValue, Options, Result, Rules, with_caption};

use super::moves::Move;
use crate::exchange::notation;
use crate::rules::pieces::{Color, Piece};
use crate::rules::placements::Placements;
use crate::rules::ruleset::Ruleset;
use crate::rules::state::State;
use crate::rules::tiles::Tile;
use crate::show::render;
use crate::{Tilewe, options};

/// A game of Tilewe in [`Move`]s, with undo.
///
/// Players are named by their colour. If each has two colours, methods about pieces and moves take and return one of
/// the four colours, methods about scores and winners the first colour of a player.
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
///
/// let duo = Board::with_options([("mode", "blokus_duo".into())])?;
/// assert_eq!((duo.n_players(), duo.placements().side()), (2, 14));
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
        Self::with_options([("players", OptionValue::from(n_players as u32))])
    }
    /// An empty board under options of the environment.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the option, its value and the allowed values.
    pub fn with_options<K: AsRef<str>>(given: impl IntoIterator<Item = (K, OptionValue)>) -> Result<Self> {
        let game = Tilewe::new(&Options::parse(&options::list(), given)?)?;
        Ok(Self { state: game.rules.init(), game, history: Vec::new() })
    }

    pub(crate) fn rules(&self) -> &Ruleset {
        &self.game.rules
    }
    /// The options of the game.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.game.spec().options
    }
    /// The number of players.
    #[must_use]
    pub fn n_players(&self) -> usize {
        self.rules().players
    }
    /// The colours in play: one per player, or two per player.
    #[must_use]
    pub fn colors(&self) -> &'static [Color] {
        self.rules().palette()
    }
    /// The placements on this board. Their indices are the actions of the environment.
    #[must_use]
    pub fn placements(&self) -> &'static Placements {
        self.rules().placements
    }
    /// The number of moves so far; a skipped player makes none.
    #[must_use]
    pub fn ply(&self) -> usize {
        self.history.len()
    }
    /// The moves made so far.
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.history.iter().map(|(m, _)| *m)
    }
    /// The current player, by the colour that it plays; if the game is over, the player that moved last.
    #[must_use]
    pub fn current_player(&self) -> Color {
        Color::ALL[self.state.current()]
    }
    /// Whether the game is over: no player can move.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.state.finished()
    }
    /// The players with the most points so far; the winners once the game is finished.
    #[must_use]
    pub fn winners(&self) -> Vec<Color> {
        let scores = self.scores();
        let best = scores.iter().max();
        Color::ALL[..self.n_players()].iter().copied().filter(|c| Some(&scores[c.index()]) == best).collect()
    }
    /// The points of each player: tiles on the board, and bonuses if the options say so.
    #[must_use]
    pub fn scores(&self) -> Vec<usize> {
        (0..self.n_players()).map(|seat| self.rules().score(&self.state, seat)).collect()
    }
    /// The points of each colour.
    #[must_use]
    pub fn color_scores(&self) -> Vec<usize> {
        (0..self.rules().colors).map(|color| self.rules().color_score(&self.state, color)).collect()
    }
    /// The remaining pieces of `player`.
    #[must_use]
    pub fn remaining_pieces(&self, player: Color) -> Vec<Piece> {
        self.state.pieces_left(player.index()).collect()
    }
    /// The number of remaining pieces of `player`.
    #[must_use]
    pub fn n_remaining_pieces(&self, player: Color) -> usize {
        self.state.pieces_left(player.index()).count()
    }
    /// The open corners at which `player` can place one of its remaining pieces.
    #[must_use]
    pub fn player_corners(&self, player: Color) -> Vec<Tile> {
        if !self.can_play(player) {
            return Vec::new();
        }
        self.rules().live_corners(&self.state, player.index()).iter().collect()
    }
    /// The number of corners of [`Board::player_corners`].
    #[must_use]
    pub fn n_player_corners(&self, player: Color) -> usize {
        self.player_corners(player).len()
    }
    /// Whether `player` can still make a move.
    #[must_use]
    pub fn can_play(&self, player: Color) -> bool {
        self.state.can_play(player.index())
    }
    /// The colour of the tile on `tile`.
    #[must_use]
    pub fn color_at(&self, tile: Tile) -> Option<Color> {
        self.state.owner(tile)
    }

    /// The legal moves of a player, as if it were its turn; by default of the current player.
    ///
    /// One move for every contact on an open corner, spelled with the first rotation that gives the shape. A first
    /// piece that covers a point in the middle of the board with no contact has one move.
    #[must_use]
    pub fn generate_legal_moves(&self, for_player: Option<Color>) -> Vec<Move> {
        self.rules().moves(&self.state, for_player.unwrap_or(self.current_player()).index())
    }
    /// The number of moves of [`Board::generate_legal_moves`].
    #[must_use]
    pub fn n_legal_moves(&self, for_player: Option<Color>) -> usize {
        let player = for_player.unwrap_or(self.current_player());
        if !self.can_play(player) {
            return 0;
        }
        self.rules().count_moves(&self.state, player.index()) as usize
    }
    /// The legal move of the current player that `text` names: in the original's notation, or as a list of the tiles
    /// that the piece covers.
    ///
    /// # Errors
    /// [`Error::Refused`] with the reason.
    pub fn parse(&self, text: &str) -> Result<Move> {
        let action = notation::read(self.rules(), &self.state, text)?;
        let placement = self.placements().get(action).expect("legal actions exist");
        let corners = self.rules().corners(&self.state, self.state.current());
        let spelled = text.parse().ok().or_else(|| placement.moves(corners).next());
        Ok(spelled.expect("every shape has a contact"))
    }
    /// Whether the current player may play `m`, in any of its spellings.
    #[must_use]
    pub fn is_legal(&self, m: Move) -> bool {
        self.check(m).is_ok()
    }
    /// Plays `m`.
    ///
    /// # Errors
    /// [`Error::Refused`] with the reason if it is illegal.
    pub fn push(&mut self, m: Move) -> Result<()> {
        self.check(m)?;
        let placement = m.placement(self.placements())?;
        self.history.push((m, self.state));
        self.game.rules.place(&mut self.state, placement);
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
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    fn check(&self, m: Move) -> Result<()> {
        let placement = m.placement(self.placements())?;
        self.rules()
            .objection_to_move(&self.state, self.state.current(), m, placement)
            .map_or(Ok(()), |refusal| Err(refusal.into()))
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text =
            with_caption(&self.game, &self.state, |caption| render::text(self.rules(), &self.state, caption));
        f.write_str(&text)
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moves: Vec<_> = self.moves().map(|m| m.to_string()).collect();
        f.debug_struct("Board").field("n_players", &self.n_players()).field("moves", &moves).finish()
    }
}
