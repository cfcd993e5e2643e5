//! Positions as text, drawings and pictures.

pub(crate) mod ansi;
pub(crate) mod layout;
pub(crate) mod picture;
pub(crate) mod render;
pub(crate) mod shapes;
pub(crate) mod svg;
