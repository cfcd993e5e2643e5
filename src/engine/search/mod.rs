//! Tree search over the real rules.
//!
//! | file | holds |
//! |---|---|
//! | `game_tree` | the tree of one game: simulations descend, play, draw chance |
//! | `outcomes` | chance nodes: the child of an action for each chance outcome |
//! | `context`, `scratch` | the search context shared by all trees; buffers of a thread |
//! | `tree_json` | a tree as JSON |
//! | `tree` | the statistics of one tree: visits, values, priors; `subtree`: tree reuse |
//! | `gumbel`, `puct`, `ucb` | action selection, and the improved policy |
//! | `noise`, `exp` | noise at the root; the exponential function |
//! | `builtin_evaluator`, `playout`, `rating` | evaluation of leaves without a network; playouts; ratings of actions by the end of the turn |
//! | `playout_bots` | the bots that search by playouts |

pub(crate) mod builtin_evaluator;
pub(crate) mod context;
pub(crate) mod exp;
pub(crate) mod game_tree;
mod gumbel;
mod noise;
mod outcomes;
mod playout;
pub(crate) mod playout_bots;
mod puct;
pub(crate) mod rating;
pub(crate) mod scratch;
pub(crate) mod tree;
mod tree_json;
mod ucb;
