//! Names of numbers, and the state as columns.

use super::pieces::{Color, Piece, Rotation, shapes};
use super::state::State;
use super::tiles::{SIZE, Tile, TileSet};
use ludovec_engine::{Column, StateColumn, ValueTables, Values, state_columns, table};

impl Column for TileSet {
    const DTYPE: &'static str = u32::DTYPE;
    fn shape() -> Vec<usize> {
        vec![SIZE]
    }
}

/// All tables of names. The table of a family of actions has the family's name and lists the tiles that the shape
/// covers with the lower left of its bounding box on a1.
pub(super) fn tables() -> ValueTables {
    let files = (0..SIZE).filter_map(|column| Tile::new(0, column));
    let mut tables = ValueTables::from([
        table("color", Color::ALL),
        table("piece", Piece::ALL),
        table("rotation", Rotation::ALL),
        table("rank", 1..=SIZE),
        table("file", files.map(|tile| tile.to_string().trim_end_matches('1').to_string())),
    ]);
    let cells = |shape: &super::pieces::Shape| {
        table(&format!("{}{}", shape.piece(), shape.rotation()), shape.tiles())
    };
    tables.extend(shapes().iter().map(cells));
    tables
}

/// The state columns.
pub(super) fn columns() -> Vec<StateColumn> {
    state_columns!(State {
        tiles: "the tiles of each player by rank: bit f is file f" => Values::axes(&["color", "rank"]).with_bits("file"),
        left: "the pieces that each player has left, as bits" => Values::axes(&["color"]).with_bits("piece"),
        live: "an open corner at which a piece of each player fits, 20 * row + column; 65535 if there is none"
            => Values::axes(&["color"]),
        current: "the current player; the last one when the game is over" => Values::element("color"),
    })
}
