//! Tilewe in the original's terms: `_core.TileweBoard` and the pieces, the base of `ludovec.tilewe`.
//!
//! Pieces, rotations, colours and tiles cross the boundary as numbers, moves as tuples of numbers.

use std::sync::{Mutex, MutexGuard};

use ludovec::engine::Error;
use ludovec::games::tilewe::{Board, Color, Move, Piece, Placements, Rotation, SIZE, Tile};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::config;
use crate::errors::guard;

/// Piece, rotation, contact, and the tile under the contact.
type MoveParts = (usize, usize, usize, usize);
/// Tiles, contacts and number of corners of a piece in one rotation.
type ShapeParts = (Vec<usize>, Vec<usize>, usize);

fn numbered<T: Copy>(what: &str, all: &[T], number: usize) -> Result<T, Error> {
    let found = all.get(number).copied();
    found.ok_or_else(|| Error::config(format!("{what} {number}: 0 to {} exist", all.len() - 1)))
}

fn tile(number: usize) -> Result<Tile, Error> {
    let found = Tile::all().nth(number);
    found.ok_or_else(|| Error::config(format!("tile {number}: 0 to 399 exist")))
}

fn parts(m: Move) -> MoveParts {
    (m.piece.index(), m.rotation.index(), m.contact.index(), m.to_tile.index())
}

fn read((piece, rotation, contact, to_tile): MoveParts) -> Result<Move, Error> {
    Ok(Move {
        piece: numbered("piece", Piece::ALL, piece)?,
        rotation: numbered("rotation", Rotation::ALL, rotation)?,
        contact: tile(contact)?,
        to_tile: tile(to_tile)?,
    })
}

fn indices(tiles: &[Tile]) -> Vec<usize> {
    tiles.iter().copied().map(Tile::index).collect()
}

/// By piece, then by rotation: tiles and contacts, counted from the lower left, and the number of corners.
#[pyfunction]
pub(crate) fn tilewe_shapes() -> Vec<Vec<ShapeParts>> {
    let shape = |piece: Piece, rotation| {
        let shape = piece.shape(rotation);
        (indices(shape.tiles()), indices(shape.contacts()), shape.n_corners())
    };
    let turned = |&piece: &Piece| Rotation::ALL.iter().map(|&rotation| shape(piece, rotation)).collect();
    Piece::ALL.iter().map(turned).collect()
}

/// Parses a move in the original's notation.
#[pyfunction]
pub(crate) fn tilewe_move(text: &str) -> PyResult<MoveParts> {
    guard(|| text.parse().map(parts))
}

/// The action index of the placement that a move makes on the largest board.
#[pyfunction]
pub(crate) fn tilewe_action(m: MoveParts) -> PyResult<u32> {
    guard(|| action_on(Placements::on(SIZE), m))
}

fn action_on(placements: &Placements, m: MoveParts) -> Result<u32, Error> {
    Ok(placements.index(read(m)?.placement(placements)?))
}

/// A game in moves, with undo.
#[pyclass(frozen, module = "ludovec._core")]
pub(crate) struct TileweBoard(Mutex<Board>);

impl TileweBoard {
    fn lock(&self) -> MutexGuard<'_, Board> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
    /// Calls `ask` for a colour of the game.
    fn of<T>(&self, player: usize, ask: impl FnOnce(&Board, Color) -> T) -> PyResult<T> {
        let board = self.lock();
        guard(|| Ok(ask(&board, numbered("player", board.colors(), player)?)))
    }
}

#[pymethods]
impl TileweBoard {
    /// An empty board under options of the environment.
    #[new]
    fn new(options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let options = config::options(options)?;
        guard(|| Ok(Self(Mutex::new(Board::with_options(options)?))))
    }
    /// The options, as JSON.
    fn options(&self) -> String {
        config::to_json(self.lock().options())
    }
    /// Rows and columns.
    fn size(&self) -> usize {
        self.lock().placements().side()
    }
    /// Number of colours.
    fn n_colors(&self) -> usize {
        self.lock().colors().len()
    }
    /// Number of points of each colour.
    fn color_scores(&self) -> Vec<usize> {
        self.lock().color_scores()
    }
    /// The action index of a move.
    fn action(&self, m: MoveParts) -> PyResult<u32> {
        guard(|| action_on(self.lock().placements(), m))
    }
    /// The legal move that a text names.
    fn parse(&self, text: &str) -> PyResult<MoveParts> {
        let board = self.lock();
        guard(|| board.parse(text).map(parts))
    }
    /// An independent copy.
    fn copy(&self) -> Self {
        Self(Mutex::new(self.lock().clone()))
    }
    /// Number of players.
    fn n_players(&self) -> usize {
        self.lock().n_players()
    }
    /// Number of moves made.
    fn ply(&self) -> usize {
        self.lock().ply()
    }
    /// The moves made so far.
    fn moves(&self) -> Vec<MoveParts> {
        self.lock().moves().map(parts).collect()
    }
    /// The current colour.
    fn current_player(&self) -> usize {
        self.lock().current_player().index()
    }
    /// Whether no player can move.
    fn finished(&self) -> bool {
        self.lock().finished()
    }
    /// The players with the most points.
    fn winners(&self) -> Vec<usize> {
        self.lock().winners().into_iter().map(Color::index).collect()
    }
    /// Number of points of each player.
    fn scores(&self) -> Vec<usize> {
        self.lock().scores()
    }
    /// The remaining pieces of a player.
    fn remaining_pieces(&self, player: usize) -> PyResult<Vec<usize>> {
        self.of(player, |board, color| board.remaining_pieces(color).into_iter().map(Piece::index).collect())
    }
    /// The open corners at which a player can place a piece.
    fn player_corners(&self, player: usize) -> PyResult<Vec<usize>> {
        self.of(player, |board, color| indices(&board.player_corners(color)))
    }
    /// Whether a player can still move.
    fn can_play(&self, player: usize) -> PyResult<bool> {
        self.of(player, Board::can_play)
    }
    /// The colour of the tile at a place, if any.
    fn color_at(&self, place: usize) -> PyResult<Option<usize>> {
        let board = self.lock();
        guard(|| Ok(board.color_at(tile(place)?).map(Color::index)))
    }
    /// The legal moves of a player, as if it were the current player.
    fn legal_moves(&self, player: usize) -> PyResult<Vec<MoveParts>> {
        self.of(player, |board, color| {
            board.generate_legal_moves(Some(color)).into_iter().map(parts).collect()
        })
    }
    /// The number of legal moves of a player.
    fn n_legal_moves(&self, player: usize) -> PyResult<usize> {
        self.of(player, |board, color| board.n_legal_moves(Some(color)))
    }
    /// Whether a move is legal for the current player.
    fn is_legal(&self, m: MoveParts) -> PyResult<bool> {
        let board = self.lock();
        guard(|| Ok(board.is_legal(read(m)?)))
    }
    /// Plays a move.
    fn push(&self, m: MoveParts) -> PyResult<()> {
        let mut board = self.lock();
        guard(|| board.push(read(m)?))
    }
    /// Undoes the last move and returns it.
    fn pop(&self) -> PyResult<MoveParts> {
        let mut board = self.lock();
        guard(|| board.pop().map(parts))
    }
    /// The board as text.
    fn to_text(&self) -> String {
        self.lock().to_string()
    }
}
