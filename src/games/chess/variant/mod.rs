//! Variants of chess as data: the files, what they mean, and what is wrong with them.

mod betza;
mod conditions;
mod library;
mod parse;
mod region;
pub mod schema;
#[cfg(test)]
mod tests;
mod tree;

pub use library::{check, flags, from_text, load, variants};
