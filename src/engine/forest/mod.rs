//! Tree search over a whole batch: one tree per game, all leaves in one batch of rows.
//!
//! | file | holds |
//! |---|---|
//! | `trees` | the search of a batch: every call of [`TreeSearch`](crate::TreeSearch) |
//! | `group` | trees with a common batch of leaves, and the threads that search them |
//! | `trees_of_task` | the trees that a thread searches to the end with an evaluator that all threads share |

mod group;
pub(crate) mod trees;
mod trees_of_task;
