//! The record of a game.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::chance::StreamId;

/// One step of a game, in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    /// The seat that acted.
    pub player: usize,
    /// The action index.
    pub action: u32,
    /// The action as text.
    pub label: String,
    /// The action as an object.
    #[serde(rename = "move")]
    pub object: Value,
    /// The chance outcomes that followed, in the order they were drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chance: Vec<u32>,
}

/// Everything needed to replay a game, and to check that the replay went the same way.
///
/// Steps are stored in columns: `players`, `actions` and `labels` are equally long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Environment id.
    pub env: String,
    /// Version of the environment that played.
    pub version: u32,
    /// Options by name.
    pub options: Value,
    /// The position that the game began from, unless the set-up drew it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Value>,
    /// The chance outcomes of the set-up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<u32>,
    /// The random stream, when all chance came from it and nothing else drew from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<StreamId>,
    /// Otherwise the chance outcomes of every step in the order they were drawn; empty when nothing was drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chance: Vec<Vec<u32>>,
    /// What the players are called by seat; empty when nobody has a name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The seats that acted.
    pub players: Vec<usize>,
    /// The action indices.
    pub actions: Vec<u32>,
    /// The actions as text.
    pub labels: Vec<String>,
    /// What the players who acted expected for themselves before each step, where they said so: networks, and bots that
    /// search single games. Empty when nobody did, otherwise as long as the columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub estimates: Vec<Option<f32>>,
    /// Scores by seat after the last step.
    pub scores: Vec<f32>,
    /// Outcome by seat in [-1, 1]; absent while the game goes on or when it was truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns: Option<Vec<f32>>,
}
