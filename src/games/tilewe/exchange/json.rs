//! Positions as objects.

use serde_json::{Map, Value, json};

use ludovec_engine::{Error, Result};

use super::validate::{pieces_on_board, validate};
use crate::rules::pieces::{Color, Piece};
use crate::rules::placements::ALL_PIECES;
use crate::rules::ruleset::Ruleset;
use crate::rules::state::{MAX_COLORS, SINGLE_LAST, State};
use crate::rules::tiles::{SIZE, Tile, TileSet};
use crate::show::render;

/// The position in the original's terms. `board` lists the rows from the top: `.` is free, otherwise the first
/// letter of a colour. `current_player` is a colour, `scores` lists the points of the players.
///
/// Games with two colours for each player also have `color_scores`, games with bonuses `single_square_last`: the
/// colours with that bonus.
pub(crate) fn state_to_json(rules: &Ruleset, state: &State) -> Value {
    let players = rules.players;
    let colors = rules.palette();
    let left = |color: &Color| state.pieces_left(color.index()).map(Piece::name).collect::<Vec<_>>();
    let remaining: Map<String, Value> = colors.iter().map(|c| (c.name().into(), json!(left(c)))).collect();
    let can_play: Vec<_> = colors.iter().filter(|c| state.can_play(c.index())).map(|c| c.name()).collect();
    let mut json = json!({
        "players": players,
        "ply": rules.ply(state),
        "current_player": Color::ALL[state.current()].name(),
        "finished": state.finished(),
        "board": render::rows(rules, state).collect::<Vec<String>>(),
        "scores": (0..players).map(|seat| rules.score(state, seat)).collect::<Vec<_>>(),
        "can_play": can_play,
        "remaining_pieces": remaining,
    });
    if rules.shares_seats() {
        let scores = (0..rules.colors).map(|color| rules.color_score(state, color));
        json["color_scores"] = scores.collect::<Vec<_>>().into();
    }
    if rules.bonus {
        let last = colors.iter().filter(|c| state.left[c.index()] == SINGLE_LAST);
        json["single_square_last"] = last.map(|c| c.name()).collect::<Vec<_>>().into();
    }
    json
}

/// The position, all of it public, with additional information for `seat`: its colour (if it has two, the one that
/// it plays next), and the corners and blocked tiles of this colour.
pub(crate) fn observation_to_json(rules: &Ruleset, state: &State, seat: usize) -> Value {
    let names = |set: TileSet| set.iter().map(|t| t.to_string()).collect::<Vec<_>>();
    let color = rules.view(state, seat);
    let mut json = state_to_json(rules, state);
    json["player"] = json!(Color::ALL[color].name());
    let area = rules.area(state, color, state.occupied());
    json["player_corners"] = json!(names(area.corners));
    json["blocked"] = json!(names(area.blocked));
    json
}

/// Reads a position from `board` and `current_player`; all other keys are optional and must be consistent with
/// these two.
///
/// # Errors
/// [`Error::InvalidState`] names the problem.
pub(crate) fn state_from_json(rules: &Ruleset, json: &Value) -> Result<State> {
    let object = json.as_object().ok_or_else(|| Error::state("a position is an object"))?;
    let board = object.get("board").and_then(Value::as_array);
    let board = board
        .ok_or_else(|| Error::state(format!("the key \"board\" must be a list of {} rows", rules.side)))?;
    let current = object.get("current_player").and_then(Value::as_str);
    let current = current.ok_or_else(|| Error::state("the key \"current_player\" must be a colour"))?;
    let current: Color = current.parse().map_err(|e: Error| Error::state(e.to_string()))?;

    let mut state: State = rules.init();
    state.tiles = read_board(rules.side, board)?;
    let single_last = single_square_last(object)?;
    for (c, &color) in rules.palette().iter().enumerate() {
        let used = pieces_on_board(state.tiles[c], color)?;
        let all_with_bonus = rules.bonus && used == ALL_PIECES && single_last.contains(&color);
        state.left[c] = if all_with_bonus { SINGLE_LAST } else { ALL_PIECES & !used };
    }
    state.current = current.index() as u32;
    state.live = rules.live(&state);
    validate(rules, &state)?;

    let whole = state_to_json(rules, &state);
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

/// The colours that placed the single square last: none by default.
fn single_square_last(object: &Map<String, Value>) -> Result<Vec<Color>> {
    let wrong = || Error::state("the key \"single_square_last\" must be a list of colours");
    let names = match object.get("single_square_last") {
        None => return Ok(Vec::new()),
        Some(names) => names.as_array().ok_or_else(wrong)?,
    };
    let color = |name: &Value| name.as_str().and_then(|name| name.parse().ok()).ok_or_else(wrong);
    names.iter().map(color).collect()
}

fn read_board(side: usize, rows: &[Value]) -> Result<[TileSet; MAX_COLORS]> {
    if rows.len() != side {
        return Err(Error::state(format!("the board has {} rows, not {side}", rows.len())));
    }
    let mut tiles = [TileSet::EMPTY; MAX_COLORS];
    for (row, text) in rows.iter().rev().enumerate() {
        let text = text.as_str().unwrap_or_default();
        if text.chars().count() != side {
            return Err(Error::state(format!("row {} of the board must be a text of {side} tiles", row + 1)));
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
