//! The calls of a tree search. Each one takes the order of the trees and returns the next, so that XLA keeps the order
//! of calls.

use ludovec::engine::bytemuck::{NoUninit, Zeroable};
use ludovec::engine::{ActionId, Error, LegalActions, Logits};

use super::call_frame::{Buffer, Call};
use super::games::is_newest;
use super::said;
use crate::batch::BatchGames;
use crate::errors::CallError;
use crate::search::{RootedSearch, SharedTrees};

/// The attribute `call`.
const START: i64 = 0;
const ADVANCE: i64 = 1;
const SELECT: i64 = 2;
const EXPAND: i64 = 3;
const RESULTS: i64 = 4;

pub(super) fn answer(forest: &SharedTrees, call: &Call<'_>) -> Result<(), String> {
    forest.in_thread(|trees, games| answer_with(trees, games, call)).map_err(said)?
}

/// The outer error ends the search, the inner one is about the arguments.
fn answer_with(
    trees: &mut RootedSearch,
    games: &BatchGames,
    call: &Call<'_>,
) -> Result<Result<(), String>, CallError> {
    let Some(order) = call.argument(0).and_then(Buffer::integers).ok() else {
        return Ok(Err("an order is needed".into()));
    };
    let kind = call.number("call").unwrap_or(-1);
    if matches!(kind, START | ADVANCE) {
        if !is_newest(games, &order) {
            let error = "start: the games have moved on since this state: pass the newest one";
            return Err(Error::config(error).into());
        }
        return root(trees, games, call, kind == ADVANCE);
    }
    if order.first().is_none_or(|&order| order as u32 != trees.calls) {
        let error = "the search has moved on since these leaves: pass the newest ones";
        return Err(Error::config(error).into());
    }
    trees.check_rooted(games)?;
    match kind {
        SELECT => select(trees, call),
        EXPAND => expand(trees, call),
        RESULTS => {
            trees.check_done()?;
            results(trees, call)
        }
        _ => Ok(Err("unknown call of a search".into())),
    }
}

/// Roots the trees at the current positions, which with `advance` are those after the actions of the second argument.
fn root(
    trees: &mut RootedSearch,
    games: &BatchGames,
    call: &Call<'_>,
    advance: bool,
) -> Result<Result<(), String>, CallError> {
    if advance {
        let actions = match call.argument(1).and_then(Buffer::integers) {
            Ok(actions) => actions,
            Err(error) => return Ok(Err(error)),
        };
        let actions: Vec<ActionId> =
            actions.iter().map(|&action| i32::try_from(action).unwrap_or(-1) as ActionId).collect();
        trees.check_moved(games)?;
        trees.root(games, |search, env| search.advance(env, &actions))?;
    } else {
        trees.root(games, |search, env| search.start(env, None))?;
    }
    Ok(write_order(trees, call))
}

fn write_order(trees: &RootedSearch, call: &Call<'_>) -> Result<(), String> {
    call.result::<1>().and_then(|[order]| order.write("order", &[trees.calls]))
}

/// Results: the order, the number of leaves, and their observations, mask bits, players and trees, in as many rows as the
/// trees may have. Rows without a leaf have tree -1 and are otherwise 0.
fn select(trees: &mut RootedSearch, call: &Call<'_>) -> Result<Result<(), String>, CallError> {
    let leaves = trees.select()?;
    let show = || -> Result<(), String> {
        let [order, count, observations, bits, player, tree] = call.result::<6>()?;
        order.write("order", &[trees.calls])?;
        count.write("count", &[i32::try_from(leaves).map_err(|_| "too many leaves")?])?;
        let shown = trees.search.leaves();
        if shown.observations_f32.is_empty() {
            observations.write_padded("observation", shown.observations, 0)?;
        } else {
            observations.write_padded("observation", shown.observations_f32, 0.0)?;
        }
        bits.write_padded("action_mask_bits", shown.mask_bits, 0)?;
        player.write_padded("player", shown.current_player, 0)?;
        tree.write_padded("tree", shown.tree, -1)
    };
    Ok(show())
}

/// Arguments after the order: logits `[R, A]` and values `[R]` or `[R, P]`, of which the first rows are read. Result: the
/// order.
fn expand(trees: &mut RootedSearch, call: &Call<'_>) -> Result<Result<(), String>, CallError> {
    let leaves = trees.search.leaves();
    let (logits, values) = (leaves.rows * leaves.num_actions, leaves.rows * leaves.num_values);
    let read = |index, count, name: &str| {
        let all = call.argument(index)?.floats()?;
        all.get(..count)
            .ok_or_else(|| format!("{name}: {count} numbers are needed, {} were given", all.len()))
    };
    match (read(1, logits, "logits"), read(2, values, "values")) {
        (Ok(logits), Ok(values)) => {
            trees.expand(Logits::All(logits), values)?;
            Ok(write_order(trees, call))
        }
        (Err(error), _) | (_, Err(error)) => Ok(Err(error)),
    }
}

/// Results: the actions, and by action policy, visits and q; the values.
fn results(trees: &mut RootedSearch, call: &Call<'_>) -> Result<Result<(), String>, CallError> {
    let found = trees.search.results()?;
    let (rows, width) = (trees.search.num_trees(), trees.search.leaves().num_actions);
    let write = || -> Result<(), String> {
        let [actions, policy, visits, q, values] = call.result::<5>()?;
        actions.write("actions", &found.actions)?;
        policy.write("policy", &dense(&found.legal, &found.policy, rows, width))?;
        visits.write("visits", &dense(&found.legal, &found.visits, rows, width))?;
        q.write("q", &dense(&found.legal, &found.q, rows, width))?;
        values.write("values", &found.values)
    };
    Ok(write())
}

/// Rows of all actions, with 0 for illegal ones.
fn dense<T: NoUninit + Zeroable>(legal: &LegalActions, of_legal: &[T], rows: usize, width: usize) -> Vec<T> {
    let mut all = vec![T::zeroed(); rows * width];
    for (row, ends) in all.chunks_exact_mut(width).zip(legal.offsets.windows(2)) {
        let range = ends[0] as usize..ends[1] as usize;
        for (&action, &value) in legal.actions[range.clone()].iter().zip(&of_legal[range]) {
            row[action as usize] = value;
        }
    }
    all
}
