//! Actions and positions as text and JSON, their validation, and the formats of other programs.

pub(crate) mod conform;
pub(crate) mod dialect;
pub(crate) mod json;
pub(crate) mod notation;
#[cfg(not(test))]
pub(crate) mod sgf;
pub(crate) mod validate;
