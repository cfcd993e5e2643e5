//! Actions and positions as text and JSON, their validation, and the formats of other programs.

pub(crate) mod action_types;
pub(crate) mod json;
pub(crate) mod notation;
pub mod queries;
pub(crate) mod validate;
