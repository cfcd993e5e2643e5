//! Positions as objects.

use serde_json::{Map, Value, json};

use ludovec_engine::{Error, Result};

use super::Tilewe;
use super::pieces::{Color, Piece};
use super::placements::ALL_PIECES;
use super::render;
use super::state::{MAX_SEATS, State};
use super::tiles::{SIZE, Tile, TileSet};
use super::validate::{pieces_on_board, validate};

/// The position in the original's terms. `board` lists the rows from the top: `.` is free, otherwise the first
/// letter of a colour.
pub(super) fn state_to_json(game: &Tilewe, state: &State) -> Value {
    let players = game.players;
    let colors = &Color::ALL[..players];
    let left = |color: &Color| state.pieces_left(color.index()).map(Piece::name).collect::<Vec<_>>();
    let remaining: Map<String, Value> = colors.iter().map(|c| (c.name().into(), json!(left(c)))).collect();
    let can_play: Vec<_> = colors.iter().filter(|c| state.can_play(c.index())).map(|c| c.name()).collect();
    json!({
        "players": players,
        "ply": state.ply(players),
        "current_player": Color::ALL[state.current()].name(),
        "finished": state.finished(),
        "board": render::rows(state).collect::<Vec<String>>(),
        "scores": (0..players).map(|seat| state.score(seat)).collect::<Vec<_>>(),
        "can_play": can_play,
        "remaining_pieces": remaining,
    })
}

/// The position, all of it public, with additional information for `seat`.
pub(super) fn observation_to_json(game: &Tilewe, state: &State, seat: usize) -> Value {
    let names = |set: TileSet| set.iter().map(|t| t.to_string()).collect::<Vec<_>>();
    let mut json = state_to_json(game, state);
    json["player"] = json!(Color::ALL[seat].name());
    let area = state.placement_area(seat, state.occupied());
    json["player_corners"] = json!(names(area.corners));
    json["blocked"] = json!(names(area.blocked));
    json
}

/// Reads a position from `board` and `current_player`; all other keys are optional and must be consistent with
/// these two.
///
/// # Errors
/// [`Error::InvalidState`] names the problem.
pub(super) fn state_from_json(game: &Tilewe, json: &Value) -> Result<State> {
    let object = json.as_object().ok_or_else(|| Error::state("a position is an object"))?;
    let board = object.get("board").and_then(Value::as_array);
    let board = board.ok_or_else(|| Error::state("the key \"board\" must be a list of 20 rows"))?;
    let current = object.get("current_player").and_then(Value::as_str);
    let current = current.ok_or_else(|| Error::state("the key \"current_player\" must be a colour"))?;
    let current: Color = current.parse().map_err(|e: Error| Error::state(e.to_string()))?;

    let mut state = State::new(game.players);
    state.tiles = read_board(board)?;
    for seat in 0..game.players {
        state.left[seat] = ALL_PIECES & !pieces_on_board(state.tiles[seat], Color::ALL[seat])?;
    }
    state.current = current.index() as u32;
    state.live = game.live(&state);
    validate(game, &state)?;

    let whole = state_to_json(game, &state);
    for (key, value) in object {
        match whole.get(key) {
            None => return Err(Error::state(format!("unknown key {key:?}"))),
            Some(expected) if expected != value => {
                return Err(Error::state(format!("{key} is {value}; the board says {expected}")));
            }
            Some(_) => {}
        }
    }
    Ok(state)
}

fn read_board(rows: &[Value]) -> Result<[TileSet; MAX_SEATS]> {
    if rows.len() != SIZE {
        return Err(Error::state(format!("the board has {} rows, not {SIZE}", rows.len())));
    }
    let mut tiles = [TileSet::EMPTY; MAX_SEATS];
    for (row, text) in rows.iter().rev().enumerate() {
        let text = text.as_str().unwrap_or_default();
        if text.chars().count() != SIZE {
            return Err(Error::state(format!("row {} of the board must be a text of {SIZE} tiles", row + 1)));
        }
        for (column, letter) in text.chars().enumerate() {
            let tile = Tile::from_index(row * SIZE + column);
            match Color::ALL.iter().find(|c| render::letter(Some(**c)) == letter) {
                Some(color) => tiles[color.index()].insert(tile),
                None if letter == render::letter(None) => {}
                None => {
                    return Err(Error::state(format!("{tile} is {letter:?}: use one of b, y, r, g and .")));
                }
            }
        }
    }
    Ok(tiles)
}
