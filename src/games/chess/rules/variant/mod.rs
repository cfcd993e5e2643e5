//! Chess variants as data: files, their meaning, and errors in them.
//!
//! | file | holds |
//! |---|---|
//! | `schema.rs` | a variant as validated data |
//! | `library.rs` | the shipped variants and flags; loading by name, path or text |
//! | `tree.rs` | variant files as trees, merged by inheritance |
//! | `parse.rs` | from a tree to a variant |
//! | `betza.rs` | Betza notation: how pieces move |
//! | `region.rs` | sets of squares in words |
//! | `description.rs` | what differs from chess, in sentences |
//! | `conditions.rs` | the conditions of end rules in words |

mod betza;
mod conditions;
mod description;
mod library;
mod parse;
mod region;
pub mod schema;
#[cfg(test)]
mod tests;
mod tree;

pub use description::differences;
pub use library::{flags, from_text, load, variants};
