//! Counting the leaves of the game tree: the oldest test of a move generator.

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use super::generate::Sink;
use super::options::start;
use super::position::{Large, Plain, Position, Rules, Small};
use super::sinks::{Count, Each};
use super::tables::Tables;
use super::variant::{self, schema::Variant};
use crate::engine::{Error, Options, Result};

/// Leaves `depth` plies below where games under `options` start, counted on `threads` threads.
///
/// # Errors
/// [`Error::InvalidConfig`] for options that name no variant or no single start.
pub(super) fn count(options: &Options, depth: u32, threads: usize) -> Result<u64> {
    let variant = variant::load(options.text("variant").unwrap_or("chess"), options.flags("flags"))?;
    if usize::from(variant.width) * usize::from(variant.height) > 64 {
        return below_start::<Large>(&Tables::compile(&variant)?, &variant, options, depth, threads);
    }
    let tables = Tables::compile(&variant)?;
    if tables.is_plain() {
        below_start::<Plain>(&tables, &variant, options, depth, threads)
    } else {
        below_start::<Small>(&tables, &variant, options, depth, threads)
    }
}

fn below_start<R: Rules>(
    tables: &Tables<R::Bits>,
    variant: &Variant,
    options: &Options,
    depth: u32,
    threads: usize,
) -> Result<u64> {
    let setup = start(variant, options)?
        .ok_or_else(|| Error::config("Chess960 has 960 start positions: name one with number960 or fen"))?;
    let position: Position<R> = setup.to_position(tables)?;
    if threads < 2 || depth < 3 || (!R::PLAIN && position.ended_early(tables).is_some()) {
        return Ok(perft(tables, &position, depth));
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| Error::config(format!("threads={threads}: {e}")))?;
    let mut next = Vec::new();
    position.each_move(tables, |mv| {
        let mut after = position;
        after.play(tables, mv);
        next.push(after);
    });
    Ok(pool.install(|| next.par_iter().map(|after| perft(tables, after, depth - 1)).sum()))
}

/// Leaves `depth` plies below `position`; the last ply is counted without being played.
pub(super) fn perft<R: Rules>(tables: &Tables<R::Bits>, position: &Position<R>, depth: u32) -> u64 {
    if depth > 0 && !R::PLAIN && position.ended_early(tables).is_some() {
        return 0;
    }
    match depth {
        0 => 1,
        1 => position.count_moves(tables),
        _ => {
            let mut leaves = 0;
            position.each_move(tables, |mv| {
                let mut next = *position;
                next.play(tables, mv);
                leaves += perft(tables, &next, depth - 1);
            });
            leaves
        }
    }
}

impl<R: Rules> Position<R> {
    /// How many legal moves there are.
    #[inline]
    pub(super) fn count_moves(&self, tables: &Tables<R::Bits>) -> u64 {
        let choices = if R::PLAIN { 4 } else { u64::from(self.open_choices(tables).count_ones()) };
        let mut count = Count { moves: 0, choices };
        self.pour(tables, &mut count);
        count.moves
    }

    /// Calls `call` with every legal move.
    #[inline]
    pub(super) fn each_move(&self, tables: &Tables<R::Bits>, call: impl FnMut(super::Move)) {
        self.pour(tables, &mut Each { position: self, tables, call });
    }

    /// Hands every legal move to `sink`, whatever the variant.
    #[inline]
    pub(super) fn pour<S: Sink<R::Bits>>(&self, tables: &Tables<R::Bits>, sink: &mut S) {
        if R::PLAIN || tables.pins {
            self.generate(tables, sink);
        } else {
            self.generate_by_trial(tables, sink);
        }
    }
}
