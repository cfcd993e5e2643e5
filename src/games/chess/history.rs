//! Past positions for observations that show them.

use std::fmt::Debug;

use bytemuck::{Pod, Zeroable};
use serde_json::{Value, json};

use super::bits::Bitboard;
use super::moves::Move;
use super::position::{Position, Rules};
use super::variant::schema::Cell;

/// What a state keeps of past positions besides their keys.
pub trait History: Pod + Debug + PartialEq + Send + Sync {
    /// Whether it keeps anything.
    const KEPT: bool;
    /// The history of a game that starts from `position`.
    fn new<R: Rules>(position: &Position<R>) -> Self;
    /// Adds `position`, which the move led to and which has occurred `occurrences` times.
    fn push<R: Rules>(&mut self, position: &Position<R>, mv: Move, occurrences: u8);
    /// It as JSON, if there is anything.
    fn to_json(&self) -> Option<Value>;
    /// What [`History::to_json`] wrote.
    fn from_json(json: &Value) -> Option<Self>;
    /// Whether it is a history of `position`.
    fn is_valid<R: Rules>(&self, position: &Position<R>) -> bool;
}

/// Nothing.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct NoHistory;

impl History for NoHistory {
    const KEPT: bool = false;
    fn new<R: Rules>(_: &Position<R>) -> Self {
        Self
    }
    #[inline]
    fn push<R: Rules>(&mut self, _: &Position<R>, _: Move, _: u8) {}
    fn to_json(&self) -> Option<Value> {
        None
    }
    fn from_json(_: &Value) -> Option<Self> {
        None
    }
    fn is_valid<R: Rules>(&self, _: &Position<R>) -> bool {
        true
    }
}

/// The last eight boards of orthodox chess.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Boards {
    /// By cell, four bits a board, the latest lowest: 0 for empty, 1 to 6 for white's kinds, 9 to 14 for
    /// black's.
    pub(super) cells: [u32; 64],
    /// Bit `t`: the board of `t` plies ago had occurred before.
    pub(super) repeated: u8,
    /// Zero.
    padding: [u8; 7],
}

/// What [`Boards`] notes for a cell.
pub(super) fn code<R: Rules>(position: &Position<R>, cell: Cell) -> u32 {
    let Some(kind) = position.kind_at(cell) else { return 0 };
    let black = position.colours[1].has(cell);
    u32::from(kind) + 1 + if black { 8 } else { 0 }
}

impl History for Boards {
    const KEPT: bool = true;

    fn new<R: Rules>(position: &Position<R>) -> Self {
        let mut boards = Self::zeroed();
        for cell in 0..64 {
            boards.cells[usize::from(cell)] = code(position, cell);
        }
        boards
    }

    #[inline]
    fn push<R: Rules>(&mut self, position: &Position<R>, mv: Move, occurrences: u8) {
        for cell in &mut self.cells {
            *cell = *cell << 4 | *cell & 15;
        }
        // A move changes its two cells, castling and en passant others of the same ranks too: the rank
        // of departure holds them all.
        let mut renew = |cell: Cell| {
            let noted = &mut self.cells[usize::from(cell) % 64];
            *noted = *noted & !15 | code(position, cell);
        };
        renew(mv.from);
        renew(mv.to);
        match mv.what {
            super::MoveKind::Castle => (0..8).for_each(|file| renew((mv.from & !7) | file)),
            super::MoveKind::EnPassant => renew((mv.from & !7) | (mv.to & 7)),
            _ => {}
        }
        self.repeated = self.repeated << 1 | u8::from(occurrences > 1);
    }

    fn to_json(&self) -> Option<Value> {
        let boards: Vec<String> = (0..8)
            .map(|t| self.cells.iter().map(|c| LETTERS[(c >> (4 * t) & 15) as usize]).collect())
            .collect();
        Some(json!({ "boards": boards, "repeated": self.repeated }))
    }

    fn from_json(json: &Value) -> Option<Self> {
        let mut history = Self::zeroed();
        let boards = json.get("boards")?.as_array().filter(|boards| boards.len() == 8)?;
        for (t, board) in boards.iter().enumerate() {
            let letters = board.as_str().filter(|letters| letters.len() == 64)?;
            for (cell, letter) in history.cells.iter_mut().zip(letters.chars()) {
                *cell |= (LETTERS.iter().position(|&l| l == letter)? as u32) << (4 * t);
            }
        }
        history.repeated = u8::try_from(json.get("repeated")?.as_u64()?).ok()?;
        Some(history)
    }

    fn is_valid<R: Rules>(&self, position: &Position<R>) -> bool {
        let known = |cell: &u32| (0..8).all(|t| ![7, 8, 15].contains(&(cell >> (4 * t) & 15)));
        self.padding == [0; 7]
            && self.cells.iter().all(known)
            && (0..64).all(|cell| self.cells[usize::from(cell)] & 15 == code(position, cell))
    }
}

/// The letters of FEN by code, a1 to h8 in JSON; `.` for empty.
const LETTERS: [char; 16] = ['.', 'P', 'N', 'B', 'R', 'Q', 'K', ' ', ' ', 'p', 'n', 'b', 'r', 'q', 'k', ' '];
