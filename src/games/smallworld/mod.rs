//! Small World: races and powers that conquer, decline and score on a map of up to 48 regions.

pub mod boards;
mod draw;
mod layout;
pub mod map;
pub mod mapgen;
pub mod roster;
mod shapes;
