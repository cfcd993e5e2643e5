//! Names of numbers, and the state as columns.

use crate::rules::ruleset::{Ruleset, Structure};
use crate::rules::state::State;
use ludovec_engine::{StateColumn, ValueTables, Values, state_columns, table};

/// All tables.
pub(super) fn tables(rules: &Ruleset) -> ValueTables {
    let owners = (0..=rules.players).map(|owner| match owner {
        0 => "none".to_string(),
        1 => "viewer".to_string(),
        _ => format!("viewer + {}", owner - 1),
    });
    let seats = (0..rules.players).map(|seat| format!("seat {seat}"));
    let built = Structure::BUILDABLE.map(|structure| structure.name().to_string());
    ValueTables::from([
        table("owner", owners),
        table("structure", Structure::ALL.map(Structure::name)),
        table("plane", seats.chain(built)),
    ])
}

/// The state columns.
pub(super) fn columns<const N: usize>(rules: &Ruleset) -> Vec<StateColumn> {
    let mut columns = state_columns!(State<N> {
        planes: "the cells of each owner and of each structure: bit y * width + x of a row is a cell, and the last word \
                 is 0" => Values::axes(&["plane", ""]),
        ledger.resources: "the resources of each seat",
        ledger.eliminated: "the turn at whose end each seat was eliminated, 0 while it is alive",
        ledger.turn: "the turn, from 1",
        ledger.current: "the current player; 0 when the game is over",
        ledger.waiting: "the seats that have yet to act this turn, as bits",
    });
    // There is a zero word before the first plane and between planes, so each row of the column ends with one.
    columns[0].offset += size_of::<u64>();
    columns[0].lay_out(vec![rules.players + Structure::BUILDABLE.len(), rules.map.words + 1]);
    columns
}
