//! The leaves of a tree search: what an evaluator reads, and what it answers.

use std::sync::Arc;

use crate::contract::mask;
use crate::contract::spec::ActionId;
use crate::contract::support::error::Result;
use crate::dynamic::columns::{ColumnInfo, Columns, Owner};

/// The action logits of a network.
///
/// ```
/// use ludovec_engine::Logits;
/// let row = [0.5, -1.0];
/// assert!(matches!(Logits::All(&row), Logits::All([_, _])));
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Logits<'a> {
    /// One logit per action index: `[rows, A]`. Logits of illegal actions are ignored.
    All(&'a [f32]),
    /// One logit per legal action, in the order of [`LegalActions`].
    Legal(&'a [f32]),
    /// The same logit for all actions.
    Uniform,
}

/// Legal actions of several positions, concatenated, in increasing order within a position.
///
/// ```
/// use ludovec_engine::LegalActions;
/// let legal = LegalActions { offsets: vec![0, 2, 3], actions: vec![1, 4, 0] };
/// let second = legal.offsets[1] as usize..legal.offsets[2] as usize;
/// assert_eq!(legal.actions[second], [0]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LegalActions {
    /// `[n + 1]`: the actions of position `i` are `actions[offsets[i]..offsets[i + 1]]`.
    pub offsets: Vec<i64>,
    /// `[total]`
    pub actions: Vec<ActionId>,
}

/// Leaves that wait for an evaluation, one row each.
///
/// Rows of padding, which [`SearchSettings::pad`](crate::SearchSettings::pad) adds at the end, have tree -1; their
/// answers are ignored.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Leaves<'a> {
    /// Number of rows.
    pub rows: usize,
    /// Number of action indices, the logits of a row.
    pub num_actions: usize,
    /// Number of values of a row: 1 with [`ValueForm::Seat`](crate::ValueForm::Seat), otherwise one per player.
    pub num_values: usize,
    /// `[rows, observation]`: observations of the current players, as bytes or packed.
    pub observations: &'a [u8],
    /// The same as floats, if the batch has them.
    pub observations_f32: &'a [f32],
    /// `[rows, ceil(A/64)]`: legal actions as bits.
    pub mask_bits: &'a [u64],
    /// `[rows]`: current players.
    pub current_player: &'a [i32],
    /// `[rows]`: the tree of each leaf.
    pub tree: &'a [i32],
}

impl<'a> Leaves<'a> {
    /// The observation of a row.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn observation(&self, row: usize) -> &'a [u8] {
        row_of(self.observations, self.rows, row)
    }
    /// The legal actions of a row in increasing order.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn legal_actions(&self, row: usize) -> impl Iterator<Item = ActionId> + 'a {
        mask::iter(row_of(self.mask_bits, self.rows, row))
    }
}

/// Row `row` of `rows` rows.
fn row_of<T>(all: &[T], rows: usize, row: usize) -> &[T] {
    assert!(row < rows, "row {row}: there are {rows}");
    let width = all.len() / rows;
    &all[row * width..][..width]
}

/// The answers of an evaluator, all 0 before it writes.
#[derive(Debug)]
#[non_exhaustive]
pub struct LeafAnswers<'a> {
    /// `[rows, num_actions]`: a logit for every action; illegal actions are ignored.
    pub logits: &'a mut [f32],
    /// `[rows, num_values]`: the value for the current player, or one for each player, the current player's first and
    /// then in turn order.
    pub values: &'a mut [f32],
}

/// An evaluator of leaves: a network of any library, or a heuristic. Functions need no trait: see
/// [`TreeSearch::run_with`](crate::TreeSearch::run_with).
///
/// ```
/// use ludovec_engine::{LeafAnswers, LeafEvaluator, Leaves, Result};
///
/// /// All actions alike, value 0.
/// struct Even;
///
/// impl LeafEvaluator for Even {
///     fn evaluate(&mut self, _: &Leaves<'_>, answers: &mut LeafAnswers<'_>) -> Result<()> {
///         answers.values.fill(0.0);
///         Ok(())
///     }
/// }
/// let _: &mut dyn LeafEvaluator = &mut Even;
/// ```
pub trait LeafEvaluator {
    /// Writes the answers for all leaves.
    ///
    /// # Errors
    /// An error ends the search; the leaves keep waiting.
    fn evaluate(&mut self, leaves: &Leaves<'_>, answers: &mut LeafAnswers<'_>) -> Result<()>;
}

/// Memory for the leaves of a group of trees.
pub struct LeafBuffers {
    /// Maximum number of rows at once.
    pub rows: usize,
    /// The columns: name, element type, width, address; and the owner of each.
    pub columns: Vec<(ColumnInfo, Owner)>,
}

impl std::fmt::Debug for LeafBuffers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns: Vec<&ColumnInfo> = self.columns.iter().map(|(info, _)| info).collect();
        f.debug_struct("LeafBuffers").field("rows", &self.rows).field("columns", &columns).finish()
    }
}

impl LeafBuffers {
    /// The locations of `columns`.
    pub(crate) fn of(columns: &Columns) -> Self {
        let owner = |name| Arc::clone(columns.owner(name).expect("a listed column has an owner"));
        let columns_with_owners = columns.list().into_iter().map(|info| (info, owner(info.name))).collect();
        Self { rows: columns.num_envs(), columns: columns_with_owners }
    }
}
