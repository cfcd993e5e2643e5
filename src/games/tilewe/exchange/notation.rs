//! Moves as text: in the original's notation, or as the tiles that a piece covers, as Pentobi writes them.

use ludovec_engine::{Error, Result};

use super::validate;
use crate::rules::pieces::Piece;
use crate::rules::placements::Placement;
use crate::rules::ruleset::{Ruleset, Start};
use crate::rules::state::{SINGLE_LAST, State};
use crate::rules::tiles::{SIZE, Tile, TileSet};

/// The tiles of a placement in their order: `e8,d9,e9,f9,e10`.
pub(crate) fn tiles_text(placement: Placement) -> String {
    let tiles: Vec<String> = placement.tiles().iter().map(|tile| tile.to_string()).collect();
    tiles.join(",")
}

/// The placement of [`tiles_text`]; the tiles may have any order, letters any case.
///
/// # Errors
/// [`Error::Refused`] if the text names no placement.
pub(crate) fn from_tiles(rules: &Ruleset, text: &str) -> Result<Placement> {
    let mut tiles = TileSet::EMPTY;
    for name in text.split(',') {
        let tile: Tile = name.trim().parse()?;
        if !rules.has(tile) {
            return Err(Error::illegal(format!(
                "{tile} is not on the board, which has {0}x{0} tiles",
                rules.side
            )));
        }
        if tiles.contains(tile) {
            return Err(Error::illegal(format!("{text:?} names {tile} twice")));
        }
        tiles.insert(tile);
    }
    let placement = rules.placements.covering(tiles);
    placement.ok_or_else(|| Error::illegal(format!("the tiles {text:?} are no piece")))
}

/// The legal action of the current colour that `text` names in either notation.
///
/// # Errors
/// [`Error::Refused`] with the reason.
pub(crate) fn read(rules: &Ruleset, state: &State, text: &str) -> Result<u32> {
    let color = state.current();
    let (placement, refusal) =
        if text.contains('-') || text.trim().parse::<Tile>().is_err() && !text.contains(',') {
            let m: crate::objects::moves::Move = text.parse()?;
            let placement = m.placement(rules.placements)?;
            (placement, rules.objection_to_move(state, color, m, placement))
        } else {
            let placement = from_tiles(rules, text)?;
            (placement, rules.objection(state, color, placement))
        };
    match refusal {
        None => Ok(rules.placements.index(placement)),
        Some(refusal) => Err(refusal.into()),
    }
}

/// A game as Pentobi names it, in its files and in the Go Text Protocol.
pub(crate) struct PentobiGame {
    /// The game property of files, and the argument of `set_game`.
    pub(crate) name: &'static str,
    /// The colours in turn order.
    pub(crate) colors: &'static [&'static str],
}

/// The game of Pentobi with these rules, apart from bonuses.
pub(crate) fn pentobi(rules: &Ruleset) -> Option<PentobiGame> {
    let four = &["1", "2", "3", "4"];
    match (rules.start, rules.side, rules.colors, rules.players) {
        (Start::Own, SIZE, 4, 4) => Some(PentobiGame { name: "Blokus", colors: four }),
        (Start::Own, SIZE, 4, 2) => Some(PentobiGame { name: "Blokus Two-Player", colors: four }),
        (Start::Duo, _, 2, 2) => Some(PentobiGame { name: "Blokus Duo", colors: &["B", "W"] }),
        _ => None,
    }
}

/// The placements that lead to a position by colour, each after one that it touches, and the single square last where
/// this has a bonus.
pub(crate) fn placements(rules: &Ruleset, state: &State) -> Vec<(usize, Placement)> {
    let mut found = Vec::new();
    for color in 0..rules.colors {
        let single_last = rules.bonus && state.left[color] == SINGLE_LAST;
        let mut pieces = pieces(rules, state.tiles[color]);
        let (mut covered, mut reached) = (TileSet::EMPTY, rules.starts[color]);
        while !pieces.is_empty() {
            let joins = |p: &Placement| !(p.tiles() & reached).is_empty();
            let waits = |p: &Placement| single_last && p.piece() == Piece::O1 && pieces.len() > 1;
            let next = pieces.iter().position(|p| joins(p) && !waits(p));
            // The single square joins two parts: no order has it last.
            let Some(next) = next.or_else(|| pieces.iter().position(joins)) else { break };
            let piece = pieces.remove(next);
            covered |= piece.tiles();
            reached = covered.diagonal();
            found.push((color, piece));
        }
    }
    found
}

/// The pieces of one colour.
fn pieces(rules: &Ruleset, mut tiles: TileSet) -> Vec<Placement> {
    let mut pieces = Vec::new();
    while let Some(first) = tiles.iter().next() {
        let piece = validate::connected(first, tiles, TileSet::beside);
        tiles = tiles.without(piece);
        pieces.extend(rules.placements.covering(piece));
    }
    pieces
}
