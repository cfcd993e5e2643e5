//! The record of a game.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::chance::StreamId;
use crate::contract::spec::ActionId;

/// One step of a game, in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    /// The seat that acted.
    pub player: usize,
    /// The action index.
    pub action: ActionId,
    /// The action as text.
    pub label: String,
    /// The action as an object.
    #[serde(rename = "move")]
    pub object: Value,
    /// The chance outcomes of the step, in drawing order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chance: Vec<u32>,
}

/// Everything needed to replay a game and to verify the replay.
///
/// Steps are stored in columns: `players`, `actions` and `labels` have equal lengths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Environment id.
    pub env: String,
    /// Version of the environment that played.
    pub version: u32,
    /// Options by name.
    pub options: Value,
    /// The start position, unless the set-up drew it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Value>,
    /// The chance outcomes of the set-up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<u32>,
    /// The random stream, if all chance came from it and nothing else drew from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<StreamId>,
    /// Otherwise the chance outcomes of every step in drawing order; empty if no step drew any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chance: Vec<Vec<u32>>,
    /// The players' names by seat; empty if no player has a name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The seats that acted.
    pub players: Vec<usize>,
    /// The action indices.
    pub actions: Vec<ActionId>,
    /// The actions as text.
    pub labels: Vec<String>,
    /// The acting player's expected value for itself before each step, if it reports one: networks do, and bots that
    /// search single games. Empty if there are none, otherwise as long as the other columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub estimates: Vec<Option<f32>>,
    /// Scores by seat after the last step.
    pub scores: Vec<f32>,
    /// Outcome by seat in [-1, 1]; absent if the game is running or was truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns: Option<Vec<f32>>,
    /// Outcome by seat in [-1, 1] that the source of an imported game gives, if the rules did not end the game:
    /// resignation, agreement, adjudication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Vec<f32>>,
}

impl Record {
    /// Outcome by seat in [-1, 1]: by the rules, or else by the source of an imported game.
    #[must_use]
    pub fn outcome(&self) -> Option<&[f32]> {
        self.returns.as_deref().or(self.result.as_deref())
    }
}
