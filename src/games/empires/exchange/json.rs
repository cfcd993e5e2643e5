//! Positions as JSON.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::rules::map::Cell;
use crate::rules::ruleset::{Ruleset, Structure};
use crate::rules::state::{State, StateRef};
use ludovec_engine::{Error, Result};

/// A position in the game's own terms.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PositionJson {
    /// The current turn, from 1.
    turn: u32,
    /// The current player's seat; null if the game is over.
    current_player: Option<usize>,
    /// The seats that have not acted this turn, including the current player.
    waiting: Vec<usize>,
    players: Vec<SeatJson>,
    /// One string per row, two characters per cell: `.` or the owner's digit, then the first half of the glyph.
    world: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeatJson {
    resources: u32,
    /// The turn at the end of which the seat was eliminated; null while it is alive.
    eliminated: Option<u16>,
}

impl StateRef<'_> {
    /// The rows of the world: two characters per cell, `.` or the owner's digit, then the first half of the glyph.
    pub(crate) fn world_rows(self) -> Vec<String> {
        let map = &self.rules.map;
        let cell = |c: usize| {
            let cell = Cell(c as u16);
            let owner = self.owner(cell).map_or('.', |seat| (b'0' + seat as u8) as char);
            format!("{owner}{}", &self.structure(cell).glyph()[..1])
        };
        (0..map.height).map(|y| (y * map.width..(y + 1) * map.width).map(cell).collect()).collect()
    }

    pub(crate) fn to_json(self) -> Value {
        let ledger = self.ledger;
        let position = PositionJson {
            turn: ledger.turn,
            current_player: (!self.is_over()).then(|| self.current()),
            waiting: (0..self.rules.players).filter(|s| ledger.waiting >> s & 1 == 1).collect(),
            players: (0..self.rules.players)
                .map(|seat| SeatJson {
                    resources: ledger.resources[seat],
                    eliminated: (!self.is_alive(seat)).then_some(ledger.eliminated[seat]),
                })
                .collect(),
            world: self.world_rows(),
        };
        serde_json::to_value(position).expect("plain data always serialises")
    }
}

/// Reads the output of [`StateRef::to_json`], or a hand-made position.
pub(crate) fn from_json<const N: usize>(rules: &Ruleset, json: &Value) -> Result<State<N>> {
    let position = PositionJson::deserialize(json).map_err(|e| Error::state(format!("position: {e}")))?;
    let refuse = |what: String| Err(Error::state(what));
    if position.players.len() != rules.players {
        return refuse(format!("players: {} given, {} allowed", position.players.len(), rules.players));
    }
    let mut state = State::empty();
    let mut writer = state.with_mut(rules);
    writer.ledger.turn = position.turn;
    for (seat, player) in position.players.iter().enumerate() {
        writer.ledger.resources[seat] = player.resources;
        writer.ledger.eliminated[seat] = player.eliminated.unwrap_or(0);
        if player.eliminated == Some(0) {
            return refuse(format!(
                "players: {seat} is eliminated in turn 0: turns count from 1, null is alive"
            ));
        }
    }
    let seats = position.waiting.iter().chain(&position.current_player);
    if let Some(seat) = seats.into_iter().find(|&&seat| seat >= rules.players) {
        return refuse(format!("waiting, current_player: {seat} given, 0 to {} allowed", rules.players - 1));
    }
    writer.ledger.waiting = position.waiting.iter().fold(0, |set, seat| set | 1 << seat);
    if position.current_player.is_none() && writer.ledger.waiting != 0 {
        return refuse("current_player: null given, one of the waiting players allowed".into());
    }
    writer.ledger.current = position.current_player.unwrap_or(0) as u16;

    let map = &rules.map;
    if position.world.len() != map.height {
        return refuse(format!("world: {} rows given, {} allowed", position.world.len(), map.height));
    }
    for (y, row) in position.world.iter().enumerate() {
        let bytes = row.as_bytes();
        if bytes.len() != 2 * map.width {
            return refuse(format!("world: row {y} is {row:?}, {} characters allowed", 2 * map.width));
        }
        for (x, pair) in bytes.chunks_exact(2).enumerate() {
            let cell = Cell((y * map.width + x) as u16);
            let structure = Structure::ALL.into_iter().find(|s| s.glyph().as_bytes()[0] == pair[1]);
            let owner = usize::from(pair[0].wrapping_sub(b'0'));
            match (structure, pair[0]) {
                (Some(Structure::Land), b'.') => {}
                (Some(structure), _) if owner < rules.players => writer.put(cell, owner, structure),
                _ => {
                    let given = String::from_utf8_lossy(pair);
                    return refuse(format!(
                        "world: cell {x},{y} is {given:?}, \".:\" or a digit below {} before one of : / < [ allowed",
                        rules.players
                    ));
                }
            }
        }
    }
    state.with(rules).validate()?;
    Ok(state)
}
