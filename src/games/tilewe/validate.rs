//! Validation of positions: whether the rules can lead to them.

use ludovec_engine::{Error, Result};

use super::Tilewe;
use super::pieces::{Color, Piece, shapes};
use super::placements::ALL_PIECES;
use super::state::State;
use super::tiles::{Tile, TileSet};

/// Checks that `state` can occur in play, apart from the current player and the number of turns of each player.
///
/// # Errors
/// [`Error::InvalidState`] names the problem.
pub(super) fn validate(game: &Tilewe, state: &State) -> Result<()> {
    let mut occupied = TileSet::EMPTY;
    for (seat, &color) in Color::ALL.iter().enumerate() {
        let own = state.tiles[seat];
        if !own.is_on_board() {
            return Err(Error::state(format!("{color} has tiles outside the board")));
        }
        if let Some(tile) = (own & occupied).iter().next() {
            return Err(Error::state(format!("{tile} belongs to two colours")));
        }
        occupied |= own;
        if seat >= game.players {
            if !own.is_empty() || state.left[seat] != 0 {
                return Err(Error::state(format!("{color} does not play in a game of {}", game.players)));
            }
            continue;
        }
        let used = pieces_on_board(own, color)?;
        if state.left[seat] != ALL_PIECES & !used {
            return Err(Error::state(format!("the remaining pieces of {color} do not match the board")));
        }
        if own.is_empty() {
            continue;
        }
        let corner = (own & TileSet::BOARD_CORNERS).iter().next();
        let corner =
            corner.ok_or_else(|| Error::state(format!("{color} has no tile in a corner of the board")))?;
        let joined = connected(corner, own, |part| part.beside() | part.diagonal());
        if let Some(tile) = (own & !joined).iter().next() {
            return Err(Error::state(format!("the {color} piece on {tile} touches no other by a corner")));
        }
    }
    let current = state.current();
    if current >= game.players {
        return Err(Error::state(format!("seat {current} is to move in a game of {}", game.players)));
    }
    if state.live != game.live(state) {
        return Err(Error::state("the players that can still play, and where, do not match the board"));
    }
    if !state.finished() && !state.can_play(current) {
        return Err(Error::state(format!("{} is to move and cannot play", Color::ALL[current])));
    }
    Ok(())
}

/// The pieces that form the `tiles` of one colour, one bit per piece: tiles connected by sides are one piece.
///
/// # Errors
/// [`Error::InvalidState`] if some tiles are no piece, or the same piece occurs twice.
pub(super) fn pieces_on_board(tiles: TileSet, color: Color) -> Result<u32> {
    let mut pieces = 0;
    let mut rest = tiles;
    while let Some(first) = rest.iter().next() {
        let part = connected(first, rest, TileSet::beside);
        rest = rest & !part;
        let piece = piece_of(part)
            .ok_or_else(|| Error::state(format!("the {color} tiles joined to {first} are no piece")))?;
        if pieces >> piece.index() & 1 == 1 {
            return Err(Error::state(format!("{color} has placed {piece} twice")));
        }
        pieces |= 1 << piece.index();
    }
    Ok(pieces)
}

/// The tiles of `within` that are connected to `first` by steps of `neighbours`.
fn connected(first: Tile, within: TileSet, neighbours: impl Fn(&TileSet) -> TileSet) -> TileSet {
    let mut part = TileSet::from_iter([first]);
    loop {
        let grown = (part | neighbours(&part)) & within;
        if grown == part {
            return part;
        }
        part = grown;
    }
}

/// The piece with these tiles, anywhere on the board.
fn piece_of(tiles: TileSet) -> Option<Piece> {
    let bottom = tiles.iter().map(Tile::row).min()?;
    let left = tiles.iter().map(Tile::column).min()?;
    let moved: Option<Vec<Tile>> =
        tiles.iter().map(|t| Tile::new(t.row() - bottom, t.column() - left)).collect();
    let moved = moved?;
    shapes().iter().find(|s| s.tiles() == moved).map(|s| s.piece())
}
