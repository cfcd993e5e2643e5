//! What the drawing shows beside the board, as text.

use std::fmt::Write;

use super::super::render::standing;
use super::{Grid, MARGIN, TOP};
use crate::rules::pieces::{Color, Piece, Rotation};
use crate::rules::ruleset::Ruleset;
use crate::rules::state::State;
use ludovec_engine::{Beside, Caption, Panel, PanelRow};

/// Side of a tile of a piece in the list.
const TILE: usize = 6;

/// The board with its coordinates, the pieces of the current colour and the colours beside it.
pub(crate) fn beside(rules: &Ruleset, state: &State, caption: Caption<'_>) -> Beside {
    let length = Grid::new(rules).length() as f64;
    let (left, top) = (MARGIN as f64 - 24.0, TOP as f64 - 4.0);
    let current = state.current();
    let pieces = state.pieces_left(current).map(|piece| PanelRow {
        outline: Some(outline(piece)),
        seat: Some(rules.seat(current)),
        ..PanelRow::new(piece.name()).meaning("piece", piece.name())
    });
    let colors = rules.palette().iter().map(|&color: &Color| {
        let c = color.index();
        let left = state.pieces_left(c).count();
        let now = match standing(state, c, caption) {
            "moves" => ", to move".to_string(),
            "" => String::new(),
            other => format!(", {other}"),
        };
        let name = &caption.names[rules.seat(c)];
        PanelRow::new(format!("{name}: {left} pieces left{now}"))
            .valued(rules.color_score(state, c))
            .of(rules.seat(c))
    });
    let title = format!("{}: pieces", caption.names[rules.seat(current)]);
    Beside {
        board: [left, top, length + MARGIN as f64 - 2.0, length + 28.0],
        panels: vec![Panel::new(title, pieces), Panel::new("Players", colors)],
    }
}

/// The tiles of a piece.
fn outline(piece: Piece) -> String {
    let shape = piece.shape(if piece == Piece::I5 { Rotation::East } else { Rotation::North });
    let mut squares = String::new();
    for tile in shape.tiles() {
        let (x, y) = (tile.column() * TILE, (shape.height() - 1 - tile.row()) * TILE);
        let _ = write!(squares, "M{x} {y}h{TILE}v{TILE}h-{TILE}z");
    }
    squares
}
