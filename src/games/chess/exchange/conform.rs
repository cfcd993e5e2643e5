//! Recordings of independent engines: leaf counts of many variants, games of variants, and games under the fourteen
//! options.

use std::io::BufRead;

use serde::Deserialize;
use serde_json::{Map, Value};

use ludovec_engine::chance::SeededChance;
use ludovec_engine::{ConformReport, Error, OptionValue, Options, Result, Rules as _, fnv1a};

use super::json::OUTCOMES;
use super::notation::square_names::{square_name, square_named};
use super::notation::{fen, recorded, uci};
use super::setup::Setup;
use crate::options;
use crate::rules::Chess;
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::position::{Large, MoveRules, Position, Small};
use crate::rules::history::NoHistory;
use crate::rules::perft::perft;
use crate::rules::state::{Reason, outcome};
use crate::rules::tables::Tables;
use crate::rules::variant;
use crate::rules::variant::schema::{Castling, CastlingRule, DoubleStep, Role, Variant};

/// One line of any kind of recording.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    /// Leaf counts by depth.
    Counts { variant: String, fen: String, counts: Map<String, Value> },
    /// A game of a variant.
    Played { variant: String, flags: Vec<String>, fen: String, plies: Vec<PlayedPly>, result: Option<String> },
    /// A game under some options.
    Game { flags: Vec<String>, plies: Vec<Ply> },
}

/// The number of legal moves of a position, the first eight digits of the hash over the boards after them, and the
/// move that was played.
type PlayedPly = (usize, String, String);

/// One position of a game.
#[derive(Deserialize)]
struct Ply {
    turn: String,
    board: String,
    unmoved: Vec<String>,
    moves: Vec<String>,
    played: Option<String>,
    end: Option<String>,
}

/// Replays recordings, one JSON object a line.
///
/// # Errors
/// [`Error::InvalidConfig`] for a line of an unknown kind.
pub(crate) fn conform(input: &mut dyn BufRead) -> Result<ConformReport> {
    let mut report = ConformReport::default();
    for (number, line) in input.lines().enumerate() {
        let at = |what: String| Error::config(format!("line {}: {what}", number + 1));
        let line = line.map_err(|e| at(e.to_string()))?;
        if line.trim().is_empty() {
            continue;
        }
        report.games += 1;
        match serde_json::from_str(&line).map_err(|e| at(format!("no recording of chess: {e}")))? {
            Line::Counts { variant, fen, counts } => {
                let counts = counts
                    .iter()
                    .map(|(depth, count)| Some((depth.parse().ok()?, count.as_u64()?)))
                    .collect::<Option<Vec<(u32, u64)>>>()
                    .ok_or_else(|| at("counts are depths with numbers".into()))?;
                for (depth, count) in counts {
                    let found =
                        perft(&variant, &[], Some(&fen), depth, 1).map_err(|e| at(e.to_string()))?.leaves;
                    report.positions += 1;
                    if found != count {
                        report.mismatch(|| {
                            format!("{variant}, {fen}, depth {depth}: {found} leaves, recorded {count}")
                        });
                    }
                }
            }
            Line::Played { variant, flags, fen, plies, result } => {
                let variant = variant::load(&variant, &flags).map_err(|e| at(e.to_string()))?;
                let played = if usize::from(variant.width) * usize::from(variant.height) <= 64 {
                    played::<Small>
                } else {
                    played::<Large>
                };
                played(number + 1, &variant, &fen, &plies, result.as_deref(), &mut report)
                    .map_err(|e| at(e.to_string()))?;
            }
            Line::Game { flags, plies } => {
                game(number + 1, &flags, &plies, &mut report).map_err(|e| at(e.to_string()))?
            }
        }
    }
    Ok(report)
}

/// Replays a game of a variant and compares the boards after its moves, and the result.
fn played<R: MoveRules>(
    number: usize,
    variant: &Variant,
    start: &str,
    plies: &[PlayedPly],
    result: Option<&str>,
    report: &mut ConformReport,
) -> Result<()> {
    let options: [(&str, OptionValue); 2] = [("fen", start.into()), ("max_plies", 10_000.into())];
    let tables = Box::new(Tables::<R::Bits>::compile(variant)?);
    let game = Chess::<R, NoHistory>::new(tables, &Options::parse(&options::list(), options)?)?;
    let mut state = game.init(&mut SeededChance::from_seed(0));
    let board = |position: &Position<R>| {
        let placement = fen::placement(variant, &Setup::of(&game.tables, position));
        placement.split('[').next().unwrap_or_default().to_string()
    };
    for (index, (count, hash, move_played)) in plies.iter().enumerate() {
        let wrong = |what: String| {
            let fen = fen::write(variant, &Setup::of(&game.tables, &state.position));
            format!("game {number} ({}), ply {index}, {fen}: {what}", variant.name)
        };
        report.positions += 1;
        if state.outcome != outcome::RUNNING {
            let reason = Reason::NAMES[usize::from(state.reason)];
            report.mismatch(|| wrong(format!("over by {reason}, recorded as running")));
            return Ok(());
        }
        let mut boards = Vec::new();
        state.position.visit_moves(&game.tables, &mut |mv| {
            let mut next = state.position;
            next.make_move(&game.tables, mv);
            boards.push(board(&next));
        });
        boards.sort();
        let found = format!("{:016x}", fnv1a(&boards))[..8].to_string();
        if (boards.len(), &found) != (*count, hash) {
            report.mismatch(|| {
                wrong(format!("{} moves hashed {found}, recorded {count} hashed {hash}", boards.len()))
            });
            return Ok(());
        }
        let Ok(mv) = uci::parse(&game.tables, &state.position, move_played) else {
            report.mismatch(|| wrong(format!("{move_played} was played and is not legal")));
            return Ok(());
        };
        game.advance(&mut state, mv);
    }
    let found = OUTCOMES[usize::from(state.outcome)];
    if let Some(result) = result
        && found != result
    {
        let fen = fen::write(variant, &Setup::of(&game.tables, &state.position));
        report.mismatch(|| {
            format!("game {number} ({}), {fen}: the result is {found}, recorded {result}", variant.name)
        });
    }
    Ok(())
}

/// The rules of the recorded games: castling of any unmoved king and rook in line, double steps of any unmoved
/// pawn, on any square.
fn recorded_rules(flags: &[String]) -> Result<Variant> {
    let mut variant = variant::load("chess", flags)?;
    let vertical = flags.iter().any(|f| f == "vertical_castling");
    variant.castling =
        variant.castling.map(|castling| Castling { rule: CastlingRule::TwoSquares { vertical }, ..castling });
    variant.pawn.double_step = DoubleStep::Unmoved;
    Ok(variant)
}

fn game(number: usize, flags: &[String], plies: &[Ply], report: &mut ConformReport) -> Result<()> {
    let tables = Box::new(Tables::<u64>::compile(&recorded_rules(flags)?)?);
    let variant = &tables.variant;
    let mut position: Option<Position<Small>> = None;
    for (index, ply) in plies.iter().enumerate() {
        let wrong = |what: String| {
            format!("game {number} ({}), ply {index}, {} {}: {what}", flags.join(","), ply.board, ply.turn)
        };
        let now = match position {
            Some(position) => position,
            None => read(&tables, ply)?,
        };
        let setup = Setup::of(&tables, &now);
        report.positions += 1;
        let board = fen::placement(variant, &setup);
        let board = board.split('[').next().unwrap_or_default().to_string();
        if board != ply.board || (now.turn == 1) != (ply.turn == "b") {
            report.mismatch(|| wrong(format!("the board is {board}")));
            return Ok(());
        }
        let asked = |kind: u8| {
            let piece = &variant.pieces[usize::from(kind)];
            piece.role == Role::Pawn || matches!(piece.letter, 'R' | 'K')
        };
        let mut unmoved: Vec<String> = now
            .unmoved
            .squares()
            .filter(|&c| now.kind_at(c).is_some_and(asked))
            .map(|c| square_name(variant, c))
            .collect();
        unmoved.sort();
        if unmoved != ply.unmoved {
            report.mismatch(|| wrong(format!("unmoved are {unmoved:?}, recorded {:?}", ply.unmoved)));
            return Ok(());
        }
        let mut moves = Vec::new();
        now.visit_moves(&tables, &mut |mv| moves.push((recorded::spell(&tables, &now, mv), mv)));
        moves.sort();
        moves.dedup_by(|a, b| a.0 == b.0);
        let spelled: Vec<&String> = moves.iter().map(|m| &m.0).collect();
        let recorded: Vec<&String> = ply.moves.iter().collect();
        if spelled != recorded {
            let missing: Vec<_> = recorded.iter().filter(|m| !spelled.contains(m)).collect();
            let extra: Vec<_> = spelled.iter().filter(|m| !recorded.contains(m)).collect();
            report.mismatch(|| wrong(format!("missing {missing:?}, too many {extra:?}")));
            return Ok(());
        }
        if let Some(end) = &ply.end {
            let found = match (now.can_move(&tables), now.checkers.any()) {
                (true, _) => "none",
                (false, true) => "checkmate",
                (false, false) => "stalemate",
            };
            if found != end {
                report.mismatch(|| wrong(format!("the end is {found}, recorded {end}")));
            }
            return Ok(());
        }
        let Some(played) = &ply.played else { return Ok(()) };
        let Some((_, mv)) = moves.iter().find(|(spelling, _)| spelling == played) else {
            report.mismatch(|| wrong(format!("{played} was played and is not legal")));
            return Ok(());
        };
        let mut next = now;
        next.make_move(&tables, *mv);
        position = Some(next);
    }
    Ok(())
}

/// The first position of a recorded game.
fn read(tables: &Tables<u64>, ply: &Ply) -> Result<Position<Small>> {
    let variant = &tables.variant;
    let mut setup = fen::parse(variant, &format!("{} {} - - 0 1", ply.board, ply.turn))?;
    let squares = ply.unmoved.iter().map(|name| square_named(variant, name));
    setup.unmoved =
        Some(squares.collect::<Option<_>>().ok_or_else(|| Error::config("a cell that does not exist"))?);
    setup.to_position(tables)
}
