//! Types of drawings and of their display settings.

pub mod ansi;
pub(crate) mod beside;
pub mod drawing;
pub(crate) mod view;
