//! Positions as JSON, and what every position from outside must satisfy.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::map::Cell;
use super::ruleset::{Ruleset, Structure};
use super::state::{State, View};
use crate::engine::{Error, MAX_PLAYERS, Result};

/// A position in the game's own words.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PositionJson {
    /// The turn being played, from 1.
    turn: u32,
    /// The seat to move; null when the game is over.
    current_player: Option<usize>,
    /// The seats that have not acted this turn, the one to move included.
    waiting: Vec<usize>,
    players: Vec<SeatJson>,
    /// A text a row, two characters a cell: `.` or the owner's digit, then the first half of the glyph.
    world: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeatJson {
    resources: u32,
    /// The turn at whose end the seat was eliminated; null while it is alive.
    eliminated: Option<u16>,
}

impl View<'_> {
    /// The rows of the world: two characters a cell, `.` or the owner's digit, then the first half of the
    /// glyph.
    pub(super) fn world_rows(self) -> Vec<String> {
        let map = &self.rules.map;
        let cell = |c: usize| {
            let cell = Cell(c as u16);
            let owner = self.owner(cell).map_or('.', |seat| (b'0' + seat as u8) as char);
            format!("{owner}{}", &self.structure(cell).glyph()[..1])
        };
        (0..map.height).map(|y| (y * map.width..(y + 1) * map.width).map(cell).collect()).collect()
    }

    pub(super) fn to_json(self) -> Value {
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

    /// Whether play could go on from this position, whatever its bytes are.
    pub(super) fn validate(self) -> Result<()> {
        self.validate_world()?;
        self.validate_ledger()
    }

    fn validate_world(self) -> Result<()> {
        let (rules, map) = (self.rules, &self.rules.map);
        if self.planes().iter().step_by(map.stride()).any(|&guard| guard != 0) {
            return Err(Error::state("a guard word between two planes is not 0"));
        }
        for i in 0..map.words {
            let existing = if i + 1 == map.words { map.last_word } else { !0 };
            let mut owned = 0;
            for seat in 0..rules.players {
                let word = self.owned(seat)[i];
                if word & !existing != 0 {
                    return Err(Error::state(format!("player {seat} owns cells outside the map")));
                }
                if word & owned != 0 {
                    return Err(Error::state(format!("player {seat} owns cells of another player")));
                }
                owned |= word;
            }
            let mut built = 0;
            for structure in Structure::BUILDABLE {
                let word = self.built(structure)[i];
                if word & !owned != 0 {
                    return Err(Error::state(format!("a {} stands on neutral land", structure.name())));
                }
                if word & built != 0 {
                    return Err(Error::state(format!("a {} stands on another structure", structure.name())));
                }
                built |= word;
            }
        }
        Ok(())
    }

    fn validate_ledger(self) -> Result<()> {
        let (rules, ledger) = (self.rules, self.ledger);
        let refuse = |what: String| Err(Error::state(what));
        if !(1..=rules.max_turns).contains(&ledger.turn) {
            return refuse(format!("turn {}: 1 to {} is allowed", ledger.turn, rules.max_turns));
        }
        for seat in 0..MAX_PLAYERS {
            let eliminated = u32::from(ledger.eliminated[seat]);
            if seat >= rules.players && (eliminated != 0 || ledger.resources[seat] != 0) {
                return refuse(format!("seat {seat} of a game of {} is not empty", rules.players));
            }
            if eliminated >= ledger.turn {
                return refuse(format!(
                    "player {seat} is eliminated in turn {eliminated}: a turn before {} is allowed",
                    ledger.turn
                ));
            }
        }
        for seat in (0..rules.players).filter(|&seat| !self.is_alive(seat)) {
            if self.count(seat, Structure::Castle) > 0 {
                return refuse(format!("player {seat} is eliminated and has a castle"));
            }
        }
        let alive = self.alive().fold(0u16, |set, seat| set | 1 << seat);
        let over = ledger.turn == rules.max_turns || alive.count_ones() < 2;
        if over {
            if ledger.waiting != 0 || ledger.current != 0 {
                return refuse("somebody is to move in a game that is over".into());
            }
        } else if ledger.waiting & !alive != 0 {
            return refuse("somebody waits to move who is not alive".into());
        } else if ledger.current >= rules.players as u16 || ledger.waiting >> ledger.current & 1 == 0 {
            return refuse(format!("player {} is to move, but not among those waiting", ledger.current));
        }
        Ok(())
    }
}

/// Reads what [`View::to_json`] writes, or a position that somebody set up.
pub(super) fn from_json<const N: usize>(rules: &Ruleset, json: &Value) -> Result<State<N>> {
    let position = PositionJson::deserialize(json).map_err(|e| Error::state(format!("position: {e}")))?;
    let refuse = |what: String| Err(Error::state(what));
    if position.players.len() != rules.players {
        return refuse(format!("players: {} given, {} allowed", position.players.len(), rules.players));
    }
    let mut state = State::empty();
    let mut view = state.view_mut(rules);
    view.ledger.turn = position.turn;
    for (seat, player) in position.players.iter().enumerate() {
        view.ledger.resources[seat] = player.resources;
        view.ledger.eliminated[seat] = player.eliminated.unwrap_or(0);
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
    view.ledger.waiting = position.waiting.iter().fold(0, |set, seat| set | 1 << seat);
    if position.current_player.is_none() && view.ledger.waiting != 0 {
        return refuse("current_player: null given, one of those waiting allowed".into());
    }
    view.ledger.current = position.current_player.unwrap_or(0) as u16;

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
                (Some(structure), _) if owner < rules.players => view.put(cell, owner, structure),
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
    state.view(rules).validate()?;
    Ok(state)
}
