//! Tree search over a whole batch: one tree per game, all leaves in one batch of rows.
//!
//! | file | holds |
//! |---|---|
//! | `trees` | the search of a batch: every call of [`TreeSearch`](crate::TreeSearch) |
//! | `group` | trees with a common batch of leaves, and the threads that search them |

mod group;
pub(crate) mod trees;
