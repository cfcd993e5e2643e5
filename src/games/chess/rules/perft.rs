//! Perft: counts the leaves of the game tree, the classic test of a move generator.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rayon::prelude::*;

use ludovec_engine::registry::{Counted, Perft};
use ludovec_engine::{Error, Result};

use super::board::moves::Move;
use super::board::position::{Large, MoveRules, Orthodox, Position, Small};
use super::movegen::generate::legal_moves;
use super::tables::Tables;
use super::variant;
use crate::exchange::notation::{fen, uci};

/// Counts the leaves below a position of a variant, without playing the last ply.
///
/// `variant` is a shipped name or the path of a file, `flags` are the options applied to it, `fen` is a position
/// (default: the start position). A finished game has no leaves below it; repetition and the limit of moves without
/// progress are ignored. `threads` is at least 1.
///
/// # Errors
/// [`Error::InvalidConfig`] for a variant that does not exist or compile, [`Error::InvalidState`] for an impossible
/// position.
pub fn perft(variant: &str, flags: &[&str], fen: Option<&str>, depth: u32, threads: usize) -> Result<Perft> {
    perft_shown(variant, flags, fen, depth, threads, &|_, _, _| ())
}

/// [`perft`] with progress reports.
pub(crate) fn perft_shown(
    variant: &str,
    flags: &[&str],
    fen: Option<&str>,
    depth: u32,
    threads: usize,
    counted: Counted<'_>,
) -> Result<Perft> {
    let variant = variant::load(variant, flags)?;
    let text = fen.unwrap_or(&variant.start);
    if usize::from(variant.width) * usize::from(variant.height) > 64 {
        return run::<Large>(&Box::new(Tables::compile(&variant)?), text, depth, threads, counted);
    }
    let tables = Box::new(Tables::compile(&variant)?);
    if tables.is_orthodox() {
        run::<Orthodox>(&tables, text, depth, threads, counted)
    } else {
        run::<Small>(&tables, text, depth, threads, counted)
    }
}

fn run<R: MoveRules>(
    tables: &Tables<R::Bits>,
    text: &str,
    depth: u32,
    threads: usize,
    counted: Counted<'_>,
) -> Result<Perft> {
    let position: Position<R> = fen::parse(&tables.variant, text)?.to_position(tables)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
    let pool = pool.map_err(|e| Error::config(format!("{threads} threads: {e}")))?;
    let start = Instant::now();
    if depth == 0 || position.ended_early(tables).is_some() {
        return Ok(Perft { leaves: u64::from(depth == 0), moves: Vec::new(), time: start.elapsed() });
    }
    let roots = legal_moves(tables, &position);
    let so_far = Mutex::new((0, 0));
    let below = |mv: &Move| {
        let mut next = position;
        next.make_move(tables, *mv);
        let found = leaves(tables, &next, depth - 1);
        let mut so_far = so_far.lock().unwrap_or_else(PoisonError::into_inner);
        *so_far = (so_far.0 + 1, so_far.1 + found);
        counted(so_far.0, roots.len(), so_far.1);
        (uci::write(tables, &position, *mv), found)
    };
    let moves: Vec<_> = pool.install(|| roots.par_iter().map(below).collect());
    Ok(Perft { leaves: moves.iter().map(|m| m.1).sum(), moves, time: start.elapsed() })
}

/// Leaves `depth` plies below `position`.
pub(crate) fn leaves<R: MoveRules>(tables: &Tables<R::Bits>, position: &Position<R>, depth: u32) -> u64 {
    if depth > 0 && !R::ORTHODOX && position.ended_early(tables).is_some() {
        return 0;
    }
    match depth {
        0 => 1,
        1 => position.count_moves(tables),
        _ => {
            let mut sum = 0;
            position.each_move(tables, |mv| {
                let mut next = *position;
                next.make_move(tables, mv);
                sum += leaves(tables, &next, depth - 1);
            });
            sum
        }
    }
}
