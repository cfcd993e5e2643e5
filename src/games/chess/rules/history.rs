//! Past positions, for observations that include them.

use std::fmt::Debug;

use bytemuck::{Pod, Zeroable};
use serde_json::Value;

use super::board::position::{MoveRules, Position};
use ludovec_engine::StateColumn;

/// The past positions that a state keeps, besides their keys.
pub trait History: Pod + Debug + PartialEq + Send + Sync {
    /// Whether any history is kept.
    const KEPT: bool;
    /// The history of a game that starts from `position`.
    fn new<R: MoveRules>(position: &Position<R>) -> Self;
    /// Adds `position`, which has occurred `occurrences` times.
    fn push<R: MoveRules>(&mut self, position: &Position<R>, occurrences: u8);
    /// Its fields as state columns, with offsets from its own start.
    fn columns() -> Vec<StateColumn> {
        Vec::new()
    }
    /// The history as JSON, if one is kept.
    fn to_json(&self) -> Option<Value>;
    /// Reads the output of [`History::to_json`].
    fn from_json(json: &Value) -> Option<Self>;
    /// Whether this is a possible history of a game at `position`.
    fn is_valid<R: MoveRules>(&self, position: &Position<R>) -> bool;
}

/// No history.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct NoHistory;

impl History for NoHistory {
    const KEPT: bool = false;
    fn new<R: MoveRules>(_: &Position<R>) -> Self {
        Self
    }
    #[inline]
    fn push<R: MoveRules>(&mut self, _: &Position<R>, _: u8) {}
    fn to_json(&self) -> Option<Value> {
        None
    }
    fn from_json(_: &Value) -> Option<Self> {
        None
    }
    fn is_valid<R: MoveRules>(&self, _: &Position<R>) -> bool {
        true
    }
}
