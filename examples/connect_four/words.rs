//! Connect Four in words and pictures: optional additions to the rules.
//!
//! Without this file, four lines such as `impl Words for ConnectFour {}` suffice; moves are then called `DROP 3`,
//! and positions are shown as their observation.

use ludovec::engine::{ActionId, Caption, Dialect, Guide, Picture, Step, View, Words};

use crate::rules::{COLUMNS, ConnectFour, ROWS, State};

impl Words for ConnectFour {
    /// Columns are lettered, as on a chess board.
    fn action_to_string(&self, _: &State, action: ActionId) -> String {
        char::from(b'a' + action as u8).to_string()
    }
}

impl Picture for ConnectFour {
    fn to_text(&self, state: &State, _: Option<&Step<State>>, _: View, _: Caption<'_>) -> String {
        let disc = |cell: u32| match [0, 1].map(|seat: usize| state.discs[seat] >> cell & 1 == 1) {
            [true, _] => 'X',
            [_, true] => 'O',
            _ => '.',
        };
        let row = |row: u32| (0..COLUMNS).map(|column| disc(column * (ROWS + 1) + row)).collect::<String>();
        (0..ROWS).rev().map(row).chain(["abcdefg".into()]).collect::<Vec<_>>().join("\n")
    }
}

impl Guide for ConnectFour {}

impl Dialect for ConnectFour {}
