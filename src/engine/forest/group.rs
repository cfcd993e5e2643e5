//! A group of trees with a common batch of leaves, searched by several threads.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::batch::layout;
use crate::batch::observer::Observer;
use crate::batch::part::{Divide, Part};
use crate::contract::Game;
use crate::contract::chance::SeededChance;
use crate::contract::rules::Rules;
use crate::contract::spec::{ActionId, MAX_PLAYERS};
use crate::contract::support::error::{Error, Result};
use crate::contract::support::memory::{self, vec_of};
use crate::dynamic::columns::{Columns, PlaceColumn, Rows, Widths, row_of};
use crate::dynamic::config::BatchConfig;
use crate::dynamic::interrupt::Interrupt;
use crate::dynamic::leaves::{LegalActions, Logits};
use crate::dynamic::tree_search::{Evaluator, SharedEvaluator, ValueForm};
use crate::forest::trees_of_task::Trees;
use crate::search::builtin_evaluator::BuiltinEvaluator;
use crate::search::context::SearchContext;
use crate::search::game_tree::{GameTree, SearchRoot, TreeReuse};
use crate::search::scratch::Scratch;
use crate::search::tree::TREE;
use crate::threads::Threads;

/// Trees that one task searches: enough to hide the cost of a task, few enough for the tasks to balance the load of the
/// threads (work stealing).
const CHUNK: usize = 32;

/// How the trees of a call find their roots.
#[derive(Clone, Copy)]
pub(super) enum Rooting<'a> {
    Afresh,
    /// After these actions of the old roots, one per tree.
    After(&'a [ActionId]),
    /// Wherever the tree has met the position; trees without a position keep their nodes.
    Following,
}

impl Rooting<'_> {
    /// The part of tree `number` that stays.
    fn reuse(self, number: usize) -> TreeReuse {
        match self {
            Self::Afresh => TreeReuse::Nothing,
            Self::After(actions) => TreeReuse::After(actions[number]),
            Self::Following => TreeReuse::Found,
        }
    }
}

/// A network's answer for the leaves of a group.
pub(super) struct LeafAnswers<'a> {
    pub(super) logits: Logits<'a>,
    pub(super) values: &'a [f32],
}

/// Trees with a common batch of leaves.
pub(super) struct Group<G: Game> {
    /// Number of the first tree.
    first: usize,
    pub(super) trees: Vec<GameTree<G>>,
    /// Unfinished trees, as indices into `trees`.
    active: Vec<u32>,
    /// First row of each active tree, and the end of the last one's rows.
    starts: Vec<u32>,
    pub(super) columns: Columns,
    observer: Arc<Observer>,
    pad: bool,
    /// Whether the leaves wait for their values.
    is_ready: bool,
    /// Whether a tree ran out of memory in the last descent.
    starved: bool,
    /// Whether the last start ran out of memory for some trees.
    half_started: bool,
    /// Number of rows filled by each active tree.
    found: Vec<u32>,
    /// Values of the leaves by seat, once known.
    values: Vec<[f64; MAX_PLAYERS]>,
    threads: Option<Arc<Threads>>,
}

/// Output rows for the leaves of the selected trees.
struct Leaves<'a> {
    /// Rows for each tree.
    each: usize,
    rows: Rows<'a>,
    /// Output: the number of rows filled by each tree. Empty for tasks that fill no rows.
    found: &'a mut [u32],
}

impl Divide for Leaves<'_> {
    fn divide(self, count: usize) -> (Self, Self) {
        let (left_rows, right_rows) = self.rows.split_at(count * self.each);
        let (left_found, right_found) = self.found.divide(count);
        (
            Self { each: self.each, rows: left_rows, found: left_found },
            Self { each: self.each, rows: right_rows, found: right_found },
        )
    }
}

/// A range of trees with an explicit selection of the trees to search.
type TreePart<'a, G> = Part<'a, &'a mut [GameTree<G>], Leaves<'a>>;

/// Software prefetching in two stages. The memory of a tree has left the caches since its last simulation, and the
/// tree's struct holds the addresses of its arrays. So during the search of one tree, the struct of the tree three
/// places ahead is prefetched, then the `arrays` of the tree two places ahead.
fn fetch_ahead<G: Game>(trees: &[GameTree<G>], first: usize, ids: &[u32], arrays: impl Fn(&GameTree<G>)) {
    if let Some(&id) = ids.get(3) {
        trees[id as usize - first].prefetch();
    }
    if let Some(&id) = ids.get(2) {
        arrays(&trees[id as usize - first]);
    }
}

impl<G: Game> Group<G> {
    /// Creates the trees of these numbers.
    pub(super) fn new(
        context: &SearchContext<G>,
        config: &BatchConfig,
        trees: Range<usize>,
        threads: Option<Arc<Threads>>,
    ) -> Result<Self> {
        let spec = Rules::spec(&*context.game);
        let of_batch = layout::widths(spec, config);
        let widths = Widths {
            observations: of_batch.observations,
            observations_f32: of_batch.observations_f32,
            mask_bits: of_batch.mask_bits,
            current_player: 1,
            tree: 1,
            ..Widths::default()
        };
        let count = trees.len();
        let rows = count * context.settings.leaves as usize;
        let mut all = vec_of(count, TREE)?;
        all.extend(trees.clone().map(|_| GameTree::new(context)));
        // Safety: the columns allocate their own memory.
        let columns = unsafe { Columns::placed(rows, widths, &mut |_, _, _| None) }?;
        memory::enough(rows.saturating_mul(widths.row_bytes()), "the rows of leaves")?;
        Ok(Self {
            first: trees.start,
            trees: all,
            active: vec_of(count, TREE)?,
            starts: vec_of(count + 1, TREE)?,
            columns,
            observer: Arc::new(Observer::new(spec, config)),
            pad: context.settings.pad,
            is_ready: false,
            starved: false,
            half_started: false,
            found: vec_of(count, TREE)?,
            values: vec_of(rows, TREE)?,
            threads,
        })
    }

    /// Moves the observations into memory returned by `place`. All other columns stay the engine's own: it reads them.
    ///
    /// # Safety
    /// As for [`Columns::placed`].
    pub(super) unsafe fn place_observations(&mut self, place: &mut PlaceColumn<'_>) -> Result<()> {
        let (rows, widths) = (self.columns.num_envs(), *self.columns.widths());
        // Safety: the caller vouches for the memory.
        self.columns = unsafe {
            Columns::placed(rows, widths, &mut |name, dtype, bytes| match name {
                "observations" | "observations_f32" => place(name, dtype, bytes),
                _ => None,
            })
        }?;
        Ok(())
    }

    /// Roots every tree at its `position`; a tree without a position stops or, if `rooting` follows, rests.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]: only some trees have their new roots. The same call can be repeated.
    pub(super) fn start<'p>(
        &mut self,
        context: &SearchContext<G>,
        position: &(dyn Fn(usize) -> Option<SearchRoot<'p, G::State>> + Sync),
        rooting: Rooting<'_>,
    ) -> Result<()> {
        self.active.clear();
        self.active.extend(0..self.trees.len() as u32);
        let (number, again) = (self.first, self.half_started);
        let failed = Mutex::new(None);
        self.run_tasks(CHUNK, 0, &mut [], &|part| {
            let Part { first, games: trees, ids, .. } = part;
            Scratch::lend(&*context.game, |scratch| {
                for &id in ids.unwrap_or_default() {
                    let (tree, number) = (&mut trees[id as usize - first], number + id as usize);
                    match position(number) {
                        Some(position) => {
                            let reuse = rooting.reuse(number);
                            if let Err(error) = tree.start(context, &position, reuse, again, scratch) {
                                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                            }
                        }
                        None if matches!(rooting, Rooting::Following) => tree.rest(),
                        None => tree.stop(),
                    }
                }
            });
        });
        self.active.retain(|&id| self.trees[id as usize].is_active());
        self.is_ready = false;
        let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.half_started = failed.is_some();
        failed.map_or(Ok(()), Err)
    }

    /// Reports once that trees ran out of memory. The trees keep all nodes that they had.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(super) fn check_starved(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.starved) {
            return Ok(());
        }
        let bytes = self.trees.iter().map(GameTree::bytes).sum();
        Err(Error::out_of_memory("search trees of twice the present size", bytes))
    }

    /// Runs `task` over the active trees.
    fn run_tasks(
        &mut self,
        grain: usize,
        leaves: usize,
        found: &mut [u32],
        task: &(dyn Fn(TreePart<'_, G>) + Sync),
    ) {
        let Self { trees, active, columns, threads, .. } = self;
        let selected = Leaves { each: leaves, rows: columns.rows(), found };
        let whole = Part {
            first: 0,
            len: trees.len(),
            selected_index: 0,
            ids: Some(active),
            games: &mut trees[..],
            selected,
        };
        whole.run(grain, threads.as_deref().filter(|_| active.len() > grain), task);
    }

    /// Whether leaves wait for their values, or the search is done.
    pub(super) fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// Number of waiting rows, including padding.
    pub(super) fn rows(&self) -> usize {
        match self.leaf_count() {
            0 => 0,
            _ if self.pad => self.columns.num_envs(),
            leaves => leaves,
        }
    }

    fn leaf_count(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// Descends every tree that needs more visits and writes its leaves.
    pub(super) fn descend(&mut self, context: &SearchContext<G>) {
        if self.is_ready {
            return;
        }
        let leaves = context.settings.leaves as usize;
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        found.resize(self.active.len(), 0);
        let (first, observer) = (self.first, self.observer.clone());
        self.run_tasks(CHUNK, leaves, &mut found, &|part| {
            let Part { first: start, games: trees, ids, selected: Leaves { mut rows, found, .. }, .. } = part;
            let ids = ids.unwrap_or_default();
            let widths = rows.widths;
            Scratch::lend(&*context.game, |scratch| {
                for (k, (&id, found)) in ids.iter().zip(found).enumerate() {
                    fetch_ahead(trees, start, &ids[k..], |tree| tree.prefetch_root(context));
                    let tree = &mut trees[id as usize - start];
                    for leaf in 0..leaves {
                        let row = k * leaves + leaf;
                        if !tree.descend(context, rows.mask_bits(row), scratch) {
                            break;
                        }
                        let (state, seat, _) = tree.leaf(leaf);
                        rows.current_player(row)[0] = seat as i32;
                        rows.tree(row)[0] = (first + id as usize) as i32;
                        let Rows { observations, observations_f32, .. } = &mut rows;
                        let bytes = row_of(observations, widths.observations, row);
                        let floats = row_of(observations_f32, widths.observations_f32, row);
                        observer.write(&*context.game, state, seat, bytes, floats);
                        *found = leaf as u32 + 1;
                    }
                }
            });
        });
        self.starved = self.active.iter().any(|&id| self.trees[id as usize].starved);
        self.close_gaps(leaves, &found);
        self.found = found;
        // If no tree has a leaf, the next call searches the trees that ran out of memory again.
        self.is_ready = self.leaf_count() > 0 || !self.starved;
    }

    /// Compacts the rows of leaves and drops the finished trees, which have none.
    fn close_gaps(&mut self, leaves: usize, found: &[u32]) {
        self.starts.clear();
        self.starts.push(0);
        let mut end = 0;
        for (k, &found) in found.iter().enumerate() {
            for row in (k * leaves..).take(found as usize) {
                if row != end {
                    self.columns.copy_row(row, end);
                }
                end += 1;
            }
            if found > 0 || self.trees[self.active[k] as usize].starved {
                self.starts.push(end as u32);
            }
        }
        let (mut found, trees) = (found.iter(), &self.trees);
        self.active.retain(|&id| found.next().is_some_and(|&found| found > 0) || trees[id as usize].starved);
        if self.pad {
            self.columns.tree[end..].fill(-1);
            let words = self.columns.widths().mask_bits;
            self.columns.mask_bits[end * words..].fill(0);
        }
    }

    /// The legal actions of the leaves that wait.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(super) fn legal_actions(&self) -> Result<LegalActions> {
        let leaves = self.active.iter().flat_map(|&id| {
            let tree = &self.trees[id as usize];
            (0..tree.in_flight()).map(|leaf| tree.leaf_actions(leaf).len())
        });
        let mut legal = LegalActions {
            offsets: vec_of(self.rows() + 1, "the legal actions of leaves")?,
            actions: vec_of(leaves.sum(), "the legal actions of leaves")?,
        };
        legal.offsets.push(0);
        for &id in &self.active {
            let tree = &self.trees[id as usize];
            for leaf in 0..tree.in_flight() {
                legal.actions.extend(tree.leaf_actions(leaf).iter().copied());
                legal.offsets.push(legal.actions.len() as i64);
            }
        }
        legal.offsets.resize(self.rows() + 1, legal.actions.len() as i64);
        Ok(legal)
    }

    /// The state of the leaf in a row and its tree's source of chance; `None` for padding.
    pub(super) fn leaf(
        &mut self,
        context: &SearchContext<G>,
        row: usize,
    ) -> Option<(G::State, SeededChance)> {
        // Trees without rows begin where the next one does.
        let place = self.starts.partition_point(|&start| start as usize <= row).checked_sub(1)?;
        let tree = &mut self.trees[*self.active.get(place)? as usize];
        let mut chance = tree.chance().clone();
        let (state, seat, is_root) = tree.leaf(row - self.starts[place] as usize);
        let state = if is_root { context.game.determinize(state, seat, &mut chance) } else { *state };
        Some((state, chance))
    }

    /// Adds `[rows, players]` to the rewards of the steps to the waiting leaves.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for a wrong shape and invalid numbers, [`Error::OutOfMemory`].
    pub(super) fn add_reward(&mut self, context: &SearchContext<G>, extra: &[f32]) -> Result<()> {
        let (rows, players) = (self.rows(), context.players);
        if extra.len() != rows * players || extra.iter().any(|x| !x.is_finite()) {
            return Err(Error::config(format!(
                "add_reward: {} finite numbers are needed, one for each of {rows} leaves and {players} players",
                rows * players
            )));
        }
        for &id in &self.active {
            self.trees[id as usize].make_room_for_rewards()?;
        }
        let mut rows = extra.chunks_exact(players);
        for &id in &self.active {
            let tree = &mut self.trees[id as usize];
            for (leaf, extra) in (0..tree.in_flight()).zip(&mut rows) {
                tree.add_leaf_reward(leaf, extra);
            }
        }
        Ok(())
    }

    /// Stores priors and values of the waiting leaves; they wait for [`Self::back_up`].
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for wrong shapes and invalid numbers.
    pub(super) fn take_in(&mut self, context: &SearchContext<G>, answer: &LeafAnswers<'_>) -> Result<()> {
        let rows = self.rows();
        let actions = Rules::spec(&*context.game).num_actions as usize;
        let (values, width) = (answer.values, values_of_a_leaf(context));
        if values.len() != rows * width {
            return Err(Error::config(format!(
                "values: {} numbers were given, {rows} leaves with {width} each need {}",
                values.len(),
                rows * width
            )));
        }
        let leaves = self.leaf_count();
        if let Some(i) = values[..leaves * width].iter().position(|value| !value.is_finite()) {
            return Err(Error::config(format!(
                "values: {} for leaf {} is not a finite number",
                values[i],
                i / width
            )));
        }
        // Start of each leaf's logits.
        let mut offsets = vec_of(leaves, TREE)?;
        match answer.logits {
            Logits::All(logits) if logits.len() != rows * actions => {
                return Err(Error::config(format!(
                    "logits: {} numbers were given, {rows} leaves with {actions} actions need {}",
                    logits.len(),
                    rows * actions
                )));
            }
            Logits::Legal(logits) => {
                let mut end = 0;
                for &id in &self.active {
                    let tree = &self.trees[id as usize];
                    for leaf in 0..tree.in_flight() {
                        offsets.push(end);
                        end += tree.leaf_actions(leaf).len();
                    }
                }
                if logits.len() != end {
                    return Err(Error::config(format!(
                        "logits: {} numbers were given, the leaves have {end} legal actions",
                        logits.len()
                    )));
                }
            }
            _ => {}
        }
        if matches!(answer.logits, Logits::Uniform) {
            self.take_in_values(context, answer);
            return Ok(());
        }
        let starts = std::mem::take(&mut self.starts);
        let wrong = AtomicUsize::new(usize::MAX);
        self.run_tasks(CHUNK, 0, &mut [], &|part| {
            let Part { first, games: trees, ids, selected_index, .. } = part;
            let ids = ids.unwrap_or_default();
            for (k, &id) in ids.iter().enumerate() {
                let tree = &mut trees[id as usize - first];
                for (leaf, row) in
                    (starts[selected_index + k] as usize..starts[selected_index + k + 1] as usize).enumerate()
                {
                    let is_fit = match answer.logits {
                        Logits::All(logits) => {
                            tree.gather_leaf_priors(leaf, &logits[row * actions..(row + 1) * actions])
                        }
                        Logits::Legal(logits) => {
                            tree.set_leaf_priors(leaf, logits[offsets[row]..].iter().copied())
                        }
                        Logits::Uniform => true,
                    };
                    if !is_fit {
                        wrong.fetch_min(row, Ordering::Relaxed);
                    }
                }
            }
        });
        self.starts = starts;
        match wrong.into_inner() {
            usize::MAX => {}
            row => {
                // Restores the leaves' uniform priors.
                for &id in &self.active {
                    let tree = &mut self.trees[id as usize];
                    (0..tree.in_flight()).for_each(|leaf| tree.set_uniform_leaf_priors(leaf));
                }
                return Err(Error::config(format!(
                    "logits: those of leaf {row} are not numbers; every legal action needs one, at least one of them \
                     finite and none infinitely high"
                )));
            }
        }
        self.take_in_values(context, answer);
        Ok(())
    }

    /// Stores the values of the waiting leaves, by seat.
    fn take_in_values(&mut self, context: &SearchContext<G>, answer: &LeafAnswers<'_>) {
        let leaves = self.leaf_count();
        self.values.clear();
        let seats = self.columns.current_player.iter().take(leaves);
        let values = answer.values.chunks_exact(values_of_a_leaf(context)).zip(seats);
        self.values.extend(values.map(|(values, &seat)| values_by_seat(context, seat as usize, values)));
    }

    /// Backs up the values of the leaves to their roots.
    pub(super) fn back_up(&mut self, context: &SearchContext<G>) {
        let (starts, values) = (std::mem::take(&mut self.starts), std::mem::take(&mut self.values));
        self.run_tasks(CHUNK, 0, &mut [], &|part| {
            let Part { first, games: trees, ids, selected_index, .. } = part;
            let ids = ids.unwrap_or_default();
            for (k, &id) in ids.iter().enumerate() {
                fetch_ahead(trees, first, &ids[k..], GameTree::prefetch_path);
                let tree = &mut trees[id as usize - first];
                for (leaf, row) in
                    (starts[selected_index + k] as usize..starts[selected_index + k + 1] as usize).enumerate()
                {
                    tree.back_up_leaf(context, leaf, &mut values[row].clone());
                }
                tree.clear_in_flight();
            }
        });
        (self.starts, self.values) = (starts, values);
        self.is_ready = false;
    }

    /// Runs the search of every tree to the end with an evaluator that the threads share, or until `interrupt` is raised.
    ///
    /// # Errors
    /// The evaluator's, and as for [`Self::take_in`]; of several errors, that of the first tree.
    pub(super) fn run_shared(
        &mut self,
        context: &SearchContext<G>,
        evaluator: &SharedEvaluator<'_>,
        interrupt: &Interrupt,
    ) -> Result<()> {
        self.is_ready = false;
        self.starts.clear();
        let (trees, threads) =
            (self.active.len(), self.threads.as_ref().map_or(1, |threads| threads.count() + 1));
        // Four tasks per thread balance the load, and eight leaves are enough for a fast answer.
        let grain = trees.div_ceil(threads).min(trees.div_ceil(4 * threads).max(8)).max(1);
        let failed = Mutex::new(None);
        let observer = self.observer.clone();
        self.run_tasks(grain, 0, &mut [], &|part| {
            let Part { first, games, ids, .. } = part;
            let mut trees = Trees { games, first, ids: ids.unwrap_or_default() };
            if let Err(error) = trees.run(context, &observer, evaluator, interrupt) {
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.as_ref().is_none_or(|(before, _)| first < *before) {
                    *failed = Some((first, error));
                }
            }
        });
        self.starved = self.active.iter().any(|&id| self.trees[id as usize].starved);
        self.active.retain(|&id| !self.trees[id as usize].is_done(context));
        failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Runs the search of every tree to the end without a network, or until `interrupt` is raised.
    pub(super) fn run(&mut self, context: &SearchContext<G>, evaluator: Evaluator, interrupt: &Interrupt) {
        self.is_ready = false;
        self.starts.clear();
        let grain = if evaluator == Evaluator::Null { CHUNK } else { 1 };
        self.run_tasks(grain, 0, &mut [], &|part| {
            let Part { first, games: trees, ids, .. } = part;
            Scratch::lend(&*context.game, |scratch| {
                for &id in ids.unwrap_or_default() {
                    let tree = &mut trees[id as usize - first];
                    BuiltinEvaluator::new(context, evaluator).search(context, tree, scratch, interrupt);
                }
            });
        });
        self.starved = self.active.iter().any(|&id| self.trees[id as usize].starved);
        self.active.retain(|&id| !self.trees[id as usize].is_done(context));
    }
}

/// The number of values that a network gives for a leaf.
pub(super) fn values_of_a_leaf<G: Game>(context: &SearchContext<G>) -> usize {
    if context.settings.value == ValueForm::Seat { 1 } else { context.players }
}

/// The values of a network for a leaf, by seat; the current player's comes first.
pub(super) fn values_by_seat<G: Game>(
    context: &SearchContext<G>,
    seat: usize,
    values: &[f32],
) -> [f64; MAX_PLAYERS] {
    let mut by_seat = [0.0; MAX_PLAYERS];
    if context.settings.value == ValueForm::Seat {
        by_seat[..context.players].fill(-f64::from(values[0]));
        by_seat[seat] = values[0].into();
        return by_seat;
    }
    for (i, &value) in values.iter().enumerate() {
        by_seat[(seat + i) % values.len()] = value.into();
    }
    // Projection on zero-sum values, because networks predict the parts of a zero-sum game one by one.
    if context.is_zero_sum() {
        let by_seat = &mut by_seat[..values.len()];
        let mean = by_seat.iter().sum::<f64>() / values.len() as f64;
        by_seat.iter_mut().for_each(|value| *value -= mean);
    }
    by_seat
}
