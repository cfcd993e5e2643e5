//! Validation of positions: whether the rules can lead to them.

use ludovec_engine::{Error, Result};

use crate::rules::pieces::Color;
use crate::rules::placements::{ALL_PIECES, Placements};
use crate::rules::ruleset::Ruleset;
use crate::rules::state::{MAX_COLORS, SINGLE_LAST, State};
use crate::rules::tiles::{SIZE, Tile, TileSet};

/// Checks that `state` can occur in play, apart from the current player and the number of turns of each player.
///
/// # Errors
/// [`Error::InvalidState`] names the problem.
pub(crate) fn validate(rules: &Ruleset, state: &State) -> Result<()> {
    let mut occupied = TileSet::EMPTY;
    for (c, &color) in Color::ALL.iter().enumerate() {
        let own = state.tiles[c];
        if own.without(rules.board) != TileSet::EMPTY {
            return Err(Error::state(format!("{color} has tiles outside the board")));
        }
        if let Some(tile) = (own & occupied).iter().next() {
            return Err(Error::state(format!("{tile} belongs to two colours")));
        }
        occupied |= own;
        if c >= rules.colors {
            if !own.is_empty() || state.left[c] != 0 {
                return Err(Error::state(format!("{color} does not play in a game of {}", rules.players)));
            }
            continue;
        }
        let used = pieces_on_board(own, color)?;
        let single_last = rules.bonus && used == ALL_PIECES && state.left[c] == SINGLE_LAST;
        if state.left[c] != ALL_PIECES & !used && !single_last {
            return Err(Error::state(format!("the remaining pieces of {color} do not match the board")));
        }
        if own.is_empty() {
            continue;
        }
        let start = (own & rules.starts[c]).iter().next().ok_or_else(|| {
            Error::state(match rules.starts[c].iter().next() {
                Some(start) if !rules.starts_are_free() => {
                    format!("{color} does not cover its start, {start}")
                }
                _ => format!("{color} has no tile in a corner of the board"),
            })
        })?;
        let joined = connected(start, own, |part| part.beside() | part.diagonal());
        if let Some(tile) = (own & !joined).iter().next() {
            return Err(Error::state(format!("the {color} piece on {tile} touches no other by a corner")));
        }
    }
    let current = state.current();
    if current >= rules.colors {
        let kind = if rules.shares_seats() { "colour" } else { "seat" };
        return Err(Error::state(format!("{kind} {current} is to move in a game of {}", rules.players)));
    }
    if state.live != rules.live::<SIZE, MAX_COLORS>(state) {
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
pub(crate) fn pieces_on_board(tiles: TileSet, color: Color) -> Result<u32> {
    let mut pieces = 0;
    let mut rest = tiles;
    while let Some(first) = rest.iter().next() {
        let part = connected(first, rest, TileSet::beside);
        rest = rest & !part;
        let piece = Placements::on(SIZE)
            .covering(part)
            .ok_or_else(|| Error::state(format!("the {color} tiles joined to {first} are no piece")))?
            .piece();
        if pieces >> piece.index() & 1 == 1 {
            return Err(Error::state(format!("{color} has placed {piece} twice")));
        }
        pieces |= 1 << piece.index();
    }
    Ok(pieces)
}

/// The tiles of `within` that are connected to `first` by steps of `neighbours`.
pub(crate) fn connected(first: Tile, within: TileSet, neighbours: impl Fn(&TileSet) -> TileSet) -> TileSet {
    let mut part = TileSet::from_iter([first]);
    loop {
        let grown = (part | neighbours(&part)) & within;
        if grown == part {
            return part;
        }
        part = grown;
    }
}
