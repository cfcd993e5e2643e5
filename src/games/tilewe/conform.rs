//! Replays recorded games of the reference engine, one JSON object per line.

use std::io::BufRead;

use serde::Deserialize;

use ludovec_engine::{ConformReport, Error, Result, fnv1a};

use super::board::Board;
use super::moves::Move;

/// A recorded game.
#[derive(Deserialize)]
struct Recording {
    players: usize,
    plies: Vec<Ply>,
    scores: Vec<usize>,
}

/// A position and the move made in it.
#[derive(Deserialize)]
struct Ply {
    player: usize,
    /// The number of legal spellings.
    legal: usize,
    /// Hash of the legal spellings in bytewise order, each followed by a line feed.
    fnv1a: String,
    corners: usize,
    pieces: usize,
    /// All legal spellings.
    moves: Option<Vec<String>>,
    played: String,
}

/// Compares all figures of the recordings.
pub(super) fn conform(lines: &mut dyn BufRead) -> Result<ConformReport> {
    let mut report = ConformReport::default();
    for (number, line) in lines.lines().enumerate() {
        let line_error = |e: &dyn std::fmt::Display| Error::config(format!("line {}: {e}", number + 1));
        let line = line.map_err(|e| line_error(&e))?;
        if line.trim().is_empty() {
            continue;
        }
        let recording: Recording = serde_json::from_str(&line).map_err(|e| line_error(&e))?;
        let mut board = Board::new(recording.players).map_err(|e| line_error(&e))?;
        report.games += 1;
        if let Err(difference) = replay(&recording, &mut board, &mut report.positions) {
            report.mismatch(|| format!("line {}, ply {}: {difference}", number + 1, board.ply()));
        }
    }
    Ok(report)
}

/// Replays one game up to the first difference.
fn replay(recording: &Recording, board: &mut Board, positions: &mut u64) -> Result<(), String> {
    for ply in &recording.plies {
        *positions += 1;
        compare(ply, board)?;
        let played: Move = ply.played.parse().map_err(|e: Error| e.to_string())?;
        board.push(played).map_err(|e| format!("{played} was played: {e}"))?;
    }
    *positions += 1;
    equal("finished", &board.finished(), &true)?;
    equal("scores", &board.scores(), &recording.scores)
}

fn compare(ply: &Ply, board: &Board) -> Result<(), String> {
    let player = board.current_player();
    equal("player", &player.index(), &ply.player)?;
    equal("corners", &board.n_player_corners(player), &ply.corners)?;
    equal("pieces", &board.n_remaining_pieces(player), &ply.pieces)?;
    let mut moves: Vec<String> = board.generate_legal_moves(None).iter().map(Move::to_string).collect();
    moves.sort();
    if let Some(recorded) = &ply.moves {
        let mut recorded = recorded.clone();
        recorded.sort();
        if let Some(m) = recorded.iter().find(|m| moves.binary_search(m).is_err()) {
            return Err(format!("{m} is recorded as legal"));
        }
        if let Some(m) = moves.iter().find(|m| recorded.binary_search(m).is_err()) {
            return Err(format!("{m} is not recorded as legal"));
        }
    }
    equal("legal", &board.n_legal_moves(None), &ply.legal)?;
    equal("fnv1a", &format!("{:016x}", fnv1a(&moves)), &ply.fnv1a)
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, ours: &T, recorded: &T) -> Result<(), String> {
    if ours == recorded { Ok(()) } else { Err(format!("{what} is {ours:?}, recorded is {recorded:?}")) }
}
