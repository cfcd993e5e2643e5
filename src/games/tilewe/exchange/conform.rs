//! Replays recorded games, one JSON object per line: of the reference engine in its notation, or of other Blokus
//! engines as lists of tiles.

use std::collections::BTreeMap;
use std::io::BufRead;

use serde::Deserialize;
use serde_json::Value;

use ludovec_engine::{ConformReport, Error, OptionValue, Result, fnv1a};

use super::notation;
use crate::objects::board::Board;
use crate::objects::moves::Move;

/// A recorded game of another Blokus engine.
#[derive(Deserialize)]
struct TileRecording {
    /// The engine and its version.
    #[allow(dead_code, reason = "for readers of the file")]
    source: String,
    options: BTreeMap<String, OptionValue>,
    /// The tiles of each placement.
    played: Vec<String>,
    /// The number of legal placements before each.
    legal: Vec<usize>,
    /// The sum over all plies, counted from 1, of the ply times the hashes of all legal placements.
    digest: String,
    /// The final scores,
    scores: Option<Vec<usize>>,
    /// or the first player's points minus the second's.
    lead: Option<i64>,
}

/// A recorded game of the reference engine.
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
pub(crate) fn conform(lines: &mut dyn BufRead) -> Result<ConformReport> {
    let mut report = ConformReport::default();
    for (number, line) in lines.lines().enumerate() {
        let line_error = |e: &dyn std::fmt::Display| Error::config(format!("line {}: {e}", number + 1));
        let line = line.map_err(|e| line_error(&e))?;
        if line.trim().is_empty() {
            continue;
        }
        let recording: Value = serde_json::from_str(&line).map_err(|e| line_error(&e))?;
        let (board, replayed) = if recording.get("played").is_some() {
            let recording: TileRecording = serde_json::from_value(recording).map_err(|e| line_error(&e))?;
            let given = recording.options.iter().map(|(key, value)| (key, value.clone()));
            let mut board = Board::with_options(given).map_err(|e| line_error(&e))?;
            let replayed = replay_tiles(&recording, &mut board, &mut report.positions);
            (board, replayed)
        } else {
            let recording: Recording = serde_json::from_value(recording).map_err(|e| line_error(&e))?;
            let mut board = Board::new(recording.players).map_err(|e| line_error(&e))?;
            let replayed = replay(&recording, &mut board, &mut report.positions);
            (board, replayed)
        };
        report.games += 1;
        if let Err(difference) = replayed {
            report.mismatch(|| format!("line {}, ply {}: {difference}", number + 1, board.ply()));
        }
    }
    Ok(report)
}

/// Replays a game of another Blokus engine up to the first difference.
fn replay_tiles(recording: &TileRecording, board: &mut Board, positions: &mut u64) -> Result<(), String> {
    let rules = board.rules().clone();
    let hash = |placement| fnv1a(&[notation::tiles_text(placement)]);
    let mut digest = 0u64;
    equal("the number of lists", &recording.legal.len(), &recording.played.len())?;
    for (ply, (played, legal)) in recording.played.iter().zip(&recording.legal).enumerate() {
        *positions += 1;
        let color = board.current_player();
        let placements = rules.placements_for(board.state(), color.index());
        equal("legal", &placements.len(), legal)?;
        let sum = placements.iter().fold(0u64, |sum, &placement| sum.wrapping_add(hash(placement)));
        digest = digest.wrapping_add(sum.wrapping_mul(ply as u64 + 1));
        let placement = notation::from_tiles(&rules, played).map_err(|e| e.to_string())?;
        let corners = rules.corners(board.state(), color.index());
        let spelled = placement.moves(corners).next().ok_or("a shape without contacts")?;
        board.push(spelled).map_err(|e| format!("{played} was played: {e}"))?;
    }
    *positions += 1;
    equal("finished", &board.finished(), &true)?;
    equal("digest", &format!("{digest:016x}"), &recording.digest)?;
    let scores = board.scores();
    match (&recording.scores, recording.lead) {
        (Some(recorded), None) => equal("scores", &scores, recorded),
        (None, Some(lead)) if scores.len() == 2 => {
            equal("lead", &(scores[0] as i64 - scores[1] as i64), &lead)
        }
        _ => Err("either scores or, in games of two players, a lead is recorded".into()),
    }
}

/// Replays a game of the reference engine up to the first difference.
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
