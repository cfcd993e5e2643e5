//! A group of trees whose leaves form one batch, and its search by several threads.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::batch::layout;
use crate::batch::observer::Observer;
use crate::batch::part::{Divide, Part};
use crate::contract::Game;
use crate::contract::error::{Error, Result};
use crate::contract::rules::Rules;
use crate::contract::spec::MAX_PLAYERS;
use crate::faces::columns::{Columns, Rows, Widths, row_of};
use crate::faces::config::BatchConfig;
use crate::faces::interrupt::Interrupt;
use crate::faces::tree_search::{Evaluator, LegalActions, Logits, ValueForm};
use crate::prefetch::prefetch;
use crate::search::evaluator::Judge;
use crate::search::game_tree::{GameTree, SearchRoot};
use crate::search::plan::Plan;
use crate::search::scratch::Scratch;
use crate::threads::Threads;

/// Trees that one task searches: enough to hide the cost of a task, few enough for the tasks to balance the load of the
/// threads (work stealing).
const CHUNK: usize = 32;

/// A network's answer for the leaves of a group.
pub(super) struct LeafAnswers<'a> {
    pub(super) logits: Logits<'a>,
    pub(super) values: &'a [f32],
    pub(super) form: ValueForm,
}

/// Trees whose leaves form one batch.
pub(super) struct Group<G: Game> {
    /// Number of the first tree.
    first: usize,
    pub(super) trees: Vec<GameTree<G>>,
    /// The trees that are not done, as positions in `trees`.
    active: Vec<u32>,
    /// Where the rows of each active tree begin, and the end of the last.
    starts: Vec<u32>,
    pub(super) columns: Columns,
    observer: Arc<Observer>,
    pad: bool,
    /// The leaves in the rows wait for their values.
    is_ready: bool,
    /// Rows that each active tree has filled.
    found: Vec<u32>,
    /// Values of the leaves by seat, once they are known.
    values: Vec<[f64; MAX_PLAYERS]>,
    threads: Option<Arc<Threads>>,
}

/// Where the leaves of the selected trees go.
struct Leaves<'a> {
    /// Rows for each tree.
    each: usize,
    rows: Rows<'a>,
    /// Where the number of rows that each tree has filled is written, for tasks that fill rows.
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

/// A run of trees; those to search are always listed.
type TreePart<'a, G> = Part<'a, &'a mut [GameTree<G>], Leaves<'a>>;

/// Software prefetching in three stages. The memory of a tree has left the caches since its last simulation, and its
/// first part holds the addresses of the other parts. So for each tree that is searched, the tree three places further
/// is prefetched itself, then two places further what it points to (`far`), then one place further what that points
/// to (`near`).
fn fetch_ahead<G: Game>(
    trees: &mut [GameTree<G>],
    first: usize,
    ids: &[u32],
    far: impl Fn(&GameTree<G>),
    near: impl Fn(&mut GameTree<G>),
) {
    if let Some(&id) = ids.get(3) {
        trees[id as usize - first].prefetch();
    }
    if let Some(&id) = ids.get(2) {
        far(&trees[id as usize - first]);
    }
    if let Some(&id) = ids.get(1) {
        near(&mut trees[id as usize - first]);
    }
}

impl<G: Game> Group<G> {
    /// The trees with these numbers.
    pub(super) fn new(
        plan: &Plan<G>,
        config: &BatchConfig,
        trees: Range<usize>,
        threads: Option<Arc<Threads>>,
    ) -> Self {
        let spec = Rules::spec(&*plan.game);
        let of_batch = layout::widths(spec, config);
        let widths = Widths {
            observations: of_batch.observations,
            observations_f32: of_batch.observations_f32,
            mask_bits: of_batch.mask_bits,
            current_player: 1,
            tree: 1,
            ..Widths::default()
        };
        let rows = trees.len() * plan.settings.leaves as usize;
        Self {
            first: trees.start,
            trees: trees.map(|_| GameTree::new(plan)).collect(),
            active: Vec::new(),
            starts: Vec::new(),
            columns: Columns::new(rows, widths),
            observer: Arc::new(Observer::new(spec, config)),
            pad: plan.settings.pad,
            is_ready: false,
            found: Vec::new(),
            values: Vec::new(),
            threads,
        }
    }

    /// Roots every tree at its `position`, after the action in `played`; a tree without one stops.
    pub(super) fn start<'p>(
        &mut self,
        plan: &Plan<G>,
        position: &(dyn Fn(usize) -> Option<SearchRoot<'p, G::State>> + Sync),
        played: Option<&[i32]>,
    ) {
        self.active.clear();
        self.active.extend(0..self.trees.len() as u32);
        let number = self.first;
        self.run_tasks(CHUNK, 0, &mut [], &|part| {
            let Part { first, games: trees, ids, .. } = part;
            Scratch::lend(&*plan.game, |scratch| {
                for &id in ids.unwrap_or_default() {
                    let (tree, number) = (&mut trees[id as usize - first], number + id as usize);
                    match position(number) {
                        Some(position) => {
                            let action = played.and_then(|actions| u32::try_from(actions[number]).ok());
                            tree.start(plan, &position, action, scratch);
                        }
                        None => tree.stop(),
                    }
                }
            });
        });
        self.active.retain(|&id| self.trees[id as usize].is_active());
        self.is_ready = false;
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
        let whole =
            Part { first: 0, len: trees.len(), rank: 0, ids: Some(active), games: &mut trees[..], selected };
        whole.run(grain, threads.as_deref().filter(|_| active.len() > grain), task);
    }

    /// Whether leaves wait for their values, or nothing is left to do.
    pub(super) fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// Rows that wait, padding included.
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

    /// Descends every tree that still needs visits and writes its leaves.
    pub(super) fn descend(&mut self, plan: &Plan<G>) {
        if self.is_ready {
            return;
        }
        let leaves = plan.settings.leaves as usize;
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        found.resize(self.active.len(), 0);
        let (first, observer) = (self.first, self.observer.clone());
        self.run_tasks(CHUNK, leaves, &mut found, &|part| {
            let Part { first: start, games: trees, ids, selected: Leaves { mut rows, found, .. }, .. } = part;
            let ids = ids.unwrap_or_default();
            let widths = rows.widths;
            Scratch::lend(&*plan.game, |scratch| {
                for (k, (&id, found)) in ids.iter().zip(found).enumerate() {
                    fetch_ahead(
                        trees,
                        start,
                        &ids[k..],
                        |tree| tree.prefetch_root(plan),
                        |tree| tree.begin_descent(plan),
                    );
                    if ids.len() > k + 1 {
                        prefetch(rows.observations((k + 1) * leaves).as_ptr(), widths.observations);
                    }
                    let tree = &mut trees[id as usize - start];
                    for leaf in 0..leaves {
                        let row = k * leaves + leaf;
                        if !tree.descend(plan, rows.mask_bits(row), scratch) {
                            break;
                        }
                        let (state, seat, _) = tree.leaf(leaf);
                        rows.current_player(row)[0] = seat as i32;
                        rows.tree(row)[0] = (first + id as usize) as i32;
                        let Rows { observations, observations_f32, .. } = &mut rows;
                        let bytes = row_of(observations, widths.observations, row);
                        let floats = row_of(observations_f32, widths.observations_f32, row);
                        observer.write(&*plan.game, state, seat, bytes, floats);
                        *found = leaf as u32 + 1;
                    }
                }
            });
        });
        self.close_gaps(leaves, &found);
        self.found = found;
        self.is_ready = true;
    }

    /// Moves rows so that those of leaves lie one after the other, and drops the trees that have none: they are done.
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
            if found > 0 {
                self.starts.push(end as u32);
            }
        }
        let mut found = found.iter();
        self.active.retain(|_| found.next().is_some_and(|&found| found > 0));
        if self.pad {
            self.columns.tree[end..].fill(-1);
            let words = self.columns.widths().mask_bits;
            self.columns.mask_bits[end * words..].fill(0);
        }
    }

    /// The legal actions of the leaves that wait.
    pub(super) fn legal_actions(&self) -> LegalActions {
        let mut legal = LegalActions { offsets: vec![0], actions: Vec::new() };
        for &id in &self.active {
            let tree = &self.trees[id as usize];
            for leaf in 0..tree.in_flight() {
                legal.actions.extend(tree.leaf_actions(leaf).iter().map(|&action| action as i32));
                legal.offsets.push(legal.actions.len() as i64);
            }
        }
        legal.offsets.resize(self.rows() + 1, legal.actions.len() as i64);
        legal
    }

    /// Takes in priors and values of the leaves that wait, which wait on.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for wrong shapes and what is not a number.
    pub(super) fn take_in(&mut self, plan: &Plan<G>, answer: &LeafAnswers<'_>) -> Result<()> {
        let rows = self.rows();
        let actions = Rules::spec(&*plan.game).num_actions as usize;
        let (values, width) = (answer.values, if answer.form == ValueForm::Seat { 1 } else { plan.players });
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
                "values: {} for leaf {} is no finite number",
                values[i],
                i / width
            )));
        }
        // Where the logits of each leaf begin.
        let mut offsets = Vec::new();
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
            self.take_in_values(plan, answer);
            return Ok(());
        }
        let starts = std::mem::take(&mut self.starts);
        let wrong = AtomicUsize::new(usize::MAX);
        self.run_tasks(CHUNK, 0, &mut [], &|part| {
            let Part { first, games: trees, ids, rank, .. } = part;
            let ids = ids.unwrap_or_default();
            for (k, &id) in ids.iter().enumerate() {
                let tree = &mut trees[id as usize - first];
                for (leaf, row) in (starts[rank + k] as usize..starts[rank + k + 1] as usize).enumerate() {
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
                // Restores the uniform priors that the leaves had before.
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
        self.take_in_values(plan, answer);
        Ok(())
    }

    /// Takes in the values of the leaves that wait, by seat.
    fn take_in_values(&mut self, plan: &Plan<G>, answer: &LeafAnswers<'_>) {
        let (values, width) = (answer.values, if answer.form == ValueForm::Seat { 1 } else { plan.players });
        let leaves = self.leaf_count();
        self.values.clear();
        for row in 0..leaves {
            let seat = self.columns.current_player[row] as usize;
            let mut by_seat = [0.0; MAX_PLAYERS];
            match answer.form {
                ValueForm::Seat => {
                    by_seat[..plan.players].fill(-f64::from(values[row]));
                    by_seat[seat] = values[row].into();
                }
                ValueForm::Seats => {
                    for (i, &value) in values[row * width..(row + 1) * width].iter().enumerate() {
                        by_seat[(seat + i) % width] = value.into();
                    }
                }
            }
            self.values.push(by_seat);
        }
    }

    /// Takes the values of the leaves up to their roots.
    pub(super) fn back_up(&mut self, plan: &Plan<G>) {
        let (starts, values) = (std::mem::take(&mut self.starts), std::mem::take(&mut self.values));
        self.run_tasks(CHUNK, 0, &mut [], &|part| {
            let Part { first, games: trees, ids, rank, .. } = part;
            let ids = ids.unwrap_or_default();
            for (k, &id) in ids.iter().enumerate() {
                fetch_ahead(trees, first, &ids[k..], GameTree::prefetch_path, |tree| tree.prefetch_leaf());
                let tree = &mut trees[id as usize - first];
                for (leaf, row) in (starts[rank + k] as usize..starts[rank + k + 1] as usize).enumerate() {
                    tree.back_up_leaf(plan, leaf, &mut values[row].clone());
                }
                tree.clear_in_flight();
            }
        });
        (self.starts, self.values) = (starts, values);
        self.is_ready = false;
    }

    /// Searches every tree to the end without a network, or until `interrupt` is raised.
    pub(super) fn run(&mut self, plan: &Plan<G>, evaluator: Evaluator, interrupt: &Interrupt) {
        self.is_ready = false;
        self.starts.clear();
        let grain = if evaluator == Evaluator::Null { CHUNK } else { 1 };
        self.run_tasks(grain, 0, &mut [], &|part| {
            let Part { first, games: trees, ids, .. } = part;
            Scratch::lend(&*plan.game, |scratch| {
                for &id in ids.unwrap_or_default() {
                    let tree = &mut trees[id as usize - first];
                    Judge::new(plan, evaluator).search(plan, tree, scratch, interrupt);
                }
            });
        });
        self.active.retain(|&id| !self.trees[id as usize].is_done(plan));
    }
}
