//! Moves as text: in the original's notation, or as the tiles that a piece covers, as Pentobi writes them.

use ludovec_engine::{Error, Result};

use super::placements::Placement;
use super::ruleset::Ruleset;
use super::state::State;
use super::tiles::{Tile, TileSet};

/// The tiles of a placement in their order: `e8,d9,e9,f9,e10`.
pub(super) fn tiles_text(placement: Placement) -> String {
    let tiles: Vec<String> = placement.tiles().iter().map(|tile| tile.to_string()).collect();
    tiles.join(",")
}

/// The placement of [`tiles_text`]; the tiles may have any order, letters any case.
///
/// # Errors
/// [`Error::Refused`] if the text names no placement.
pub(super) fn from_tiles(rules: &Ruleset, text: &str) -> Result<Placement> {
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
pub(super) fn read(rules: &Ruleset, state: &State, text: &str) -> Result<u32> {
    let color = state.current();
    let (placement, refusal) =
        if text.contains('-') || text.trim().parse::<Tile>().is_err() && !text.contains(',') {
            let m: super::moves::Move = text.parse()?;
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
