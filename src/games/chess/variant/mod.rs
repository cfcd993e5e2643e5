//! Variants of chess as data: the files, what they mean, and what is wrong with them.

mod betza;
pub mod schema;
