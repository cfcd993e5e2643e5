//! Tree search over a whole batch: a tree a game, all leaves in one batch of rows.
//!
//! | file | holds |
//! |---|---|
//! | `trees` | the search of a batch: every call of [`TreeSearch`](crate::TreeSearch) |
//! | `group` | trees whose leaves form one batch, and the threads that search them |

mod group;
pub(crate) mod trees;
