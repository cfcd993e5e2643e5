//! Names of numbers, and the state as columns.

use crate::rules::pieces::{Color, Piece, Rotation, shapes};
use crate::rules::ruleset::Ruleset;
use crate::rules::state::State;
use crate::rules::tiles::{Tile, TileSet};
use ludovec_engine::{Column, StateColumn, ValueTables, Values, state_columns, table};

impl<const N: usize> Column for TileSet<N> {
    const DTYPE: &'static str = u32::DTYPE;
    fn shape() -> Vec<usize> {
        vec![N]
    }
}

/// All tables of names. The table of a family of actions has the family's name and lists the tiles that the shape
/// covers with the lower left of its bounding box on a1.
pub(super) fn tables(rules: &Ruleset) -> ValueTables {
    let files = (0..rules.side).filter_map(|column| Tile::new(0, column));
    let mut tables = ValueTables::from([
        table("color", Color::ALL),
        table("piece", Piece::ALL),
        table("rotation", Rotation::ALL),
        table("rank", 1..=rules.side),
        table("file", files.map(|tile| tile.to_string().trim_end_matches('1').to_string())),
    ]);
    let cells = |shape: &crate::rules::pieces::Shape| {
        table(&format!("{}{}", shape.piece(), shape.rotation()), shape.tiles())
    };
    tables.extend(shapes().iter().map(cells));
    tables
}

/// The state columns. Rows of states that are not on the board are left out.
pub(super) fn columns<const N: usize, const C: usize>(rules: &Ruleset) -> Vec<StateColumn> {
    let each = if rules.shares_seats() { "colour" } else { "player" };
    let left = match rules.bonus {
        true => format!(
            "the pieces that each {each} has left, as bits; bit 21 if none is and the single square was the last"
        ),
        false => format!("the pieces that each {each} has left, as bits"),
    };
    let mut columns = state_columns!(State<N, C> {
        tiles: &format!("the tiles of each {each} by rank: bit f is file f")
            => Values::axes(&["color", "rank"]).with_bits("file"),
        left: &left => Values::axes(&["color"]).with_bits("piece"),
        live: &format!("an open corner at which a piece of each {each} fits, 20 * row + column; 65535 if there is none")
            => Values::axes(&["color"]),
        current: &format!("the current {each}; the last one when the game is over") => Values::element("color"),
    });
    if rules.side < N {
        columns[0].shape[1] = rules.side;
    }
    columns
}
